//! The limits of a mutant that the system enforces, behind the ones that we count ourselves.

use std::sync::atomic::{AtomicU64, Ordering};

use atropos_protocol::{Board, sys};

use crate::heap;

/// Address space of the process when the test started.
static ADDRESS_SPACE: AtomicU64 = AtomicU64::new(0);

/// To be called at a test's start: later limits are relative to what is used now.
pub fn measure() {
    let pages = std::fs::read_to_string("/proc/self/statm")
        .ok()
        .and_then(|text| text.split(' ').next()?.parse::<u64>().ok())
        .unwrap_or(0);
    ADDRESS_SPACE.store(pages * 4096, Ordering::Relaxed);
    heap::measure();
    sys::set_limit(sys::RLIMIT_CORE, 0);
}

/// Puts this process, now a mutant, under the limits on the board.
pub fn apply(board: &Board) {
    apply_memory(board);
    // Processor time adds up over threads, so this is far above the wall-clock limit.
    let seconds = board.header().time_limit.load(Ordering::Relaxed) / 1_000_000_000;
    sys::set_limit(sys::RLIMIT_CPU, seconds.saturating_mul(8) + 10);
}

/// The limits that hold for every run in a worker alike.
pub fn apply_memory(board: &Board) {
    let header = board.header();
    heap::set_limit(header.heap_limit.load(Ordering::Relaxed));
    let address_limit = header.address_limit.load(Ordering::Relaxed);
    if address_limit != 0 {
        let used = ADDRESS_SPACE.load(Ordering::Relaxed);
        sys::set_limit(sys::RLIMIT_AS, used.saturating_add(address_limit));
    }
}
