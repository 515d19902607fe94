//! What goes wrong only under some schedules.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};

/// Loses counts.
pub fn count(count: &AtomicU32) {
    let before = count.load(Ordering::SeqCst);
    count.store(before + 1, Ordering::SeqCst);
}

/// Locks in the order given.
pub fn swap(left: &Mutex<u32>, right: &Mutex<u32>) {
    let mut left = left.lock().unwrap();
    let mut right = right.lock().unwrap();
    std::mem::swap(&mut *left, &mut *right);
}
