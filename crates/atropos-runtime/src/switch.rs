//! The functions that woven code calls at mutation points and step places.
//!
//! Nearly always nothing is to be done at a point, so each begins with one load from a table of
//! bytes (see `table`) and only asks `decision` if the byte is not 0.
//!
//! Programs that are compiled without optimisation call the functions as they are compiled here;
//! for optimised ones the feature `inline` puts that load into the program itself.

use std::sync::atomic::{AtomicU32, Ordering};

use atropos_values::choose::{self, Constant};
use atropos_values::{Hit, PointId, Prim};

use crate::decision::decide;
use crate::table;

/// Counts a step: called at the head of loops, functions and closures.
#[cfg_attr(feature = "inline", inline)]
#[cfg_attr(not(feature = "inline"), inline(never))]
pub fn step(lane: usize) {
    crate::steps::count(lane);
}

/// A function begins: counts a step, and notes that it was entered.
#[cfg_attr(feature = "inline", inline)]
#[cfg_attr(not(feature = "inline"), inline(never))]
pub fn enter(function: u32) {
    crate::entered::mark(function);
    crate::steps::count(function as usize);
}

/// Nothing is to be done at this point: the original acts, whatever the values are.
#[cfg_attr(feature = "inline", inline)]
#[cfg_attr(not(feature = "inline"), inline(never))]
pub fn cold(first: u32) -> bool {
    table::is_cold(PointId(first))
}

/// Which mutant of the point acts here: 0 for the original, k for mutant `first + k - 1`.
#[cfg_attr(feature = "inline", inline)]
#[cfg_attr(not(feature = "inline"), inline(never))]
pub fn at(first: u32) -> u32 {
    if table::is_cold(PointId(first)) {
        return 0;
    }
    hot_at(PointId(first))
}

#[cold]
#[cfg_attr(feature = "inline", inline)]
#[cfg_attr(not(feature = "inline"), inline(never))]
fn hot_at(point: PointId) -> u32 {
    match table::known(point) {
        Some(acting) => acting,
        None => decide(&Hit::blind(point)),
    }
}

/// Whether the only mutant of a point acts here.
#[cfg_attr(feature = "inline", inline)]
#[cfg_attr(not(feature = "inline"), inline(never))]
pub fn on(id: u32) -> bool {
    at(id) == 1
}

/// The value of a condition. Letters: `!` (negated), `T`, `F`.
#[cfg_attr(feature = "inline", inline)]
#[cfg_attr(not(feature = "inline"), inline(never))]
pub fn cond(first: u32, letters: &'static [u8], value: bool) -> bool {
    if table::is_cold(PointId(first)) {
        return value;
    }
    hot_cond(PointId(first), letters, value)
}

#[cold]
#[inline(never)]
fn hot_cond(point: PointId, letters: &'static [u8], value: bool) -> bool {
    if table::is_done(point, Some(u8::from(value))) {
        return value;
    }
    choose::condition(point, letters, value, decide)
}

/// Whether to evaluate the right side of `&&` or `||` and yield it; otherwise the left is the
/// result. Letters: `&`, `|`, `L` (left alone), `R` (right alone).
#[cfg_attr(feature = "inline", inline)]
#[cfg_attr(not(feature = "inline"), inline(never))]
pub fn logic(first: u32, op: u8, letters: &'static [u8], left: bool) -> bool {
    if table::is_cold(PointId(first)) {
        return choose::original_goes_on(op, left);
    }
    hot_logic(PointId(first), op, letters, left)
}

#[cold]
#[inline(never)]
fn hot_logic(point: PointId, op: u8, letters: &'static [u8], left: bool) -> bool {
    let original = choose::original_goes_on(op, left);
    if table::is_done(point, Some(u8::from(original))) {
        return original;
    }
    choose::logic(point, op, letters, left, decide)
}

/// Which variant of a comparison acts here, as `at`. The point is not cold.
#[cold]
#[inline(never)]
pub fn relate(first: u32, op: u8, letters: &'static [u8], l: Option<Prim>, r: Option<Prim>) -> u32 {
    let point = PointId(first);
    if let Some(acting) = table::known(point) {
        return acting;
    }
    if table::is_done(point, choose::relation_case(l.zip(r))) {
        return 0;
    }
    choose::relation(point, op, letters, l.zip(r), decide)
}

/// Which variant of an arithmetic operator acts here, as `at`. The point is not cold.
#[cold]
#[inline(never)]
pub fn arith(first: u32, op: u8, letters: &'static [u8], l: Option<Prim>, r: Option<Prim>) -> u32 {
    let point = PointId(first);
    if let Some(acting) = table::known(point) {
        return acting;
    }
    choose::arithmetic(point, op, letters, l.zip(r), decide)
}

/// How often this process has looked at what stands before a number.
static LOOKS: AtomicU32 = AtomicU32::new(0);
const MOST_LOOKS: u32 = 1 << 18;

/// Which of several numbers stands behind an operator, whose left side is shown. The point is not cold.
#[cold]
#[inline(never)]
pub fn constant(
    first: u32,
    op: u8,
    is_compared: bool,
    letters: &'static [u8],
    numbers: &'static [i128],
    left: Option<Prim>,
) -> u32 {
    let point = PointId(first);
    if let Some(acting) = table::known(point) {
        return acting;
    }
    // It pays to look for a while. A mutant that is run although it makes no difference is no mistake.
    if LOOKS.fetch_add(1, Ordering::Relaxed) > MOST_LOOKS {
        return decide(&Hit::blind(point));
    }
    let constant = Constant {
        op,
        is_compared,
        letters,
        numbers,
    };
    if table::is_done(point, constant.case(left)) {
        return 0;
    }
    choose::constant(point, constant, left, decide)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_a_board_everything_is_the_original() {
        assert!(cold(7));
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
        let _turn = crate::steps::IN_TURN.lock();
        step(0);
    }
}
