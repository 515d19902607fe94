//! Statements that are never disabled: a guard before one is a plain condition, and needs no search.

use crate::model::visit;
use crate::model::{Expr, ExprKind, Model, Stmt, StmtKind};

/// Per code whether it can be disabled.
pub struct MayBeDisabled {
    codes: Vec<bool>,
}

impl MayBeDisabled {
    pub fn new(model: &Model) -> MayBeDisabled {
        let mut blocking = MayBeDisabled {
            codes: vec![true; model.codes.len()],
        };
        // Callees before callers: without recursion this settles in as many rounds as calls nest.
        loop {
            let next: Vec<bool> = model
                .codes
                .iter()
                .map(|code| blocking.statement(&code.body))
                .collect();
            if next == blocking.codes {
                return blocking;
            }
            blocking.codes = next;
        }
    }

    /// Whether the statement may be disabled somewhere.
    pub fn statement(&self, stmt: &Stmt) -> bool {
        let mut own = false;
        visit::own_expressions(stmt, &mut |expr| own |= self.expression(expr));
        own || match &stmt.kind {
            StmtKind::Skip | StmtKind::Abort | StmtKind::Emit => false,
            StmtKind::Seq(parts) => parts.iter().any(|part| self.statement(part)),
            StmtKind::Choice(parts) | StmtKind::Prio(parts) => {
                parts.iter().all(|part| self.statement(part))
            }
            StmtKind::Project { .. } | StmtKind::Guard { .. } => true,
            StmtKind::Assign { with, .. } => with.is_some(),
            StmtKind::Call(call) => self.codes[call.code.0 as usize],
        }
    }

    fn expression(&self, expr: &Expr) -> bool {
        let mut blocks = false;
        visit::expressions_in(expr, &mut |expr| {
            if let ExprKind::Call(call) = &expr.kind {
                blocks |= self.codes[call.code.0 as usize];
            }
        });
        blocks
    }

    /// Whether a guard's condition can be computed without being disabled.
    pub fn condition(&self, expr: &Expr) -> bool {
        self.expression(expr)
    }
}
