//! The table of mutation points: one byte each, not 0 where something is to be done. Its other bits are
//! the cases (see [`atropos_values::Hit`]) in which all that was to be done is done. A byte with its
//! highest bit set holds the variant that acts from now on, whatever the values are.
//!
//! Private memory, so a forked process has its own. Read without locks from any thread. The first
//! points, which are all there are in most programs, have their bytes in the program itself: where
//! calls are inlined, one instruction then tells whether a point is cold.

use std::sync::atomic::{AtomicPtr, AtomicU8, AtomicUsize, Ordering};

use atropos_protocol::sys;
use atropos_values::{CASES, PointId};

/// So many bytes lie in the program. Workers save and restore all memory, so they are not more.
const NEAR: usize = 1 << 14;

/// The bit of a point where something is to be done.
const HOT: u8 = 1;

/// The bit of a point that is settled.
const SETTLED: u8 = 1 << 7;

static NEAR_BYTES: [AtomicU8; NEAR] = [const { AtomicU8::new(0) }; NEAR];

/// Where the bytes of the other points are.
#[repr(C, align(64))]
struct Table {
    bytes: AtomicPtr<AtomicU8>,
    /// Of the whole table.
    length: AtomicUsize,
}

static TABLE: Table = Table {
    bytes: AtomicPtr::new(std::ptr::null_mut()),
    length: AtomicUsize::new(0),
};

/// Nothing is to be done at the point.
#[inline(always)]
pub fn is_cold(point: PointId) -> bool {
    match byte(point) {
        Some(byte) => byte.load(Ordering::Relaxed) == 0,
        None => true,
    }
}

/// Which variant acts at a point, 0 for the original, if that does not depend on anything.
#[inline(always)]
pub fn known(point: PointId) -> Option<u32> {
    match byte(point).map_or(0, |byte| byte.load(Ordering::Relaxed)) {
        0 => Some(0),
        settled if settled & SETTLED != 0 => Some(u32::from(settled & !SETTLED)),
        _ => None,
    }
}

#[inline(always)]
fn byte(point: PointId) -> Option<&'static AtomicU8> {
    let index = point.index();
    match NEAR_BYTES.get(index) {
        None => far_byte(index),
        near => near,
    }
}

#[inline(never)]
fn far_byte(index: usize) -> Option<&'static AtomicU8> {
    if index >= TABLE.length.load(Ordering::Relaxed) {
        return None;
    }
    // SAFETY: `make` stored the address of that many zeroed bytes (less those that are near)
    // before the length, when the process had one thread; they are never unmapped.
    Some(unsafe { &*TABLE.bytes.load(Ordering::Relaxed).add(index - NEAR) })
}

/// Makes room for mutants 0 to `mutants`, all cold. To be called once, before any thread starts.
pub fn make(mutants: u32) {
    let length = mutants as usize + 1;
    if TABLE.length.load(Ordering::Relaxed) >= length {
        return;
    }
    if length > NEAR {
        let Ok(memory) = sys::map_memory(length - NEAR) else {
            return;
        };
        TABLE.bytes.store(memory.cast(), Ordering::Relaxed);
    }
    TABLE.length.store(length, Ordering::Relaxed);
}

pub fn mark_hot(point: PointId) {
    if let Some(byte) = byte(point) {
        byte.store(HOT, Ordering::Relaxed);
    }
}

/// Nothing is left to be done at a hot point in this case.
pub fn is_done(point: PointId, case: Option<u8>) -> bool {
    match (case, byte(point)) {
        (Some(case), Some(byte)) => {
            let byte = byte.load(Ordering::Relaxed);
            byte & SETTLED == 0 && byte & case_bit(case) != 0
        }
        _ => false,
    }
}

/// From now on this variant acts here. One with a high number goes on to be asked for every time.
pub fn settle(point: PointId, variant: u32) {
    if let (Some(byte), Ok(variant @ ..SETTLED)) = (byte(point), u8::try_from(variant)) {
        byte.store(SETTLED | variant, Ordering::Relaxed);
    }
}

pub fn set_done(point: PointId, case: Option<u8>) {
    if let (Some(case), Some(byte)) = (case, byte(point)) {
        byte.fetch_or(case_bit(case), Ordering::Relaxed);
    }
}

fn case_bit(case: u8) -> u8 {
    debug_assert!(case < CASES);
    HOT << 1 << case
}

pub fn mark_cold(point: PointId) {
    if let Some(byte) = byte(point) {
        byte.store(0, Ordering::Relaxed);
    }
}

/// Heats every point. Only for a process with a single thread.
pub fn heat_all() {
    fill(HOT);
}

/// Cools every point. Only for a process with a single thread.
pub fn cool_all() {
    fill(0);
}

fn fill(value: u8) {
    let length = TABLE.length.load(Ordering::Relaxed);
    for byte in &NEAR_BYTES[..length.min(NEAR)] {
        byte.store(value, Ordering::Relaxed);
    }
    if length > NEAR {
        // SAFETY: as in `far_byte`; nobody else looks at the table now.
        unsafe {
            std::ptr::write_bytes(TABLE.bytes.load(Ordering::Relaxed), value, length - NEAR);
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_and_far_points_are_hot_or_cold_alike() {
        let last_near = NEAR as u32 - 1;
        let points = [1, last_near, last_near + 1, last_near + 500].map(PointId);
        assert!(points.iter().all(|&point| is_cold(point)), "no table");
        make(last_near + 1000);
        assert!(points.iter().all(|&point| is_cold(point)));
        for point in points {
            mark_hot(point);
            assert!(!is_cold(point));
            assert!(is_cold(PointId(point.0 + 2)));
            assert!(!is_done(point, Some(3)));
            set_done(point, Some(3));
            assert!(is_done(point, Some(3)) && !is_done(point, Some(2)) && !is_cold(point));
            mark_hot(point);
            assert!(!is_done(point, Some(3)), "heated anew");
            assert_eq!(known(point), None);
            settle(point, 200);
            assert_eq!(known(point), None, "too high a number");
            settle(point, 127);
            assert_eq!(known(point), Some(127));
            assert!(!is_cold(point) && !is_done(point, Some(3)));
            mark_cold(point);
            assert!(is_cold(point));
            assert_eq!(known(point), Some(0));
        }
        assert!(is_cold(PointId(last_near + 2000)), "beyond the table");
    }
}
