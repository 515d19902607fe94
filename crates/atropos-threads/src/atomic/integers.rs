//! The atomic integers.

use std::fmt;
use std::sync::atomic::{self, Ordering};

use super::access::{Exchange, Word};
use crate::control::{control, here};

/// The strongest failure ordering that goes with a success ordering.
pub(super) fn failure_of(success: Ordering) -> Ordering {
    match success {
        Ordering::Release | Ordering::Relaxed => Ordering::Relaxed,
        Ordering::AcqRel | Ordering::Acquire => Ordering::Acquire,
        _ => Ordering::SeqCst,
    }
}

/// Whether std refuses this ordering for a load.
pub(super) fn is_no_load(ordering: Ordering) -> bool {
    matches!(ordering, Ordering::Release | Ordering::AcqRel)
}

/// Whether std refuses this ordering for a store.
pub(super) fn is_no_store(ordering: Ordering) -> bool {
    matches!(ordering, Ordering::Acquire | Ordering::AcqRel)
}

macro_rules! modify {
    ($int:ident, $($name:ident: $change:expr;)*) => {
        $(
            /// See the method of the same name in std.
            #[inline]
            #[track_caller]
            pub fn $name(&self, val: $int, order: Ordering) -> $int {
                match control() {
                    None => self.0.$name(val, order),
                    Some(control) => {
                        let change: fn($int, $int) -> $int = $change;
                        control.atomic_modify(&self.0, order, here(), &|old| change(old as $int, val) as u64) as $int
                    }
                }
            }
        )*
    };
}

macro_rules! integer {
    ($atomic:ident, $int:ident) => {
        impl Word for atomic::$atomic {
            fn get(&self) -> u64 {
                self.load(Ordering::Relaxed) as u64
            }
            fn set(&self, bits: u64) {
                self.store(bits as $int, Ordering::Relaxed);
            }
        }

        /// See the type of the same name in std.
        #[repr(transparent)]
        pub struct $atomic(atomic::$atomic);

        impl $atomic {
            /// See std.
            #[inline]
            #[must_use]
            pub const fn new(v: $int) -> $atomic {
                $atomic(atomic::$atomic::new(v))
            }

            /// See std.
            ///
            /// # Safety
            /// As in std.
            #[inline]
            pub const unsafe fn from_ptr<'a>(ptr: *mut $int) -> &'a $atomic {
                // SAFETY: the wrapper is transparent, and the caller promises what std asks for.
                unsafe { &*ptr.cast() }
            }

            /// See std.
            #[inline]
            pub fn get_mut(&mut self) -> &mut $int {
                self.0.get_mut()
            }

            /// See std.
            #[inline]
            pub const fn into_inner(self) -> $int {
                self.0.into_inner()
            }

            /// See std.
            #[inline]
            pub const fn as_ptr(&self) -> *mut $int {
                self.0.as_ptr()
            }

            /// See std.
            #[inline]
            #[track_caller]
            pub fn load(&self, order: Ordering) -> $int {
                match control() {
                    Some(control) if !is_no_load(order) => {
                        control.atomic_load(&self.0, order, here()) as $int
                    }
                    _ => self.0.load(order),
                }
            }

            /// See std.
            #[inline]
            #[track_caller]
            pub fn store(&self, val: $int, order: Ordering) {
                match control() {
                    Some(control) if !is_no_store(order) => {
                        control.atomic_store(&self.0, val as u64, order, here())
                    }
                    _ => self.0.store(val, order),
                }
            }

            /// See std.
            #[inline]
            #[track_caller]
            #[deprecated(
                since = "1.50.0",
                note = "Use `compare_exchange` or `compare_exchange_weak` instead"
            )]
            pub fn compare_and_swap(&self, current: $int, new: $int, order: Ordering) -> $int {
                match self.compare_exchange(current, new, order, failure_of(order)) {
                    Ok(old) | Err(old) => old,
                }
            }

            /// See std.
            #[inline]
            #[track_caller]
            pub fn compare_exchange(
                &self,
                current: $int,
                new: $int,
                success: Ordering,
                failure: Ordering,
            ) -> Result<$int, $int> {
                self.exchange(current, new, success, failure, false)
            }

            /// See std.
            #[inline]
            #[track_caller]
            pub fn compare_exchange_weak(
                &self,
                current: $int,
                new: $int,
                success: Ordering,
                failure: Ordering,
            ) -> Result<$int, $int> {
                self.exchange(current, new, success, failure, true)
            }

            #[inline]
            #[track_caller]
            fn exchange(
                &self,
                current: $int,
                new: $int,
                success: Ordering,
                failure: Ordering,
                weak: bool,
            ) -> Result<$int, $int> {
                match control() {
                    Some(control) if !is_no_load(failure) => {
                        let exchange = Exchange {
                            expected: current as u64,
                            new: new as u64,
                            success,
                            failure,
                            weak,
                        };
                        let result = control.atomic_exchange(&self.0, exchange, here());
                        result.map(|old| old as $int).map_err(|old| old as $int)
                    }
                    _ if weak => self.0.compare_exchange_weak(current, new, success, failure),
                    _ => self.0.compare_exchange(current, new, success, failure),
                }
            }

            /// See std.
            #[inline]
            #[track_caller]
            pub fn fetch_update<F: FnMut($int) -> Option<$int>>(
                &self,
                set_order: Ordering,
                fetch_order: Ordering,
                mut f: F,
            ) -> Result<$int, $int> {
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
                f: impl FnMut($int) -> Option<$int>,
            ) -> Result<$int, $int> {
                self.fetch_update(set_order, fetch_order, f)
            }

            /// See std.
            #[inline]
            #[track_caller]
            pub fn update(
                &self,
                set_order: Ordering,
                fetch_order: Ordering,
                mut f: impl FnMut($int) -> $int,
            ) -> $int {
                match self.fetch_update(set_order, fetch_order, |old| Some(f(old))) {
                    Ok(old) | Err(old) => old,
                }
            }

            modify! { $int,
                swap: |_, val| val;
                fetch_add: $int::wrapping_add;
                fetch_sub: $int::wrapping_sub;
                fetch_and: |old, val| old & val;
                fetch_nand: |old, val| !(old & val);
                fetch_or: |old, val| old | val;
                fetch_xor: |old, val| old ^ val;
                fetch_max: |old, val| old.max(val);
                fetch_min: |old, val| old.min(val);
            }
        }

        impl Default for $atomic {
            fn default() -> $atomic {
                $atomic::new(0)
            }
        }

        impl From<$int> for $atomic {
            fn from(v: $int) -> $atomic {
                $atomic::new(v)
            }
        }

        impl fmt::Debug for $atomic {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Debug::fmt(&self.0, f)
            }
        }

        // std says so of its own, which these wrap.
        impl std::panic::RefUnwindSafe for $atomic {}
    };
}

integer!(AtomicI8, i8);
integer!(AtomicI16, i16);
integer!(AtomicI32, i32);
integer!(AtomicI64, i64);
integer!(AtomicIsize, isize);
integer!(AtomicU8, u8);
integer!(AtomicU16, u16);
integer!(AtomicU32, u32);
integer!(AtomicU64, u64);
integer!(AtomicUsize, usize);
