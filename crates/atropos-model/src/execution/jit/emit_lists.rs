//! Lists, maps and tuples under construction, and loops over types.

use super::emitter::Emitter;
use crate::language::SourceSpan;
use crate::model::types::LENGTH;
use crate::model::{BoundVar, Domain, Expr, ModelPointId, Ty, TyId};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{Block, InstBuilder as _, Value, types};

impl Emitter<'_, '_> {
    /// A constant lies in memory that lives as long as the code.
    pub fn constant_value(&mut self, value: &crate::model::Value, ty: TyId) -> Value {
        let size = self.model.types.size(ty) as usize;
        let mut bytes = vec![0u8; size.div_ceil(8) * 8];
        self.model.types.encode(value, ty, &mut bytes[..size]);
        let words: Box<[u64]> = bytes
            .chunks_exact(8)
            .map(|chunk| {
                let mut word = [0; 8];
                word.copy_from_slice(chunk);
                u64::from_ne_bytes(word)
            })
            .collect();
        self.shared.tables.constants.push(words);
        let address = self
            .shared
            .tables
            .constants
            .last()
            .map_or(0, |words| words.as_ptr() as i64);
        self.constant(address)
    }

    fn room(&mut self, ty: TyId) -> Value {
        let size = self.constant(i64::from(self.model.types.size(ty)));
        self.call("allocate", &[size])
    }

    pub fn list(&mut self, items: &[Expr], expr: &Expr) -> Value {
        let Ty::List { item, .. } = *self.model.types.get(expr.ty) else {
            return self.constant(0);
        };
        let list = self.room(expr.ty);
        let step = self.model.types.size(item) as i32;
        let mut offset = LENGTH.bytes() as i32;
        for value in items {
            let word = self.expression(value);
            self.check_range(word, item, value.span);
            self.fill(item, word, list, offset);
            offset += step;
        }
        let length = self.constant(items.len() as i64);
        self.store(LENGTH, length, list, 0);
        list
    }

    pub fn tuple(&mut self, items: &[Expr], expr: &Expr) -> Value {
        let Ty::Tuple(types) = self.model.types.get(expr.ty).clone() else {
            return self.constant(0);
        };
        let tuple = self.room(expr.ty);
        let mut offset = 0;
        for (value, ty) in items.iter().zip(types) {
            let word = self.expression(value);
            self.check_range(word, ty, value.span);
            self.fill(ty, word, tuple, offset);
            offset += self.model.types.size(ty) as i32;
        }
        tuple
    }

    pub fn map(&mut self, pairs: &[(Expr, Expr)], expr: &Expr) -> Value {
        let Ty::Map { key, value, .. } = *self.model.types.get(expr.ty) else {
            return self.constant(0);
        };
        let map = self.room(expr.ty);
        for (from, to) in pairs {
            let from_word = self.expression(from);
            self.check_range(from_word, key, from.span);
            let to_word = self.expression(to);
            self.check_range(to_word, value, to.span);
            let (of, place) = (self.ty(expr.ty), self.place(expr.span));
            self.call("map_put", &[map, of, from_word, to_word, place]);
        }
        map
    }

    pub fn comprehension(
        &mut self,
        vars: &[BoundVar],
        filter: Option<&Expr>,
        item: &Expr,
        expr: &Expr,
    ) -> Value {
        let list = self.room(expr.ty);
        let done = self.builder.create_block();
        self.each(vars, expr.span, done, &mut |e, next| {
            if let Some(filter) = filter {
                let passes = e.expression(filter);
                let taken = e.builder.create_block();
                e.builder.ins().brif(passes, taken, &[], next, &[]);
                e.builder.switch_to_block(taken);
            }
            let word = e.expression(item);
            let (of, item_place, place) = (e.ty(expr.ty), e.place(item.span), e.place(expr.span));
            e.call_checked("push", &[list, of, word, item_place, place]);
            e.builder.ins().jump(next, &[]);
        });
        self.builder.switch_to_block(done);
        list
    }

    pub fn quantifier(
        &mut self,
        all: bool,
        vars: &[BoundVar],
        body: &Expr,
        point: Option<ModelPointId>,
    ) -> Value {
        let fixed = i64::from(all);
        let all = match point {
            None => self.constant(fixed),
            Some(point) => self.at_point(
                point,
                |e| e.constant(fixed),
                |e, number| {
                    let all = e.constant(fixed);
                    e.call("point_quantifier", &[number, all])
                },
            ),
        };
        let result = self.builder.declare_var(types::I64);
        // Without a value that decides, `forall` holds and `exists` does not.
        self.builder.def_var(result, all);
        let done = self.builder.create_block();
        self.each(vars, body.span, done, &mut |e, next| {
            let value = e.expression(body);
            let decides = e.builder.create_block();
            let open = e.builder.ins().icmp(IntCC::Equal, value, all);
            e.builder.ins().brif(open, next, &[], decides, &[]);
            e.builder.switch_to_block(decides);
            e.builder.def_var(result, value);
            e.builder.ins().jump(done, &[]);
        });
        self.builder.switch_to_block(done);
        self.builder.use_var(result)
    }

    /// Loops over all values of all variables; the body ends by jumping to the block that it is given.
    fn each(
        &mut self,
        vars: &[BoundVar],
        span: SourceSpan,
        done: Block,
        body: &mut dyn FnMut(&mut Self, Block),
    ) {
        let Some((var, rest)) = vars.split_first() else {
            return body(self, done);
        };
        let counter = self.builder.declare_var(types::I64);
        let zero = self.constant(0);
        self.builder.def_var(counter, zero);
        let (head, inside, step) = (
            self.builder.create_block(),
            self.builder.create_block(),
            self.builder.create_block(),
        );
        self.builder.ins().jump(head, &[]);
        self.builder.switch_to_block(head);
        let at = self.builder.use_var(counter);
        let count = match var.domain {
            Domain::Range { count, .. } => count as i64,
            Domain::Objects(class) => self.model.instances[class.0 as usize].len() as i64,
        };
        let more = self
            .builder
            .ins()
            .icmp_imm(IntCC::UnsignedLessThan, at, count);
        self.builder.ins().brif(more, inside, &[], done, &[]);
        self.builder.switch_to_block(inside);
        self.spend(span);
        let value = match var.domain {
            Domain::Range { first, .. } => self.builder.ins().iadd_imm(at, first),
            Domain::Objects(class) => self.object_value(class, at),
        };
        self.builder.def_var(self.locals[var.slot as usize], value);
        self.each(rest, span, step, body);
        self.builder.switch_to_block(step);
        let at = self.builder.use_var(counter);
        let next = self.builder.ins().iadd_imm(at, 1);
        self.builder.def_var(counter, next);
        self.builder.ins().jump(head, &[]);
    }
}
