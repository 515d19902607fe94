//! `AtomicBool` and `AtomicPtr`, and the old constants.

use std::fmt;
use std::sync::atomic::{self, Ordering};

use super::access::{Exchange, Word};
use super::every_type::{Bits, common, failure_of, is_no_load, is_no_store, modify};
use super::static_copies::own;
use super::{AtomicIsize, AtomicUsize};
use crate::control::{control, here};

/// See std.
#[deprecated(since = "1.34.0", note = "the `new` function is now preferred")]
#[expect(clippy::declare_interior_mutable_const, reason = "std has it so")]
pub const ATOMIC_BOOL_INIT: AtomicBool = AtomicBool::new(false);
/// See std.
#[deprecated(since = "1.34.0", note = "the `new` function is now preferred")]
#[expect(clippy::declare_interior_mutable_const, reason = "std has it so")]
pub const ATOMIC_ISIZE_INIT: AtomicIsize = AtomicIsize::new(0);
/// See std.
#[deprecated(since = "1.34.0", note = "the `new` function is now preferred")]
#[expect(clippy::declare_interior_mutable_const, reason = "std has it so")]
pub const ATOMIC_USIZE_INIT: AtomicUsize = AtomicUsize::new(0);

impl Word for atomic::AtomicBool {
    fn get(&self) -> u64 {
        self.load(Ordering::Relaxed).bits()
    }
    fn set(&self, bits: u64) {
        self.store(Bits::of(bits), Ordering::Relaxed);
    }
}

impl<T> Word for atomic::AtomicPtr<T> {
    fn get(&self) -> u64 {
        self.load(Ordering::Relaxed).bits()
    }
    fn set(&self, bits: u64) {
        self.store(Bits::of(bits), Ordering::Relaxed);
    }
}

/// See std.
#[repr(transparent)]
#[derive(Default)]
pub struct AtomicBool(atomic::AtomicBool);

impl AtomicBool {
    /// See std.
    #[inline]
    #[must_use]
    pub const fn new(v: bool) -> AtomicBool {
        AtomicBool(atomic::AtomicBool::new(v))
    }

    common!(bool);

    modify! { bool,
        fetch_and: |old, val| old & val;
        fetch_nand: |old, val| !(old & val);
        fetch_or: |old, val| old | val;
        fetch_xor: |old, val| old ^ val;
    }

    /// See std.
    #[inline]
    #[track_caller]
    pub fn fetch_not(&self, order: Ordering) -> bool {
        self.fetch_xor(true, order)
    }
}

impl From<bool> for AtomicBool {
    fn from(v: bool) -> AtomicBool {
        AtomicBool::new(v)
    }
}

impl fmt::Debug for AtomicBool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, f)
    }
}

impl std::panic::RefUnwindSafe for AtomicBool {}

/// See std.
#[repr(transparent)]
pub struct AtomicPtr<T>(atomic::AtomicPtr<T>);

impl<T> AtomicPtr<T> {
    /// See std.
    #[inline]
    #[must_use]
    pub const fn new(p: *mut T) -> AtomicPtr<T> {
        AtomicPtr(atomic::AtomicPtr::new(p))
    }

    common!(*mut T);

    #[inline]
    #[track_caller]
    fn modify(&self, order: Ordering, change: &dyn Fn(u64) -> u64) -> Option<*mut T> {
        control().map(|control| Bits::of(control.atomic_modify(&self.0, order, here(), change)))
    }

    /// See std.
    #[inline]
    #[track_caller]
    pub fn fetch_ptr_add(&self, val: usize, order: Ordering) -> *mut T {
        self.fetch_byte_add(val.wrapping_mul(size_of::<T>()), order)
    }

    /// See std.
    #[inline]
    #[track_caller]
    pub fn fetch_ptr_sub(&self, val: usize, order: Ordering) -> *mut T {
        self.fetch_byte_sub(val.wrapping_mul(size_of::<T>()), order)
    }

    /// See std.
    #[inline]
    #[track_caller]
    pub fn fetch_byte_add(&self, val: usize, order: Ordering) -> *mut T {
        self.modify(order, &|old| old.wrapping_add(val as u64))
            .unwrap_or_else(|| own(&self.0).fetch_byte_add(val, order))
    }

    /// See std.
    #[inline]
    #[track_caller]
    pub fn fetch_byte_sub(&self, val: usize, order: Ordering) -> *mut T {
        self.modify(order, &|old| old.wrapping_sub(val as u64))
            .unwrap_or_else(|| own(&self.0).fetch_byte_sub(val, order))
    }

    /// See std.
    #[inline]
    #[track_caller]
    pub fn fetch_or(&self, val: usize, order: Ordering) -> *mut T {
        self.modify(order, &|old| old | val as u64)
            .unwrap_or_else(|| own(&self.0).fetch_or(val, order))
    }

    /// See std.
    #[inline]
    #[track_caller]
    pub fn fetch_and(&self, val: usize, order: Ordering) -> *mut T {
        self.modify(order, &|old| old & val as u64)
            .unwrap_or_else(|| own(&self.0).fetch_and(val, order))
    }

    /// See std.
    #[inline]
    #[track_caller]
    pub fn fetch_xor(&self, val: usize, order: Ordering) -> *mut T {
        self.modify(order, &|old| old ^ val as u64)
            .unwrap_or_else(|| own(&self.0).fetch_xor(val, order))
    }
}

impl<T> Default for AtomicPtr<T> {
    fn default() -> AtomicPtr<T> {
        AtomicPtr::new(std::ptr::null_mut())
    }
}

impl<T> From<*mut T> for AtomicPtr<T> {
    fn from(p: *mut T) -> AtomicPtr<T> {
        AtomicPtr::new(p)
    }
}

impl<T> fmt::Debug for AtomicPtr<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, f)
    }
}

impl<T> fmt::Pointer for AtomicPtr<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Pointer::fmt(&self.0, f)
    }
}

impl<T> std::panic::RefUnwindSafe for AtomicPtr<T> {}
