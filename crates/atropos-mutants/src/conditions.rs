//! What decides: COI negates a condition, COD and LOD leave out a `!` that is there.
//!
//! A comparison is not negated as well: ROR's variants imply it. Nor are the sides of `&&` and
//! `||`: a test that tells the other side alone from the whole tells the negated side from it, too.

use syn::{Expr, ExprIf, ExprUnary, Type};

use crate::binaries::{OperandOf, contains_let, makes_false};
use crate::expressions::ExpressionRole;
use crate::mutant::Shape;
use crate::operator::Operator;
use crate::skip_rules;
use crate::source::shortened;
use crate::types::TypeClass;
use crate::walk::{Draft, Walker};

impl Walker<'_> {
    /// The condition of `if` and `while`: `let` chains are taken apart to their bool leaves.
    pub fn condition(&mut self, condition: &Expr) {
        match condition {
            Expr::Binary(binary) if contains_let(condition) => {
                self.condition(&binary.left);
                self.condition(&binary.right);
            }
            Expr::Let(_) => self.expression(condition, ExpressionRole::Value, None),
            _ if skip_rules::is_build_condition(condition) => {}
            _ => self.expression(condition, ExpressionRole::Condition, None),
        }
    }

    pub fn branch(&mut self, branch: &ExprIf, role: ExpressionRole, expected: Option<&Type>) {
        self.frame.scopes.enter();
        let is_skipped =
            skip_rules::is_skipped_branch(branch) && !branch.then_branch.stmts.is_empty();
        let mut condition_mode = self.mode;
        condition_mode.mutates &= !is_skipped;
        self.in_mode(condition_mode, |walker| walker.condition(&branch.cond));
        let mut mode = self.mode;
        mode.mutates &= !skip_rules::is_build_condition(&branch.cond);
        let only_returns = matches!(
            branch.then_branch.stmts.as_slice(),
            [syn::Stmt::Expr(Expr::Return(_), _)]
        );
        self.frame.false_condition_around = only_returns
            && branch.else_branch.is_none()
            && makes_false(&branch.cond)
            && self.is_selected(Operator::Ror);
        self.in_mode(mode, |walker| {
            walker.block(&branch.then_branch, role, expected)
        });
        self.frame.false_condition_around = false;
        self.frame.scopes.leave();
        if let Some((_, otherwise)) = &branch.else_branch {
            self.expression(otherwise, role, expected);
        }
    }

    /// COI on what is a condition as a whole and not made of others.
    pub fn negation(&mut self, condition: &Expr) {
        let is_plain = matches!(
            condition,
            Expr::Path(_)
                | Expr::Field(_)
                | Expr::Call(_)
                | Expr::MethodCall(_)
                | Expr::Macro(_)
                | Expr::Index(_)
                | Expr::Await(_)
                | Expr::Try(_)
        );
        let is_block = matches!(condition, Expr::Match(_) | Expr::Unsafe(_) | Expr::Block(_));
        let is_deref =
            matches!(condition, Expr::Unary(unary) if matches!(unary.op, syn::UnOp::Deref(_)));
        if !(is_plain || is_block || is_deref) || skip_rules::is_build_condition(condition) {
            return;
        }
        let span = self.source.span(condition);
        let text = self.source.flat(condition);
        let negated = if is_block {
            format!("!({text})")
        } else {
            format!("!{text}")
        };
        let summary = format!("negate {}", shortened(&text, 60));
        let draft = Draft::new(Operator::Coi, span, negated, summary).with_letter('!');
        self.point(span, Shape::Condition, vec![draft]);
    }

    /// COD, or LOD if the `!` is one of bits.
    pub fn not(&mut self, unary: &ExprUnary, role: ExpressionRole) {
        let is_bits = matches!(
            role,
            ExpressionRole::Operand(OperandOf::Arithmetic(_) | OperandOf::Assignment(_), _)
        ) || self.kind_of(&unary.expr).is_some_and(TypeClass::is_integer);
        let operator = if is_bits && self.kind_of(&unary.expr) != Some(TypeClass::Bool) {
            Operator::Lod
        } else {
            Operator::Cod
        };
        if skip_rules::is_build_condition(&unary.expr) {
            return;
        }
        let span = self.source.span(unary);
        let text = self.source.flat(&unary.expr);
        let summary = format!("delete ! before {}", shortened(&text, 60));
        // Not `Shape::Condition`: behind a reference, what is left would not be a bool.
        let draft = Draft::new(operator, span, text, summary);
        self.point(span, Shape::Expression, vec![draft]);
        self.expression(&unary.expr, ExpressionRole::Value, None);
    }
}
