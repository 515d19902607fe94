//! Data races and memory errors: what threads do to plain memory, seen access by access.
//!
//! The explored program is compiled so that LLVM calls a function of ours at every access to memory that may be shared, and
//! in place of every atomic operation that is not the facade's (`instrumentation`). Such an access is ordered with others
//! by the vector clocks of the memory model. Two accesses to the same bytes, one of them a write, not both atomic, that
//! nothing orders are a data race: the execution ends there, and is a failing one.
//!
//! ```text
//! program ── __tsan_read8(p) … ──► instrumentation ──► Races::access ──► shadow (which earlier access races)
//!         ── Arc's counters … ───►                 ──► foreign_atomics (what they order)
//! ```
//!
//! # What is seen
//! The execution's heap, the stacks of controlled threads, and statics. Not seen, and so never reported: memory of other
//! kinds (thread-local variables, what existed before the execution), and what code does that is not compiled by us: std's
//! own functions that are not generic, and C. Volatile accesses don't race: see `control::plain_memory`.
//!
//! Accesses are numbered ([`RaceDetector::index`]). A finding names the earlier access by its number; to tell where it was, the
//! schedule is run again and a backtrace is taken when that number comes.

pub mod all_pairs;
mod foreign_atomics;
mod instrumentation;
mod leaks;
mod memory_errors;
mod number_hash;
mod places;
pub mod shadow;

use std::fmt;

pub use foreign_atomics::{Intent, Operation as ForeignOperation, OrderingNumber};
pub use leaks::Leak;
pub use memory_errors::{BlockHistory, MemoryError, MemoryErrorKind, MemoryHistory};
pub use places::{CallerOfDependency, CodePlace, Frames, is_access_of_facade};

use crate::control::foreign::CountNames;
use crate::memory_model::Clock;
use foreign_atomics::ForeignAtomics;
use memory_errors::Blocks;
use places::Captures;
use shadow::ShadowMemory;

/// What an access does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum AccessKind {
    Read,
    Write,
    AtomicRead,
    /// A store or a read-modify-write.
    AtomicWrite,
}

impl AccessKind {
    #[inline]
    pub fn is_write(self) -> bool {
        matches!(self, AccessKind::Write | AccessKind::AtomicWrite)
    }

    #[inline]
    pub fn is_atomic(self) -> bool {
        matches!(self, AccessKind::AtomicRead | AccessKind::AtomicWrite)
    }

    /// Whether two such accesses to the same bytes race if nothing orders them.
    #[inline]
    pub fn conflicts_with(self, other: AccessKind) -> bool {
        (self.is_write() || other.is_write()) && !(self.is_atomic() && other.is_atomic())
    }

    /// Whether everything that conflicts with the other conflicts with this.
    #[inline]
    pub fn covers(self, other: AccessKind) -> bool {
        (self.is_write() || !other.is_write()) && (!self.is_atomic() || other.is_atomic())
    }
}

impl fmt::Display for AccessKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            AccessKind::Read => "reads",
            AccessKind::Write => "writes",
            AccessKind::AtomicRead => "reads atomically",
            AccessKind::AtomicWrite => "writes atomically",
        })
    }
}

/// An access to memory.
#[derive(Clone, Copy, Debug)]
pub struct MemoryAccess {
    pub address: usize,
    pub length: usize,
    pub kind: AccessKind,
    pub thread: u32,
    /// By the clock of its thread: whoever has seen this much of the thread comes after the access.
    pub time: u32,
    /// Its number in the execution.
    pub index: u32,
}

/// An earlier access that another one races with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct EarlierAccess {
    pub thread: u32,
    pub kind: AccessKind,
    pub index: u32,
}

/// One side of a data race.
#[derive(Clone, Debug)]
pub struct RaceSide {
    pub thread: u32,
    pub name: Option<String>,
    /// What it did; nothing if it gave the memory back.
    pub kind: Option<AccessKind>,
    pub place: CodePlace,
}

/// Two accesses that nothing orders, the earlier one first.
#[derive(Clone, Debug)]
pub struct DataRace {
    pub sides: [RaceSide; 2],
    /// The memory, in words.
    pub memory: String,
    pub length: usize,
}

impl fmt::Display for RaceSide {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "thread {}", self.thread)?;
        if let Some(name) = &self.name {
            write!(f, " \"{name}\"")?;
        }
        match self.kind {
            Some(kind) => write!(f, " {kind}{}", self.place),
            None => write!(f, " gives the memory back{}", self.place),
        }
    }
}

impl fmt::Display for DataRace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [earlier, later] = &self.sides;
        write!(
            f,
            "data race on {} byte{} of {}:\n  {earlier}\n  {later}\n  nothing orders the two: no lock that both hold, \
             no join, no channel, and no release that the later thread acquires",
            self.length,
            if self.length == 1 { "" } else { "s" },
            self.memory,
        )
    }
}

/// Whether the program is compiled so that accesses are told: the pass has every module call `__tsan_init` before `main`.
pub fn is_instrumented() -> bool {
    instrumentation::is_in_use()
}

/// What is known of the plain memory of an execution.
#[derive(Debug, Default)]
pub struct RaceDetector {
    /// Whether accesses are looked at.
    pub is_on: bool,
    /// Whether the counters of `Arc` are operations like others. They stay it where accesses are no longer looked at, so that
    /// schedules mean the same.
    pub is_watched: bool,
    /// The count that the running thread is about to use.
    pub announced: Option<CountNames>,
    /// Only one thread runs, and all that others did happened before.
    pub is_alone: bool,
    /// The primitives of std are at work: what they access is their own.
    pub is_hidden: bool,
    /// Accesses, allocations and frees so far.
    pub index: u32,
    pub(crate) shadow: ShadowMemory,
    pub(crate) foreign: ForeignAtomics,
    pub(crate) blocks: Blocks,
    pub(crate) captures: Captures,
}

impl RaceDetector {
    /// Forgets everything but what is to be captured.
    pub fn restart(&mut self) {
        (self.index, self.is_hidden, self.is_alone) = (0, false, true);
        self.announced = None;
        if self.is_watched {
            self.foreign.clear();
        }
        if self.is_on {
            self.shadow.restart();
            self.blocks.clear();
            self.captures.restart();
        }
    }

    /// Takes an access in, which the thread's clock counts or not; gives an earlier one that it races with.
    #[inline]
    pub fn access(
        &mut self,
        address: usize,
        length: usize,
        kind: AccessKind,
        thread: u32,
        clock: &Clock,
        is_counted: bool,
    ) -> Option<EarlierAccess> {
        let access = MemoryAccess {
            address,
            length,
            kind,
            thread,
            // An operation that the clock counts is part of what it passes on. All else comes after the last of these and
            // before the next, which passes it on.
            time: clock.of(thread) + u32::from(!is_counted),
            index: self.index,
        };
        self.shadow.access(&access, clock)
    }
}

#[cfg(test)]
mod tests;
