//! The slow reference of `shadow`: remembers every access of an execution and compares every pair. It is right because it does what
//! the definition of a data race says.

use super::{EarlierAccess, MemoryAccess};
use crate::memory_model::Clock;

/// All accesses of an execution.
#[derive(Debug, Default)]
pub struct AllPairs {
    accesses: Vec<MemoryAccess>,
}

impl AllPairs {
    /// Takes an access in; gives all earlier ones that it races with.
    pub fn access(&mut self, access: &MemoryAccess, clock: &Clock) -> Vec<EarlierAccess> {
        let races = self
            .accesses
            .iter()
            .filter(|old| overlap(old, access.address, access.length))
            .filter(|old| {
                access.kind.conflicts_with(old.kind) && !is_before(old, access.thread, clock)
            })
            .map(past)
            .collect();
        self.accesses.push(*access);
        races
    }

    /// A thread gives memory back; gives all earlier accesses that this races with. The memory is as new afterwards.
    pub fn free(
        &mut self,
        start: usize,
        length: usize,
        thread: u32,
        clock: &Clock,
    ) -> Vec<EarlierAccess> {
        let races = self
            .accesses
            .iter()
            .filter(|old| overlap(old, start, length) && !is_before(old, thread, clock))
            .map(past)
            .collect();
        // A block is freed as a whole: no access reaches beyond it.
        self.accesses.retain(|old| !overlap(old, start, length));
        races
    }
}

fn overlap(access: &MemoryAccess, start: usize, length: usize) -> bool {
    access.address < start + length && start < access.address + access.length
}

fn is_before(old: &MemoryAccess, thread: u32, clock: &Clock) -> bool {
    old.thread == thread || clock.of(old.thread) >= old.time
}

fn past(access: &MemoryAccess) -> EarlierAccess {
    EarlierAccess {
        thread: access.thread,
        kind: access.kind,
        index: access.index,
    }
}
