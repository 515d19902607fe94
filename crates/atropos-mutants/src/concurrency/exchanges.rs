//! Two locks that one thread takes, in the other order: ESP and EELO.

use syn::visit::Visit;
use syn::{Expr, ExprTuple, Local, Stmt};

use super::construct::mentions;
use super::regions::Region;
use crate::mutant::Span;
use crate::operator::Operator;
use crate::source::{one_line, shortened};
use crate::type_facts::bound_names;
use crate::walk::Walker;

/// The guard of a lock that is taken earlier.
const SECOND: &str = "__atropos_second";

/// The first acquisition that a statement makes in any case: not under a condition, in a loop or in a closure.
struct FirstAcquisition<'w, 'a, 'b> {
    walker: &'w Walker<'a>,
    found: Option<&'b Expr>,
    /// The guard gets a name there.
    is_bound: bool,
}

impl<'w, 'a, 'b> FirstAcquisition<'w, 'a, 'b> {
    fn of(walker: &'w Walker<'a>, statement: &'b Stmt) -> FirstAcquisition<'w, 'a, 'b> {
        let mut nested = FirstAcquisition {
            walker,
            found: None,
            is_bound: false,
        };
        nested.visit_stmt(statement);
        nested
    }
}

impl<'b> Visit<'b> for FirstAcquisition<'_, '_, 'b> {
    fn visit_expr(&mut self, expression: &'b Expr) {
        let is_in_any_case = !matches!(
            expression,
            Expr::If(_)
                | Expr::Match(_)
                | Expr::While(_)
                | Expr::ForLoop(_)
                | Expr::Loop(_)
                | Expr::Closure(_)
                | Expr::Async(_)
                | Expr::Binary(syn::ExprBinary {
                    op: syn::BinOp::And(_) | syn::BinOp::Or(_),
                    ..
                })
        );
        if self.found.is_some() || !is_in_any_case {
            return;
        }
        let asks = matches!(expression, Expr::MethodCall(call) if call.method == "is_ok" || call.method == "is_err");
        match self.walker.acquisition(expression) {
            Some(_) if !asks => self.found = Some(expression),
            _ => syn::visit::visit_expr(self, expression),
        }
    }

    fn visit_local(&mut self, local: &'b Local) {
        syn::visit::visit_local(self, local);
        if let (Some(init), Some(found)) = (&local.init, self.found) {
            self.is_bound |= std::ptr::eq(&*init.expr, found);
        }
    }

    fn visit_item(&mut self, _: &'b syn::Item) {}
}

impl Walker<'_> {
    /// ESP for two locks that are taken one right after the other, EELO for one that is taken later, in a block within the
    /// region or for one statement alone.
    pub(super) fn exchanged(&mut self, region: &Region<'_>) {
        let block = region.block;
        let mut between: Vec<String> = vec![region.guard.clone()];
        for index in region.start + 1..region.end {
            let statement = &block.stmts[index];
            let nested = FirstAcquisition::of(self, statement);
            if let Some(expression) = nested.found
                && let Some(acquisition) = self.acquisition(expression)
            {
                let is_whole = nested.is_bound && matches!(statement, Stmt::Local(_));
                let is_bound = nested.is_bound;
                let receiver = self.source.flat(&acquisition.call.receiver);
                let first = self.source.flat(&region.acquisition.call.receiver);
                let is_free = !between.iter().any(|name| mentions(expression, name));
                if receiver != first && is_free {
                    let operator = match is_whole && index == region.start + 1 {
                        true => Operator::Esp,
                        false => Operator::Eelo,
                    };
                    let mut texts = vec![match is_whole {
                        true => self.text(block, index),
                        false => format!("let mut {SECOND} = {};", self.source.flat(expression)),
                    }];
                    texts.extend((region.start..index).map(|index| self.text(block, index)));
                    if !is_whole {
                        texts.push(self.with_second(statement, expression));
                        // It is given back where it was.
                        if !is_bound && !matches!(statement, Stmt::Expr(_, None)) {
                            texts.push(format!("drop({SECOND});"));
                        }
                    }
                    let (first, receiver) = (shortened(&first, 40), shortened(&receiver, 40));
                    let summary = format!("take {receiver} before {first}");
                    let range = (region.start, index + 1);
                    self.rewritten(operator, block, range, texts.join(" "), &summary);
                }
                return;
            }
            if let Stmt::Local(local) = &block.stmts[index] {
                between.extend(bound_names(&local.pat));
            }
        }
    }

    /// A statement whose lock was taken before it.
    fn with_second(&self, statement: &Stmt, acquisition: &Expr) -> String {
        let whole = self.source.span(statement);
        let inner = self.source.span(acquisition);
        let before = self.source.slice(Span::new(whole.start, inner.start));
        let behind = self.source.slice(Span::new(inner.end, whole.end));
        one_line(&format!("{before}{SECOND}{behind}"))
    }

    /// ESP for `(a.lock().unwrap(), b.lock().unwrap())`.
    pub(super) fn exchanged_in_tuple(&mut self, tuple: &ExprTuple) {
        let [first, second] = &tuple.elems.iter().collect::<Vec<_>>()[..] else {
            return;
        };
        if self.acquisition(first).is_none() || self.acquisition(second).is_none() {
            return;
        }
        let (first, second) = (self.source.flat(*first), self.source.flat(*second));
        let text = format!("{{ let __atropos_second = {second}; ({first}, __atropos_second) }}");
        let span = self.source.span(tuple);
        let draft = self.replacement(Operator::Esp, span, text);
        self.block_draft(draft);
    }
}
