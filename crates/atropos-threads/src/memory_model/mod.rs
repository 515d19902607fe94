//! What a load may read. The model is that of C++20 (and so Rust's) without cycles through program order and
//! reads-from, as in RC11 (Lahav et al., PLDI 2017): every execution that the model allows is shown, but
//! for load buffering, where a load would read a store that has not been executed yet.
//!
//! Executions are built in an order that respects program order and reads-from. A load chooses among the
//! stores that coherence and happens-before leave it; a store chooses its place in the location's modification
//! order, which need not be the end. Read-modify-writes come right after the store that they read.
//!
//! Sequentially consistent operations are ordered as they are executed. That order S constrains coherence as
//! in \[atomics.order\]/4: nothing that is coherence-ordered before an operation may stand, directly or through
//! fences, later in S. Deviation: S agrees with happens-before, where C++20 asks only for "strongly happens
//! before"; executions that need the difference (release/acquire mixed with SeqCst on one location) are not shown. And a
//! location remembers at least its last [`REMEMBERED`] stores but no endless history, so that long executions end: a
//! thread that has seen none of a thousand stores does not get to read the first. Nor does one that has slept since: what
//! was stored before the clock moved on is there for all ([`MemoryModel::settle`]).

mod clock;
mod location;
pub mod ordering;

pub use clock::Clock;
pub use location::{Location, Reader};

use std::collections::BTreeMap;

/// Stores of a location that can still be read, however many follow.
pub const REMEMBERED: usize = 256;

/// The atomics of an execution under weak memory.
#[derive(Debug, Default)]
pub struct MemoryModel {
    /// Whether orderings matter; else every access is in one order and this table is not used.
    pub weak: bool,
    places: BTreeMap<usize, usize>,
    locations: Vec<Location>,
    used: usize,
    /// Locations whose memory the program gave back.
    free: Vec<usize>,
    /// For each sequentially consistent fence, where it stands in S and what happened before it or an earlier one.
    fences: Vec<(u32, Clock)>,
    /// Length of S.
    order: u32,
    /// The store that a compare-exchange in progress has chosen.
    pub chosen: Option<usize>,
    /// What happened before something was written to a pipe, a socket or similar.
    pub written: Clock,
}

impl MemoryModel {
    /// A model in which orderings matter, or one in which they don't.
    pub fn new(weak: bool) -> MemoryModel {
        MemoryModel {
            weak,
            ..MemoryModel::default()
        }
    }

    /// Forgets everything.
    pub fn restart(&mut self) {
        self.places.clear();
        self.used = 0;
        self.free.clear();
        self.fences.clear();
        self.order = 0;
        self.written = Clock::default();
    }

    /// The location at an address, whose memory holds `value` now.
    ///
    /// It may be another atomic than before, in memory that is used again (blocks of the heap are forgotten when they are
    /// freed; a place on a stack or in a pool is not told of). One that has the old one's last value goes on with its
    /// history: whoever made it had the memory for itself, so all that was done to the old one happened before all that
    /// is done to the new one, and the last value is the only one that can be read. (Unless only an `Arc`'s counters tell
    /// that the memory is free, which give no order here; see the crate's head.)
    pub fn location(&mut self, address: usize, value: u64) -> usize {
        if let Some(&index) = self.places.get(&address) {
            if self.locations[index].latest() != value {
                // Somebody with exclusive access wrote without us: what was before is out of sight.
                self.locations[index].reset(value);
            }
            return index;
        }
        let index = self.free.pop().unwrap_or_else(|| {
            if self.used == self.locations.len() {
                self.locations.push(Location::default());
            }
            self.used += 1;
            self.used - 1
        });
        self.locations[index].reset(value);
        self.places.insert(address, index);
        index
    }

    /// The program gave this memory back.
    pub fn forget(&mut self, start: usize, length: usize) {
        while let Some((&address, &index)) = self
            .places
            .range(start..start.saturating_add(length))
            .next()
        {
            self.places.remove(&address);
            self.free.push(index);
        }
    }

    /// The next place in S.
    pub fn next_in_order(&mut self) -> u32 {
        self.order += 1;
        self.order
    }

    /// A sequentially consistent fence.
    pub fn fence(&mut self, clock: &mut Clock) {
        let place = self.next_in_order();
        let mut seen = self
            .fences
            .last()
            .map(|(_, clock)| clock.clone())
            .unwrap_or_default();
        seen.join(clock);
        self.fences.push((place, seen));
        clock.set_fence(self.fences.len() as u32);
    }

    /// The oldest store that `reader` may read.
    pub fn bound(&self, location: usize, reader: &Reader<'_>) -> usize {
        let fence = match reader.sequential {
            true => self.fences.last(),
            false => (reader.clock.fence() as usize)
                .checked_sub(1)
                .map(|last| &self.fences[last]),
        };
        let location = &self.locations[location];
        let by_happens_before = location.bound(reader.clock);
        let by_fence = fence.map_or(0, |(_, clock)| location.bound(clock));
        let until = if reader.sequential {
            u32::MAX
        } else {
            fence.map_or(0, |(place, _)| *place)
        };
        by_happens_before
            .max(by_fence)
            .max(location.bound_in_order(until))
    }

    /// The location with this index.
    pub fn at(&mut self, location: usize) -> &mut Location {
        &mut self.locations[location]
    }

    /// Time passes while nobody does anything: every store is seen by all threads afterwards, whether or not anything
    /// orders it before their loads. (Rust asks for that "within a reasonable amount of time".)
    pub fn settle(&mut self) {
        for location in &mut self.locations[..self.used] {
            location.drop_before(location.len() - 1, REMEMBERED);
        }
    }

    /// Drops the stores of a long history that none of these clocks can read any more, and the oldest of a very long one.
    pub fn shorten<'a>(&mut self, location: usize, clocks: impl Iterator<Item = &'a Clock>) {
        if self.locations[location].is_long() {
            let bound = |clock| {
                self.bound(
                    location,
                    &Reader {
                        clock,
                        sequential: false,
                    },
                )
            };
            let oldest = clocks.map(bound).min().unwrap_or(0);
            self.locations[location].drop_before(oldest, REMEMBERED);
        }
    }
}
