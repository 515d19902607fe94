//! States as bytes: their image in memory, in the byte order of all machines that Atropos runs on.
//!
//! [`PointState`] is `repr(C)`, made of integers, and has no padding (a test holds it to that), so
//! the bytes that one process left in a mapped file are what another one decodes.

use crate::pair::PairState;
use crate::point::PointState;
use crate::slot::SlotState;

/// Reads integers one after another.
struct Reader<'a>(&'a [u8]);

impl Reader<'_> {
    fn bytes<const N: usize>(&mut self) -> [u8; N] {
        let (head, rest) = self.0.split_at(N);
        self.0 = rest;
        head.try_into().expect("just as many bytes")
    }

    fn u64(&mut self) -> u64 {
        u64::from_le_bytes(self.bytes())
    }

    fn i64(&mut self) -> i64 {
        i64::from_le_bytes(self.bytes())
    }

    fn array<T, const N: usize>(&mut self, mut one: impl FnMut(&mut Self) -> T) -> [T; N] {
        std::array::from_fn(|_| one(self))
    }

    fn slot(&mut self) -> SlotState {
        SlotState {
            count: self.u64(),
            changes: self.u64(),
            last: self.i64(),
            least: self.i64(),
            greatest: self.i64(),
            zeros: self.u64(),
            kept: self.array(Self::i64),
            step: self.u64(),
            all_bits: self.u64(),
            any_bits: self.u64(),
            not_numbers: self.u64(),
            infinite: self.u64(),
            sorted: self.u64(),
            unsorted: self.u64(),
            distinct: self.bytes::<1>()[0],
            kind: self.bytes::<1>()[0],
            spare: self.bytes(),
        }
    }

    fn pair(&mut self) -> PairState {
        PairState {
            count: self.u64(),
            changes: self.u64(),
            last: self.array(Self::i64),
            less: self.u64(),
            equal: self.u64(),
            greater: self.u64(),
            first: self.array(Self::i64),
            second: self.array(Self::i64),
            stage: self.bytes::<1>()[0],
            comparable: self.bytes::<1>()[0],
            spare: self.bytes(),
        }
    }
}

/// Writes integers one after another.
struct Image(Vec<u8>);

impl Image {
    fn u64s(&mut self, numbers: impl IntoIterator<Item = u64>) {
        for number in numbers {
            self.0.extend(number.to_le_bytes());
        }
    }

    fn i64s(&mut self, numbers: impl IntoIterator<Item = i64>) {
        self.u64s(numbers.into_iter().map(|number| number as u64));
    }

    fn slot(&mut self, slot: &SlotState) {
        self.u64s([slot.count, slot.changes]);
        self.i64s([slot.last, slot.least, slot.greatest]);
        self.u64s([slot.zeros]);
        self.i64s(slot.kept);
        self.u64s([slot.step, slot.all_bits, slot.any_bits, slot.not_numbers]);
        self.u64s([slot.infinite, slot.sorted, slot.unsorted]);
        self.0.extend([slot.distinct, slot.kind]);
        self.0.extend(slot.spare);
    }

    fn pair(&mut self, pair: &PairState) {
        self.u64s([pair.count, pair.changes]);
        self.i64s(pair.last);
        self.u64s([pair.less, pair.equal, pair.greater]);
        self.i64s(pair.first.into_iter().chain(pair.second));
        self.0.extend([pair.stage, pair.comparable]);
        self.0.extend(pair.spare);
    }
}

impl PointState {
    /// How many bytes a state takes.
    pub const SIZE: usize = size_of::<PointState>();

    /// The state as bytes.
    pub fn encode(&self) -> Vec<u8> {
        let mut image = Image(Vec::with_capacity(PointState::SIZE));
        for slot in self.entry.iter().chain(&self.exit).flatten() {
            image.slot(slot);
        }
        for pair in self.pairs() {
            image.pair(pair);
        }
        image.0.extend(self.then);
        image.0
    }

    /// The state that these bytes are; none if they are too few or too many. Any bytes of the
    /// right length are a state, if perhaps not one that any run leads to.
    pub fn decode(bytes: &[u8]) -> Option<PointState> {
        if bytes.len() != PointState::SIZE {
            return None;
        }
        let mut reader = Reader(bytes);
        Some(PointState {
            entry: reader.array(|reader| reader.array(Reader::slot)),
            exit: reader.array(|reader| reader.array(Reader::slot)),
            entry_pairs: reader.array(Reader::pair),
            return_pairs: reader.array(Reader::pair),
            then_and_now: reader.array(Reader::pair),
            then: reader.bytes(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::ObservedValue;

    fn filled() -> PointState {
        let mut state = PointState::EMPTY;
        let mut values = [None; crate::ENTRY_VARIABLES];
        for round in 0..9 {
            for (index, value) in values.iter_mut().enumerate() {
                let number = ObservedValue::Number(round * 7 - index as i64);
                *value = Some(number);
                state.enter(index, number, Some(ObservedValue::Bool(round > 3)));
            }
            state.relate_entry(&values);
            for index in 0..crate::EXIT_VARIABLES {
                state.leave(index, ObservedValue::Length(3), None, &values, Some(index));
            }
            state.order(crate::EntryOrExit::Exit, 0, round % 2 == 0);
        }
        state
    }

    #[test]
    fn bytes_are_the_state_again() {
        for state in [PointState::EMPTY, filled()] {
            let bytes = state.encode();
            assert_eq!(bytes.len(), PointState::SIZE);
            assert_eq!(PointState::decode(&bytes), Some(state));
            assert_eq!(PointState::decode(&bytes[1..]), None);
        }
    }

    #[test]
    fn bytes_are_the_image_in_memory() {
        let state = filled();
        // SAFETY: a state has no padding if its parts fill it, which `encode` has just shown.
        let image = unsafe {
            std::slice::from_raw_parts((&raw const state).cast::<u8>(), PointState::SIZE)
        };
        assert_eq!(state.encode().len(), PointState::SIZE);
        assert_eq!(state.encode(), image);
        assert!(PointState::EMPTY.encode().iter().all(|&byte| byte == 0));
    }

    #[test]
    fn garbage_does_not_panic() {
        let state = PointState::decode(&[0xff; PointState::SIZE]).unwrap();
        let clean = filled();
        for invariant in state.invariants().into_iter().chain(clean.invariants()) {
            let _ = invariant.holds_in(&state);
        }
    }
}
