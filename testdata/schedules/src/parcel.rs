//! Plain memory that one thread hands to another.

use std::cell::UnsafeCell;
use std::sync::atomic::{AtomicBool, Ordering};

#[derive(Default)]
pub struct Parcel {
    is_there: AtomicBool,
    number: UnsafeCell<u64>,
}

// SAFETY: the number is written before the flag is set, and read afterwards.
unsafe impl Sync for Parcel {}

impl Parcel {
    /// To be called once.
    pub fn put(&self, number: u64) {
        unsafe { *self.number.get() = number };
        self.is_there.store(true, Ordering::Release);
    }

    pub fn look(&self) -> Option<u64> {
        let is_there = self.is_there.load(Ordering::Acquire);
        is_there.then(|| unsafe { *self.number.get() })
    }
}
