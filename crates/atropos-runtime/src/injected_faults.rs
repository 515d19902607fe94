//! Mistakes that Rust's types forbid in source: woven code asks for them here. They are made only where threads are
//! explored, by another crate that stands in for this one; in a program with real threads they would be undefined
//! behaviour, so here the lock is used as it is.

use std::future::{Pending, pending};
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};

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

/// Everybody who wants what is being initialised here shall initialise it, too.
#[inline]
pub fn race() {}

/// A lock of an asynchronous library that excludes nobody: here it never gives a guard.
#[derive(Debug)]
pub struct AsyncLock<T>(PhantomData<T>);

/// A guard of such a lock, which nobody has here.
#[derive(Debug)]
pub struct Unlocked<T>(Nobody, PhantomData<T>);

#[derive(Debug)]
enum Nobody {}

/// A lock that excludes nobody, on the data that `find` finds.
#[inline]
pub fn bare_async<T>(_: impl FnOnce() -> *mut T) -> AsyncLock<T> {
    AsyncLock(PhantomData)
}

impl<T> AsyncLock<T> {
    pub fn lock(&self) -> Pending<Unlocked<T>> {
        pending()
    }

    pub fn read(&self) -> Pending<Unlocked<T>> {
        pending()
    }

    pub fn write(&self) -> Pending<Unlocked<T>> {
        pending()
    }
}

impl<T> Deref for Unlocked<T> {
    type Target = T;
    fn deref(&self) -> &T {
        match self.0 {}
    }
}

impl<T> DerefMut for Unlocked<T> {
    fn deref_mut(&mut self) -> &mut T {
        match self.0 {}
    }
}
