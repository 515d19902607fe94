//! The state of one function: its variables at entry and exit, and how they relate.

use crate::pair::PairState;
use crate::slot::SlotState;
use crate::value::ObservedValue;

/// How many variables are looked at when a function is entered: parameters, then fields.
pub const ENTRY_VARIABLES: usize = 8;
/// How many when it is left: what it returns first, then fields of that, then fields of `self`.
pub const EXIT_VARIABLES: usize = 8;
/// Of these first variables at entry each is related to each.
pub const PAIRED_ENTRY_VARIABLES: usize = 5;
/// To so many of the first variables at entry the returned value is related.
pub const RETURN_PAIRS: usize = 6;

const ENTRY_PAIRS: usize = PAIRED_ENTRY_VARIABLES * (PAIRED_ENTRY_VARIABLES - 1) / 2;

/// When a variable is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum EntryOrExit {
    Entry,
    Exit,
}

/// A variable of a point.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Variable {
    pub when: EntryOrExit,
    pub index: u8,
    /// Not itself, but the number that an `Option` or `Result` holds.
    pub is_inner: bool,
}

impl Variable {
    pub fn entry(index: u8) -> Variable {
        Variable {
            when: EntryOrExit::Entry,
            index,
            is_inner: false,
        }
    }

    pub fn exit(index: u8) -> Variable {
        Variable {
            when: EntryOrExit::Exit,
            ..Variable::entry(index)
        }
    }

    pub fn inner(self) -> Variable {
        Variable {
            is_inner: true,
            ..self
        }
    }
}

/// All that is kept of one function's values. All zero: it was never called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct PointState {
    /// Each variable, and what it holds.
    pub(crate) entry: [[SlotState; 2]; ENTRY_VARIABLES],
    pub(crate) exit: [[SlotState; 2]; EXIT_VARIABLES],
    pub(crate) entry_pairs: [PairState; ENTRY_PAIRS],
    pub(crate) return_pairs: [PairState; RETURN_PAIRS],
    /// Variables at exit beside what they were at entry.
    pub(crate) then_and_now: [PairState; EXIT_VARIABLES],
    /// Which variable at entry it was, plus 1.
    pub(crate) then: [u8; EXIT_VARIABLES],
}

impl PointState {
    pub const EMPTY: PointState = PointState {
        entry: [[SlotState::EMPTY; 2]; ENTRY_VARIABLES],
        exit: [[SlotState::EMPTY; 2]; EXIT_VARIABLES],
        entry_pairs: [PairState::EMPTY; ENTRY_PAIRS],
        return_pairs: [PairState::EMPTY; RETURN_PAIRS],
        then_and_now: [PairState::EMPTY; EXIT_VARIABLES],
        then: [0; EXIT_VARIABLES],
    };

    /// Adds the value of a variable at entry, and what it holds.
    #[inline]
    pub fn enter(&mut self, index: usize, value: ObservedValue, inner: Option<ObservedValue>) {
        if let Some(slots) = self.entry.get_mut(index) {
            observe(slots, value, inner);
        }
    }

    /// Relates the variables of one entry.
    #[inline]
    pub fn relate_entry(&mut self, values: &[Option<ObservedValue>; ENTRY_VARIABLES]) {
        let mut number = 0;
        for second in 1..PAIRED_ENTRY_VARIABLES {
            for first in 0..second {
                if let (Some(x), Some(y)) = (values[first], values[second]) {
                    self.entry_pairs[number].observe(x, y);
                }
                number += 1;
            }
        }
    }

    /// Adds the value of a variable at exit (0 is what is returned) and relates it to the values
    /// at entry. `then` is the variable at entry that it was.
    #[inline]
    pub fn leave(
        &mut self,
        index: usize,
        value: ObservedValue,
        inner: Option<ObservedValue>,
        values: &[Option<ObservedValue>; ENTRY_VARIABLES],
        then: Option<usize>,
    ) {
        let Some(slots) = self.exit.get_mut(index) else {
            return;
        };
        observe(slots, value, inner);
        if index == 0 {
            for (pair, before) in self.return_pairs.iter_mut().zip(values) {
                if let Some(before) = *before {
                    pair.observe(before, value);
                }
            }
        }
        let before = then.and_then(|then| Some((then, (*values.get(then)?)?)));
        if let Some((then, before)) = before {
            self.then[index] = then as u8 + 1;
            self.then_and_now[index].observe(before, value);
        }
    }

    /// Notes whether the elements of a variable were in order.
    pub fn order(&mut self, when: EntryOrExit, index: usize, is_sorted: bool) {
        let slots = match when {
            EntryOrExit::Entry => self.entry.get_mut(index),
            EntryOrExit::Exit => self.exit.get_mut(index),
        };
        if let Some(slots) = slots {
            slots[0].observe_order(is_sorted);
        }
    }

    /// Adds all that another run of the function saw.
    pub fn merge(&mut self, other: &PointState) {
        let slots = self.entry.iter_mut().chain(&mut self.exit).flatten();
        let others = other.entry.iter().chain(&other.exit).flatten();
        for (slot, other) in slots.zip(others) {
            slot.merge(other);
        }
        for (pair, other) in self.pairs_mut().zip(other.pairs()) {
            pair.merge(other);
        }
        for (then, other) in self.then.iter_mut().zip(other.then) {
            *then = (*then).max(other);
        }
    }

    fn pairs_mut(&mut self) -> impl Iterator<Item = &mut PairState> {
        let pairs = self.entry_pairs.iter_mut().chain(&mut self.return_pairs);
        pairs.chain(&mut self.then_and_now)
    }

    pub(crate) fn pairs(&self) -> impl Iterator<Item = &PairState> {
        let pairs = self.entry_pairs.iter().chain(&self.return_pairs);
        pairs.chain(&self.then_and_now)
    }

    /// What was seen of a variable.
    pub fn slot(&self, variable: Variable) -> Option<&SlotState> {
        let slots = match variable.when {
            EntryOrExit::Entry => self.entry.get(usize::from(variable.index)),
            EntryOrExit::Exit => self.exit.get(usize::from(variable.index)),
        };
        slots.map(|slots| &slots[usize::from(variable.is_inner)])
    }

    /// All its variables.
    pub(crate) fn variables() -> impl Iterator<Item = Variable> {
        let entry = (0..ENTRY_VARIABLES as u8).map(Variable::entry);
        let exit = (0..EXIT_VARIABLES as u8).map(Variable::exit);
        entry
            .chain(exit)
            .flat_map(|variable| [variable, variable.inner()])
    }

    /// How two variables relate, if that is kept.
    pub fn pair(&self, x: Variable, y: Variable) -> Option<&PairState> {
        let (i, j) = (usize::from(x.index), usize::from(y.index));
        match (x.when, y.when) {
            _ if x.is_inner || y.is_inner => None,
            (EntryOrExit::Entry, EntryOrExit::Entry) if i < j && j < PAIRED_ENTRY_VARIABLES => {
                self.entry_pairs.get(j * (j - 1) / 2 + i)
            }
            (EntryOrExit::Entry, EntryOrExit::Exit) if j == 0 => self.return_pairs.get(i),
            (EntryOrExit::Entry, EntryOrExit::Exit) if usize::from(*self.then.get(j)?) == i + 1 => {
                self.then_and_now.get(j)
            }
            _ => None,
        }
    }

    /// The pairs of variables whose relation is kept.
    pub(crate) fn related(&self) -> impl Iterator<Item = (Variable, Variable)> {
        let entry = (1..PAIRED_ENTRY_VARIABLES as u8)
            .flat_map(|j| (0..j).map(move |i| (Variable::entry(i), Variable::entry(j))));
        let returned = (0..RETURN_PAIRS as u8).map(|i| (Variable::entry(i), Variable::exit(0)));
        let fields = self.then.iter().enumerate().filter(|(_, then)| **then > 0);
        let fields =
            fields.map(|(now, then)| (Variable::entry(then - 1), Variable::exit(now as u8)));
        entry.chain(returned).chain(fields)
    }
}

fn observe(slots: &mut [SlotState; 2], value: ObservedValue, inner: Option<ObservedValue>) {
    slots[0].observe(value);
    if let Some(inner) = inner {
        slots[1].observe(inner);
    }
}
