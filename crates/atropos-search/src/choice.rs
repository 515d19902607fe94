//! Names of the things that are chosen: threads and data values, packed so that a long path costs
//! four bytes a step. What the choices mean belongs to the system under exploration.

use std::fmt;

/// A thread (or, in a model, an action). The number is the same in every execution in which "the
/// k-th thread that this parent starts" exists; see [`crate::Names`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Thread(pub u32);

impl Thread {
    /// The number as an index into tables.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// One decision of a schedule.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Choice(u32);

const DATA: u32 = 1 << 31;

impl Choice {
    /// This thread performs its next operation.
    pub fn thread(thread: Thread) -> Choice {
        debug_assert!(thread.0 < DATA, "thread numbers have 31 bits");
        Choice(thread.0)
    }

    /// The thread that is running takes this alternative (a spurious wake-up, the store that a load reads, …).
    pub fn data(value: u32) -> Choice {
        debug_assert!(value < DATA, "data choices have 31 bits");
        Choice(value | DATA)
    }

    /// The thread, if this is a scheduling decision.
    pub fn as_thread(self) -> Option<Thread> {
        (self.0 & DATA == 0).then_some(Thread(self.0))
    }

    /// The alternative, if this is a data decision.
    pub fn as_data(self) -> Option<u32> {
        (self.0 & DATA != 0).then_some(self.0 & !DATA)
    }

    pub(crate) fn bits(self) -> u64 {
        u64::from(self.0)
    }

    pub(crate) fn of_bits(bits: u32) -> Choice {
        Choice(bits)
    }
}

impl fmt::Debug for Choice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.as_thread(), self.as_data()) {
            (Some(thread), _) => write!(f, "{}", thread.0),
            (_, Some(value)) => write!(f, "={value}"),
            _ => unreachable!("a choice is one or the other"),
        }
    }
}
