//! Where control goes: QMR swallows the error of a `?`, BCR exchanges `break` and `continue`, RBR
//! moves the end of a range.
//!
//! `a..b` and `a..=b` are of different types, so RBR acts on the smallest expression around the
//! range whose type does not depend on it (`&v[a..b]`, `(a..b).contains(&x)`, `v.drain(a..b)`), or
//! on the range itself where it is only iterated. A range that is stored or returned stays.

use syn::punctuated::Punctuated;
use syn::{
    Expr, ExprBreak, ExprContinue, ExprIndex, ExprMethodCall, ExprRange, ExprTry, RangeLimits,
    Token, Type,
};

use crate::binaries::{OperandOf, OperandSide};
use crate::expressions::ExpressionRole;
use crate::extent::Extent;
use crate::mutant::{Shape, Span};
use crate::operator::Operator;
use crate::skip_rules;
use crate::source::one_line;
use crate::walk::{BreakTarget, Draft, Walker};

impl Walker<'_> {
    pub fn question_mark(&mut self, attempt: &ExprTry) {
        if skip_rules::is_result_of_writing(self.frame.returns.as_ref()) {
            return;
        }
        let span = self.source.span(attempt);
        let mark = self.source.token(attempt.question_token.span);
        let replacement = format!("{}.unwrap_or_default()", self.source.flat(&attempt.expr));
        let summary = "replace ? with .unwrap_or_default()".to_string();
        let draft = Draft::new(Operator::Qmr, span, replacement, summary).seen_at(mark.start);
        self.point(span, Shape::Expression, vec![draft]);
    }

    pub fn break_to_continue(&mut self, jump: &ExprBreak) {
        let target = jump.label.as_ref().map(|label| label.ident.to_string());
        if jump.expr.is_none() && self.target(target.as_deref()).is_some() {
            self.jump(self.source.span(jump), "break", "continue", target);
        }
    }

    pub fn continue_to_break(&mut self, jump: &ExprContinue) {
        let target = jump.label.as_ref().map(|label| label.ident.to_string());
        let is_left_with_value = |target: &BreakTarget| target.has_value;
        if !self
            .target(target.as_deref())
            .is_some_and(is_left_with_value)
        {
            self.jump(self.source.span(jump), "continue", "break", target);
        }
    }

    fn jump(&mut self, span: Span, old: &str, new: &str, label: Option<String>) {
        let replacement = match label {
            Some(label) => format!("{new} '{label}"),
            None => new.to_string(),
        };
        let summary = format!("replace {old} with {new}");
        let draft = Draft::new(Operator::Bcr, span, replacement, summary);
        self.point(span, Shape::Expression, vec![draft]);
    }

    /// The loop that a jump goes to; none if that is a labelled block.
    fn target(&self, label: Option<&str>) -> Option<&BreakTarget> {
        let mut around = self.frame.breakables.iter().rev();
        let target = match label {
            None => around.find(|breakable| breakable.is_loop),
            Some(label) => around.find(|breakable| breakable.label.as_deref() == Some(label)),
        };
        target.filter(|breakable| breakable.is_loop)
    }

    /// A range where it stands; its ends are values.
    pub fn range(&mut self, range: &ExprRange, role: ExpressionRole, expected: Option<&Type>) {
        if role == ExpressionRole::Iterated {
            let span = self.source.span(range);
            self.moved_range(range, span, Shape::Iterator);
        }
        let inclusive = matches!(range.limits, RangeLimits::Closed(_));
        let end_role = if self.is_moved(range) {
            ExpressionRole::Operand(OperandOf::MovedRange { inclusive }, OperandSide::Right)
        } else {
            ExpressionRole::Value
        };
        let start_type = range.start.as_ref().and_then(|start| self.type_of(start));
        let end_type = range.end.as_ref().and_then(|end| self.type_of(end));
        if let Some(start) = &range.start {
            self.expression(start, ExpressionRole::Value, end_type.as_ref().or(expected));
        }
        if let Some(end) = &range.end {
            self.expression(end, end_role, start_type.as_ref().or(expected));
        }
    }

    /// Whether a point was made for this range by what is around it.
    fn is_moved(&self, range: &ExprRange) -> bool {
        let limits = self.source.span(&range.limits);
        self.moved_ranges.contains(&limits.start)
    }

    /// RBR on an expression that holds the range.
    fn moved_range(&mut self, range: &ExprRange, around: Span, shape: Shape) {
        if range.end.is_none() || !self.is_selected(Operator::Rbr) || !self.mode.mutates {
            return;
        }
        let limits = self.source.span(&range.limits);
        let new = match range.limits {
            RangeLimits::HalfOpen(_) => "..=",
            RangeLimits::Closed(_) => "..",
        };
        let before = &self.source.text[around.start..limits.start];
        let behind = &self.source.text[limits.end..around.end];
        let replacement = one_line(&format!("{before}{new}{behind}"));
        let summary = format!("replace {} with {new}", self.source.slice(limits));
        let draft = Draft::new(Operator::Rbr, around, replacement, summary).seen_at(limits.start);
        self.moved_ranges.insert(limits.start);
        self.point(around, shape, vec![draft]);
    }

    pub fn index(&mut self, index: &ExprIndex) {
        self.expression(&index.expr, ExpressionRole::Receiver, None);
        let usize_type = syn::parse_quote!(usize);
        self.expression(&index.index, ExpressionRole::Value, Some(&usize_type));
    }

    /// `&v[a..b]` and `&mut v[a..b]`.
    pub fn borrowed_slice(&mut self, whole: &Expr, borrowed: &Expr) {
        if let Some(range) = sliced_by(borrowed) {
            let span = self.source.span(whole);
            self.moved_range(range, span, Shape::Expression);
        }
    }

    /// `v[a..b].method()`.
    pub fn sliced_receiver(&mut self, call: &ExprMethodCall) {
        if let Some(range) = sliced_by(&call.receiver) {
            let span = self.source.span(call);
            self.moved_range(range, span, Shape::Expression);
        }
    }

    /// `(a..b).contains(&x)`.
    pub fn range_method(&mut self, call: &ExprMethodCall) {
        if let Expr::Paren(inner) = &*call.receiver
            && let Expr::Range(range) = &*inner.expr
            && skip_rules::is_range_method(&call.method.to_string())
            && call.method != "clone"
        {
            let span = self.source.span(call);
            self.moved_range(range, span, Shape::Expression);
        }
    }

    /// `v.drain(a..b)`: what takes a range often takes any kind of range.
    pub fn ranges_in_arguments(
        &mut self,
        call: &impl Extent,
        arguments: &Punctuated<Expr, Token![,]>,
    ) {
        for argument in arguments {
            if let Expr::Range(range) = argument {
                let span = self.source.span(call);
                self.moved_range(range, span, Shape::Expression);
            }
        }
    }
}

/// The range within `v[a..b]`.
fn sliced_by(expression: &Expr) -> Option<&ExprRange> {
    match expression {
        Expr::Index(index) => match &*index.index {
            Expr::Range(range) => Some(range),
            _ => None,
        },
        Expr::Paren(inner) => sliced_by(&inner.expr),
        _ => None,
    }
}
