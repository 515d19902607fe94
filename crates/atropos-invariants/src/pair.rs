//! All that is kept of how two variables relate.

use std::cmp::Ordering;

use crate::value::{ObservedValue, ValueKind};

/// What of two variables can be compared.
pub(crate) const ORDER: u8 = 1;
pub(crate) const ORDER_AND_LINE: u8 = 2;
pub(crate) const EQUALITY: u8 = 3;
pub(crate) const NOTHING: u8 = 255;

/// The stages of the search for a line through all pairs.
pub(crate) const ONE_PLACE: u8 = 1;
pub(crate) const LINE: u8 = 2;
pub(crate) const NO_LINE: u8 = 3;

/// An x and a y.
pub type VariablePlace = [i64; 2];

/// The values of two variables x and y, seen together. All zero: none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct PairState {
    pub(crate) count: u64,
    /// How often a pair was another than the one before.
    pub(crate) changes: u64,
    pub(crate) last: VariablePlace,
    pub(crate) less: u64,
    pub(crate) equal: u64,
    pub(crate) greater: u64,
    /// Two places that a line through all pairs must hold.
    pub(crate) first: VariablePlace,
    pub(crate) second: VariablePlace,
    pub(crate) stage: u8,
    pub(crate) comparable: u8,
    pub(crate) spare: [u8; 6],
}

impl PairState {
    pub const EMPTY: PairState = PairState {
        count: 0,
        changes: 0,
        last: [0; 2],
        less: 0,
        equal: 0,
        greater: 0,
        first: [0; 2],
        second: [0; 2],
        stage: 0,
        comparable: 0,
        spare: [0; 6],
    };

    /// Adds a pair of values.
    #[inline]
    pub fn observe(&mut self, x: ObservedValue, y: ObservedValue) {
        if self.comparable == NOTHING {
            return;
        }
        let comparable = comparable(x.kind(), y.kind());
        if self.comparable != 0 && self.comparable != comparable || comparable == NOTHING {
            self.comparable = NOTHING;
            return;
        }
        self.comparable = comparable;
        let pair = [x.bits(), y.bits()];
        if self.count == 0 || self.last != pair {
            self.changes += u64::from(self.count > 0);
            self.last = pair;
            if comparable == ORDER_AND_LINE {
                self.add_place(pair);
            }
        }
        self.count += 1;
        match order(x, y) {
            Some(Ordering::Less) => self.less += 1,
            Some(Ordering::Equal) => self.equal += 1,
            Some(Ordering::Greater) => self.greater += 1,
            // Of NaN nothing can be said, now or later.
            None => self.comparable = NOTHING,
        }
    }

    fn add_place(&mut self, place: VariablePlace) {
        match self.stage {
            0 => {
                self.first = place;
                self.stage = ONE_PLACE;
            }
            ONE_PLACE if place[0] != self.first[0] => {
                self.second = place;
                self.stage = LINE;
            }
            ONE_PLACE if place[1] == self.first[1] => {}
            LINE if self.is_on_line(place) => {}
            _ => self.stage = NO_LINE,
        }
    }

    /// Whether a place is on the line through the two that are known.
    pub(crate) fn is_on_line(&self, place: VariablePlace) -> bool {
        let wide = |place: VariablePlace| place.map(i128::from);
        let ([x0, y0], [x1, y1], [x, y]) = (wide(self.first), wide(self.second), wide(place));
        // Differences of 64-bit numbers have 65 bits; two of them may not fit 128.
        let left = (y1 - y0).checked_mul(x - x0);
        let right = (x1 - x0).checked_mul(y - y0);
        left.is_some() && left == right
    }

    /// Adds all that another state saw.
    pub fn merge(&mut self, other: &PairState) {
        if other.count == 0 && other.comparable == 0 {
            return;
        }
        if self.count == 0 && self.comparable == 0 {
            *self = *other;
            return;
        }
        if self.comparable != other.comparable {
            self.comparable = NOTHING;
        }
        match other.stage {
            0 => {}
            ONE_PLACE => self.add_place(other.first),
            LINE => {
                self.add_place(other.first);
                self.add_place(other.second);
            }
            _ => self.stage = NO_LINE,
        }
        self.count += other.count;
        self.changes += other.changes;
        self.last = other.last;
        self.less += other.less;
        self.equal += other.equal;
        self.greater += other.greater;
    }
}

fn comparable(x: ValueKind, y: ValueKind) -> u8 {
    match (x, y) {
        _ if !x.compares_with(y) => NOTHING,
        (ValueKind::Float, _) => ORDER,
        (ValueKind::Number | ValueKind::Length, _) => ORDER_AND_LINE,
        _ => EQUALITY,
    }
}

fn order(x: ObservedValue, y: ObservedValue) -> Option<Ordering> {
    match (x, y) {
        (ObservedValue::Float(x), ObservedValue::Float(y)) => x.partial_cmp(&y),
        _ => Some(x.bits().cmp(&y.bits())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn state(pairs: &[(i64, i64)]) -> PairState {
        let mut state = PairState::EMPTY;
        for &(x, y) in pairs {
            state.observe(ObservedValue::Number(x), ObservedValue::Number(y));
        }
        state
    }

    #[test]
    fn a_line_is_found_and_lost() {
        let line = state(&[(1, 3), (1, 3), (2, 5), (7, 15)]);
        assert_eq!(line.stage, LINE);
        assert!(line.is_on_line([0, 1]));
        assert_eq!(state(&[(1, 3), (2, 5), (7, 16)]).stage, NO_LINE);
        assert_eq!(state(&[(1, 3), (1, 4)]).stage, NO_LINE);
        assert_eq!(state(&[(1, 3), (1, 3)]).stage, ONE_PLACE);
    }

    #[test]
    fn merged_lines_must_be_the_same() {
        let mut same = state(&[(1, 3), (2, 5)]);
        same.merge(&state(&[(10, 21), (20, 41)]));
        assert_eq!(same.stage, LINE);
        let mut other = state(&[(1, 3), (2, 5)]);
        other.merge(&state(&[(10, 21), (20, 40)]));
        assert_eq!(other.stage, NO_LINE);
        let mut extended = state(&[(1, 3)]);
        extended.merge(&state(&[(10, 21)]));
        assert_eq!(extended.stage, LINE);
    }

    #[test]
    fn far_numbers_do_not_overflow() {
        let state = state(&[
            (i64::MIN, i64::MIN),
            (i64::MAX, i64::MAX),
            (0, 5),
            (i64::MIN, i64::MAX),
        ]);
        assert_eq!(state.stage, NO_LINE);
    }

    #[test]
    fn what_can_not_be_compared_is_left_alone() {
        let mut state = PairState::EMPTY;
        state.observe(ObservedValue::Number(1), ObservedValue::Float(1.0));
        state.observe(ObservedValue::Number(1), ObservedValue::Number(1));
        assert_eq!((state.comparable, state.count), (NOTHING, 0));
        let mut state = PairState::EMPTY;
        state.observe(ObservedValue::Float(f64::NAN), ObservedValue::Float(1.0));
        assert_eq!(state.comparable, NOTHING);
    }
}
