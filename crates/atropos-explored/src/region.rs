//! Mistakes that Rust's types forbid in source: woven code asks for them right before it locks, and the controlled
//! lock makes them.

use atropos_threads::mistake::{Mistake, request, request_of_foreign};

/// The next acquisition of the lock excludes nobody.
#[inline(never)]
pub fn bare<T: ?Sized>(lock: &T) -> &T {
    request(Mistake::Bare);
    lock
}

/// The next guard of the lock does not unlock it when it is dropped by a panic.
#[inline(never)]
pub fn kept_on_panic<T: ?Sized>(lock: &T) -> &T {
    request(Mistake::KeptOnPanic);
    lock
}

/// As `bare`, for a lock of another library and its data.
#[inline(never)]
pub fn bare_foreign<L: ?Sized, T>(lock: &L, data: *mut T) -> &L {
    request_of_foreign(Mistake::Bare, data);
    lock
}

/// As `kept_on_panic`, for a lock of another library and its data.
#[inline(never)]
pub fn kept_on_panic_foreign<L: ?Sized, T>(lock: &L, data: *mut T) -> &L {
    request_of_foreign(Mistake::KeptOnPanic, data);
    lock
}
