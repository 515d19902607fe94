//! Statements: a trace through them.

use super::emitter::Emitter;
use crate::model::{BoundVar, Domain, ErrorKind, Expr, ModelPointId, Stmt, StmtKind};
use cranelift_codegen::ir::{Block, InstBuilder as _, MemFlags, Value, types};
use cranelift_frontend::Switch;

impl Emitter<'_, '_> {
    pub fn statement(&mut self, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::Skip => {}
            StmtKind::Abort => {
                self.fail(ErrorKind::Abort, stmt.span);
                self.unreachable();
            }
            StmtKind::Seq(parts) => parts.iter().for_each(|part| self.statement(part)),
            StmtKind::Choice(parts) => {
                let position = self.call("position", &[]);
                let count = self.constant(parts.len() as i64);
                let taken = self.call("choose", &[count]);
                self.alternatives(position, taken, parts);
            }
            StmtKind::Prio(parts) => self.prio(parts),
            StmtKind::Project { vars, filter, body } => {
                let Some((last, before)) = vars.split_last() else {
                    return self.statement(body);
                };
                for var in before {
                    let number = self.any_number(var);
                    self.bind(var, number);
                }
                self.every_value(last, filter.as_ref(), body);
            }
            StmtKind::Guard { cond, body, point } => {
                let enabled = self.guard(cond, *point);
                self.require_enabled(enabled);
                self.statement(body);
            }
            StmtKind::Assign {
                targets,
                values,
                with,
            } => {
                self.assign(targets, values);
                if let Some(with) = with {
                    let holds = self.expression(with);
                    self.require_enabled(holds);
                }
            }
            StmtKind::Call(call) => {
                let value = self.invoke(call);
                if let Some(slot) = call.store {
                    self.builder.def_var(self.locals[slot as usize], value);
                }
            }
            StmtKind::Emit => self.emit_label(),
        }
    }

    /// Code after an end of the trace goes nowhere, but must be somewhere.
    fn unreachable(&mut self) {
        let block = self.builder.create_block();
        self.builder.switch_to_block(block);
    }

    fn guard(&mut self, cond: &Expr, point: Option<ModelPointId>) -> Value {
        let value = self.expression(cond);
        match point {
            None => value,
            Some(point) => self.at_point(
                point,
                |_| value,
                |e, number| e.call("point_guard", &[number, value]),
            ),
        }
    }

    /// Jumps to the part with number `taken`; all parts meet again. A part that turns out to be disabled at once goes
    /// over to the next.
    fn alternatives(&mut self, position: Value, taken: Value, parts: &[Stmt]) {
        let join = self.builder.create_block();
        let mut switch = Switch::new();
        let heads: Vec<Block> = parts.iter().map(|_| self.builder.create_block()).collect();
        let (Some(last), before) = (heads.last(), &heads[..heads.len() - 1]) else {
            return;
        };
        for (at, head) in before.iter().enumerate() {
            switch.set_entry(at as u128, *head);
        }
        switch.emit(&mut self.builder, taken, *last);
        for (at, part) in parts.iter().enumerate() {
            self.builder.switch_to_block(heads[at]);
            let Some(next) = heads.get(at + 1) else {
                self.statement(part);
                self.builder.ins().jump(join, &[]);
                break;
            };
            let again = self.builder.create_block();
            self.tentative(part, again);
            self.builder.ins().jump(join, &[]);
            self.builder.switch_to_block(again);
            let goes_on = self.call("another", &[position]);
            self.builder.ins().brif(goes_on, *next, &[], self.exit, &[]);
        }
        self.builder.switch_to_block(join);
    }

    /// A statement that jumps to `again` where it is disabled before it assigned any variable.
    fn tentative(&mut self, part: &Stmt, again: Block) {
        match &part.kind {
            StmtKind::Guard { cond, body, point } => {
                let enabled = self.guard(cond, *point);
                let inside = self.builder.create_block();
                self.builder.ins().brif(enabled, inside, &[], again, &[]);
                self.builder.switch_to_block(inside);
                self.statement(body);
            }
            StmtKind::Call(call) if call.store.is_none() => {
                let outside = (self.exit, self.disabled);
                (self.exit, self.disabled) = (again, again);
                self.statement(part);
                (self.exit, self.disabled) = outside;
            }
            _ => self.statement(part),
        }
    }

    /// A projection's last variable: values for which the body is disabled at once are passed over.
    fn every_value(&mut self, var: &BoundVar, filter: Option<&Expr>, body: &Stmt) {
        let position = self.call("position", &[]);
        let first = self.any_number(var);
        let number = self.builder.declare_var(types::I64);
        self.builder.def_var(number, first);
        let (head, again, onward, join) = (
            self.builder.create_block(),
            self.builder.create_block(),
            self.builder.create_block(),
            self.builder.create_block(),
        );
        self.builder.ins().jump(head, &[]);
        self.builder.switch_to_block(head);
        self.spend(body.span);
        let at = self.builder.use_var(number);
        self.bind(var, at);
        if let Some(filter) = filter {
            let passes = self.expression(filter);
            let inside = self.builder.create_block();
            self.builder.ins().brif(passes, inside, &[], again, &[]);
            self.builder.switch_to_block(inside);
        }
        self.tentative(body, again);
        self.builder.ins().jump(join, &[]);
        self.builder.switch_to_block(again);
        let goes_on = self.call("another", &[position]);
        self.builder
            .ins()
            .brif(goes_on, onward, &[], self.exit, &[]);
        self.builder.switch_to_block(onward);
        let at = self.builder.use_var(number);
        let next = self.builder.ins().iadd_imm(at, 1);
        self.builder.def_var(number, next);
        self.builder.ins().jump(head, &[]);
        self.builder.switch_to_block(join);
    }

    fn prio(&mut self, parts: &[Stmt]) {
        let Some((first, rest)) = parts.split_first() else {
            return;
        };
        if rest.is_empty() || !self.shared.blocking.statement(first) {
            // The last part has the others' word; a part that is never disabled hides the rest.
            return self.statement(first);
        }
        if let StmtKind::Guard { cond, body, point } = &first.kind {
            let plain =
                !self.shared.blocking.condition(cond) && !self.shared.blocking.statement(body);
            if plain {
                let enabled = self.guard(cond, *point);
                let (yes, no, join) = (
                    self.builder.create_block(),
                    self.builder.create_block(),
                    self.builder.create_block(),
                );
                self.builder.ins().brif(enabled, yes, &[], no, &[]);
                self.builder.switch_to_block(yes);
                self.statement(body);
                self.builder.ins().jump(join, &[]);
                self.builder.switch_to_block(no);
                self.prio(rest);
                self.builder.ins().jump(join, &[]);
                self.builder.switch_to_block(join);
                return;
            }
        }
        let position = self.call("position", &[]);
        let two = self.constant(2);
        let taken = self.call("prioritise", &[two]);
        let (left, right, join) = (
            self.builder.create_block(),
            self.builder.create_block(),
            self.builder.create_block(),
        );
        self.builder.ins().brif(taken, right, &[], left, &[]);
        self.builder.switch_to_block(left);
        self.statement(first);
        self.call("came_through", &[position]);
        self.builder.ins().jump(join, &[]);
        self.builder.switch_to_block(right);
        self.prio(rest);
        self.builder.ins().jump(join, &[]);
        self.builder.switch_to_block(join);
    }

    /// The number of a value of the variable's type that the scheduler chooses.
    fn any_number(&mut self, var: &BoundVar) -> Value {
        let count = match var.domain {
            Domain::Range { count, .. } => count as i64,
            Domain::Objects(class) => self.model.instances[class.0 as usize].len() as i64,
        };
        let count = self.constant(count);
        self.call_checked("choose", &[count])
    }

    /// Gives a variable the value with this number.
    fn bind(&mut self, var: &BoundVar, number: Value) {
        let value = match var.domain {
            Domain::Range { first, .. } => self.builder.ins().iadd_imm(number, first),
            Domain::Objects(class) => self.object_value(class, number),
        };
        self.builder.def_var(self.locals[var.slot as usize], value);
    }

    /// The reference of a class's object by its number.
    pub fn object_value(&mut self, class: crate::model::ClassId, number: Value) -> Value {
        let table = self.shared.tables.references[class.0 as usize].as_ptr() as i64;
        let table = self.constant(table);
        let scaled = self.builder.ins().imul_imm(number, 8);
        let address = self.builder.ins().iadd(table, scaled);
        self.builder
            .ins()
            .load(types::I64, MemFlags::trusted(), address, 0)
    }

    fn emit_label(&mut self) {
        let params = &self.code.locals[..self.code.params];
        let size: u32 = params
            .iter()
            .map(|local| self.model.types.size(local.ty))
            .sum();
        let buffer = if size == 0 {
            self.constant(0)
        } else {
            let size = self.constant(i64::from(size));
            self.call("allocate", &[size])
        };
        let mut offset = 0;
        for (at, local) in params.iter().enumerate() {
            let value = self.builder.use_var(self.locals[at]);
            self.fill(local.ty, value, buffer, offset);
            offset += self.model.types.size(local.ty) as i32;
        }
        let code = self.constant(i64::from(self.id.0));
        let this = self.this;
        self.call_checked("emit", &[code, this, buffer]);
    }
}
