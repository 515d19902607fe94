//! What code may do, calls included: no recursion, and functions in expressions change nothing and choose nothing.

use super::Checker;
use crate::language::Diagnostic;
use crate::model::code::{Call, CodeEffects};
use crate::model::visit;
use crate::model::{CodeId, Stmt, StmtKind, TargetBase};

impl Checker<'_> {
    pub(super) fn effects(&mut self) {
        let order = self.callees_first();
        for id in order {
            let mut effects = CodeEffects::default();
            let nothing = Stmt {
                kind: StmtKind::Skip,
                span: Default::default(),
            };
            let body = std::mem::replace(&mut self.codes[id.0 as usize].body, nothing);
            self.statement_effects(&body, &mut effects);
            self.codes[id.0 as usize].body = body;
            self.codes[id.0 as usize].effects = effects;
        }
    }

    /// Codes such that a callee comes before its callers; a cycle is reported and cut.
    fn callees_first(&mut self) -> Vec<CodeId> {
        let mut order = Vec::new();
        let mut colors = vec![0u8; self.codes.len()];
        for at in 0..self.codes.len() {
            self.visit_code(CodeId(at as u32), &mut colors, &mut order);
        }
        order
    }

    fn visit_code(&mut self, id: CodeId, colors: &mut [u8], order: &mut Vec<CodeId>) {
        if colors[id.0 as usize] != 0 {
            return;
        }
        colors[id.0 as usize] = 1;
        let mut calls = Vec::new();
        visit::calls(&self.codes[id.0 as usize].body, &mut |call: &Call| {
            calls.push((call.code, call.span))
        });
        for (callee, span) in calls {
            if colors[callee.0 as usize] == 1 {
                let name = &self.codes[callee.0 as usize].name;
                self.diagnostics.push(
                    Diagnostic::error(span, format!("`{name}` calls itself"))
                        .advice("there is no recursion; use a fold over a list, a quantifier, or the do-od block"),
                );
            } else {
                self.visit_code(callee, colors, order);
            }
        }
        colors[id.0 as usize] = 2;
        order.push(id);
    }

    fn statement_effects(&mut self, stmt: &Stmt, effects: &mut CodeEffects) {
        match &stmt.kind {
            StmtKind::Choice(_) => effects.chooses = true,
            StmtKind::Project { .. } => effects.chooses = true,
            StmtKind::Assign { targets, .. } => {
                effects.writes |= targets
                    .iter()
                    .any(|target| matches!(target.base, TargetBase::Attr(_)));
            }
            StmtKind::Emit => effects.emits = true,
            StmtKind::Call(call) => {
                *effects = effects.join(self.codes[call.code.0 as usize].effects)
            }
            _ => {}
        }
        visit::own_expressions(stmt, &mut |expr| {
            visit::calls_in(expr, &mut |call| self.require_function(call))
        });
        visit::substatements(stmt, &mut |inner| self.statement_effects(inner, effects));
    }

    fn require_function(&mut self, call: &Call) {
        let code = &self.codes[call.code.0 as usize];
        if !code.effects.is_function() {
            self.diagnostics.push(
                Diagnostic::error(call.span, format!("`{}` changes something or chooses", code.name)).advice(
                    "inside expressions only functions are called; write `variable := method(…)` as its own statement",
                ),
            );
        }
    }
}
