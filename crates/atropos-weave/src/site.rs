//! Where a choice between the original and its mutants may stand.
//!
//! Not always right at the point: in an arm of its own the original would drop its temporaries when
//! the arm ends, and a literal would not know what it is going to be.

use atropos_mutants::mutant::{Mutant, Span};
use syn::{Expr, UnOp};

use crate::arms::parse;
use crate::context::TemporaryRoot;
use crate::effects::is_place;
use crate::layout::Planner;
use crate::temporaries::may_leave_temporaries;

/// Where a switch may stand so that no temporary is dropped too early.
pub(crate) enum SwitchSite {
    Around(Span),
    /// At the start of this body.
    Body(Span),
}

impl Planner<'_> {
    /// Where the original can be moved into an arm: right there if it leaves no temporaries behind,
    /// else where its temporaries end.
    pub(crate) fn site(&self, span: Span, mutants: &[&Mutant]) -> Option<SwitchSite> {
        let context = self.contexts.get(span);
        if context.is_shorthand {
            return None;
        }
        let original = parse(span.text(self.source))?;
        if is_literal(&original) {
            // `-128i8` is a number, but `-(128i8)` overflows. A literal that is cast is of the type
            // that it is cast to. `&1` lives for ever, `&(f())` does not.
            let number = context.cast.or(context.negation).unwrap_or(span);
            let borrow = self.contexts.get(number).borrow;
            return Some(SwitchSite::Around(borrow.unwrap_or(number)));
        }
        let leaves = |text: Option<String>| {
            text.and_then(|text| parse(&text))
                .is_some_and(|expr| may_leave_temporaries(&expr))
        };
        let is_free = !may_leave_temporaries(&original)
            && !mutants
                .iter()
                .any(|mutant| leaves(self.pieces.edited(span, mutant)));
        if is_free {
            return Some(SwitchSite::Around(span));
        }
        match context.root {
            TemporaryRoot::Unknown => None,
            TemporaryRoot::Body(body) => Some(SwitchSite::Body(body)),
            TemporaryRoot::Expression(root) => {
                let is_borrowed_place = self.contexts.get(root).in_place
                    && parse(root.text(self.source)).is_none_or(|expr| is_place(&expr));
                (!is_borrowed_place).then_some(SwitchSite::Around(root))
            }
        }
    }
}

/// A literal, perhaps with signs and parentheses.
pub(crate) fn is_literal(expr: &Expr) -> bool {
    match expr {
        Expr::Lit(_) => true,
        Expr::Paren(inner) => is_literal(&inner.expr),
        Expr::Unary(unary) => !matches!(unary.op, UnOp::Deref(_)) && is_literal(&unary.expr),
        _ => false,
    }
}
