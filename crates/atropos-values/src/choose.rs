//! The value of a mutated expression, given who decides which variant acts.
//!
//! `decide` gets the hit and answers 0 for the original, k for the variant with letter k.

use crate::hit::{Hit, Key};
use crate::prim::{self, Prim};

/// The value of a condition. Letters: `!` (negated), `T`, `F`.
pub fn condition(
    first: u32,
    letters: &'static [u8],
    value: bool,
    decide: impl FnOnce(&Hit) -> u32,
) -> bool {
    two_valued(first, letters, value, decide, |letter| match letter {
        b'!' => Some(!value),
        b'T' => Some(true),
        b'F' => Some(false),
        _ => None,
    })
}

/// Whether an operator, given its letter and the left side, goes on to the right side.
fn goes_on(letter: u8, left: bool) -> Option<bool> {
    match letter {
        b'&' => Some(left),
        b'|' => Some(!left),
        b'L' => Some(false),
        b'R' => Some(true),
        _ => None,
    }
}

/// What the original does after the left side of `&&` or `||`.
pub fn original_goes_on(op: u8, left: bool) -> bool {
    goes_on(op, left).unwrap_or(left)
}

/// Whether to evaluate the right side of `&&` or `||` and yield it; otherwise the left is the
/// result. Letters: `&`, `|`, `L` (left alone), `R` (right alone).
pub fn logic(
    first: u32,
    op: u8,
    letters: &'static [u8],
    left: bool,
    decide: impl FnOnce(&Hit) -> u32,
) -> bool {
    let original = original_goes_on(op, left);
    two_valued(first, letters, original, decide, |letter| {
        goes_on(letter, left)
    })
}

/// Which variant of a comparison acts. Letters: see [`prim::relate`].
pub fn relation(
    first: u32,
    op: u8,
    letters: &'static [u8],
    operands: Option<(Prim, Prim)>,
    decide: impl FnOnce(&Hit) -> u32,
) -> u32 {
    by_letter(first, op, letters, decide, |letter| {
        let (left, right) = operands?;
        prim::relate(letter, left, right).map(u128::from)
    })
}

/// Which variant of an arithmetic operator acts. Letters: see [`prim::arith`].
pub fn arithmetic(
    first: u32,
    op: u8,
    letters: &'static [u8],
    operands: Option<(Prim, Prim)>,
    decide: impl FnOnce(&Hit) -> u32,
) -> u32 {
    by_letter(first, op, letters, decide, |letter| {
        let (left, right) = operands?;
        prim::arith(letter, left, right)?.bits()
    })
}

fn by_letter(
    first: u32,
    op: u8,
    letters: &'static [u8],
    decide: impl FnOnce(&Hit) -> u32,
    value: impl Fn(u8) -> Option<u128>,
) -> u32 {
    decide(&Hit {
        first,
        letters: Some(letters),
        original: Key::of(value(op)),
        variant: &|letter| Key::of(value(letter)),
    })
}

fn two_valued(
    first: u32,
    letters: &'static [u8],
    original: bool,
    decide: impl FnOnce(&Hit) -> u32,
    value: impl Fn(u8) -> Option<bool>,
) -> bool {
    let acting = decide(&Hit {
        first,
        letters: Some(letters),
        original: Key::of(Some(u128::from(original))),
        variant: &|letter| Key::of(value(letter).map(u128::from)),
    });
    match acting {
        0 => original,
        k => value(letters[k as usize - 1]).unwrap_or(original),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_variant_that_acts_gives_the_value() {
        for value in [false, true] {
            assert_eq!(condition(7, b"!TF", value, |_| 0), value);
            assert_eq!(condition(7, b"!TF", value, |_| 1), !value);
            assert!(condition(7, b"!TF", value, |_| 2));
            assert!(!condition(7, b"!TF", value, |_| 3));
            assert_eq!(logic(7, b'&', b"|LR", value, |_| 0), value);
            assert_eq!(logic(7, b'&', b"|LR", value, |_| 1), !value);
            assert!(!logic(7, b'&', b"|LR", value, |_| 2));
            assert!(logic(7, b'&', b"|LR", value, |_| 3));
        }
    }

    #[test]
    fn unknown_operands_leave_every_variant_infected() {
        let infected = |hit: &Hit| u32::from(hit.infects(1)) + u32::from(hit.infects(2));
        let operands = Some((Prim::U8(2), Prim::U8(2)));
        assert_eq!(arithmetic(7, b'+', b"*-", None, infected), 2);
        assert_eq!(arithmetic(7, b'+', b"*-", operands, infected), 1);
    }
}
