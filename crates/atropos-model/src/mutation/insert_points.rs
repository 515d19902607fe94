//! Puts mutation points into a model's code.

use super::duplicates;
use super::mutant::{
    InitialStatus, ModelMutant, ModelMutantId, ModelOperator, ModelPoint, Mutants, PointKind,
};
use super::woven::{OriginPlace, Woven};
use crate::language::SourceSpan;
use crate::language::tree::{BinaryOp, UnaryOp};
use crate::model::arithmetic::Scale;
use crate::model::code::Call;
use crate::model::{Expr, ExprKind, Model, ModelPointId, Stmt, StmtKind, Ty, TypeTable};
use std::collections::HashMap;

const RELATIONS: [BinaryOp; 6] = [
    BinaryOp::Eq,
    BinaryOp::Ne,
    BinaryOp::Lt,
    BinaryOp::Le,
    BinaryOp::Gt,
    BinaryOp::Ge,
];
const ARITHMETIC: [BinaryOp; 5] = [
    BinaryOp::Add,
    BinaryOp::Sub,
    BinaryOp::Mul,
    BinaryOp::Div,
    BinaryOp::Mod,
];
const LOGIC: [BinaryOp; 3] = [BinaryOp::And, BinaryOp::Or, BinaryOp::Implies];

/// The model with all its mutants.
pub fn insert_points(model: Model) -> Model {
    insert(model, None)
}

/// A model translated from a chart, with the chart's mutants.
pub fn insert_woven_points(model: Model, woven: &Woven) -> Model {
    insert(model, Some(woven))
}

fn insert(mut model: Model, woven: Option<&Woven>) -> Model {
    let mut mutants = Mutants {
        shown: woven.map(|woven| woven.shown.clone()),
        ..Mutants::default()
    };
    let mut shared = HashMap::new();
    if let Some(woven) = woven {
        add_shapes(&mut mutants, woven);
    }
    for at in 0..model.codes.len() {
        let mut body = std::mem::replace(
            &mut model.codes[at].body,
            Stmt {
                kind: StmtKind::Skip,
                span: SourceSpan::default(),
            },
        );
        let mut inserter = PointInserter {
            types: &model.types,
            text: &model.text,
            mutants: &mut mutants,
            woven,
            shared: &mut shared,
        };
        inserter.statement(&mut body);
        model.codes[at].body = body;
    }
    duplicates::find(&mut mutants, &model);
    model.mutants = mutants;
    model
}

/// Mutants of a chart's shape come first: switch n is point n and mutant n + 1.
fn add_shapes(mutants: &mut Mutants, woven: &Woven) {
    for (number, shape) in woven.mutants.iter().enumerate() {
        let first = ModelMutantId(number as u32 + 1);
        mutants.points.push(ModelPoint {
            kind: PointKind::Literal {
                value: 0,
                alternatives: vec![1],
            },
            first,
            variants: 1,
        });
        mutants.list.push(ModelMutant {
            id: first,
            operator: shape.operator,
            point: ModelPointId(number as u32),
            variant: 1,
            span: SourceSpan {
                start: shape.span.start as u32,
                end: shape.span.end as u32,
            },
            original: woven.shown.get(shape.span.clone()).unwrap_or("").to_owned(),
            replacement: shape.replacement.clone(),
            status: InitialStatus::Open,
            parts: Vec::new(),
        });
    }
}

struct PointInserter<'a> {
    types: &'a TypeTable,
    text: &'a str,
    mutants: &'a mut Mutants,
    woven: Option<&'a Woven>,
    /// Points in the user's text, which may have been translated to several places.
    shared: &'a mut HashMap<(OriginPlace, ModelOperator), ModelPointId>,
}

impl PointInserter<'_> {
    fn point(
        &mut self,
        kind: PointKind,
        operator: ModelOperator,
        span: SourceSpan,
        replacements: Vec<String>,
    ) -> Option<ModelPointId> {
        if replacements.is_empty() {
            return None;
        }
        let mut origin = None;
        if let Some(woven) = self.woven {
            let (place, piece) = woven.place(span)?;
            if let Some(known) = self.shared.get(&(place.clone(), operator)) {
                return Some(*known);
            }
            origin = Some((woven, place, piece));
        }
        let id = ModelPointId(self.mutants.points.len() as u32);
        let first = ModelMutantId(self.mutants.list.len() as u32 + 1);
        let variants = replacements.len() as u8;
        self.mutants.points.push(ModelPoint {
            kind,
            first,
            variants,
        });
        for (at, replacement) in replacements.into_iter().enumerate() {
            let (span, original, replacement) = match &origin {
                None => (span, self.source(span).to_owned(), replacement),
                Some((woven, place, piece)) => {
                    woven.show(place, &self.text[piece.clone()], &replacement)
                }
            };
            self.mutants.list.push(ModelMutant {
                id: ModelMutantId(first.0 + at as u32),
                operator,
                point: id,
                variant: at as u8 + 1,
                span,
                original,
                replacement,
                status: InitialStatus::Open,
                parts: Vec::new(),
            });
        }
        if let Some((_, place, _)) = origin {
            self.shared.insert((place, operator), id);
        }
        Some(id)
    }

    fn source(&self, span: SourceSpan) -> &str {
        self.text.get(span.range()).unwrap_or("")
    }

    /// The span of a text whose last expression may stand in parentheses, which its own span leaves out.
    fn with_closing_parentheses(&self, start: u32, end: u32) -> SourceSpan {
        let whole = SourceSpan { start, end };
        let count = |letter| self.source(whole).matches(letter).count();
        let mut missing = count('(').saturating_sub(count(')'));
        let rest = self.text.get(end as usize..).unwrap_or("");
        let closing = rest.bytes().position(|byte| {
            missing -= usize::from(missing > 0 && byte == b')');
            missing == 0
        });
        match (count('(') > count(')'), closing) {
            (true, Some(at)) => SourceSpan {
                start,
                end: end + at as u32 + 1,
            },
            _ => whole,
        }
    }

    /// An operand's text, in parentheses if an operator of this level would tear it apart.
    fn operand(&self, operand: &Expr, is_torn: impl Fn(BinaryOp) -> bool) -> String {
        let text = self.source(operand.span);
        match &operand.kind {
            ExprKind::Binary { op, .. } if is_torn(*op) => format!("({text})"),
            _ => text.to_string(),
        }
    }

    /// What stands in place of an expression, in parentheses if what is around would tear it apart.
    fn in_place(&self, span: SourceSpan, text: String, looser: bool) -> String {
        let before = self.text.get(..span.start as usize).unwrap_or("");
        let after = self.text.get(span.end as usize..).unwrap_or("");
        let has_parentheses =
            before.trim_end().ends_with('(') && after.trim_start().starts_with(')');
        match looser && !has_parentheses {
            true => format!("({text})"),
            false => text,
        }
    }

    fn statement(&mut self, stmt: &mut Stmt) {
        match &mut stmt.kind {
            StmtKind::Seq(parts) | StmtKind::Choice(parts) | StmtKind::Prio(parts) => {
                parts.iter_mut().for_each(|part| self.statement(part));
            }
            StmtKind::Project { filter, body, .. } => {
                if let Some(filter) = filter {
                    self.expression(filter, false);
                }
                self.statement(body);
            }
            StmtKind::Guard { cond, body, point } => {
                // The place shown is the guard itself, without its body.
                let head = self.with_closing_parentheses(stmt.span.start, cond.span.end);
                let replacement = vec!["requires false".to_string()];
                *point = self.point(
                    PointKind::Guard,
                    ModelOperator::DisableGuard,
                    head,
                    replacement,
                );
                self.expression(cond, false);
                self.statement(body);
            }
            StmtKind::Assign {
                targets,
                values,
                with,
            } => {
                targets
                    .iter_mut()
                    .flat_map(|target| &mut target.path)
                    .for_each(|index| self.expression(index, false));
                values
                    .iter_mut()
                    .for_each(|value| self.expression(value, true));
                if let Some(with) = with {
                    self.expression(with, false);
                }
            }
            StmtKind::Call(call) => {
                let assigned = call.store.is_some();
                self.call(call, assigned);
            }
            StmtKind::Skip | StmtKind::Abort | StmtKind::Emit => {}
        }
    }

    fn call(&mut self, call: &mut Call, assigned: bool) {
        if let Some(receiver) = &mut call.receiver {
            self.expression(receiver, false);
        }
        call.args
            .iter_mut()
            .for_each(|arg| self.expression(arg, assigned));
        if let Some((_, list)) = &mut call.fold {
            self.expression(list, assigned);
        }
    }

    /// `assigned`: inside the right side of an assignment.
    fn expression(&mut self, expr: &mut Expr, assigned: bool) {
        let (ty, span) = (expr.ty, expr.span);
        if let ExprKind::Lit { point, .. } = &mut expr.kind
            && let Some(gate) = self.woven.and_then(|woven| woven.gate(span))
        {
            *point = Some(ModelPointId(gate as u32));
            return;
        }
        match &mut expr.kind {
            ExprKind::Lit { value, point } if assigned => *point = self.literal(*value, ty, span),
            ExprKind::Unary { op, operand, point } => {
                *point = self.unary(*op, operand, span);
                self.expression(operand, assigned);
            }
            ExprKind::Binary {
                op,
                left,
                right,
                point,
            } => {
                *point = self.binary(*op, left, right, span);
                self.expression(left, assigned);
                self.expression(right, assigned);
            }
            ExprKind::Quantifier {
                all, body, point, ..
            } => {
                let (from, to) = if *all {
                    ("forall", "exists")
                } else {
                    ("exists", "forall")
                };
                let replacement = self.source(span).replacen(from, to, 1);
                *point = self.point(
                    PointKind::Quantifier,
                    ModelOperator::ReplaceUnary,
                    span,
                    vec![replacement],
                );
                self.expression(body, assigned);
            }
            ExprKind::Index { base, index } => {
                self.expression(base, assigned);
                self.expression(index, assigned);
            }
            ExprKind::TupleItem { base, .. } => self.expression(base, assigned),
            ExprKind::Call(call) => self.call(call, assigned),
            ExprKind::List(items) | ExprKind::Tuple(items) => {
                items
                    .iter_mut()
                    .for_each(|item| self.expression(item, assigned));
            }
            ExprKind::Map(pairs) => {
                for (key, value) in pairs {
                    self.expression(key, assigned);
                    self.expression(value, assigned);
                }
            }
            ExprKind::Comprehension { filter, item, .. } => {
                if let Some(filter) = filter {
                    self.expression(filter, assigned);
                }
                self.expression(item, assigned);
            }
            ExprKind::If { cond, then, other } => {
                self.expression(cond, assigned);
                self.expression(then, assigned);
                self.expression(other, assigned);
            }
            ExprKind::Convert(inner) => self.expression(inner, assigned),
            ExprKind::Lit { .. }
            | ExprKind::Const(_)
            | ExprKind::Local(_)
            | ExprKind::Attr(_)
            | ExprKind::SelfRef
            | ExprKind::New { .. } => {}
        }
    }

    fn literal(
        &mut self,
        value: i64,
        ty: crate::model::TyId,
        span: SourceSpan,
    ) -> Option<ModelPointId> {
        match self.types.get(ty) {
            Ty::Bool => {
                let replacement = vec![(value == 0).to_string()];
                let kind = PointKind::Literal {
                    value,
                    alternatives: vec![1 - value],
                };
                self.point(kind, ModelOperator::InvertBoolean, span, replacement)
            }
            Ty::Int { .. } => {
                let alternatives: Vec<i64> = [value.checked_add(1), value.checked_sub(1)]
                    .into_iter()
                    .flatten()
                    .collect();
                let replacement = alternatives.iter().map(i64::to_string).collect();
                self.point(
                    PointKind::Literal {
                        value,
                        alternatives,
                    },
                    ModelOperator::ReplaceInteger,
                    span,
                    replacement,
                )
            }
            _ => None,
        }
    }

    fn unary(&mut self, op: UnaryOp, operand: &Expr, span: SourceSpan) -> Option<ModelPointId> {
        let alternatives = match op {
            UnaryOp::Minus | UnaryOp::Not => vec![UnaryOp::Plus],
            UnaryOp::Plus => vec![UnaryOp::Minus],
            UnaryOp::Abs => vec![UnaryOp::Plus, UnaryOp::Minus],
            _ => return None,
        };
        let inner = self.operand(operand, |_| true);
        let replacement = alternatives
            .iter()
            .map(|other| {
                if *other == UnaryOp::Minus {
                    format!("-{inner}")
                } else {
                    inner.clone()
                }
            })
            .collect();
        self.point(
            PointKind::Unary { op, alternatives },
            ModelOperator::ReplaceUnary,
            span,
            replacement,
        )
    }

    fn binary(
        &mut self,
        op: BinaryOp,
        left: &Expr,
        right: &Expr,
        span: SourceSpan,
    ) -> Option<ModelPointId> {
        let left_ty = self.types.get(left.ty);
        let number = matches!(left_ty, Ty::Int { .. } | Ty::Fixed { .. });
        let group: &[BinaryOp] = match op {
            _ if LOGIC.contains(&op) => &LOGIC,
            BinaryOp::In | BinaryOp::NotIn => &[BinaryOp::In, BinaryOp::NotIn],
            _ if RELATIONS.contains(&op) => {
                if number {
                    &RELATIONS
                } else {
                    &RELATIONS[..2]
                }
            }
            _ => {
                if number {
                    &ARITHMETIC
                } else {
                    &[]
                }
            }
        };
        let alternatives: Vec<BinaryOp> =
            group.iter().copied().filter(|other| *other != op).collect();
        let replacement = alternatives
            .iter()
            .map(|other| {
                let level = other.level();
                // `=>` leans to the right, all others to the left.
                let is_torn = |op: BinaryOp| op.level() < level || op == BinaryOp::Implies;
                let before = self.operand(left, is_torn);
                let after = self.operand(right, |op| op.level() <= level);
                let text = format!("{before} {} {after}", other.text());
                self.in_place(span, text, level < op.level())
            })
            .collect();
        let scale = if matches!(left_ty, Ty::Fixed { .. }) {
            Scale::Fixed
        } else {
            Scale::Whole
        };
        let kind = if LOGIC.contains(&op) {
            PointKind::Logic {
                op,
                alternatives,
                right_may_fail: duplicates::may_fail(right),
            }
        } else {
            PointKind::Binary {
                op,
                scale,
                alternatives,
            }
        };
        self.point(kind, ModelOperator::ReplaceBinary, span, replacement)
    }
}
