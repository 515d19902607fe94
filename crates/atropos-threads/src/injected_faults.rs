//! Mistakes that Rust's types forbid, made on request: a lock that excludes nobody, a lock that is kept when its
//! holder panics, an initialisation that several threads do. Mutants ask for them right before they lock, or where they
//! initialise; see `sync::unlocked_guard` for what becomes of the data of our own
//! locks, `atomic::foreign_locks` for locks of other libraries.
//!
//! They are made only for controlled threads: those take turns on one OS thread, and change places at announced
//! operations alone, so two of them are never at the data at the same moment.

use std::sync::atomic::{AtomicU8, AtomicUsize, Ordering::Relaxed};

use crate::control::{control, is_controlled};
pub use crate::sync::unlocked_guard::Unlocked;

/// What shall be wrong with an acquisition.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum InjectedFault {
    /// The guard is given without the lock.
    Bare = 1,
    /// The guard does not unlock if it is dropped by a panic.
    KeptOnPanic = 2,
}

/// What marks a request for a lock of another library.
const FOREIGN: u8 = 4;

/// The request that the next acquisition takes up; nothing comes between the two.
static NEXT: AtomicU8 = AtomicU8::new(0);

/// The data of a lock of another library.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Guarded {
    pub start: usize,
    pub size: usize,
    pub align: usize,
}

/// What a request for such a lock is about.
static START: AtomicUsize = AtomicUsize::new(0);
static SIZE: AtomicUsize = AtomicUsize::new(0);
static ALIGN: AtomicUsize = AtomicUsize::new(1);

/// The next acquisition of a lock by the running thread shall be wrong in this way.
pub fn request(fault: InjectedFault) {
    if is_controlled() {
        NEXT.store(fault as u8, Relaxed);
    }
}

/// The same for a lock of another library, which locks by an atomic beside its data.
pub fn request_of_foreign<T>(fault: InjectedFault, data: *mut T) {
    if is_controlled() {
        START.store(data as usize, Relaxed);
        SIZE.store(size_of::<T>(), Relaxed);
        ALIGN.store(align_of::<T>(), Relaxed);
        NEXT.store(fault as u8 | FOREIGN, Relaxed);
    }
}

/// What the running thread is initialising is from now on initialised by everybody who wants it, each for itself.
#[track_caller]
pub fn race() {
    crate::sync::once::let_others_race();
}

/// Does something that is no part of the program: none of its operations are announced.
pub fn unannounced<R>(action: impl FnOnce() -> R) -> R {
    let _control = control();
    action()
}

/// Takes the request up.
#[inline]
pub(crate) fn taken() -> Option<InjectedFault> {
    if !is_controlled() {
        return None;
    }
    match NEXT.swap(0, Relaxed) {
        next if next & FOREIGN != 0 => None,
        next => known(next),
    }
}

/// Takes a request for a lock of another library up, before an access to an atomic.
#[inline]
pub(crate) fn taken_of_foreign() -> Option<(InjectedFault, Guarded)> {
    match NEXT.load(Relaxed) & FOREIGN {
        0 => None,
        _ => {
            let fault = known(NEXT.swap(0, Relaxed) & !FOREIGN)?;
            let guarded = Guarded {
                start: START.load(Relaxed),
                size: SIZE.load(Relaxed),
                align: ALIGN.load(Relaxed),
            };
            Some((fault, guarded))
        }
    }
}

fn known(number: u8) -> Option<InjectedFault> {
    match number {
        1 => Some(InjectedFault::Bare),
        2 => Some(InjectedFault::KeptOnPanic),
        _ => None,
    }
}
