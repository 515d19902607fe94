//! Statements: a trace through them.

use super::emitter::Emitter;
use crate::model::{BoundVar, Domain, ErrorKind, Expr, PointId, Stmt, StmtKind};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder as _, MemFlags, Value, types};

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
                let count = self.constant(parts.len() as i64);
                let taken = self.call("choose", &[count]);
                self.alternatives(taken, parts, |_, _| {});
            }
            StmtKind::Prio(parts) => self.prio(parts),
            StmtKind::Project { vars, filter, body } => {
                for var in vars {
                    let value = self.any_value(var);
                    self.builder.def_var(self.locals[var.slot as usize], value);
                }
                if let Some(filter) = filter {
                    let passes = self.expression(filter);
                    self.require_enabled(passes);
                }
                self.statement(body);
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

    fn guard(&mut self, cond: &Expr, point: Option<PointId>) -> Value {
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

    /// Jumps to the part with number `taken`; all parts meet again.
    fn alternatives(&mut self, taken: Value, parts: &[Stmt], after: impl Fn(&mut Self, usize)) {
        let join = self.builder.create_block();
        for (at, part) in parts.iter().enumerate() {
            let next = self.builder.create_block();
            if at + 1 < parts.len() {
                let here = self.builder.create_block();
                let this = self.builder.ins().icmp_imm(IntCC::Equal, taken, at as i64);
                self.builder.ins().brif(this, here, &[], next, &[]);
                self.builder.switch_to_block(here);
            } else {
                self.builder.ins().jump(next, &[]);
                self.builder.switch_to_block(next);
            }
            self.statement(part);
            after(self, at);
            self.builder.ins().jump(join, &[]);
            if at + 1 < parts.len() {
                self.builder.switch_to_block(next);
            }
        }
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

    /// A value of the variable's type that the scheduler chooses.
    fn any_value(&mut self, var: &BoundVar) -> Value {
        match var.domain {
            Domain::Range { first, count } => {
                let count = self.constant(count as i64);
                let taken = self.call("choose", &[count]);
                self.builder.ins().iadd_imm(taken, first)
            }
            Domain::Objects(class) => {
                let objects = self.model.instances[class.0 as usize].len();
                let count = self.constant(objects as i64);
                let taken = self.call_checked("choose", &[count]);
                self.object_value(class, taken)
            }
        }
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
        self.call("emit", &[code, this, buffer]);
    }
}
