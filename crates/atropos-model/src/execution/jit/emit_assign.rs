//! Assignments: values first, then indices, then the stores from left to right.

use super::emitter::Emitter;
use crate::model::types::LENGTH;
use crate::model::{ErrorKind, Expr, ExprKind, Target, TargetBase, Ty};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder as _, Value};

impl Emitter<'_, '_> {
    pub fn assign(&mut self, targets: &[Target], values: &[Expr]) {
        let several = targets.len() > 1;
        let mut computed = Vec::new();
        for (target, value) in targets.iter().zip(values) {
            let word = self.expression(value);
            // A list that is read from where another target is stored must be read before.
            let copied = several && !self.model.types.is_scalar(target.item) && is_place(value);
            computed.push(if copied {
                self.copied(word, target.item)
            } else {
                word
            });
        }
        let mut paths = Vec::new();
        for target in targets {
            let path: Vec<Value> = target
                .path
                .iter()
                .map(|index| self.expression(index))
                .collect();
            paths.push(path);
        }
        for (((target, value), word), path) in targets.iter().zip(values).zip(computed).zip(paths) {
            self.store_target(target, value, word, &path);
        }
    }

    fn store_target(&mut self, target: &Target, value: &Expr, word: Value, path: &[Value]) {
        let scalar = self.model.types.width(target.item);
        if scalar.is_some() {
            self.check_range(word, target.item, value.span);
        }
        if let (TargetBase::Local(slot), Some(_), []) = (target.base, scalar, path) {
            self.builder.def_var(self.locals[slot as usize], word);
            return;
        }
        let mut address = match target.base {
            TargetBase::Local(slot) => self.builder.use_var(self.locals[slot as usize]),
            TargetBase::Attr(at) => {
                let offset =
                    self.model.classes[self.code.class.0 as usize].attributes[at as usize].offset;
                self.builder.ins().iadd_imm(self.base, i64::from(offset))
            }
        };
        let mut ty = target.ty;
        for (at, (index, expr)) in path.iter().zip(&target.path).enumerate() {
            match self.model.types.get(ty).clone() {
                Ty::List { item, .. } => {
                    address = self.item_address(
                        address,
                        *index,
                        item,
                        ErrorKind::IndexOutside,
                        expr.span,
                    );
                    ty = item;
                }
                Ty::Map { value, .. } => {
                    let inner = self.constant(i64::from(at + 1 < path.len()));
                    let (of, place) = (self.ty(ty), self.place(expr.span));
                    address = self.call_checked("map_entry", &[address, of, *index, inner, place]);
                    ty = value;
                }
                Ty::Tuple(items) => {
                    let ExprKind::Lit { value, .. } = expr.kind else {
                        return;
                    };
                    let offset = self.model.types.tuple_offset(&items, value as usize);
                    address = self.builder.ins().iadd_imm(address, i64::from(offset));
                    ty = items[value as usize];
                }
                _ => return,
            }
        }
        match scalar {
            Some(width) => {
                if matches!(target.base, TargetBase::Attr(_)) {
                    let size = self.constant(i64::from(width.bytes()));
                    self.call("note", &[address, size]);
                }
                self.store(width, word, address, 0);
            }
            None => {
                let size = self.constant(i64::from(self.model.types.size(target.item)));
                self.call("copy", &[address, word, size]);
            }
        }
    }

    /// The address of a list's item; the trace ends in an error if there is none.
    pub fn item_address(
        &mut self,
        list: Value,
        index: Value,
        item: crate::model::TyId,
        kind: ErrorKind,
        span: crate::language::SourceSpan,
    ) -> Value {
        let length = self.load(LENGTH, list, 0);
        let inside = self
            .builder
            .ins()
            .icmp(IntCC::UnsignedLessThan, index, length);
        self.require(inside, kind, span);
        let scaled = self
            .builder
            .ins()
            .imul_imm(index, i64::from(self.model.types.size(item)));
        let address = self.builder.ins().iadd(list, scaled);
        self.builder
            .ins()
            .iadd_imm(address, i64::from(LENGTH.bytes()))
    }
}

/// Whether the expression's address may be that of a variable.
pub(super) fn is_place(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Local(_) | ExprKind::Attr(_) => true,
        ExprKind::Index { base, .. } | ExprKind::TupleItem { base, .. } => is_place(base),
        ExprKind::Unary { operand, .. } => is_place(operand),
        ExprKind::If { then, other, .. } => is_place(then) || is_place(other),
        // A function may give back its parameter's or an attribute's bytes.
        ExprKind::Call(_) => true,
        _ => false,
    }
}
