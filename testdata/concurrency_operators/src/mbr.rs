//! A barrier's leader.

use std::sync::Barrier;
use std::sync::atomic::{AtomicU32, Ordering};

pub fn arrive(barrier: &Barrier, opened: &AtomicU32) {
    if barrier.wait().is_leader() {
        opened.fetch_add(1, Ordering::SeqCst);
    }
}
