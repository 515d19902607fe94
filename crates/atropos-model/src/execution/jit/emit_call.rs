//! Calls and folds.

use super::emit_assign::is_place;
use super::emitter::Emitter;
use crate::language::tree::FoldFrom;
use crate::model::code::Call;
use crate::model::types::LENGTH;
use crate::model::{ErrorKind, Ty};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder as _, Value, types};

impl Emitter<'_, '_> {
    /// Runs the callee and gives its value.
    pub fn invoke(&mut self, call: &Call) -> Value {
        let receiver = match &call.receiver {
            None => self.this,
            Some(receiver) => {
                let reference = self.expression(receiver);
                self.require(reference, ErrorKind::NilCalled, receiver.span);
                reference
            }
        };
        let first = usize::from(call.fold.is_some());
        let callee = self.model.code(call.code);
        let mut args = Vec::new();
        for (at, arg) in call.args.iter().enumerate() {
            let word = self.expression(arg);
            let ty = callee.locals[first + at].ty;
            let shared = !self.model.types.is_scalar(ty) && is_place(arg);
            args.push(if shared { self.copied(word, ty) } else { word });
        }
        match &call.fold {
            None => {
                self.check_args(call, &args, 0);
                let mut all = vec![receiver];
                all.extend(args);
                let value = self.call_code(call.code, &all);
                self.kept(call, value)
            }
            Some((from, list)) => {
                let base = self.expression(list);
                let Ty::List { item, .. } = *self.model.types.get(list.ty) else {
                    return base;
                };
                // The callee may change the list while it is folded over.
                let base = if is_place(list) {
                    self.copied(base, list.ty)
                } else {
                    base
                };
                self.fold(call, receiver, args, *from, base, item)
            }
        }
    }

    /// A list that the callee gives back may be an attribute's own bytes.
    fn kept(&mut self, call: &Call, value: Value) -> Value {
        let callee = self.model.code(call.code);
        match callee.result {
            Some(slot)
                if call.store.is_some()
                    && !self.model.types.is_scalar(callee.locals[slot as usize].ty) =>
            {
                self.copied(value, callee.locals[slot as usize].ty)
            }
            _ => value,
        }
    }

    fn check_args(&mut self, call: &Call, args: &[Value], first: usize) {
        let callee = self.model.code(call.code);
        for (at, arg) in args.iter().enumerate() {
            self.check_range(*arg, callee.locals[first + at].ty, call.span);
        }
    }

    fn fold(
        &mut self,
        call: &Call,
        receiver: Value,
        args: Vec<Value>,
        from: FoldFrom,
        base: Value,
        item: crate::model::TyId,
    ) -> Value {
        let callee = self.model.code(call.code);
        let accumulates = callee.result.is_some();
        let last = self.builder.declare_var(types::I64);
        let start = args.last().copied();
        let start = match start {
            Some(start) => start,
            None => self.constant(0),
        };
        self.builder.def_var(last, start);
        let counter = self.builder.declare_var(types::I64);
        let zero = self.constant(0);
        self.builder.def_var(counter, zero);
        let length = self.load(LENGTH, base, 0);
        let (head, body, done) = (
            self.builder.create_block(),
            self.builder.create_block(),
            self.builder.create_block(),
        );
        self.builder.ins().jump(head, &[]);
        self.builder.switch_to_block(head);
        let at = self.builder.use_var(counter);
        let more = self.builder.ins().icmp(IntCC::UnsignedLessThan, at, length);
        self.builder.ins().brif(more, body, &[], done, &[]);
        self.builder.switch_to_block(body);
        let position = match from {
            FoldFrom::Left => at,
            FoldFrom::Right => {
                let left = self.builder.ins().isub(length, at);
                self.builder.ins().iadd_imm(left, -1)
            }
        };
        let scaled = self
            .builder
            .ins()
            .imul_imm(position, i64::from(self.model.types.size(item)));
        let address = self.builder.ins().iadd(base, scaled);
        let element = self.load_value(item, address, LENGTH.bytes() as i32);
        let mut given = vec![element];
        given.extend_from_slice(&args);
        if accumulates && !args.is_empty() {
            let end = given.len() - 1;
            given[end] = self.builder.use_var(last);
        }
        self.check_args(call, &given, 0);
        let mut all = vec![receiver];
        all.extend(given);
        let value = self.call_code(call.code, &all);
        if accumulates {
            self.builder.def_var(last, value);
        }
        let next = self.builder.ins().iadd_imm(at, 1);
        self.builder.def_var(counter, next);
        self.builder.ins().jump(head, &[]);
        self.builder.switch_to_block(done);
        self.builder.use_var(last)
    }
}
