//! Expressions: scalars in registers, everything larger by address.

use super::emitter::Emitter;
use super::runtime::operator_code;
use crate::language::tree::{BinaryOp, UnaryOp};
use crate::model::arithmetic::{self, Scale};
use crate::model::types::LENGTH;
use crate::model::{ErrorKind, Expr, ExprKind, ModelPointId, Ty};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder as _, Value, types};

impl Emitter<'_, '_> {
    pub fn expression(&mut self, expr: &Expr) -> Value {
        match &expr.kind {
            ExprKind::Lit { value, point: None } => self.constant(*value),
            ExprKind::Lit {
                value,
                point: Some(point),
            } => {
                let value = *value;
                self.at_point(
                    *point,
                    |e| e.constant(value),
                    |e, number| e.call("point_literal", &[number]),
                )
            }
            ExprKind::Const(value) => self.constant_value(value, expr.ty),
            ExprKind::Local(slot) => self.builder.use_var(self.locals[*slot as usize]),
            ExprKind::Attr(at) => {
                let attribute =
                    &self.model.classes[self.code.class.0 as usize].attributes[*at as usize];
                let base = self.base;
                self.load_value(attribute.ty, base, attribute.offset as i32)
            }
            ExprKind::SelfRef => self.this,
            ExprKind::Unary { op, operand, point } => self.unary(*op, operand, *point, expr),
            ExprKind::Binary {
                op,
                left,
                right,
                point,
            } => match op {
                BinaryOp::And | BinaryOp::Or | BinaryOp::Implies => {
                    self.logic(*op, left, right, *point)
                }
                _ => self.binary(*op, left, right, *point, expr),
            },
            ExprKind::Index { base, index } => {
                let address = self.expression(base);
                let word = self.expression(index);
                match *self.model.types.get(base.ty) {
                    Ty::List { item, .. } => {
                        let address = self.item_address(
                            address,
                            word,
                            item,
                            ErrorKind::IndexOutside,
                            index.span,
                        );
                        self.load_value(item, address, 0)
                    }
                    _ => {
                        let (of, place) = (self.ty(base.ty), self.place(index.span));
                        let address = self.call_checked("map_find", &[address, of, word, place]);
                        self.load_value(expr.ty, address, 0)
                    }
                }
            }
            ExprKind::TupleItem { base, item } => {
                let address = self.expression(base);
                let Ty::Tuple(items) = self.model.types.get(base.ty).clone() else {
                    return address;
                };
                let offset = self.model.types.tuple_offset(&items, *item);
                self.load_value(items[*item], address, offset as i32)
            }
            ExprKind::Call(call) => self.invoke(call),
            ExprKind::List(items) => self.list(items, expr),
            ExprKind::Map(pairs) => self.map(pairs, expr),
            ExprKind::Tuple(items) => self.tuple(items, expr),
            ExprKind::Comprehension { vars, filter, item } => {
                self.comprehension(vars, filter.as_deref(), item, expr)
            }
            ExprKind::Quantifier {
                all,
                vars,
                body,
                point,
            } => self.quantifier(*all, vars, body, *point),
            ExprKind::If { cond, then, other } => {
                let result = self.builder.declare_var(types::I64);
                let cond = self.expression(cond);
                let (yes, no, join) = (
                    self.builder.create_block(),
                    self.builder.create_block(),
                    self.builder.create_block(),
                );
                self.builder.ins().brif(cond, yes, &[], no, &[]);
                for (block, branch) in [(yes, then), (no, other)] {
                    self.builder.switch_to_block(block);
                    let value = self.expression(branch);
                    self.builder.def_var(result, value);
                    self.builder.ins().jump(join, &[]);
                }
                self.builder.switch_to_block(join);
                self.builder.use_var(result)
            }
            ExprKind::Convert(inner) => {
                let word = self.expression(inner);
                let (from, to, place) =
                    (self.ty(inner.ty), self.ty(expr.ty), self.place(expr.span));
                let name = if self.model.types.is_scalar(expr.ty) {
                    "convert_scalar"
                } else {
                    "convert"
                };
                self.call_checked(name, &[word, from, to, place])
            }
            ExprKind::New { .. } => self.constant(0),
        }
    }

    fn unary(
        &mut self,
        op: UnaryOp,
        operand: &Expr,
        point: Option<ModelPointId>,
        expr: &Expr,
    ) -> Value {
        let value = self.expression(operand);
        match op {
            UnaryOp::Len => self.load(LENGTH, value, 0),
            UnaryOp::Head => {
                let Ty::List { item, .. } = *self.model.types.get(operand.ty) else {
                    return value;
                };
                let zero = self.constant(0);
                let address = self.item_address(value, zero, item, ErrorKind::EmptyList, expr.span);
                self.load_value(item, address, 0)
            }
            UnaryOp::Tail => {
                let (of, place) = (self.ty(operand.ty), self.place(expr.span));
                self.call_checked("tail", &[value, of, place])
            }
            UnaryOp::Domain => {
                let of = self.ty(operand.ty);
                self.call("keys", &[value, of])
            }
            UnaryOp::Range => {
                let of = self.ty(operand.ty);
                self.call("values", &[value, of])
            }
            UnaryOp::Minus | UnaryOp::Plus | UnaryOp::Not | UnaryOp::Abs => match point {
                None => self.plain_unary(op, value, expr),
                Some(point) => self.at_point(
                    point,
                    |e| e.plain_unary(op, value, expr),
                    |e, number| {
                        let place = e.place(expr.span);
                        e.call_checked("point_unary", &[number, value, place])
                    },
                ),
            },
        }
    }

    fn plain_unary(&mut self, op: UnaryOp, value: Value, expr: &Expr) -> Value {
        match op {
            UnaryOp::Not => self.truth(IntCC::Equal, value, 0),
            UnaryOp::Minus | UnaryOp::Abs => {
                let code = self.constant(i64::from(op == UnaryOp::Abs));
                let place = self.place(expr.span);
                self.call_checked("unary_arith", &[code, value, place])
            }
            _ => value,
        }
    }

    fn truth(&mut self, relation: IntCC, value: Value, with: i64) -> Value {
        let bit = self.builder.ins().icmp_imm(relation, value, with);
        self.builder.ins().uextend(types::I64, bit)
    }

    /// The right side is emitted once, whatever operator acts.
    fn logic(
        &mut self,
        op: BinaryOp,
        left: &Expr,
        right: &Expr,
        point: Option<ModelPointId>,
    ) -> Value {
        let l = self.expression(left);
        // The value if the left side decides, else 2.
        let inline = |e: &mut Self| {
            let two = e.constant(2);
            let (if_true, if_false) = match op {
                BinaryOp::And => (two, e.constant(0)),
                BinaryOp::Or => (e.constant(1), two),
                _ => (two, e.constant(1)),
            };
            e.builder.ins().select(l, if_true, if_false)
        };
        let decided = match point {
            None => inline(self),
            Some(point) => self.at_point(point, inline, |e, number| {
                e.call("logic_left", &[number, l])
            }),
        };
        let result = self.builder.declare_var(types::I64);
        self.builder.def_var(result, decided);
        let (more, join) = (self.builder.create_block(), self.builder.create_block());
        let open = self.builder.ins().icmp_imm(IntCC::Equal, decided, 2);
        self.builder.ins().brif(open, more, &[], join, &[]);
        self.builder.switch_to_block(more);
        let r = self.expression(right);
        if let Some(point) = point {
            self.at_point(
                point,
                |_| r,
                |e, number| e.call("logic_right", &[number, l, r]),
            );
        }
        self.builder.def_var(result, r);
        self.builder.ins().jump(join, &[]);
        self.builder.switch_to_block(join);
        self.builder.use_var(result)
    }

    fn binary(
        &mut self,
        op: BinaryOp,
        left: &Expr,
        right: &Expr,
        point: Option<ModelPointId>,
        expr: &Expr,
    ) -> Value {
        let l = self.expression(left);
        let r = self.expression(right);
        let both_scalar =
            self.model.types.is_scalar(left.ty) && self.model.types.is_scalar(right.ty);
        if op == BinaryOp::Add && !both_scalar {
            return self.joined(left, l, right, r, expr);
        }
        let (a, b) = if both_scalar {
            (l, r)
        } else {
            let found = if matches!(op, BinaryOp::In | BinaryOp::NotIn) {
                let of = self.ty(right.ty);
                self.call("contains", &[l, of, r])
            } else {
                let size = self.constant(i64::from(self.model.types.size(left.ty)));
                self.call("equal", &[l, r, size])
            };
            (found, self.constant(1))
        };
        match point {
            None => self.plain_binary(op, left, right, a, b, expr),
            Some(point) => self.at_point(
                point,
                |e| e.plain_binary(op, left, right, a, b, expr),
                |e, number| {
                    let place = e.place(expr.span);
                    e.call_checked("point_binary", &[number, a, b, place])
                },
            ),
        }
    }

    fn plain_binary(
        &mut self,
        op: BinaryOp,
        left: &Expr,
        right: &Expr,
        a: Value,
        b: Value,
        expr: &Expr,
    ) -> Value {
        let relation = match op {
            BinaryOp::Eq | BinaryOp::In => IntCC::Equal,
            BinaryOp::Ne | BinaryOp::NotIn => IntCC::NotEqual,
            BinaryOp::Lt => IntCC::SignedLessThan,
            BinaryOp::Le => IntCC::SignedLessThanOrEqual,
            BinaryOp::Gt => IntCC::SignedGreaterThan,
            BinaryOp::Ge => IntCC::SignedGreaterThanOrEqual,
            _ => return self.arithmetic(op, left, right, a, b, expr),
        };
        let bit = self.builder.ins().icmp(relation, a, b);
        self.builder.ins().uextend(types::I64, bit)
    }

    fn arithmetic(
        &mut self,
        op: BinaryOp,
        left: &Expr,
        right: &Expr,
        a: Value,
        b: Value,
        expr: &Expr,
    ) -> Value {
        let fixed = matches!(self.model.types.get(left.ty), Ty::Fixed { .. });
        if !fixed && self.cannot_overflow(op, left, right) {
            return match op {
                BinaryOp::Add => self.builder.ins().iadd(a, b),
                BinaryOp::Sub => self.builder.ins().isub(a, b),
                _ => self.builder.ins().imul(a, b),
            };
        }
        let (code, fixed, place) = (
            self.constant(operator_code(op)),
            self.constant(i64::from(fixed)),
            self.place(expr.span),
        );
        self.call_checked("arith", &[code, a, b, fixed, place])
    }

    /// Only where both operands are read from where their range is kept: a mutant may compute anything else.
    fn cannot_overflow(&self, op: BinaryOp, left: &Expr, right: &Expr) -> bool {
        let held = |expr: &Expr| {
            matches!(
                expr.kind,
                ExprKind::Local(_) | ExprKind::Attr(_) | ExprKind::Lit { point: None, .. }
            )
        };
        if !held(left)
            || !held(right)
            || !matches!(op, BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul)
        {
            return false;
        }
        let (Some(l), Some(r)) = (
            self.model.types.range(left.ty),
            self.model.types.range(right.ty),
        ) else {
            return false;
        };
        let (low, high) = arithmetic::range(op, l, r, Scale::Whole);
        low > i64::MIN && high < i64::MAX
    }

    fn joined(&mut self, left: &Expr, l: Value, right: &Expr, r: Value, expr: &Expr) -> Value {
        let (left_ty, right_ty, of) = (self.ty(left.ty), self.ty(right.ty), self.ty(expr.ty));
        let place = self.place(expr.span);
        let list = matches!(self.model.types.get(expr.ty), Ty::List { .. });
        let name = if list { "concat" } else { "override_map" };
        self.call_checked(name, &[l, left_ty, r, right_ty, of, place])
    }
}
