//! FBR: a function's body is replaced by a value of its return type. Which values, is told in
//! `return_values.rs`.
//!
//! Left alone: `main`, empty bodies, bodies that are such a value already, a `Drop::drop` that only
//! gives something back, functions that do not return or return what can't be named here.

use syn::visit::{self, Visit};
use syn::{Block, Expr, ReturnType, Signature, Stmt, Type};

use crate::const_functions::may_be_const;
use crate::expressions::ExpressionRole;
use crate::mutant::{Shape, Span};
use crate::operator::Operator;
use crate::return_values::iterated_type;
use crate::skip_rules;
use crate::source::shortened;
use crate::walk::{Draft, Walker};

impl Walker<'_> {
    pub fn function_body(&mut self, signature: &Signature, block: &Block, start: usize) {
        let end = self.source.token(block.brace_token.span.close()).start;
        let span = Span::new(start, end);
        self.replaced_body(signature, block, span);
        let role = if returns_unit(signature) {
            ExpressionRole::End
        } else {
            ExpressionRole::Value
        };
        let returns = self.frame.returns.clone();
        self.block(block, role, returns.as_ref());
    }

    fn replaced_body(&mut self, signature: &Signature, block: &Block, span: Span) {
        let (Some(first), Some(last)) = (block.stmts.first(), block.stmts.last()) else {
            return;
        };
        let is_main = signature.ident == "main" && self.function_name() == "main";
        let is_end = matches!(block.stmts.as_slice(), [Stmt::Expr(only, _)] if skip_rules::is_dead_end(only))
            || skip_rules::is_skipped_block(block);
        if is_main
            || !self.frame.deletes
            || is_end
            || !self.is_selected(Operator::Fbr)
            || !self.mode.mutates
        {
            return;
        }
        let edited = Span::new(self.source.span(first).start, self.source.span(last).end);
        if let Some(tail) = self.iterator_tail(signature, block) {
            let draft = self.body_draft(edited, self.path_in_core("iter::empty()"));
            self.point(span, Shape::IteratorBody { tail }, vec![draft]);
            return;
        }
        let existing = self.existing_value(block);
        let is_default = existing
            .as_deref()
            .is_some_and(|value| value.ends_with("::default()"));
        let drafts: Vec<Draft> = self
            .return_values(signature)
            .into_iter()
            .filter(|value| existing.as_ref() != Some(&without_spaces(value)))
            .filter(|value| !(is_default && value == "Default::default()"))
            .filter(|value| {
                signature.constness.is_none() || may_be_const(value, signature, &self.parameters())
            })
            .map(|value| self.body_draft(edited, value))
            .collect();
        if returns_unit(signature)
            && let [only] = block.stmts.as_slice()
        {
            self.frame.sole_statement = Some(self.source.span(only));
        }
        self.point(span, Shape::Body, drafts);
    }

    /// The type parameters that the function can name.
    fn parameters(&self) -> Vec<String> {
        let all = self.frame.type_parameters.iter();
        let all = all.chain(&self.owner.type_parameters);
        all.map(|parameter| parameter.name.clone()).collect()
    }

    fn body_draft(&self, span: Span, value: String) -> Draft {
        let summary = format!("replace body with {}", shortened(&value, 60));
        Draft::new(Operator::Fbr, span, value, summary)
    }

    /// The body's last expression, if the function returns `impl Iterator` and only there.
    fn iterator_tail(&self, signature: &Signature, block: &Block) -> Option<Span> {
        let ReturnType::Type(_, ty) = &signature.output else {
            return None;
        };
        let Type::ImplTrait(opaque) = &**ty else {
            return None;
        };
        iterated_type(&opaque.bounds)?;
        let Some(Stmt::Expr(tail, None)) = block.stmts.last() else {
            return None;
        };
        (!returns_early(block)).then(|| self.source.span(tail))
    }

    /// The value that the body consists of, if it does nothing else.
    fn existing_value(&self, block: &Block) -> Option<String> {
        let value = match block.stmts.as_slice() {
            [Stmt::Expr(value, None)] => value,
            [Stmt::Expr(Expr::Return(jump), _)] => jump.expr.as_deref()?,
            [Stmt::Macro(mac)] if mac.semi_token.is_none() => {
                return Some(without_spaces(&self.source.flat(mac)));
            }
            _ => return None,
        };
        Some(without_spaces(&self.source.flat(value)))
    }
}

fn returns_unit(signature: &Signature) -> bool {
    match &signature.output {
        ReturnType::Default => true,
        ReturnType::Type(_, ty) => matches!(&**ty, Type::Tuple(tuple) if tuple.elems.is_empty()),
    }
}

fn without_spaces(text: &str) -> String {
    text.chars().filter(|c| !c.is_whitespace()).collect()
}

/// Whether a function returns somewhere else than at its end; closures and items apart.
fn returns_early(block: &Block) -> bool {
    struct Returns(bool);
    impl<'ast> Visit<'ast> for Returns {
        fn visit_expr_return(&mut self, _: &'ast syn::ExprReturn) {
            self.0 = true;
        }
        fn visit_expr_try(&mut self, _: &'ast syn::ExprTry) {
            self.0 = true;
        }
        fn visit_expr_closure(&mut self, _: &'ast syn::ExprClosure) {}
        fn visit_expr_async(&mut self, _: &'ast syn::ExprAsync) {}
        fn visit_item(&mut self, _: &'ast syn::Item) {}
        fn visit_macro(&mut self, _: &'ast syn::Macro) {}
    }
    let mut returns = Returns(false);
    visit::visit_block(&mut returns, block);
    returns.0
}
