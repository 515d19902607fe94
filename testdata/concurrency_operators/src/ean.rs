//! An atomic operation.

use std::sync::atomic::{AtomicU32, Ordering};

pub fn count(counter: &AtomicU32) {
    counter.fetch_add(1, Ordering::SeqCst);
}
