//! The runtime's own copies of the program's static atomics.
//!
//! A program's global allocator serves the runtime too, and may count or lock with atomics. What the runtime
//! allocates differs from one execution to the next, and statics are put back while its memory stays: so while an
//! exploration lasts, the program's static atomics have a second value that only the runtime sees and changes, and the
//! program sees what it did itself.

use std::cell::{Cell, UnsafeCell};
use std::ops::Range;
use std::ptr::null;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// Atomics that can have a copy; the runtime uses the program's own beyond that. Allocators have a few.
const MOST: usize = 64;

thread_local! {
    static COPIES: Cell<*const StaticCopies> = const { Cell::new(null()) };
}

/// The copies. Nothing here allocates: it is the allocator that asks.
#[derive(Debug)]
pub struct StaticCopies {
    statics: Vec<Range<usize>>,
    used: AtomicUsize,
    originals: [AtomicUsize; MOST],
    values: [Value; MOST],
}

/// Room for an atomic of any size.
#[repr(align(8))]
#[derive(Debug)]
struct Value(UnsafeCell<[u8; 8]>);

impl StaticCopies {
    /// For the atomics that lie here.
    pub fn new(statics: Vec<Range<usize>>) -> StaticCopies {
        StaticCopies {
            statics,
            used: AtomicUsize::new(0),
            originals: [const { AtomicUsize::new(0) }; MOST],
            values: [const { Value(UnsafeCell::new([0; 8])) }; MOST],
        }
    }

    /// Uses these copies for what uncontrolled code on this OS thread does from now on; null ends that.
    pub fn install(copies: *const StaticCopies) {
        COPIES.set(copies);
    }

    /// Runs a piece of the program's that is to see the program's own atomics, though it is not controlled.
    pub fn without<R>(piece: impl FnOnce() -> R) -> R {
        let copies = COPIES.replace(null());
        let result = piece();
        COPIES.set(copies);
        result
    }

    fn of<A>(&self, atomic: &A) -> Option<&A> {
        let address = std::ptr::from_ref(atomic) as usize;
        if !self.statics.iter().any(|range| range.contains(&address)) {
            return None;
        }
        let used = self.used.load(Relaxed);
        let known = |original: &AtomicUsize| original.load(Relaxed) == address;
        let place = self.originals[..used].iter().position(known);
        let place = match place {
            Some(place) => place,
            None if used == MOST => return None,
            None => {
                self.originals[used].store(address, Relaxed);
                let value = self.values[used].0.get().cast::<u8>();
                // SAFETY: an atomic has at most eight bytes; only this OS thread uses it and the copies now.
                unsafe {
                    std::ptr::copy_nonoverlapping(
                        std::ptr::from_ref(atomic).cast(),
                        value,
                        size_of::<A>(),
                    );
                }
                self.used.store(used + 1, Relaxed);
                used
            }
        };
        // SAFETY: the room was filled from an atomic at this address, whose type does not change: it is a static.
        Some(unsafe { &*self.values[place].0.get().cast::<A>() })
    }
}

/// What uncontrolled code is to use in place of an atomic of the program: mostly itself.
#[inline]
pub(super) fn own<A>(atomic: &A) -> &A {
    let copies = COPIES.get();
    if copies.is_null() {
        return atomic;
    }
    // SAFETY: installed for as long as they live.
    unsafe { &*copies }.of(atomic).unwrap_or(atomic)
}
