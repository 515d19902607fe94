//! What all atomic types have in common, whatever their values are.

use std::sync::atomic::Ordering;

/// Values as the bits that an exploration works on.
pub(super) trait Bits: Copy {
    fn bits(self) -> u64;
    fn of(bits: u64) -> Self;
}

impl Bits for bool {
    fn bits(self) -> u64 {
        self.into()
    }
    fn of(bits: u64) -> bool {
        bits != 0
    }
}

impl<T> Bits for *mut T {
    fn bits(self) -> u64 {
        self.expose_provenance() as u64
    }
    fn of(bits: u64) -> *mut T {
        std::ptr::with_exposed_provenance_mut(bits as usize)
    }
}

macro_rules! integer_bits {
    ($($int:ident)*) => {
        $(impl Bits for $int {
            fn bits(self) -> u64 {
                self as u64
            }
            fn of(bits: u64) -> $int {
                bits as $int
            }
        })*
    };
}

integer_bits!(i8 i16 i32 i64 isize u8 u16 u32 u64 usize);

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

/// The methods that all atomic types have.
macro_rules! common {
    ($value:ty) => {
        /// See std.
        #[inline]
        #[track_caller]
        pub fn load(&self, order: Ordering) -> $value {
            match control() {
                Some(control) if !is_no_load(order) => {
                    Bits::of(control.atomic_load(&self.0, order, here()))
                }
                _ => own(&self.0).load(order),
            }
        }

        /// See std.
        #[inline]
        #[track_caller]
        pub fn store(&self, val: $value, order: Ordering) {
            match control() {
                Some(control) if !is_no_store(order) => {
                    control.atomic_store(&self.0, val.bits(), order, here())
                }
                _ => own(&self.0).store(val, order),
            }
        }

        /// See std.
        #[inline]
        #[track_caller]
        pub fn swap(&self, val: $value, order: Ordering) -> $value {
            match control() {
                Some(control) => {
                    Bits::of(control.atomic_modify(&self.0, order, here(), &|_| val.bits()))
                }
                None => own(&self.0).swap(val, order),
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
                        expected: current.bits(),
                        new: new.bits(),
                        success,
                        failure,
                        weak,
                    };
                    control
                        .atomic_exchange(&self.0, exchange, here())
                        .map(Bits::of)
                        .map_err(Bits::of)
                }
                _ if weak => own(&self.0).compare_exchange_weak(current, new, success, failure),
                _ => own(&self.0).compare_exchange(current, new, success, failure),
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

/// Methods that combine the value with another one.
macro_rules! modify {
    ($value:ty, $($name:ident: $change:expr;)*) => {
        $(
            /// See the method of the same name in std.
            #[inline]
            #[track_caller]
            pub fn $name(&self, val: $value, order: Ordering) -> $value {
                match control() {
                    None => own(&self.0).$name(val, order),
                    Some(control) => {
                        let change: fn($value, $value) -> $value = $change;
                        let change = |old| change(Bits::of(old), val).bits();
                        Bits::of(control.atomic_modify(&self.0, order, here(), &change))
                    }
                }
            }
        )*
    };
}

pub(super) use {common, modify};
