//! What atomics order that are not the facade's; see `control::foreign`.
//!
//! Every such operation works on what memory holds, so loads read the last store. A location has one clock: what a
//! thread that reads it with acquire ordering has seen afterwards.

use std::collections::BTreeMap;

use super::AccessKind;
use crate::control::thread_state::Clocks;
use crate::memory_model::Clock;

/// Orderings by the numbers that LLVM passes (those of C++).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OrderingNumber(pub i32);

impl OrderingNumber {
    pub fn acquires(self) -> bool {
        matches!(self.0, 1 | 2 | 4 | 5)
    }

    pub fn releases(self) -> bool {
        matches!(self.0, 3..=5)
    }
}

/// What an operation does to a location.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Operation {
    Load,
    Store,
    /// A read-modify-write.
    Modify,
    /// One more owner, or one less who is not the last: it learns nothing of the others.
    Count,
}

/// What a thread is about to do to a location.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Intent {
    Load,
    Store,
    Add,
    Subtract(u64),
    /// Any other read-modify-write.
    Change,
}

impl Intent {
    /// What access it is.
    pub fn kind(self) -> AccessKind {
        match self {
            Intent::Load => AccessKind::AtomicRead,
            _ => AccessKind::AtomicWrite,
        }
    }

    /// What the operation was if it found this value.
    pub fn found(self, old: u64, ordering: OrderingNumber) -> Operation {
        let is_relaxed = !ordering.acquires() && !ordering.releases();
        match self {
            Intent::Load => Operation::Load,
            Intent::Store => Operation::Store,
            Intent::Add if is_relaxed => Operation::Count,
            Intent::Subtract(less) if old != less && !ordering.acquires() => Operation::Count,
            Intent::Add | Intent::Subtract(_) | Intent::Change => Operation::Modify,
        }
    }
}

impl Operation {
    /// What access it is.
    pub fn kind(self) -> AccessKind {
        match self {
            Operation::Load => AccessKind::AtomicRead,
            Operation::Store | Operation::Modify | Operation::Count => AccessKind::AtomicWrite,
        }
    }
}

/// The locations of an execution.
#[derive(Debug, Default)]
pub struct ForeignAtomics {
    /// For each location, the number of its clock.
    numbers: BTreeMap<usize, usize>,
    /// What was released at each location. Clocks are used again, with their memory.
    released: Vec<Clock>,
    free: Vec<usize>,
    used: usize,
}

impl ForeignAtomics {
    pub fn clear(&mut self) {
        self.numbers.clear();
        self.free.clear();
        self.used = 0;
    }

    /// The program gave this memory back.
    pub fn forget(&mut self, start: usize, length: usize) {
        let end = start.saturating_add(length);
        while let Some((&address, &number)) = self.numbers.range(start..end).next() {
            self.numbers.remove(&address);
            self.free.push(number);
        }
    }

    /// The clock of a location, new if need be.
    fn clock(&mut self, address: usize) -> &mut Clock {
        let number = match self.numbers.get(&address) {
            Some(&number) => number,
            None => {
                let number = self.free.pop().unwrap_or(self.used);
                if number == self.used {
                    self.used += 1;
                }
                if number == self.released.len() {
                    self.released.push(Clock::default());
                }
                self.released[number].clear();
                self.numbers.insert(address, number);
                number
            }
        };
        &mut self.released[number]
    }

    /// A thread performs an operation: what it orders. Says whether the operation itself is part of what it passes on.
    pub fn perform(
        &mut self,
        address: usize,
        operation: Operation,
        ordering: OrderingNumber,
        thread: u32,
        clocks: &mut Clocks,
    ) -> bool {
        // Only what is passed on must be told from what comes after it.
        let releases = ordering.releases() && operation != Operation::Load;
        if releases {
            clocks.clock.tick(thread);
        }
        let released = self.clock(address);
        if matches!(operation, Operation::Load | Operation::Modify) {
            match ordering.acquires() {
                true => clocks.clock.join(released),
                false => clocks.acquire_fence.join(released),
            }
        }
        let passed_on = match releases {
            true => &clocks.clock,
            false => &clocks.release_fence,
        };
        match operation {
            Operation::Load => {}
            Operation::Store => released.copy(passed_on),
            // It goes on with what the store that it read has released.
            Operation::Modify => released.join(passed_on),
            Operation::Count if releases => released.join(passed_on),
            Operation::Count => {}
        }
        releases
    }

    /// Whether everything that was released at a location happened before.
    pub fn happened_before(&mut self, address: usize, clock: &Clock) -> bool {
        self.clock(address).is_before(clock)
    }
}
