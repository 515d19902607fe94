//! From states to invariants: what held, unless it may well have held by chance.
//!
//! As in Daikon an invariant is *justified* if values drawn at random would have kept it with a
//! probability of at most [`CHANCE`]. Where the probability depends on a range, it is the range of
//! the values seen. Samples that only repeat the one before count for constants alone: a loop that
//! passes the same 3 a thousand times says little about 3. What another invariant implies is left
//! out, so that counting violations counts different things.
//!
//! Deviations from Daikon: no filtering across points, no conditional invariants, and bounds at 0
//! or 1 need no more than an even chance would, because people mean these.

use crate::invariant::{Invariant, Property, Relation, remainder_of};
use crate::pair::{EQUALITY, LINE, NOTHING, ORDER_AND_LINE, PairState};
use crate::point::PointState;
use crate::slot::{MANY, SlotState};
use crate::value::ValueKind;

/// The greatest probability with which chance may explain an invariant.
const CHANCE: f64 = 0.01;

/// A constant must have been seen so often.
const CONSTANT_SAMPLES: u64 = 5;
/// Each further value of a few must have been seen to change so often.
const CHANGES_PER_VALUE: u64 = 5;

impl PointState {
    /// What always held at this point and is justified.
    pub fn invariants(&self) -> Vec<Invariant> {
        let mut found = Vec::new();
        for variable in PointState::variables() {
            if let Some(slot) = self.slot(variable) {
                let properties = properties(slot).into_iter();
                found.extend(properties.map(|property| Invariant::Of(variable, property)));
            }
        }
        for (x, y) in self.related() {
            let both = self.slot(x).zip(self.slot(y));
            let constants = both.is_none_or(|(x, y)| x.distinct <= 1 && y.distinct <= 1);
            let is_same_field = y.index > 0 && x.when != y.when;
            if constants && !is_same_field {
                continue;
            }
            if let Some(pair) = self.pair(x, y) {
                let relations = relations(pair, is_same_field).into_iter();
                found.extend(relations.map(|relation| Invariant::Between(x, y, relation)));
            }
        }
        found
    }
}

fn is_justified(probability: f64, samples: u64) -> bool {
    probability.powf(samples as f64) <= CHANCE
}

fn properties(slot: &SlotState) -> Vec<Property> {
    let Some(kind) = slot.kind() else {
        return Vec::new();
    };
    let mut found = Vec::new();
    // Samples that say something.
    let samples = slot.changes + u64::from(slot.count > 0);
    if slot.unsorted == 0 && is_justified(0.5, slot.sorted) {
        found.push(Property::Sorted);
    }
    if kind == ValueKind::Tag {
        if slot.count >= CONSTANT_SAMPLES * u64::from(slot.any_bits.count_ones()) {
            found.push(Property::Tags(slot.any_bits));
        }
        return found;
    }
    if slot.distinct < MANY {
        let is_enough = match slot.distinct {
            1 => slot.count >= CONSTANT_SAMPLES,
            several => slot.changes >= CHANGES_PER_VALUE * u64::from(several),
        };
        let is_all_there_is = kind == ValueKind::Bool && slot.distinct == 2;
        if is_enough && !is_all_there_is {
            found.push(Property::OneOf {
                values: slot.kept,
                count: slot.distinct,
            });
            return found;
        }
    }
    match kind {
        ValueKind::Float => float_properties(slot, samples, &mut found),
        ValueKind::Number | ValueKind::Length => {
            integer_properties(slot, kind, samples, &mut found)
        }
        ValueKind::Char | ValueKind::Bool | ValueKind::Tag => {}
    }
    found
}

fn float_properties(slot: &SlotState, samples: u64, found: &mut Vec<Property>) {
    if slot.not_numbers == 0 && is_justified(0.5, samples) {
        found.push(match slot.infinite {
            0 => Property::Finite,
            _ => Property::NeverNan,
        });
    }
    let number = |bits: i64| f64::from_bits(bits as u64);
    // A range of floats is never exhausted; only the bounds that people mean are taken.
    let is_meant = |bits: i64| [0.0, 1.0].contains(&number(bits)) && is_justified(0.5, samples);
    if slot.count > slot.not_numbers {
        push_bounds(slot, is_meant(slot.least), is_meant(slot.greatest), found);
    }
}

fn integer_properties(slot: &SlotState, kind: ValueKind, samples: u64, found: &mut Vec<Property>) {
    let range = slot.greatest.abs_diff(slot.least) as f64 + 1.0;
    // Were the next value as likely as each of those seen, this is the chance to miss it.
    let is_exhausted = is_justified(range / (range + 1.0), samples);
    let is_meant = |bound: i64| [0, 1].contains(&bound) && is_justified(0.5, samples);
    let low = is_exhausted || is_meant(slot.least);
    let high = is_exhausted || is_meant(slot.greatest);
    let never_empty = kind == ValueKind::Length && slot.least == 1;
    if never_empty && low && !high {
        found.push(Property::NonEmpty);
    } else {
        // No length is below 0.
        let low = low && !(kind == ValueKind::Length && slot.least == 0);
        push_bounds(slot, low, high, found);
    }
    let straddles = slot.least < 0 && 0 < slot.greatest;
    if straddles && slot.zeros == 0 && is_justified((range - 1.0) / range, samples) {
        found.push(Property::NonZero);
    }
    if slot.distinct < MANY {
        return;
    }
    let by_step = slot.step > 1 && is_justified(1.0 / slot.step as f64, samples.min(MANY.into()));
    if by_step {
        found.push(Property::Modulus {
            modulus: slot.step,
            remainder: remainder_of(slot.first(), slot.step),
        });
    }
    // Bits below the highest one seen that no value has.
    let below = u64::MAX
        .checked_shr(slot.any_bits.leading_zeros())
        .unwrap_or(0);
    let never = below & !slot.any_bits;
    let is_power = slot.step.is_power_of_two();
    if slot.least >= 0 && never != 0 && !(by_step && is_power) && is_justified(0.5, samples) {
        found.push(Property::WithoutBits(never));
    }
}

fn push_bounds(slot: &SlotState, low: bool, high: bool, found: &mut Vec<Property>) {
    match (low, high) {
        (true, true) => found.push(Property::Within(slot.least, slot.greatest)),
        (true, false) => found.push(Property::AtLeast(slot.least)),
        (false, true) => found.push(Property::AtMost(slot.greatest)),
        (false, false) => {}
    }
}

fn relations(pair: &PairState, is_same_field: bool) -> Option<Relation> {
    if pair.comparable == NOTHING || pair.count == 0 {
        return None;
    }
    let (less, equal, greater) = (pair.less > 0, pair.equal > 0, pair.greater > 0);
    // Of one field, seen twice in one call, each call counts.
    let samples = match is_same_field {
        true => pair.count,
        false => pair.changes + 1,
    };
    if pair.comparable == EQUALITY {
        return (!less && !greater && is_justified(0.5, samples)).then_some(Relation::Equal);
    }
    let line = pair.comparable == ORDER_AND_LINE && pair.stage == LINE;
    // Two places make the line, and three more must lie on it.
    let line = (line && pair.changes >= 4).then_some(Relation::Linear {
        first: pair.first,
        second: pair.second,
    });
    let order = match (less, equal, greater) {
        (false, true, false) => return is_justified(0.5, samples).then_some(Relation::Equal),
        _ if line.is_some() && !is_same_field => return line,
        (true, false, false) => Relation::Less,
        (true, true, false) => Relation::AtMost,
        (false, false, true) => Relation::Greater,
        (false, true, true) => Relation::AtLeast,
        (true, false, true) => Relation::NotEqual,
        (true, true, true) | (false, false, false) => return line,
    };
    if order == Relation::NotEqual {
        // Two numbers that have nothing to do with each other are seldom equal.
        return (samples >= 100).then_some(order);
    }
    is_justified(0.5, samples).then_some(order).or(line)
}
