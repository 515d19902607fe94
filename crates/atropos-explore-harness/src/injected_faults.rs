//! Mistakes that Rust's types forbid in source: woven code asks for them right before it locks, and the controlled
//! lock makes them.

use std::future::{Ready, ready};

use atropos_threads::injected_faults::{
    self, InjectedFault, Unlocked, request, request_of_foreign,
};

/// The next acquisition of the lock excludes nobody.
#[inline(never)]
pub fn bare<T: ?Sized>(lock: &T) -> &T {
    request(InjectedFault::Bare);
    lock
}

/// The next guard of the lock does not unlock it when it is dropped by a panic.
#[inline(never)]
pub fn kept_on_panic<T: ?Sized>(lock: &T) -> &T {
    request(InjectedFault::KeptOnPanic);
    lock
}

/// As `bare`, for a lock of another library and its data.
#[inline(never)]
pub fn bare_foreign<L: ?Sized, T>(lock: &L, data: *mut T) -> &L {
    request_of_foreign(InjectedFault::Bare, data);
    lock
}

/// As `kept_on_panic`, for a lock of another library and its data.
#[inline(never)]
pub fn kept_on_panic_foreign<L: ?Sized, T>(lock: &L, data: *mut T) -> &L {
    request_of_foreign(InjectedFault::KeptOnPanic, data);
    lock
}

/// From here on everybody who wants what the running thread is initialising initialises it, too.
#[inline(never)]
#[track_caller]
pub fn race() {
    injected_faults::race();
}

/// A lock of an asynchronous library that excludes nobody: where its data lies.
#[derive(Debug)]
pub struct AsyncLock<T>(*mut T);

// SAFETY: as for the lock; controlled threads share one OS thread.
unsafe impl<T: Send> Send for AsyncLock<T> {}
// SAFETY: as above.
unsafe impl<T: Send> Sync for AsyncLock<T> {}

/// A lock that excludes nobody, on the data that `find` finds, which is no part of the program.
#[inline(never)]
pub fn bare_async<T>(find: impl FnOnce() -> *mut T) -> AsyncLock<T> {
    AsyncLock(injected_faults::unannounced(find))
}

impl<T> AsyncLock<T> {
    #[track_caller]
    pub fn lock(&self) -> Ready<Unlocked<T>> {
        // SAFETY: the data of a lock that is borrowed as long as its guards are; woven code is only run by threads under
        // control.
        ready(unsafe { Unlocked::new(self.0) })
    }

    #[track_caller]
    pub fn read(&self) -> Ready<Unlocked<T>> {
        self.lock()
    }

    #[track_caller]
    pub fn write(&self) -> Ready<Unlocked<T>> {
        self.lock()
    }
}
