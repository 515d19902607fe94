//! The atomic integers.

use std::fmt;
use std::sync::atomic::{self, Ordering};

use super::access::{Exchange, Word};
use super::every_type::{Bits, common, failure_of, is_no_load, is_no_store, modify};
use super::static_copies::own;
use crate::control::{control, here};

macro_rules! integer {
    ($atomic:ident, $int:ident) => {
        impl Word for atomic::$atomic {
            fn get(&self) -> u64 {
                self.load(Ordering::Relaxed).bits()
            }
            fn set(&self, bits: u64) {
                self.store(Bits::of(bits), Ordering::Relaxed);
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

            common!($int);

            modify! { $int,
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
