//! `match`: MAD deletes an arm, MGR replaces a guard.
//!
//! An arm is deleted only if a later one without guard catches everything, else rustc would
//! refuse. A guarded arm is not deleted: a false guard is the same.

use syn::{Arm, Expr, ExprMatch, Pat, Type};

use crate::expressions::ExpressionRole;
use crate::mutant::{Shape, Span};
use crate::operator::Operator;
use crate::skip_rules;
use crate::source::shortened;
use crate::walk::{Draft, Walker};

impl Walker<'_> {
    pub fn matching(&mut self, matched: &ExprMatch, role: ExpressionRole, expected: Option<&Type>) {
        self.expression(&matched.expr, ExpressionRole::Place, None);
        let catch_all = matched.arms.iter().rposition(catches_all);
        for (index, arm) in matched.arms.iter().enumerate() {
            self.marked(&arm.attrs, |walker| {
                if let Some(catch_all) = catch_all
                    && index < catch_all
                {
                    walker.arm_deletion(arm, &matched.arms[index + 1..=catch_all]);
                }
                walker.arm(arm, role, expected);
            });
        }
    }

    fn arm(&mut self, arm: &Arm, role: ExpressionRole, expected: Option<&Type>) {
        self.frame.scopes.enter();
        self.frame.scopes.bind(&arm.pat, None);
        if let Some((_, guard)) = &arm.guard {
            self.guard(guard);
        }
        self.early_return_value(&arm.body, role);
        self.expression(&arm.body, role, expected);
        self.frame.scopes.leave();
    }

    /// MGR: true and false. The guard's own operators follow.
    pub fn guard(&mut self, guard: &Expr) {
        if crate::binaries::contains_let(guard) {
            return self.condition(guard);
        }
        if skip_rules::is_build_condition(guard) {
            return;
        }
        let span = self.source.span(guard);
        let text = shortened(&self.source.flat(guard), 60);
        let drafts = [("true", 'T'), ("false", 'F')]
            .map(|(value, letter)| {
                let summary = format!("replace match guard {text} with {value}");
                Draft::new(Operator::Mgr, span, value.to_string(), summary).with_letter(letter)
            })
            .into();
        self.point(span, Shape::Condition, drafts);
        // True and false together imply the negation.
        let role = if self.is_selected(Operator::Mgr) {
            ExpressionRole::Value
        } else {
            ExpressionRole::Condition
        };
        self.expression(guard, role, None);
    }

    fn arm_deletion(&mut self, arm: &Arm, later: &[Arm]) {
        let is_guarded = arm.guard.is_some();
        let catch_all = &later[later.len() - 1];
        let body = self.source.compact(&arm.body);
        // If only like arms follow, deleting this one changes nothing.
        let is_same_anyway =
            self.source.compact(&catch_all.body) == body && binds_nothing(&arm.pat);
        if is_guarded || is_same_anyway || skip_rules::is_dead_end(&arm.body) || !self.frame.deletes
        {
            return;
        }
        let arm_span = self.source.span(arm);
        let pattern = self.source.span(&arm.pat);
        let text = shortened(&self.source.flat(&arm.pat), 60);
        let summary = format!("delete match arm {text}");
        let draft = Draft::new(Operator::Mad, arm_span, String::new(), summary);
        let shape = Shape::Arm {
            pattern: Span::new(pattern.start, pattern.end),
            guard: None,
        };
        self.point(arm_span, shape, vec![draft]);
    }
}

/// Whether an arm takes whatever is left: `_` or a plain name, without guard and cfg.
fn catches_all(arm: &Arm) -> bool {
    arm.guard.is_none() && arm.attrs.is_empty() && is_irrefutable(&arm.pat)
}

fn is_irrefutable(pattern: &Pat) -> bool {
    match pattern {
        Pat::Wild(_) => true,
        // A capital would be a constant, a unit struct or a variant.
        Pat::Ident(ident) => {
            ident.subpat.is_none()
                && ident
                    .ident
                    .to_string()
                    .starts_with(|c: char| c.is_lowercase() || c == '_')
        }
        Pat::Paren(inner) => is_irrefutable(&inner.pat),
        Pat::Tuple(tuple) => tuple.elems.iter().all(is_irrefutable),
        Pat::Or(alternatives) => alternatives.cases.iter().any(is_irrefutable),
        Pat::Rest(_) => true,
        _ => false,
    }
}

fn binds_nothing(pattern: &Pat) -> bool {
    crate::type_facts::bound_names(pattern)
        .iter()
        .all(|name| !name.starts_with(|c: char| c.is_lowercase() || c == '_'))
}
