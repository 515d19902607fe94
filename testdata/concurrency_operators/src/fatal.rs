//! A seat for one: a test ends the whole process when two have it.

use std::sync::atomic::{AtomicBool, Ordering};

/// A seat that the first to come takes.
#[derive(Default)]
pub struct Seat {
    taken: AtomicBool,
}

impl Seat {
    /// Whether it was free.
    pub fn take(&self) -> bool {
        !self.taken.swap(true, Ordering::SeqCst)
    }
}
