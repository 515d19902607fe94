//! `AtomicBool` and `AtomicPtr`, and the old constants.

use std::fmt;
use std::sync::atomic::{self, Ordering};

use super::access::{Exchange, Word};
use super::integers::{failure_of, is_no_load, is_no_store};
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
        self.load(Ordering::Relaxed).into()
    }
    fn set(&self, bits: u64) {
        self.store(bits != 0, Ordering::Relaxed);
    }
}

impl<T> Word for atomic::AtomicPtr<T> {
    fn get(&self) -> u64 {
        self.load(Ordering::Relaxed).expose_provenance() as u64
    }
    fn set(&self, bits: u64) {
        self.store(
            std::ptr::with_exposed_provenance_mut(bits as usize),
            Ordering::Relaxed,
        );
    }
}

/// Methods that both types have, given how their values become bits and back.
macro_rules! common {
    ($value:ty, $to:expr, $from:expr) => {
        /// See std.
        #[inline]
        #[track_caller]
        pub fn load(&self, order: Ordering) -> $value {
            match control() {
                Some(control) if !is_no_load(order) => {
                    $from(control.atomic_load(&self.0, order, here()))
                }
                _ => self.0.load(order),
            }
        }

        /// See std.
        #[inline]
        #[track_caller]
        pub fn store(&self, val: $value, order: Ordering) {
            match control() {
                Some(control) if !is_no_store(order) => {
                    control.atomic_store(&self.0, $to(val), order, here())
                }
                _ => self.0.store(val, order),
            }
        }

        /// See std.
        #[inline]
        #[track_caller]
        pub fn swap(&self, val: $value, order: Ordering) -> $value {
            match control() {
                Some(control) => {
                    $from(control.atomic_modify(&self.0, order, here(), &|_| $to(val)))
                }
                None => self.0.swap(val, order),
            }
        }

        /// See std.
        #[inline]
        #[track_caller]
        #[deprecated(
            since = "1.50.0",
            note = "Use `compare_exchange` or `compare_exchange_weak` instead"
        )]
        pub fn compare_and_swap(&self, current: $value, new: $value, order: Ordering) -> $value {
            match self.compare_exchange(current, new, order, failure_of(order)) {
                Ok(old) | Err(old) => old,
            }
        }

        /// See std.
        #[inline]
        #[track_caller]
        pub fn compare_exchange(
            &self,
            current: $value,
            new: $value,
            success: Ordering,
            failure: Ordering,
        ) -> Result<$value, $value> {
            self.exchange(current, new, success, failure, false)
        }

        /// See std.
        #[inline]
        #[track_caller]
        pub fn compare_exchange_weak(
            &self,
            current: $value,
            new: $value,
            success: Ordering,
            failure: Ordering,
        ) -> Result<$value, $value> {
            self.exchange(current, new, success, failure, true)
        }

        #[inline]
        #[track_caller]
        fn exchange(
            &self,
            current: $value,
            new: $value,
            success: Ordering,
            failure: Ordering,
            weak: bool,
        ) -> Result<$value, $value> {
            match control() {
                Some(control) if !is_no_load(failure) => {
                    let exchange = Exchange {
                        expected: $to(current),
                        new: $to(new),
                        success,
                        failure,
                        weak,
                    };
                    control
                        .atomic_exchange(&self.0, exchange, here())
                        .map($from)
                        .map_err($from)
                }
                _ if weak => self.0.compare_exchange_weak(current, new, success, failure),
                _ => self.0.compare_exchange(current, new, success, failure),
            }
        }

        /// See std.
        #[inline]
        #[track_caller]
        pub fn fetch_update<F: FnMut($value) -> Option<$value>>(
            &self,
            set_order: Ordering,
            fetch_order: Ordering,
            mut f: F,
        ) -> Result<$value, $value> {
            let mut old = self.load(fetch_order);
            while let Some(new) = f(old) {
                match self.compare_exchange_weak(old, new, set_order, fetch_order) {
                    Ok(old) => return Ok(old),
                    Err(now) => old = now,
                }
            }
            Err(old)
        }

        /// See std.
        #[inline]
        #[track_caller]
        pub fn try_update(
            &self,
            set_order: Ordering,
            fetch_order: Ordering,
            f: impl FnMut($value) -> Option<$value>,
        ) -> Result<$value, $value> {
            self.fetch_update(set_order, fetch_order, f)
        }

        /// See std.
        #[inline]
        #[track_caller]
        pub fn update(
            &self,
            set_order: Ordering,
            fetch_order: Ordering,
            mut f: impl FnMut($value) -> $value,
        ) -> $value {
            match self.fetch_update(set_order, fetch_order, |old| Some(f(old))) {
                Ok(old) | Err(old) => old,
            }
        }

        /// See std.
        #[inline]
        pub fn get_mut(&mut self) -> &mut $value {
            self.0.get_mut()
        }

        /// See std.
        #[inline]
        pub const fn into_inner(self) -> $value {
            self.0.into_inner()
        }

        /// See std.
        #[inline]
        pub const fn as_ptr(&self) -> *mut $value {
            self.0.as_ptr()
        }

        /// See std.
        ///
        /// # Safety
        /// As in std.
        #[inline]
        pub const unsafe fn from_ptr<'a>(ptr: *mut $value) -> &'a Self {
            // SAFETY: the wrapper is transparent, and the caller promises what std asks for.
            unsafe { &*ptr.cast() }
        }
    };
}

/// See std.
#[repr(transparent)]
#[derive(Default)]
pub struct AtomicBool(atomic::AtomicBool);

fn from_bit(bits: u64) -> bool {
    bits != 0
}

macro_rules! modify_bool {
    ($($name:ident: $change:expr;)*) => {
        $(
            /// See std.
            #[inline]
            #[track_caller]
            pub fn $name(&self, val: bool, order: Ordering) -> bool {
                match control() {
                    None => self.0.$name(val, order),
                    Some(control) => {
                        let change: fn(bool, bool) -> bool = $change;
                        from_bit(control.atomic_modify(&self.0, order, here(), &|old| change(from_bit(old), val).into()))
                    }
                }
            }
        )*
    };
}

impl AtomicBool {
    /// See std.
    #[inline]
    #[must_use]
    pub const fn new(v: bool) -> AtomicBool {
        AtomicBool(atomic::AtomicBool::new(v))
    }

    common!(bool, u64::from, from_bit);

    modify_bool! {
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

fn from_address<T>(bits: u64) -> *mut T {
    std::ptr::with_exposed_provenance_mut(bits as usize)
}

fn to_address<T>(pointer: *mut T) -> u64 {
    pointer.expose_provenance() as u64
}

impl<T> AtomicPtr<T> {
    /// See std.
    #[inline]
    #[must_use]
    pub const fn new(p: *mut T) -> AtomicPtr<T> {
        AtomicPtr(atomic::AtomicPtr::new(p))
    }

    common!(*mut T, to_address, from_address);

    #[inline]
    #[track_caller]
    fn modify(&self, order: Ordering, change: &dyn Fn(u64) -> u64) -> Option<*mut T> {
        control().map(|control| from_address(control.atomic_modify(&self.0, order, here(), change)))
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
            .unwrap_or_else(|| self.0.fetch_byte_add(val, order))
    }

    /// See std.
    #[inline]
    #[track_caller]
    pub fn fetch_byte_sub(&self, val: usize, order: Ordering) -> *mut T {
        self.modify(order, &|old| old.wrapping_sub(val as u64))
            .unwrap_or_else(|| self.0.fetch_byte_sub(val, order))
    }

    /// See std.
    #[inline]
    #[track_caller]
    pub fn fetch_or(&self, val: usize, order: Ordering) -> *mut T {
        self.modify(order, &|old| old | val as u64)
            .unwrap_or_else(|| self.0.fetch_or(val, order))
    }

    /// See std.
    #[inline]
    #[track_caller]
    pub fn fetch_and(&self, val: usize, order: Ordering) -> *mut T {
        self.modify(order, &|old| old & val as u64)
            .unwrap_or_else(|| self.0.fetch_and(val, order))
    }

    /// See std.
    #[inline]
    #[track_caller]
    pub fn fetch_xor(&self, val: usize, order: Ordering) -> *mut T {
        self.modify(order, &|old| old ^ val as u64)
            .unwrap_or_else(|| self.0.fetch_xor(val, order))
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
