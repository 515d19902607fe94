//! Counts live heap by standing in front of libc's allocator.
//!
//! The names defined here win over libc's for the whole program. Memory still comes from libc
//! (`__libc_malloc` and its relatives), so blocks may cross freely between counted and uncounted code.

use std::ffi::{c_int, c_void};
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering};

use atropos_protocol::sys;

use crate::conclude;
use crate::role::{self, Role};

unsafe extern "C" {
    fn __libc_malloc(size: usize) -> *mut c_void;
    fn __libc_calloc(count: usize, size: usize) -> *mut c_void;
    fn __libc_realloc(block: *mut c_void, size: usize) -> *mut c_void;
    fn __libc_free(block: *mut c_void);
    fn __libc_memalign(alignment: usize, size: usize) -> *mut c_void;
    fn __libc_valloc(size: usize) -> *mut c_void;
    fn __libc_pvalloc(size: usize) -> *mut c_void;
    fn malloc_usable_size(block: *mut c_void) -> usize;
}

#[repr(C, align(64))]
struct Heap {
    live: AtomicI64,
    peak: AtomicI64,
    limit: AtomicI64,
    allocations: AtomicU64,
    /// Set permanently when the first thread starts: from then on counting must be exact under races.
    threaded: AtomicBool,
    /// Live bytes at the test's start.
    base: AtomicI64,
}

static HEAP: Heap = Heap {
    live: AtomicI64::new(0),
    peak: AtomicI64::new(0),
    limit: AtomicI64::new(i64::MAX),
    allocations: AtomicU64::new(0),
    threaded: AtomicBool::new(false),
    base: AtomicI64::new(0),
};

/// Counting starts anew: what is live now is the base.
pub fn measure() {
    let live = HEAP.live.load(Ordering::Relaxed);
    HEAP.base.store(live, Ordering::Relaxed);
    HEAP.peak.store(live, Ordering::Relaxed);
    HEAP.allocations.store(0, Ordering::Relaxed);
    HEAP.limit.store(i64::MAX, Ordering::Relaxed);
}

/// Most bytes above the base from now on.
pub fn set_limit(bytes: Option<u64>) {
    let base = HEAP.base.load(Ordering::Relaxed);
    let bytes = bytes.map_or(i64::MAX, |bytes| i64::try_from(bytes).unwrap_or(i64::MAX));
    HEAP.limit
        .store(base.saturating_add(bytes), Ordering::Relaxed);
}

/// Most bytes that were live at once, above the base.
pub fn peak() -> u64 {
    let peak = HEAP.peak.load(Ordering::Relaxed) - HEAP.base.load(Ordering::Relaxed);
    peak.max(0) as u64
}

/// Bytes that are live now, above the base.
pub fn live() -> i64 {
    HEAP.live.load(Ordering::Relaxed) - HEAP.base.load(Ordering::Relaxed)
}

pub fn allocations() -> u64 {
    HEAP.allocations.load(Ordering::Relaxed)
}

pub fn threads_start() {
    HEAP.threaded.store(true, Ordering::Relaxed);
}

#[inline]
fn add(bytes: i64) {
    let live = if HEAP.threaded.load(Ordering::Relaxed) {
        HEAP.live.fetch_add(bytes, Ordering::Relaxed) + bytes
    } else {
        let live = HEAP.live.load(Ordering::Relaxed) + bytes;
        HEAP.live.store(live, Ordering::Relaxed);
        live
    };
    if live > HEAP.peak.load(Ordering::Relaxed) {
        HEAP.peak.store(live, Ordering::Relaxed);
        if live > HEAP.limit.load(Ordering::Relaxed) {
            over_limit();
        }
    }
}

#[cold]
fn over_limit() {
    if role::role() == Role::Mutant {
        conclude::memory_limit();
    }
}

#[inline]
fn allocated(block: *mut c_void) -> *mut c_void {
    if block.is_null() {
        refused();
    } else {
        let allocations = HEAP.allocations.load(Ordering::Relaxed) + 1;
        HEAP.allocations.store(allocations, Ordering::Relaxed);
        // SAFETY: a block that libc's allocator just gave.
        add(unsafe { malloc_usable_size(block) } as i64);
    }
    block
}

/// The allocator has no more. For a mutant under a limit that is the limit.
#[cold]
fn refused() {
    if HEAP.limit.load(Ordering::Relaxed) != i64::MAX {
        over_limit();
    }
}

/// # Safety
/// As libc's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn malloc(size: usize) -> *mut c_void {
    // SAFETY: passed on as it is, here and below.
    allocated(unsafe { __libc_malloc(size) })
}

/// # Safety
/// As libc's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn calloc(count: usize, size: usize) -> *mut c_void {
    // SAFETY: see `malloc`.
    allocated(unsafe { __libc_calloc(count, size) })
}

/// # Safety
/// As libc's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn realloc(block: *mut c_void, size: usize) -> *mut c_void {
    if block.is_null() {
        // SAFETY: that is what it means.
        return unsafe { malloc(size) };
    }
    // SAFETY: the caller's block is live until `__libc_realloc` succeeds.
    unsafe {
        let before = malloc_usable_size(block) as i64;
        let moved = __libc_realloc(block, size);
        if !moved.is_null() {
            let allocations = HEAP.allocations.load(Ordering::Relaxed) + 1;
            HEAP.allocations.store(allocations, Ordering::Relaxed);
            add(malloc_usable_size(moved) as i64 - before);
        } else if size == 0 {
            add(-before);
        } else {
            refused();
        }
        moved
    }
}

/// # Safety
/// As libc's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn free(block: *mut c_void) {
    if block.is_null() {
        return;
    }
    // SAFETY: the caller's block is live until now.
    unsafe {
        add(-(malloc_usable_size(block) as i64));
        __libc_free(block);
    }
}

/// # Safety
/// As libc's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn memalign(alignment: usize, size: usize) -> *mut c_void {
    // SAFETY: see `malloc`.
    allocated(unsafe { __libc_memalign(alignment, size) })
}

/// # Safety
/// As libc's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aligned_alloc(alignment: usize, size: usize) -> *mut c_void {
    // SAFETY: see `malloc`.
    allocated(unsafe { __libc_memalign(alignment, size) })
}

/// # Safety
/// As libc's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn posix_memalign(
    place: *mut *mut c_void,
    alignment: usize,
    size: usize,
) -> c_int {
    const EINVAL: c_int = 22;
    if !alignment.is_power_of_two() || alignment % size_of::<usize>() != 0 {
        return EINVAL;
    }
    // SAFETY: see `malloc`; `place` is the caller's.
    unsafe {
        let errno = sys::errno();
        let block = allocated(__libc_memalign(alignment, size));
        sys::set_errno(errno);
        if block.is_null() {
            return sys::ENOMEM;
        }
        *place = block;
    }
    0
}

/// # Safety
/// As libc's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn valloc(size: usize) -> *mut c_void {
    // SAFETY: see `malloc`.
    allocated(unsafe { __libc_valloc(size) })
}

/// # Safety
/// As libc's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pvalloc(size: usize) -> *mut c_void {
    // SAFETY: see `malloc`.
    allocated(unsafe { __libc_pvalloc(size) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_allocated_is_counted_until_it_is_freed() {
        // Other tests run beside this one, so only a large block is sure to show.
        const BIG: i64 = 64 << 20;
        let before = HEAP.live.load(Ordering::Relaxed);
        let block = vec![1u8; BIG as usize];
        let during = HEAP.live.load(Ordering::Relaxed);
        drop(std::hint::black_box(block));
        let after = HEAP.live.load(Ordering::Relaxed);
        assert!(during - before > BIG / 2);
        assert!(during - after > BIG / 2);
    }

    #[test]
    fn aligned_blocks_are_aligned() {
        let mut block = std::ptr::null_mut();
        // SAFETY: a valid place; the block is freed once.
        unsafe {
            assert_eq!(posix_memalign(&raw mut block, 256, 100), 0);
            assert_eq!(block as usize % 256, 0);
            free(block);
            assert_ne!(posix_memalign(&raw mut block, 3, 100), 0);
        }
    }
}
