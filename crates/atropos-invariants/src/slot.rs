//! All that is kept of one variable's values.

use crate::value::{ObservedValue, ValueKind};

/// The state's `kind` when values of several kinds were seen: nothing is known then.
pub(crate) const MIXED: u8 = 255;

/// How many different values are kept.
pub(crate) const KEPT: usize = 3;

/// The state's `distinct` when there were more values than are kept.
pub(crate) const MANY: u8 = KEPT as u8 + 1;

/// One variable's values so far. All zero: none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct SlotState {
    pub(crate) count: u64,
    /// How often a value was another than the one before. Repetitions justify nothing.
    pub(crate) changes: u64,
    pub(crate) last: i64,
    /// The least and the greatest value (bits, of floats), and how often they were seen.
    pub(crate) least: i64,
    pub(crate) greatest: i64,
    pub(crate) zeros: u64,
    /// The first different values, as bits.
    pub(crate) kept: [i64; KEPT],
    /// The greatest common divisor of all differences from the first value.
    pub(crate) step: u64,
    /// Bits that all values have, and that any value has. Of tags: which ones were seen.
    pub(crate) all_bits: u64,
    pub(crate) any_bits: u64,
    pub(crate) not_numbers: u64,
    pub(crate) infinite: u64,
    /// Collections of at least two elements that were sorted, and that were not.
    pub(crate) sorted: u64,
    pub(crate) unsorted: u64,
    pub(crate) distinct: u8,
    pub(crate) kind: u8,
    pub(crate) spare: [u8; 6],
}

impl SlotState {
    pub const EMPTY: SlotState = SlotState {
        count: 0,
        changes: 0,
        last: 0,
        least: 0,
        greatest: 0,
        zeros: 0,
        kept: [0; KEPT],
        step: 0,
        all_bits: 0,
        any_bits: 0,
        not_numbers: 0,
        infinite: 0,
        sorted: 0,
        unsorted: 0,
        distinct: 0,
        kind: 0,
        spare: [0; 6],
    };

    /// The kind of its values: none if there were none, or of several kinds.
    pub fn kind(&self) -> Option<ValueKind> {
        ValueKind::of_code(self.kind)
    }

    pub fn count(&self) -> u64 {
        self.count
    }

    /// The least and the greatest value. NaN is neither.
    pub fn bounds(&self) -> Option<(ObservedValue, ObservedValue)> {
        let kind = self.kind()?;
        (self.count > self.not_numbers).then(|| {
            (
                ObservedValue::of_bits(kind, self.least),
                ObservedValue::of_bits(kind, self.greatest),
            )
        })
    }

    /// The different values, if they are few.
    pub fn values(&self) -> Option<Vec<ObservedValue>> {
        let kind = self.kind()?;
        let kept = self.kept.get(..usize::from(self.distinct))?;
        Some(
            kept.iter()
                .map(|&bits| ObservedValue::of_bits(kind, bits))
                .collect(),
        )
    }

    pub(crate) fn first(&self) -> i64 {
        self.kept[0]
    }

    /// Adds a value.
    #[inline]
    pub fn observe(&mut self, value: ObservedValue) {
        let (kind, bits) = (value.kind() as u8, value.bits());
        if self.kind == kind && self.last == bits && self.count > 0 {
            // The same again changes nothing but counts.
            self.count += 1;
            self.zeros += u64::from(bits == 0);
            if let ObservedValue::Float(number) = value {
                self.not_numbers += u64::from(number.is_nan());
                self.infinite += u64::from(number.is_infinite());
            }
            return;
        }
        self.observe_other(value, kind, bits);
    }

    fn observe_other(&mut self, value: ObservedValue, kind: u8, bits: i64) {
        if self.kind == 0 {
            self.kind = kind;
        } else if self.kind != kind {
            self.kind = MIXED;
        }
        self.changes += u64::from(self.count > 0 && self.last != bits);
        self.count += 1;
        self.last = bits;
        self.zeros += u64::from(bits == 0);
        match value {
            ObservedValue::Float(number) => self.add_float(number),
            _ => {
                let bounds = (bits, bits);
                self.widen(bounds, self.count == 1, |a, b| a < b);
                if self.count > 1 {
                    self.step = gcd(self.step, bits.abs_diff(self.first()));
                }
                let mask = mask_of(value.kind(), bits);
                self.all_bits = if self.count == 1 {
                    mask
                } else {
                    self.all_bits & mask
                };
                self.any_bits |= mask;
            }
        }
        self.keep(bits);
    }

    fn add_float(&mut self, number: f64) {
        let is_first = self.count - 1 == self.not_numbers;
        self.not_numbers += u64::from(number.is_nan());
        self.infinite += u64::from(number.is_infinite());
        if !number.is_nan() {
            let bits = number.to_bits() as i64;
            self.widen((bits, bits), is_first, float_less);
        }
    }

    fn widen(&mut self, (low, high): (i64, i64), is_first: bool, less: fn(i64, i64) -> bool) {
        if is_first || less(low, self.least) {
            self.least = low;
        }
        if is_first || less(self.greatest, high) {
            self.greatest = high;
        }
    }

    fn keep(&mut self, bits: i64) {
        let known = usize::from(self.distinct.min(KEPT as u8));
        if self.distinct < MANY && !self.kept[..known].contains(&bits) {
            if known < KEPT {
                self.kept[known] = bits;
            }
            self.distinct += 1;
        }
    }

    /// Notes whether a collection's elements were in order. Call it beside `observe`.
    pub fn observe_order(&mut self, is_sorted: bool) {
        match is_sorted {
            true => self.sorted += 1,
            false => self.unsorted += 1,
        }
    }

    /// Adds all that another state saw.
    pub fn merge(&mut self, other: &SlotState) {
        if other.count == 0 {
            return;
        }
        if self.count == 0 {
            *self = *other;
            return;
        }
        if self.kind != other.kind {
            self.kind = MIXED;
        }
        let less = if other.kind == ValueKind::Float as u8 {
            float_less
        } else {
            |a, b| a < b
        };
        if other.count > other.not_numbers {
            let is_first = self.count == self.not_numbers;
            self.widen((other.least, other.greatest), is_first, less);
        }
        self.step = gcd(self.step, other.step);
        self.step = gcd(self.step, self.first().abs_diff(other.first()));
        for &bits in &other.kept[..usize::from(other.distinct.min(KEPT as u8))] {
            self.keep(bits);
        }
        self.distinct = self.distinct.max(other.distinct);
        self.all_bits &= other.all_bits;
        self.any_bits |= other.any_bits;
        self.count += other.count;
        self.changes += other.changes;
        self.last = other.last;
        self.zeros += other.zeros;
        self.not_numbers += other.not_numbers;
        self.infinite += other.infinite;
        self.sorted += other.sorted;
        self.unsorted += other.unsorted;
    }
}

fn float_less(a: i64, b: i64) -> bool {
    f64::from_bits(a as u64) < f64::from_bits(b as u64)
}

/// The bits of a number; of a tag, the bit that stands for it.
pub(crate) fn mask_of(kind: ValueKind, bits: i64) -> u64 {
    match kind {
        ValueKind::Tag => 1 << bits.clamp(0, 63),
        _ => bits as u64,
    }
}

fn gcd(mut a: u64, mut b: u64) -> u64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

#[cfg(test)]
mod tests {
    use super::*;

    fn state(values: &[i64]) -> SlotState {
        let mut state = SlotState::EMPTY;
        for &value in values {
            state.observe(ObservedValue::Number(value));
        }
        state
    }

    #[test]
    fn a_state_knows_the_bounds_steps_and_bits_of_its_values() {
        let state = state(&[12, 4, 4, 20]);
        assert_eq!(
            state.bounds(),
            Some((ObservedValue::Number(4), ObservedValue::Number(20)))
        );
        assert_eq!((state.count, state.changes, state.step), (4, 2, 8));
        assert_eq!((state.all_bits, state.any_bits), (4, 28));
        assert_eq!(
            state.values(),
            Some([12, 4, 20].map(ObservedValue::Number).to_vec())
        );
    }

    #[test]
    fn more_than_three_values_are_many() {
        assert_eq!(state(&[1, 2, 3, 4]).values(), None);
        assert_eq!(state(&[1, 2, 3, 1]).values().unwrap().len(), 3);
    }

    #[test]
    fn nan_has_no_part_in_the_bounds_of_floats() {
        let mut state = SlotState::EMPTY;
        state.observe(ObservedValue::Float(f64::NAN));
        assert_eq!(state.bounds(), None);
        for number in [-1.5, 2.0, f64::NAN, -3.0] {
            state.observe(ObservedValue::Float(number));
        }
        let bounds = state.bounds();
        assert_eq!(
            bounds,
            Some((ObservedValue::Float(-3.0), ObservedValue::Float(2.0)))
        );
        assert_eq!(state.not_numbers, 2);
    }

    #[test]
    fn values_of_two_kinds_say_nothing() {
        let mut state = state(&[1]);
        state.observe(ObservedValue::Bool(true));
        assert_eq!(state.kind(), None);
        assert_eq!(state.values(), None);
    }

    #[test]
    fn extreme_numbers_do_not_overflow() {
        let state = state(&[i64::MIN, i64::MAX, 0]);
        assert_eq!(
            state.bounds(),
            Some((
                ObservedValue::Number(i64::MIN),
                ObservedValue::Number(i64::MAX)
            ))
        );
    }

    #[test]
    fn a_zeroed_state_is_the_empty_one() {
        assert_eq!(state(&[]), SlotState::EMPTY);
        assert_eq!(SlotState::EMPTY.bounds(), None);
    }
}
