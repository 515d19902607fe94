//! Numbers on the right of an operator, whose mutants differ only where the operator's result does: `x / 11` instead of
//! `x / 10` makes no difference to an `x` of 5.

use std::collections::HashMap;

use atropos_mutants::mutant::{Point, Shape, Span};
use syn::{BinOp, Expr, ExprLit, Lit, UnOp};

use crate::arms::parse;
use crate::choice::WovenChoice;
use crate::context::Binary;
use crate::layout::{NodeKind, Wrap};

/// An operator with a number on its right.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct OperatorAround {
    pub letter: char,
    pub is_compared: bool,
    /// Its left side has no name yet: where it is, and all of it.
    pub unnamed: Option<UnnamedOperator>,
}

/// An operator that is not taken apart for mutants of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct UnnamedOperator {
    pub whole: Span,
    pub left: Span,
}

/// The operator of an expression, if another number on its right need not make a difference to it.
pub(crate) fn unnamed(binary: &Binary) -> Option<OperatorAround> {
    let (letter, is_compared) = match binary.op {
        BinOp::Lt(_) => ('<', true),
        BinOp::Gt(_) => ('>', true),
        BinOp::Le(_) => ('l', true),
        BinOp::Ge(_) => ('g', true),
        BinOp::Eq(_) => ('=', true),
        BinOp::Ne(_) => ('!', true),
        BinOp::Mul(_) => ('*', false),
        BinOp::Div(_) => ('/', false),
        BinOp::Rem(_) => ('%', false),
        BinOp::BitAnd(_) => ('&', false),
        BinOp::BitOr(_) => ('|', false),
        BinOp::Shl(_) => ('l', false),
        BinOp::Shr(_) => ('r', false),
        _ => return None,
    };
    let Binary { whole, left, .. } = *binary;
    Some(OperatorAround {
        letter,
        is_compared,
        unnamed: Some(UnnamedOperator { whole, left }),
    })
}

/// The operators that another number on their right need not make a difference to, by the span of their right side: where
/// operands are evaluated one after the other, the left one under a name.
pub(crate) fn operators(wraps: &[Wrap], points: &[Point]) -> HashMap<Span, OperatorAround> {
    let operator = |wrap: &Wrap| {
        let NodeKind::Operands { right, .. } = wrap.kind else {
            return None;
        };
        let (letter, is_compared) = match points[wrap.point?].shape {
            Shape::Relation { op, .. } => (op, true),
            // Another number always makes a difference to a sum.
            Shape::Arithmetic { op, .. } if !matches!(op, '+' | '-' | '^') => (op, false),
            _ => return None,
        };
        let operator = OperatorAround {
            letter,
            is_compared,
            unnamed: None,
        };
        Some((right, operator))
    };
    wraps.iter().filter_map(operator).collect()
}

/// The value of an integer, perhaps with a minus.
pub(crate) fn integer(text: &str) -> Option<i128> {
    if !text.starts_with(|first: char| first == '-' || first.is_ascii_digit()) {
        return None;
    }
    match parse(text)? {
        Expr::Unary(unary) if matches!(unary.op, UnOp::Neg(_)) => Some(-value(&unary.expr)?),
        literal => value(&literal),
    }
}

fn value(expr: &Expr) -> Option<i128> {
    match expr {
        Expr::Lit(ExprLit {
            lit: Lit::Int(int), ..
        }) => int.base10_parse().ok(),
        _ => None,
    }
}

/// The arguments of the runtime's question, up to the left side: the point, the operator, and the numbers.
pub(crate) fn arguments(
    original: i128,
    operator: OperatorAround,
    choice: &WovenChoice,
) -> Option<String> {
    let mut numbers = vec![original.to_string()];
    for number in 1..=choice.count {
        let variant = choice
            .variants
            .iter()
            .find(|variant| variant.number == number);
        // What is gone is never asked for.
        let number = variant.map_or(Some(original), |variant| integer(&variant.code))?;
        numbers.push(number.to_string());
    }
    let letters = choice.letters(|number| char::from(b'a' + (number - 1) as u8));
    let OperatorAround {
        letter,
        is_compared,
        ..
    } = operator;
    Some(format!(
        "{}, b'{letter}', {is_compared}, b\"{letters}\", &[{}]",
        choice.first.0,
        numbers.join(", ")
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_are_read_in_every_notation() {
        assert_eq!(integer("1_000"), Some(1000));
        assert_eq!(integer("0xffu8"), Some(255));
        assert_eq!(integer("-3i64"), Some(-3));
        assert_eq!(integer("1.0"), None);
        assert_eq!(integer("b'a'"), None);
        assert_eq!(integer("x"), None);
    }
}
