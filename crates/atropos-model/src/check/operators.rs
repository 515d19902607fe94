//! Operators, indices, literals of lists, maps and tuples, conversions and comprehensions.

use super::Checker;
use super::scope::Scope;
use crate::language::SourceSpan;
use crate::language::tree::{self, BinaryOp, UnaryOp};
use crate::model::arithmetic::{self, Scale};
use crate::model::types::MAX_LENGTH;
use crate::model::{Domain, Expr, ExprKind, Ty, TyId};

impl Checker<'_> {
    pub(super) fn unary(
        &mut self,
        op: UnaryOp,
        operand: &tree::Expr,
        span: SourceSpan,
        scope: &mut Scope,
        expect: Option<TyId>,
    ) -> Expr {
        let passed = matches!(
            op,
            UnaryOp::Minus | UnaryOp::Plus | UnaryOp::Abs | UnaryOp::Not
        );
        let operand = self.expression(operand, scope, expect.filter(|_| passed));
        let result = match (op, self.types.get(operand.ty).clone()) {
            (_, Ty::Bad) => Ty::Bad,
            (UnaryOp::Not, Ty::Bool) => Ty::Bool,
            (UnaryOp::Plus, ty @ (Ty::Int { .. } | Ty::Fixed { .. })) => ty,
            (UnaryOp::Minus, Ty::Int { low, high }) => Ty::Int {
                low: high.saturating_neg(),
                high: low.saturating_neg(),
            },
            (UnaryOp::Minus, Ty::Fixed { low, high }) => Ty::Fixed {
                low: high.saturating_neg(),
                high: low.saturating_neg(),
            },
            (UnaryOp::Abs, Ty::Int { low, high }) => Ty::Int {
                low: 0,
                high: magnitude(low, high),
            },
            (UnaryOp::Abs, Ty::Fixed { low, high }) => Ty::Fixed {
                low: 0,
                high: magnitude(low, high),
            },
            (UnaryOp::Len, Ty::List { max, .. } | Ty::Map { max, .. }) => Ty::Int {
                low: 0,
                high: max.into(),
            },
            (UnaryOp::Head, Ty::List { item, .. }) => self.types.get(item).clone(),
            (UnaryOp::Tail, ty @ Ty::List { .. }) => ty,
            (UnaryOp::Domain, Ty::Map { max, key, .. }) => Ty::List { max, item: key },
            (UnaryOp::Range, Ty::Map { max, value, .. }) => Ty::List { max, item: value },
            _ => {
                let message = format!(
                    "`{}` has no meaning for {}",
                    op.text(),
                    self.type_name(operand.ty)
                );
                let advice = match op {
                    UnaryOp::Not => "`not` negates bool values",
                    UnaryOp::Len => "`len` counts the entries of a list or map",
                    UnaryOp::Head | UnaryOp::Tail => "`hd` and `tl` take a list apart",
                    UnaryOp::Domain | UnaryOp::Range => {
                        "`dom` and `ran` list a map's keys and values"
                    }
                    _ => "`-`, `+` and `abs` are for numbers",
                };
                return self.bad_because(span, message, advice);
            }
        };
        let ty = self.types.intern(result);
        // A negated literal is a literal.
        if let (UnaryOp::Minus, ExprKind::Lit { value, .. }) = (op, &operand.kind) {
            let value = value.saturating_neg();
            return Expr {
                kind: ExprKind::Lit { value, point: None },
                ty,
                span,
            };
        }
        Expr {
            kind: ExprKind::Unary {
                op,
                operand: Box::new(operand),
                point: None,
            },
            ty,
            span,
        }
    }

    pub(super) fn binary(
        &mut self,
        op: BinaryOp,
        left: &tree::Expr,
        right: &tree::Expr,
        span: SourceSpan,
        scope: &mut Scope,
        expect: Option<TyId>,
    ) -> Expr {
        let logic = matches!(op, BinaryOp::And | BinaryOp::Or | BinaryOp::Implies);
        if logic {
            let left = Box::new(self.truth(left, scope));
            let right = Box::new(self.truth(right, scope));
            return Expr {
                kind: ExprKind::Binary {
                    op,
                    left,
                    right,
                    point: None,
                },
                ty: self.bool_ty,
                span,
            };
        }
        if matches!(op, BinaryOp::In | BinaryOp::NotIn) {
            return self.membership(op, left, right, span, scope);
        }
        let (left, right) = self.operands(left, right, scope, expect);
        if left.ty == self.bad_ty || right.ty == self.bad_ty {
            return self.bad(span);
        }
        match op {
            BinaryOp::Eq | BinaryOp::Ne => {
                let Some(ty) = self.common(left.ty, right.ty) else {
                    return self.mismatch(&left, &right, span, "the two sides");
                };
                let (left, right) = (self.coerce(left, ty), self.coerce(right, ty));
                self.built(op, left, right, self.bool_ty, span)
            }
            BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge => {
                if self.numbers(&left, &right).is_none() {
                    return self.mismatch(&left, &right, span, "the sides of a comparison");
                }
                self.built(op, left, right, self.bool_ty, span)
            }
            _ => self.arithmetic(op, left, right, span),
        }
    }

    /// Both sides; the one whose type says more guides the other.
    fn operands(
        &mut self,
        left: &tree::Expr,
        right: &tree::Expr,
        scope: &mut Scope,
        expect: Option<TyId>,
    ) -> (Expr, Expr) {
        if is_literal(left) && !is_literal(right) {
            let right = self.expression(right, scope, expect);
            let left = self.expression(left, scope, Some(right.ty));
            return (left, right);
        }
        let left = self.expression(left, scope, expect);
        let right = self.expression(right, scope, Some(left.ty));
        (left, right)
    }

    fn built(&self, op: BinaryOp, left: Expr, right: Expr, ty: TyId, span: SourceSpan) -> Expr {
        Expr {
            kind: ExprKind::Binary {
                op,
                left: Box::new(left),
                right: Box::new(right),
                point: None,
            },
            ty,
            span,
        }
    }

    fn numbers(&self, left: &Expr, right: &Expr) -> Option<Scale> {
        match (self.types.get(left.ty), self.types.get(right.ty)) {
            (Ty::Int { .. }, Ty::Int { .. }) => Some(Scale::Whole),
            (Ty::Fixed { .. }, Ty::Fixed { .. }) => Some(Scale::Fixed),
            _ => None,
        }
    }

    fn arithmetic(&mut self, op: BinaryOp, left: Expr, right: Expr, span: SourceSpan) -> Expr {
        if let (Some(scale), Some(l), Some(r)) = (
            self.numbers(&left, &right),
            self.types.range(left.ty),
            self.types.range(right.ty),
        ) {
            if matches!(op, BinaryOp::Div | BinaryOp::Mod) && r == (0, 0) {
                let advice = "guard it: `requires divisor <> 0 : … end`, with a divisor that can be something else";
                return self.bad_because(right.span, "division by zero", advice);
            }
            let (low, high) = arithmetic::range(op, l, r, scale);
            let ty = if scale == Scale::Whole {
                Ty::Int { low, high }
            } else {
                Ty::Fixed { low, high }
            };
            let ty = self.types.intern(ty);
            return self.built(op, left, right, ty, span);
        }
        match (
            op,
            self.types.get(left.ty).clone(),
            self.types.get(right.ty).clone(),
        ) {
            (
                BinaryOp::Add,
                Ty::List { max, item },
                Ty::List {
                    max: more,
                    item: other,
                },
            ) => {
                let item = if max == 0 {
                    Some(other)
                } else if more == 0 {
                    Some(item)
                } else {
                    self.common(item, other)
                };
                let Some(item) = item else {
                    return self.mismatch(&left, &right, span, "the lists' items");
                };
                let ty = self.types.intern(Ty::List {
                    max: (max + more).min(MAX_LENGTH as u32),
                    item,
                });
                let left_ty = self.types.intern(Ty::List { max, item });
                let right_ty = self.types.intern(Ty::List { max: more, item });
                let (left, right) = (self.coerce(left, left_ty), self.coerce(right, right_ty));
                self.built(op, left, right, ty, span)
            }
            (BinaryOp::Add, Ty::Map { max, .. }, Ty::Map { max: more, .. }) => {
                let common = self
                    .common(left.ty, right.ty)
                    .map(|ty| self.types.get(ty).clone());
                let Some(Ty::Map { key, value, .. }) = common else {
                    return self.mismatch(&left, &right, span, "the maps' entries");
                };
                let ty = self.types.intern(Ty::Map {
                    max: (max + more).min(MAX_LENGTH as u32),
                    key,
                    value,
                });
                let (left, right) = (self.coerce(left, ty), self.coerce(right, ty));
                self.built(op, left, right, ty, span)
            }
            _ => self.mismatch(
                &left,
                &right,
                span,
                &format!("the sides of `{}`", op.text()),
            ),
        }
    }

    fn membership(
        &mut self,
        op: BinaryOp,
        left: &tree::Expr,
        right: &tree::Expr,
        span: SourceSpan,
        scope: &mut Scope,
    ) -> Expr {
        let right = self.expression(right, scope, None);
        let wanted = match *self.types.get(right.ty) {
            Ty::List { item, .. } => item,
            Ty::Map { key, .. } => key,
            Ty::Bad => return self.bad(span),
            _ => {
                let message = format!(
                    "`in` asks a list or a map, this is {}",
                    self.type_name(right.ty)
                );
                let advice = "compare with `=`, or put the values into a list: `x in [1, 2]`";
                return self.bad_because(right.span, message, advice);
            }
        };
        let left = self.expression(left, scope, Some(wanted));
        let empty = matches!(
            self.types.get(right.ty),
            Ty::List { max: 0, .. } | Ty::Map { max: 0, .. }
        );
        let Some(common) = self.common(left.ty, wanted).or(empty.then_some(wanted)) else {
            return self.mismatch(&left, &right, span, "the sides of `in`");
        };
        let left = if self.types.is_scalar(common) {
            left
        } else {
            self.coerce(left, wanted)
        };
        self.built(op, left, right, self.bool_ty, span)
    }

    pub(super) fn index(
        &mut self,
        base: &tree::Expr,
        index: &tree::Expr,
        span: SourceSpan,
        scope: &mut Scope,
    ) -> Expr {
        let base = self.expression(base, scope, None);
        match self.types.get(base.ty).clone() {
            Ty::List { max, item } => {
                let index = self.list_index(index, max, scope);
                Expr {
                    kind: ExprKind::Index {
                        base: Box::new(base),
                        index: Box::new(index),
                    },
                    ty: item,
                    span,
                }
            }
            Ty::Map { key, value, .. } => {
                // Not `stored`: a key of a wider range is simply not in the map.
                let lowered = self.expression(index, scope, Some(key));
                self.require_fit(lowered.ty, key, index.span);
                let index = self.coerce(lowered, key);
                Expr {
                    kind: ExprKind::Index {
                        base: Box::new(base),
                        index: Box::new(index),
                    },
                    ty: value,
                    span,
                }
            }
            Ty::Tuple(items) => {
                match index.kind {
                    tree::ExprKind::Int(at) if (0..items.len() as i64).contains(&at) => {
                        let (item, ty) = (at as usize, items[at as usize]);
                        Expr {
                            kind: ExprKind::TupleItem {
                                base: Box::new(base),
                                item,
                            },
                            ty,
                            span,
                        }
                    }
                    _ => {
                        let message = format!(
                            "a tuple's item is named by a literal from 0 to {}",
                            items.len() - 1
                        );
                        self.bad_because(index.span, message, "items may be of different types, so that which one must be known: `t[0]`")
                    }
                }
            }
            Ty::Bad => self.bad(span),
            _ => {
                let message = format!("{} has no items", self.type_name(base.ty));
                self.bad_because(
                    base.span,
                    message,
                    "only lists, maps and tuples are indexed",
                )
            }
        }
    }

    pub(super) fn list_index(&mut self, index: &tree::Expr, max: u32, scope: &mut Scope) -> Expr {
        let span = index.span;
        let index = self.expression(index, scope, None);
        match *self.types.get(index.ty) {
            Ty::Int { low, high } => {
                if high < 0 || low >= i64::from(max) {
                    let message = format!(
                        "the list has items 0 to {}, this index is never inside",
                        i64::from(max) - 1
                    );
                    let advice =
                        "the first item has index 0; make the list longer or the index smaller";
                    self.diagnostics.error(span, message, advice);
                }
            }
            Ty::Bad => {}
            _ => {
                let message = format!(
                    "a list's index is a whole number, this is {}",
                    self.type_name(index.ty)
                );
                let advice =
                    "the first item has index 0; `as` makes a number of an enumeration's value";
                self.diagnostics.error(span, message, advice);
            }
        }
        index
    }

    pub(super) fn conversion(
        &mut self,
        base: &tree::Expr,
        ty: &tree::TypeExpr,
        span: SourceSpan,
        scope: &mut Scope,
    ) -> Expr {
        let base = self.expression(base, scope, None);
        let ty = self.resolve_type(ty);
        let possible = match (self.types.get(base.ty), self.types.get(ty)) {
            (Ty::Bad, _) | (_, Ty::Bad) => return self.bad(span),
            (Ty::Int { .. } | Ty::Fixed { .. } | Ty::Enum(_), Ty::Int { .. }) => true,
            (Ty::Int { .. } | Ty::Fixed { .. }, Ty::Fixed { .. }) => true,
            (Ty::Int { .. }, Ty::Enum(_)) => true,
            (Ty::Enum(a), Ty::Enum(b)) => a == b,
            (Ty::Bool, Ty::Bool) => true,
            (Ty::Nil, Ty::Ref(_)) => true,
            (Ty::Ref(a), Ty::Ref(b)) => self.is_subclass(*a, *b) || self.is_subclass(*b, *a),
            _ => false,
        };
        if !possible {
            let message = format!(
                "{} can't become {}",
                self.type_name(base.ty),
                self.type_name(ty)
            );
            let advice = "`as` goes between numbers, between numbers and enumerations, and along superclasses";
            return self.bad_because(span, message, advice);
        }
        Expr {
            kind: ExprKind::Convert(Box::new(base)),
            ty,
            span,
        }
    }

    pub(super) fn list(
        &mut self,
        items: &[tree::Expr],
        span: SourceSpan,
        scope: &mut Scope,
        expect: Option<TyId>,
    ) -> Expr {
        let wanted = expect.and_then(|ty| match *self.types.get(ty) {
            Ty::List { max, item } if items.len() <= max as usize => Some((ty, item)),
            _ => None,
        });
        if let Some((ty, item)) = wanted {
            let items = items
                .iter()
                .map(|value| self.stored(value, scope, item))
                .collect();
            return Expr {
                kind: ExprKind::List(items),
                ty,
                span,
            };
        }
        if let Some(Ty::List { max, .. }) = expect.map(|ty| self.types.get(ty).clone()) {
            let message = format!("{} items don't fit into a list of {max}", items.len());
            let advice = "give the list's type a greater length";
            return self.bad_because(span, message, advice);
        }
        let items: Vec<Expr> = items
            .iter()
            .map(|item| self.expression(item, scope, None))
            .collect();
        let Some(item) = self.common_of(&items) else {
            return self.bad(span);
        };
        let items: Vec<Expr> = items
            .into_iter()
            .map(|value| self.coerce(value, item))
            .collect();
        let ty = self.types.intern(Ty::List {
            max: items.len() as u32,
            item,
        });
        Expr {
            kind: ExprKind::List(items),
            ty,
            span,
        }
    }

    fn common_of(&mut self, items: &[Expr]) -> Option<TyId> {
        let Some(first) = items.first() else {
            return Some(self.bool_ty);
        };
        let mut ty = first.ty;
        for item in &items[1..] {
            match self.common(ty, item.ty) {
                Some(common) => ty = common,
                None => {
                    self.mismatch(first, item, item.span, "the items");
                    return None;
                }
            }
        }
        Some(self.widened(ty))
    }

    pub(super) fn map(
        &mut self,
        pairs: &[(tree::Expr, tree::Expr)],
        span: SourceSpan,
        scope: &mut Scope,
        expect: Option<TyId>,
    ) -> Expr {
        if let Some(Ty::Map { max, key, value }) = expect.map(|ty| self.types.get(ty).clone()) {
            if pairs.len() > max as usize {
                let message = format!("{} entries don't fit into a map of {max}", pairs.len());
                let advice = "give the map's type a greater length";
                return self.bad_because(span, message, advice);
            }
            let mut lowered = Vec::new();
            for (from, to) in pairs {
                let from = self.stored(from, scope, key);
                lowered.push((from, self.stored(to, scope, value)));
            }
            return Expr {
                kind: ExprKind::Map(lowered),
                ty: expect.unwrap_or(self.bad_ty),
                span,
            };
        }
        let keys: Vec<Expr> = pairs
            .iter()
            .map(|(key, _)| self.expression(key, scope, None))
            .collect();
        let values: Vec<Expr> = pairs
            .iter()
            .map(|(_, value)| self.expression(value, scope, None))
            .collect();
        let (Some(key), Some(value)) = (self.common_of(&keys), self.common_of(&values)) else {
            return self.bad(span);
        };
        let mut lowered = Vec::new();
        for (from, to) in keys.into_iter().zip(values) {
            let from = self.coerce(from, key);
            lowered.push((from, self.coerce(to, value)));
        }
        let ty = self.types.intern(Ty::Map {
            max: lowered.len() as u32,
            key,
            value,
        });
        Expr {
            kind: ExprKind::Map(lowered),
            ty,
            span,
        }
    }

    pub(super) fn tuple(
        &mut self,
        items: &[tree::Expr],
        span: SourceSpan,
        scope: &mut Scope,
        expect: Option<TyId>,
    ) -> Expr {
        if let Some(Ty::Tuple(types)) = expect.map(|ty| self.types.get(ty).clone())
            && types.len() == items.len()
        {
            let items = items
                .iter()
                .zip(&types)
                .map(|(item, ty)| self.stored(item, scope, *ty))
                .collect();
            return Expr {
                kind: ExprKind::Tuple(items),
                ty: expect.unwrap_or(self.bad_ty),
                span,
            };
        }
        let mut types = Vec::new();
        let mut lowered = Vec::new();
        for item in items {
            let item = self.expression(item, scope, None);
            let ty = self.widened(item.ty);
            types.push(ty);
            lowered.push(self.coerce(item, ty));
        }
        let ty = self.types.intern(Ty::Tuple(types));
        Expr {
            kind: ExprKind::Tuple(lowered),
            ty,
            span,
        }
    }

    pub(super) fn comprehension(
        &mut self,
        item: &tree::Expr,
        vars: &[tree::Param],
        filter: Option<&tree::Expr>,
        span: SourceSpan,
        scope: &mut Scope,
        expect: Option<TyId>,
    ) -> Expr {
        let mark = scope.mark();
        let vars = self.bound_vars(vars, scope);
        let filter = filter.map(|filter| Box::new(self.truth(filter, scope)));
        let wanted = expect.and_then(|ty| match *self.types.get(ty) {
            Ty::List { item, .. } => Some((ty, item)),
            _ => None,
        });
        let result = match wanted {
            Some((ty, wanted)) => {
                let item = Box::new(self.stored(item, scope, wanted));
                Expr {
                    kind: ExprKind::Comprehension { vars, filter, item },
                    ty,
                    span,
                }
            }
            None => {
                let item = self.expression(item, scope, None);
                let wide = self.widened(item.ty);
                let item = Box::new(self.coerce(item, wide));
                let most = vars.iter().fold(1u64, |product, var| match var.domain {
                    Domain::Range { count, .. } => product.saturating_mul(count),
                    // Objects are not counted yet.
                    Domain::Objects(_) => product.saturating_mul(4096),
                });
                let ty = self.types.intern(Ty::List {
                    max: most.min(MAX_LENGTH as u64) as u32,
                    item: wide,
                });
                Expr {
                    kind: ExprKind::Comprehension { vars, filter, item },
                    ty,
                    span,
                }
            }
        };
        scope.close(mark);
        result
    }
}

fn magnitude(low: i64, high: i64) -> i64 {
    low.saturating_abs().max(high.saturating_abs())
}

fn is_literal(expr: &tree::Expr) -> bool {
    use tree::ExprKind as Tree;
    matches!(
        expr.kind,
        Tree::Int(_) | Tree::Fixed(_) | Tree::Name(_) | Tree::Nil | Tree::List(_) | Tree::Map(_)
    )
}
