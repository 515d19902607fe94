//! Mistakes that Rust's types forbid in source: woven code asks for them here. They are made only where threads are
//! explored, by another crate that stands in for this one; in a program with real threads they would be undefined
//! behaviour, so here the lock is used as it is.

/// The next acquisition of the lock shall exclude nobody.
#[inline]
pub fn bare<T: ?Sized>(lock: &T) -> &T {
    lock
}

/// The next guard of the lock shall not unlock it when it is dropped by a panic.
#[inline]
pub fn kept_on_panic<T: ?Sized>(lock: &T) -> &T {
    lock
}

/// As `bare`, for a lock of another library and its data.
#[inline]
pub fn bare_foreign<L: ?Sized, T>(lock: &L, _: *mut T) -> &L {
    lock
}

/// As `kept_on_panic`, for a lock of another library and its data.
#[inline]
pub fn kept_on_panic_foreign<L: ?Sized, T>(lock: &L, _: *mut T) -> &L {
    lock
}
