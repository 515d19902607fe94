//! The table of mutation points: one byte each, not 0 where something is to be done.
//!
//! Private memory, so a forked process has its own. Read without locks from any thread.

use std::sync::atomic::{AtomicPtr, AtomicU8, AtomicUsize, Ordering};

use atropos_protocol::sys;

/// What every call at a point or step place reads; one cache line.
#[repr(C, align(64))]
struct Table {
    bytes: AtomicPtr<AtomicU8>,
    length: AtomicUsize,
}

static TABLE: Table = Table {
    bytes: AtomicPtr::new(std::ptr::null_mut()),
    length: AtomicUsize::new(0),
};

/// Nothing is to be done at the point whose first mutant is `first`.
#[inline(always)]
pub fn is_cold(first: u32) -> bool {
    match byte(first) {
        Some(byte) => byte.load(Ordering::Relaxed) == 0,
        None => true,
    }
}

#[inline(always)]
fn byte(first: u32) -> Option<&'static AtomicU8> {
    let index = first as usize;
    if index >= TABLE.length.load(Ordering::Relaxed) {
        return None;
    }
    // SAFETY: `make` stored the address of that many zeroed bytes before the length, when the
    // process had one thread; they are never unmapped.
    Some(unsafe { &*TABLE.bytes.load(Ordering::Relaxed).add(index) })
}

/// Makes room for mutants 0 to `mutants`, all cold. To be called once, before any thread starts.
pub fn make(mutants: u32) {
    let length = mutants as usize + 1;
    if TABLE.length.load(Ordering::Relaxed) >= length {
        return;
    }
    if let Ok(memory) = sys::map_memory(length) {
        TABLE.bytes.store(memory.cast(), Ordering::Relaxed);
        TABLE.length.store(length, Ordering::Relaxed);
    }
}

pub fn heat(first: u32) {
    if let Some(byte) = byte(first) {
        byte.store(1, Ordering::Relaxed);
    }
}

pub fn cool(first: u32) {
    if let Some(byte) = byte(first) {
        byte.store(0, Ordering::Relaxed);
    }
}

/// Heats every point. Only for a process with a single thread.
pub fn heat_all() {
    let length = TABLE.length.load(Ordering::Relaxed);
    if length > 0 {
        // SAFETY: as in `byte`; nobody else looks at the table now.
        unsafe { std::ptr::write_bytes(TABLE.bytes.load(Ordering::Relaxed), 1, length) };
    }
}

/// Cools every point. Only for a process with a single thread.
pub fn cool_all() {
    let length = TABLE.length.load(Ordering::Relaxed);
    if length > 0 {
        // SAFETY: as in `byte`; nobody else looks at the table now.
        unsafe { std::ptr::write_bytes(TABLE.bytes.load(Ordering::Relaxed), 0, length) };
    }
}
