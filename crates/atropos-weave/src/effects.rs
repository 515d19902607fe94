//! What evaluating an expression may do, as far as its text tells.
//!
//! Needed where a mutant leaves out an operand that the woven code evaluates, and where the order
//! of two evaluations may not be seen. Types are unknown here, so a call counts as capable of
//! anything, except for a few methods whose names promise a look and nothing else.

use syn::{BinOp, Expr, UnOp};

/// What an evaluation may do, in rising order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum ExpressionEffects {
    /// Nothing that can be seen.
    None,
    /// Panic, at most: overflow, division by zero, an index out of bounds.
    Panic,
    /// Anything.
    Any,
}

/// Methods without arguments that by their name only look.
const LOOKS: [&str; 6] = ["len", "is_empty", "is_some", "is_none", "is_ok", "is_err"];

/// What evaluating an expression may do. Comparisons and dereferences count as harmless: an
/// implementation of `PartialEq` or `Deref` that acts would surprise its own author.
pub(crate) fn effects_of(expr: &Expr) -> ExpressionEffects {
    match expr {
        Expr::Lit(_) | Expr::Path(_) => ExpressionEffects::None,
        Expr::Paren(inner) => effects_of(&inner.expr),
        Expr::Group(inner) => effects_of(&inner.expr),
        Expr::Field(field) => effects_of(&field.base),
        Expr::Reference(reference) => effects_of(&reference.expr),
        Expr::Cast(cast) => effects_of(&cast.expr),
        Expr::Tuple(tuple) => effects_of_all(&tuple.elems),
        Expr::Array(array) => effects_of_all(&array.elems),
        Expr::Index(index) => {
            effects_of_all([&*index.expr, &*index.index]).max(ExpressionEffects::Panic)
        }
        Expr::Unary(unary) => {
            let operand = effects_of(&unary.expr);
            match unary.op {
                UnOp::Neg(_) if !matches!(*unary.expr, Expr::Lit(_)) => {
                    operand.max(ExpressionEffects::Panic)
                }
                _ => operand,
            }
        }
        Expr::Binary(binary) => {
            let operands = effects_of_all([&*binary.left, &*binary.right]);
            match binary.op {
                BinOp::Add(_)
                | BinOp::Sub(_)
                | BinOp::Mul(_)
                | BinOp::Div(_)
                | BinOp::Rem(_)
                | BinOp::Shl(_)
                | BinOp::Shr(_) => operands.max(ExpressionEffects::Panic),
                BinOp::And(_)
                | BinOp::Or(_)
                | BinOp::BitXor(_)
                | BinOp::BitAnd(_)
                | BinOp::BitOr(_)
                | BinOp::Eq(_)
                | BinOp::Lt(_)
                | BinOp::Le(_)
                | BinOp::Ne(_)
                | BinOp::Ge(_)
                | BinOp::Gt(_) => operands,
                _ => ExpressionEffects::Any,
            }
        }
        Expr::MethodCall(call)
            if call.args.is_empty() && LOOKS.iter().any(|name| call.method == name) =>
        {
            effects_of(&call.receiver)
        }
        _ => ExpressionEffects::Any,
    }
}

fn effects_of_all<'e>(exprs: impl IntoIterator<Item = &'e Expr>) -> ExpressionEffects {
    exprs
        .into_iter()
        .map(effects_of)
        .max()
        .unwrap_or(ExpressionEffects::None)
}

/// Whether an expression names a place rather than makes a value. A path may be a constant's; then
/// treating it as a place does no harm.
pub(crate) fn is_place(expr: &Expr) -> bool {
    match expr {
        Expr::Path(_) | Expr::Field(_) | Expr::Index(_) => true,
        Expr::Unary(unary) => matches!(unary.op, UnOp::Deref(_)),
        Expr::Paren(inner) => is_place(&inner.expr),
        Expr::Group(inner) => is_place(&inner.expr),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn effects_are_judged_by_the_text() {
        let check = |text: &str, expected| {
            let expr = syn::parse_str(text).unwrap();
            assert_eq!(effects_of(&expr), expected, "{text}");
        };
        for text in [
            "1",
            "a.b",
            "*a",
            "&a",
            "v.len()",
            "a < b",
            "!(a && b)",
            "-1",
            "a as u8",
        ] {
            check(text, ExpressionEffects::None);
        }
        for text in ["a + 1", "v[i]", "-a", "a.len() % 2", "x < v[0]", "a << 1"] {
            check(text, ExpressionEffects::Panic);
        }
        for text in [
            "f()",
            "a.next()",
            "f().len()",
            "a?",
            "a = 1",
            "{ a }",
            "m!()",
            "v.len(1)",
        ] {
            check(text, ExpressionEffects::Any);
        }
    }

    #[test]
    fn places_are_told_from_values() {
        let check = |text: &str| is_place(&syn::parse_str(text).unwrap());
        assert!(["a", "a.b", "a[1]", "*a", "(a)"].into_iter().all(check));
        assert!(!["1", "a + 1", "f()", "-a", "&a"].into_iter().any(check));
    }
}
