//! What can be said of a function's values, and whether it held throughout a run.

use crate::pair::{LINE, NO_LINE, NOTHING, ONE_PLACE, PairState, VariablePlace};
use crate::point::{PointState, Variable};
use crate::slot::{KEPT, MANY, SlotState, mask_of};
use crate::value::{ObservedValue, ValueKind};

/// Something that always held at a point.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Invariant {
    /// Of one variable.
    Of(Variable, Property),
    /// Of two; where both are the same field, at entry and at exit.
    Between(Variable, Variable, Relation),
}

/// What holds of a variable. Values of kinds are kept as bits, see [`ObservedValue::of_bits`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Property {
    /// It is one of the first `count` of these; if `count` is 1, it is a constant.
    OneOf {
        values: [i64; KEPT],
        count: u8,
    },
    AtLeast(i64),
    AtMost(i64),
    Within(i64, i64),
    NonZero,
    /// A collection or string has elements.
    NonEmpty,
    /// It leaves this remainder.
    Modulus {
        modulus: u64,
        remainder: u64,
    },
    /// It never has these bits.
    WithoutBits(u64),
    NeverNan,
    /// Neither NaN nor infinite.
    Finite,
    /// The enum is one of these variants (a bit for each; all from 63 on share the last).
    Tags(u64),
    /// The elements are in order.
    Sorted,
}

/// How a variable y relates to a variable x.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Relation {
    /// x = y. Of one field: it is unchanged.
    Equal,
    /// x < y. Of one field: it grows.
    Less,
    /// x ≤ y. Of one field: it never shrinks.
    AtMost,
    /// x > y.
    Greater,
    /// x ≥ y.
    AtLeast,
    NotEqual,
    /// All pairs are on the line through two places.
    Linear {
        first: VariablePlace,
        second: VariablePlace,
    },
}

impl Invariant {
    /// Whether it held throughout the runs that a state saw. What was not seen did not break it.
    pub fn holds_in(&self, state: &PointState) -> bool {
        match *self {
            Invariant::Of(variable, property) => match state.slot(variable) {
                Some(slot) if slot.count > 0 => slot.kind().is_none_or(|_| property.holds_in(slot)),
                _ => true,
            },
            Invariant::Between(x, y, relation) => match state.pair(x, y) {
                Some(pair) if pair.count > 0 && pair.comparable != NOTHING => {
                    relation.holds_in(pair)
                }
                _ => true,
            },
        }
    }

    /// The variable that it is about; of two the later one.
    pub fn variable(&self) -> Variable {
        match *self {
            Invariant::Of(variable, _) | Invariant::Between(_, variable, _) => variable,
        }
    }
}

impl Property {
    fn holds_in(self, slot: &SlotState) -> bool {
        let floats = slot.kind() == Some(ValueKind::Float);
        let has_bounds = slot.count > slot.not_numbers;
        match self {
            Property::OneOf { values, count } => {
                let allowed = &values[..usize::from(count)];
                slot.distinct < MANY
                    && slot.kept[..usize::from(slot.distinct)]
                        .iter()
                        .all(|value| allowed.contains(value))
            }
            Property::AtLeast(low) => !has_bounds || at_most(floats, low, slot.least),
            Property::AtMost(high) => !has_bounds || at_most(floats, slot.greatest, high),
            Property::Within(low, high) => {
                Property::AtLeast(low).holds_in(slot) && Property::AtMost(high).holds_in(slot)
            }
            Property::NonZero | Property::NonEmpty => slot.zeros == 0,
            Property::Modulus { modulus, remainder } => {
                remainder_of(slot.first(), modulus) == remainder && slot.step % modulus == 0
            }
            Property::WithoutBits(never) => slot.any_bits & never == 0,
            Property::NeverNan => slot.not_numbers == 0,
            Property::Finite => slot.not_numbers == 0 && slot.infinite == 0,
            Property::Tags(tags) => slot.any_bits & !tags == 0,
            Property::Sorted => slot.unsorted == 0,
        }
    }

    /// A value of a state that breaks this, if one can be named.
    pub(crate) fn counterexample(self, slot: &SlotState) -> Option<ObservedValue> {
        let kind = slot.kind()?;
        let value = |bits| Some(ObservedValue::of_bits(kind, bits));
        let floats = kind == ValueKind::Float;
        let kept = &slot.kept[..usize::from(slot.distinct).min(KEPT)];
        let kept_that =
            |breaks: &dyn Fn(i64) -> bool| kept.iter().copied().find(|&bits| breaks(bits));
        match self {
            Property::OneOf { values, count } => {
                let allowed = &values[..usize::from(count)];
                let candidates = kept.iter().copied().chain([slot.least, slot.greatest]);
                candidates
                    .into_iter()
                    .find(|bits| !allowed.contains(bits))
                    .and_then(value)
            }
            Property::AtLeast(low) if !at_most(floats, low, slot.least) => value(slot.least),
            Property::AtMost(_) => value(slot.greatest),
            Property::Within(low, _) if !at_most(floats, low, slot.least) => value(slot.least),
            Property::Within(..) => value(slot.greatest),
            Property::NonZero | Property::NonEmpty => value(0),
            Property::Modulus { modulus, remainder } => {
                kept_that(&|bits| remainder_of(bits, modulus) != remainder).and_then(value)
            }
            Property::WithoutBits(never) => {
                kept_that(&|bits| bits as u64 & never != 0).and_then(value)
            }
            Property::Tags(tags) => {
                kept_that(&|bits| mask_of(kind, bits) & !tags != 0).and_then(value)
            }
            Property::NeverNan | Property::Finite if slot.not_numbers > 0 => {
                Some(ObservedValue::Float(f64::NAN))
            }
            Property::Finite => Some(ObservedValue::Float(f64::INFINITY)),
            Property::AtLeast(_) | Property::NeverNan | Property::Sorted => None,
        }
    }
}

impl Relation {
    fn holds_in(self, pair: &PairState) -> bool {
        match self {
            Relation::Equal => pair.less + pair.greater == 0,
            Relation::Less => pair.equal + pair.greater == 0,
            Relation::AtMost => pair.greater == 0,
            Relation::Greater => pair.less + pair.equal == 0,
            Relation::AtLeast => pair.less == 0,
            Relation::NotEqual => pair.equal == 0,
            Relation::Linear { first, second } => {
                let line = PairState {
                    first,
                    second,
                    stage: LINE,
                    ..PairState::EMPTY
                };
                match pair.stage {
                    0 => true,
                    ONE_PLACE => line.is_on_line(pair.first),
                    LINE => line.is_on_line(pair.first) && line.is_on_line(pair.second),
                    NO_LINE.. => false,
                }
            }
        }
    }
}

fn at_most(floats: bool, a: i64, b: i64) -> bool {
    match floats {
        true => f64::from_bits(a as u64) <= f64::from_bits(b as u64),
        false => a <= b,
    }
}

pub(crate) fn remainder_of(number: i64, modulus: u64) -> u64 {
    i128::from(number).rem_euclid(i128::from(modulus.max(1))) as u64
}
