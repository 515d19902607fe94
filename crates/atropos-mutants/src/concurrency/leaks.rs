//! RFU: a lock that is not given back when a function is left early, by `return`, `?` or a panic.
//!
//! Rust gives it back by dropping the guard, so the mistake is a guard that is forgotten on that
//! way. For a panic there is no place in the text to forget it: that takes exploration.

use syn::visit::{self, Visit};
use syn::{Block, Expr, ExprReturn, ExprTry, Type};

use super::construct::{Acquisition, Library};
use crate::operator::Operator;
use crate::type_facts::last_name;
use crate::walk::{Draft, Walker};

impl Walker<'_> {
    pub(super) fn kept_locks(
        &mut self,
        acquisition: &Acquisition<'_>,
        guard: &str,
        block: &Block,
        start: usize,
        end: usize,
    ) {
        let mut ways = RegionExits::default();
        for statement in &block.stmts[start + 1..end] {
            ways.visit_stmt(statement);
        }
        let forget = self.path_in_core("mem::forget");
        let mut drafts: Vec<Draft> = Vec::new();
        for jump in &ways.returns {
            let text = match &jump.expr {
                Some(value) => format!(
                    "return {{ let __atropos_value = {}; {forget}({guard}); __atropos_value }}",
                    self.source.flat(value)
                ),
                None => format!("{{ {forget}({guard}); return }}"),
            };
            let summary = format!("keep {guard} on this return");
            drafts.push(Draft::new(
                Operator::Rfu,
                self.source.span(*jump),
                text,
                summary,
            ));
        }
        let returns = self
            .frame
            .returns
            .as_ref()
            .and_then(|ty: &Type| last_name(ty));
        for attempt in &ways.attempts {
            let tried = self.source.flat(&attempt.expr);
            let text = match returns.as_deref() {
                Some("Result") => format!(
                    "(match {tried} {{ Ok(__atropos_value) => __atropos_value, \
                     Err(__atropos_error) => {{ {forget}({guard}); \
                     return Err(From::from(__atropos_error)); }} }})"
                ),
                Some("Option") => format!(
                    "(match {tried} {{ Some(__atropos_value) => __atropos_value, \
                     None => {{ {forget}({guard}); return None; }} }})"
                ),
                _ => continue,
            };
            let summary = format!("keep {guard} when this returns early");
            drafts.push(Draft::new(
                Operator::Rfu,
                self.source.span(*attempt),
                text,
                summary,
            ));
        }
        for draft in drafts {
            self.block_draft(draft);
        }
        if ways.may_panic
            && acquisition.library != Library::Tokio
            && self.can_err(acquisition.library, acquisition.call)
        {
            self.kept_on_panic(acquisition);
        }
    }

    fn kept_on_panic(&mut self, acquisition: &Acquisition<'_>) {
        let receiver = self.source.flat(&acquisition.call.receiver);
        let span = self.source.span(&acquisition.call.receiver);
        let text = super::kept_on_panic(acquisition.library, &receiver);
        let summary = format!("keep {receiver} locked when this panics");
        let draft = Draft::new(Operator::Rfu, span, text, summary).under_exploration();
        self.point(span, crate::mutant::Shape::Expression, vec![draft]);
    }
}

/// The ways out of a region, closures and items apart.
#[derive(Default)]
struct RegionExits<'b> {
    returns: Vec<&'b ExprReturn>,
    attempts: Vec<&'b ExprTry>,
    may_panic: bool,
}

impl<'b> Visit<'b> for RegionExits<'b> {
    fn visit_expr(&mut self, expression: &'b Expr) {
        match expression {
            Expr::Return(jump) => self.returns.push(jump),
            Expr::Try(attempt) => self.attempts.push(attempt),
            Expr::Index(_) => self.may_panic = true,
            Expr::MethodCall(call) => {
                let name = call.method.to_string();
                self.may_panic |= matches!(name.as_str(), "unwrap" | "expect");
            }
            Expr::Macro(mac) => self.macro_may_panic(&mac.mac),
            Expr::Closure(_) | Expr::Async(_) => return,
            _ => {}
        }
        visit::visit_expr(self, expression);
    }

    fn visit_stmt_macro(&mut self, statement: &'b syn::StmtMacro) {
        self.macro_may_panic(&statement.mac);
    }

    fn visit_item(&mut self, _: &'b syn::Item) {}
}

impl RegionExits<'_> {
    fn macro_may_panic(&mut self, mac: &syn::Macro) {
        let name = mac.path.segments.last().map(|s| s.ident.to_string());
        self.may_panic |= name.is_some_and(|name| {
            name.starts_with("assert") || matches!(name.as_str(), "panic" | "unreachable")
        });
    }
}
