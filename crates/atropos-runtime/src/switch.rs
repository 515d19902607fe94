//! The functions that woven code calls at mutation points and step places.
//!
//! Nearly always nothing is to be done at a point, so each begins with one load from a table of
//! bytes (see `table`) and only asks `decision` if the byte is not 0.

use crate::decision::{Hit, Key, decide};
use crate::prim::{self, Prim};
use crate::table;

/// Counts a step: called at the head of loops, functions and closures.
#[inline(never)]
pub fn step() {
    crate::steps::count();
}

/// Which mutant of the point acts here: 0 for the original, k for mutant `first + k - 1`.
#[inline(never)]
pub fn at(first: u32) -> u32 {
    if table::is_cold(first) {
        return 0;
    }
    decide(&Hit {
        first,
        letters: None,
        original: Key::Unknown,
        variant: &|_| Key::Unknown,
    })
}

/// Whether the only mutant of a point acts here.
#[inline(never)]
pub fn on(id: u32) -> bool {
    at(id) == 1
}

/// The value of a condition. Letters: `!` (negated), `T`, `F`.
#[inline(never)]
pub fn cond(first: u32, letters: &'static [u8], value: bool) -> bool {
    if table::is_cold(first) {
        return value;
    }
    two_valued(first, letters, value, |letter| match letter {
        b'!' => Some(!value),
        b'T' => Some(true),
        b'F' => Some(false),
        _ => None,
    })
}

/// Whether to evaluate the right side of `&&` or `||` and yield it; otherwise the left is the
/// result. Letters: `&`, `|`, `L` (left alone), `R` (right alone).
#[inline(never)]
pub fn logic(first: u32, op: u8, letters: &'static [u8], left: bool) -> bool {
    let goes_on = |letter| match letter {
        b'&' => Some(left),
        b'|' => Some(!left),
        b'L' => Some(false),
        b'R' => Some(true),
        _ => None,
    };
    let original = goes_on(op).unwrap_or(left);
    if table::is_cold(first) {
        return original;
    }
    two_valued(first, letters, original, goes_on)
}

/// Which variant of a comparison acts here, as `at`. Letters: see [`prim::relate`].
#[inline(never)]
pub fn relate(first: u32, op: u8, letters: &'static [u8], l: Option<Prim>, r: Option<Prim>) -> u32 {
    if table::is_cold(first) {
        return 0;
    }
    by_letter(first, op, letters, |letter| {
        prim::relate(letter, l?, r?).map(u128::from)
    })
}

/// Which variant of an arithmetic operator acts here, as `at`. Letters: see [`prim::arith`].
#[inline(never)]
pub fn arith(first: u32, op: u8, letters: &'static [u8], l: Option<Prim>, r: Option<Prim>) -> u32 {
    if table::is_cold(first) {
        return 0;
    }
    by_letter(first, op, letters, |letter| {
        prim::arith(letter, l?, r?)?.bits()
    })
}

fn by_letter(
    first: u32,
    op: u8,
    letters: &'static [u8],
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
    fn without_a_board_everything_is_the_original() {
        assert_eq!(at(7), 0);
        assert!(!on(7));
        assert!(cond(7, b"!TF", true));
        assert!(!cond(7, b"!TF", false));
        for left in [false, true] {
            assert_eq!(logic(7, b'&', b"|LR", left), left);
            assert_eq!(logic(7, b'|', b"&LR", left), !left);
        }
        assert_eq!(
            arith(7, b'+', b"-", Some(Prim::U8(1)), Some(Prim::U8(2))),
            0
        );
        assert_eq!(relate(7, b'<', b"l", None, None), 0);
        step();
    }
}
