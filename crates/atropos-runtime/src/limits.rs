//! The limits of a mutant that the system enforces, behind the ones that we count ourselves.

use std::sync::atomic::{AtomicU64, Ordering};

use atropos_protocol::{Board, sys};

use crate::heap;

/// Address space of the process when the test started.
static ADDRESS_SPACE: AtomicU64 = AtomicU64::new(0);

/// The limits of address space, processor time and files before ours; 0 while ours do not hold.
static BEFORE: [AtomicU64; 3] = [const { AtomicU64::new(0) }; 3];
const RESOURCES: [usize; 3] = [sys::RLIMIT_AS, sys::RLIMIT_CPU, sys::RLIMIT_FSIZE];
const ADDRESSES: usize = 0;
const PROCESSOR_TIME: usize = 1;
const FILES: usize = 2;

fn limit(which: usize, value: u64) {
    let before = sys::set_limit(RESOURCES[which], value);
    // A mutant that is forked from another has them already.
    let relaxed = Ordering::Relaxed;
    let _ = BEFORE[which].compare_exchange(0, before, relaxed, relaxed);
}

/// Takes the system's limits away again: programs that a mutant starts would inherit them.
pub fn lift() {
    (0..BEFORE.len()).for_each(lift_one);
}

/// To be called before a thread is started. Threads reserve far more addresses than they use, and a mutant whose threads
/// can't be started for that would seem to fail; from now on only its heap is limited.
pub fn threads_start() {
    lift_one(ADDRESSES);
}

fn lift_one(which: usize) {
    let before = BEFORE[which].swap(0, Ordering::Relaxed);
    if before != 0 {
        sys::set_limit(RESOURCES[which], before);
    }
}

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
    if let Some(nanoseconds) = board.time_limit() {
        limit(
            PROCESSOR_TIME,
            (nanoseconds / 1_000_000_000).saturating_mul(8) + 10,
        );
    }
}

/// The limit that holds for the original and for mutants alike: tests that need larger files are told from others by it.
pub fn apply_to_files(board: &Board) {
    if let Some(bytes) = board.file_limit() {
        limit(FILES, bytes);
    }
}

/// The limits that hold for every run in a worker alike.
pub fn apply_memory(board: &Board) {
    heap::set_limit(board.heap_limit());
    if let Some(address_limit) = board.address_limit() {
        let used = ADDRESS_SPACE.load(Ordering::Relaxed);
        limit(ADDRESSES, used.saturating_add(address_limit));
    }
}
