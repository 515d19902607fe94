//! How short a critical region is.

use std::sync::{Barrier, Mutex};

/// Counts before everybody goes on together.
pub fn count_and_meet(count: &Mutex<u32>, barrier: &Barrier) {
    let mut count = count.lock().unwrap();
    *count += 1;
    drop(count);
    barrier.wait();
}
