//! Which bytes of the execution's heap belong to a block that the program has: one byte for each sixteen of the heap.
//!
//! Blocks begin at multiples of sixteen and have a header in front, so that no two share a granule and something that belongs to
//! nobody lies between any two.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};

use super::system;

pub const GRANULE: usize = 16;
/// Nothing was ever there, or it is the heap's own.
const NOBODY: u8 = 0;
/// The block was given back.
const FREED: u8 = 0xff;

/// Where the table lies.
static TABLE: AtomicUsize = AtomicUsize::new(0);
/// Whether it is kept.
static IS_ON: AtomicBool = AtomicBool::new(false);

/// What is the matter with an address.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unusable {
    Freed,
    OutOfBounds,
}

/// Reserves the table for a heap of this size.
pub fn reserve(heap: usize) {
    TABLE.store(
        system::reserve(system::ADDRESSABLE_AT, heap / GRANULE),
        Relaxed,
    );
}

/// A part of the heap, by its offset and length, can be written to: so can its part of the table.
pub fn open(offset: usize, length: usize) {
    let start = (TABLE.load(Relaxed) + offset / GRANULE) & !4095;
    let end = (TABLE.load(Relaxed) + (offset + length) / GRANULE).next_multiple_of(4096);
    system::open(start, end - start);
}

/// Whether the table was ever kept, so that there is something in it.
static IS_USED: AtomicBool = AtomicBool::new(false);

/// Whether the table is kept from now on.
pub fn turn(on: bool) {
    IS_ON.store(on, Relaxed);
    IS_USED.fetch_or(on, Relaxed);
}

/// Whether there may be something in the table.
pub fn is_used() -> bool {
    IS_USED.load(Relaxed)
}

#[inline]
pub fn is_on() -> bool {
    IS_ON.load(Relaxed)
}

fn place(offset: usize) -> *mut u8 {
    (TABLE.load(Relaxed) + offset / GRANULE) as *mut u8
}

/// The program got this block.
///
/// # Safety
/// The block lies in a part of the heap that was opened.
pub unsafe fn give(offset: usize, size: usize) {
    let (whole, rest) = (size / GRANULE, size % GRANULE);
    // SAFETY: the caller's promise.
    unsafe {
        place(offset).write_bytes(GRANULE as u8, whole);
        if rest > 0 {
            place(offset).add(whole).write(rest as u8);
        }
    }
}

/// The program gave this block back.
///
/// # Safety
/// As for [`give`].
pub unsafe fn take(offset: usize, size: usize) {
    // SAFETY: the caller's promise.
    unsafe { place(offset).write_bytes(FREED, size.div_ceil(GRANULE)) };
}

/// Nobody has anything in this part of the heap.
///
/// # Safety
/// As for [`give`].
pub unsafe fn clear(offset: usize, length: usize) {
    // SAFETY: the caller's promise.
    unsafe { place(offset).write_bytes(NOBODY, length.div_ceil(GRANULE)) };
}

/// Whether all these bytes belong to blocks that the program has.
///
/// # Safety
/// As for [`give`].
#[inline]
pub unsafe fn check(offset: usize, length: usize) -> Result<(), Unusable> {
    let end = offset + length;
    let mut at = offset;
    while at < end {
        // SAFETY: the caller's promise.
        let usable = unsafe { place(at).read() };
        let needed = (end - (at & !(GRANULE - 1))).min(GRANULE) as u8;
        if usable == FREED {
            return Err(Unusable::Freed);
        }
        if usable < needed {
            return Err(Unusable::OutOfBounds);
        }
        at = (at & !(GRANULE - 1)) + GRANULE;
    }
    Ok(())
}
