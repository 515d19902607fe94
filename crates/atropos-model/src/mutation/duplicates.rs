//! Mutants that need not run: those that compute what the original or another mutant computes, decided exactly over
//! the operands' ranges where these are small, and those in code that no object executes.

use super::mutant::{InitialStatus, ModelMutantId, Mutants, PointKind};
use crate::language::tree::BinaryOp;
use crate::model::arithmetic;
use crate::model::visit;
use crate::model::{CodeId, Expr, ExprKind, Model, ModelPointId, Stmt, StmtKind, TypeTable};

/// At most this many pairs of operands are compared.
const MAX_PAIRS: i128 = 10_000;

pub(super) fn find(mutants: &mut Mutants, model: &Model) {
    for code in &model.codes {
        visit::expressions(&code.body, &mut |expr| compare(expr, &model.types, mutants));
        guards(&code.body, mutants);
    }
    let mut live = vec![false; mutants.points.len()];
    for (code, is_live) in model.codes.iter().zip(live_codes(model)) {
        if is_live {
            points(&code.body, &mut |point| live[point.0 as usize] = true);
        }
    }
    for mutant in &mut mutants.list {
        if !live[mutant.point.0 as usize] {
            mutant.status = InitialStatus::Dead;
        }
    }
}

/// All mutation points in a statement.
fn points(body: &Stmt, found: &mut dyn FnMut(ModelPointId)) {
    visit::expressions(body, &mut |expr| match &expr.kind {
        ExprKind::Lit { point, .. }
        | ExprKind::Unary { point, .. }
        | ExprKind::Binary { point, .. }
        | ExprKind::Quantifier { point, .. } => point.iter().for_each(|point| found(*point)),
        _ => {}
    });
    guard_points(body, found);
}

fn guard_points(stmt: &Stmt, found: &mut dyn FnMut(ModelPointId)) {
    if let StmtKind::Guard { point, .. } = &stmt.kind {
        point.iter().for_each(|point| found(*point));
    }
    visit::substatements(stmt, &mut |inner| guard_points(inner, found));
}

/// Codes that some object's do-od block can reach.
fn live_codes(model: &Model) -> Vec<bool> {
    let mut live = vec![false; model.codes.len()];
    let blocks = model
        .ranks
        .iter()
        .flatten()
        .filter_map(|object| model.class_of(*object).block);
    let mut open: Vec<CodeId> = blocks.collect();
    while let Some(id) = open.pop() {
        if !std::mem::replace(&mut live[id.0 as usize], true) {
            visit::calls(&model.code(id).body, &mut |call| open.push(call.code));
        }
    }
    live
}

fn compare(expr: &Expr, types: &TypeTable, mutants: &mut Mutants) {
    let ExprKind::Binary {
        left,
        right,
        point: Some(id),
        ..
    } = &expr.kind
    else {
        return;
    };
    let (op, scale, alternatives) = match &mutants.point(*id).kind {
        PointKind::Binary {
            op,
            scale,
            alternatives,
        } => (*op, *scale, alternatives.clone()),
        PointKind::Logic {
            op, alternatives, ..
        } if !may_fail(left) && !may_fail(right) => {
            (*op, arithmetic::Scale::Whole, alternatives.clone())
        }
        _ => return,
    };
    if matches!(op, BinaryOp::In | BinaryOp::NotIn) {
        return;
    }
    let (Some(l), Some(r)) = (operand_range(left, types), operand_range(right, types)) else {
        return;
    };
    let width = |range: (i64, i64)| i128::from(range.1) - i128::from(range.0) + 1;
    if width(l) * width(r) > MAX_PAIRS {
        return;
    }
    let table = |op: BinaryOp| -> Vec<_> {
        (l.0..=l.1)
            .flat_map(|left| (r.0..=r.1).map(move |right| (left, right)))
            .map(|(left, right)| arithmetic::binary(op, left, right, scale))
            .collect()
    };
    let original = table(op);
    let mut seen: Vec<(ModelMutantId, Vec<_>)> = Vec::new();
    for (at, other) in alternatives.iter().enumerate() {
        let mutant = mutants.point(*id).mutant(at as u8 + 1);
        let results = table(*other);
        let status = if results == original {
            InitialStatus::Equivalent
        } else if let Some((first, _)) = seen.iter().find(|(_, known)| *known == results) {
            InitialStatus::Duplicate(*first)
        } else {
            seen.push((mutant, results));
            continue;
        };
        mutants.list[mutant.0 as usize - 1].status = status;
    }
}

fn operand_range(expr: &Expr, types: &TypeTable) -> Option<(i64, i64)> {
    match expr.kind {
        ExprKind::Lit { value, .. } => Some((value, value)),
        _ => types.range(expr.ty),
    }
}

/// A guard directly inside a guard: disabling either disables both.
fn guards(stmt: &Stmt, mutants: &mut Mutants) {
    if let StmtKind::Guard {
        body,
        point: Some(outer),
        ..
    } = &stmt.kind
        && let StmtKind::Guard {
            cond,
            point: Some(inner),
            ..
        } = &body.kind
    {
        // If the inner condition can fail with an error, the two differ.
        if !may_fail(cond) {
            let first: fn(&Mutants, ModelPointId) -> ModelMutantId =
                |mutants, id| mutants.point(id).first;
            let (outer, inner) = (first(mutants, *outer), first(mutants, *inner));
            let known = match mutants.get(outer).status {
                InitialStatus::Duplicate(of) => of,
                _ => outer,
            };
            mutants.list[inner.0 as usize - 1].status = InitialStatus::Duplicate(known);
        }
    }
    visit::substatements(stmt, &mut |inner| guards(inner, mutants));
}

/// Whether computing this can end in an error or be disabled.
pub(super) fn may_fail(expr: &Expr) -> bool {
    let mut fails = false;
    visit::expressions_in(expr, &mut |expr| {
        fails |= match &expr.kind {
            ExprKind::Lit { .. }
            | ExprKind::Const(_)
            | ExprKind::Local(_)
            | ExprKind::Attr(_)
            | ExprKind::SelfRef
            | ExprKind::TupleItem { .. }
            | ExprKind::If { .. }
            | ExprKind::Quantifier { .. } => false,
            ExprKind::Unary { op, .. } => !matches!(
                op,
                crate::language::tree::UnaryOp::Not
                    | crate::language::tree::UnaryOp::Len
                    | crate::language::tree::UnaryOp::Domain
                    | crate::language::tree::UnaryOp::Range
            ),
            ExprKind::Binary { op, .. } => matches!(
                op,
                BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Div | BinaryOp::Mod
            ),
            _ => true,
        };
    });
    fails
}
