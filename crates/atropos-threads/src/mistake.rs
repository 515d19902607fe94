//! Mistakes that Rust's types forbid, made on request: a lock that excludes nobody, a lock that is kept when its
//! holder panics. Mutants ask for them right before they lock; see `sync::bare` for what becomes of the data.
//!
//! They are made only for controlled threads: those take turns on one OS thread, and change places at announced
//! operations alone, so two of them are never at the data at the same moment.

use std::sync::atomic::{AtomicU8, Ordering::Relaxed};

use crate::control::is_controlled;

/// What shall be wrong with an acquisition.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Mistake {
    /// The guard is given without the lock.
    Bare = 1,
    /// The guard does not unlock if it is dropped by a panic.
    KeptOnPanic = 2,
}

/// The request that the next acquisition takes up; nothing comes between the two.
static NEXT: AtomicU8 = AtomicU8::new(0);

/// The next acquisition of a lock by the running thread shall be wrong in this way.
pub fn request(mistake: Mistake) {
    if is_controlled() {
        NEXT.store(mistake as u8, Relaxed);
    }
}

/// Takes the request up.
#[inline]
pub(crate) fn taken() -> Option<Mistake> {
    if !is_controlled() {
        return None;
    }
    match NEXT.swap(0, Relaxed) {
        1 => Some(Mistake::Bare),
        2 => Some(Mistake::KeptOnPanic),
        _ => None,
    }
}
