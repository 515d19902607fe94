//! The functions that LLVM's thread sanitizer pass calls. There is no sanitizer runtime: these are all there is. Each does
//! what the instruction that it stands for does, and tells the detector.
//!
//! The build adds the pass to every crate of an explored program; see `races` in `cargo-atropos`'s build.

use std::ffi::c_void;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};

use super::AccessKind::{Read, Write};
use super::foreign_atomics::{Intent, Operation, OrderingNumber};
use crate::control::{foreign, plain_memory};

/// Called once per module of the program.
#[unsafe(no_mangle)]
pub extern "C" fn __tsan_init() {
    IN_USE.store(true, SeqCst);
}

/// Whether any module of the program is instrumented.
static IN_USE: AtomicBool = AtomicBool::new(false);

/// Whether any module of the program is instrumented.
pub fn is_in_use() -> bool {
    IN_USE.load(SeqCst)
}

/// Defines functions that are called before an access of a fixed size.
macro_rules! accesses {
    ($told:ident: $($name:ident($size:literal, $($kind:ident),+);)*) => {
        $(
            #[doc = concat!("Before an access to ", stringify!($size), " bytes.")]
            #[unsafe(no_mangle)]
            pub extern "C" fn $name(address: *const c_void) {
                $(plain_memory::$told(address as usize, $size, $kind);)+
            }
        )*
    };
}

accesses! {
    access:
    __tsan_read1(1, Read);
    __tsan_read2(2, Read);
    __tsan_read4(4, Read);
    __tsan_read8(8, Read);
    __tsan_read16(16, Read);
    __tsan_write1(1, Write);
    __tsan_write2(2, Write);
    __tsan_write4(4, Write);
    __tsan_write8(8, Write);
    __tsan_write16(16, Write);
    __tsan_unaligned_read2(2, Read);
    __tsan_unaligned_read4(4, Read);
    __tsan_unaligned_read8(8, Read);
    __tsan_unaligned_read16(16, Read);
    __tsan_unaligned_write2(2, Write);
    __tsan_unaligned_write4(4, Write);
    __tsan_unaligned_write8(8, Write);
    __tsan_unaligned_write16(16, Write);
    __tsan_read_write1(1, Read, Write);
    __tsan_read_write2(2, Read, Write);
    __tsan_read_write4(4, Read, Write);
    __tsan_read_write8(8, Read, Write);
    __tsan_read_write16(16, Read, Write);
    __tsan_unaligned_read_write2(2, Read, Write);
    __tsan_unaligned_read_write4(4, Read, Write);
    __tsan_unaligned_read_write8(8, Read, Write);
    __tsan_unaligned_read_write16(16, Read, Write);
    __tsan_vptr_read(8, Read);
}

accesses! {
    volatile_access:
    __tsan_volatile_read1(1, Read);
    __tsan_volatile_read2(2, Read);
    __tsan_volatile_read4(4, Read);
    __tsan_volatile_read8(8, Read);
    __tsan_volatile_read16(16, Read);
    __tsan_volatile_write1(1, Write);
    __tsan_volatile_write2(2, Write);
    __tsan_volatile_write4(4, Write);
    __tsan_volatile_write8(8, Write);
    __tsan_volatile_write16(16, Write);
    __tsan_unaligned_volatile_read2(2, Read);
    __tsan_unaligned_volatile_read4(4, Read);
    __tsan_unaligned_volatile_read8(8, Read);
    __tsan_unaligned_volatile_read16(16, Read);
    __tsan_unaligned_volatile_write2(2, Write);
    __tsan_unaligned_volatile_write4(4, Write);
    __tsan_unaligned_volatile_write8(8, Write);
    __tsan_unaligned_volatile_write16(16, Write);
}

/// Before a table of functions is exchanged.
#[unsafe(no_mangle)]
pub extern "C" fn __tsan_vptr_update(address: *const c_void, _value: *const c_void) {
    plain_memory::access(address as usize, 8, Write);
}

/// In place of `memcpy`.
///
/// # Safety
/// As in the C library.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __tsan_memcpy(
    to: *mut c_void,
    from: *const c_void,
    length: usize,
) -> *mut c_void {
    plain_memory::access(from as usize, length, Read);
    plain_memory::access(to as usize, length, Write);
    // SAFETY: the caller's promise. (`copy` also where they overlap: rustc lets `memcpy` copy a place onto itself.)
    unsafe { std::ptr::copy(from.cast::<u8>(), to.cast::<u8>(), length) };
    to
}

/// In place of `memmove`.
///
/// # Safety
/// As in the C library.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __tsan_memmove(
    to: *mut c_void,
    from: *const c_void,
    length: usize,
) -> *mut c_void {
    // SAFETY: the caller's promise.
    unsafe { __tsan_memcpy(to, from, length) }
}

/// In place of `memset`.
///
/// # Safety
/// As in the C library.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __tsan_memset(to: *mut c_void, byte: i32, length: usize) -> *mut c_void {
    plain_memory::access(to as usize, length, Write);
    // SAFETY: the caller's promise.
    unsafe { to.cast::<u8>().write_bytes(byte as u8, length) };
    to
}

/// In place of a fence.
#[unsafe(no_mangle)]
pub extern "C" fn __tsan_atomic_thread_fence(ordering: i32) {
    std::sync::atomic::fence(SeqCst);
    foreign::fence(OrderingNumber(ordering));
}

/// In place of a fence of the compiler.
#[unsafe(no_mangle)]
pub extern "C" fn __tsan_atomic_signal_fence(_ordering: i32) {
    std::sync::atomic::compiler_fence(SeqCst);
}

/// What a read-modify-write is about to do.
#[inline]
fn intent(method: &str, value: u64) -> Intent {
    match method {
        "fetch_add" => Intent::Add,
        "fetch_sub" => Intent::Subtract(value),
        _ => Intent::Change,
    }
}

/// Performs an operation and tells it before and after.
#[inline]
fn told<T: Copy + Into<u64>>(
    place: *const T,
    intent: Intent,
    ordering: i32,
    operation: impl FnOnce() -> T,
) -> T {
    let (address, ordering) = (place as usize, OrderingNumber(ordering));
    foreign::about_to(address, size_of::<T>(), intent, ordering);
    let old = operation();
    let operation = intent.found(old.into(), ordering);
    foreign::performed(address, size_of::<T>(), operation, ordering);
    old
}

/// Defines the atomic operations of one size. All are performed as sequentially consistent ones, which is never wrong.
macro_rules! atomics {
    ($type:ty, $atomic:ty, $load:ident, $store:ident, $compare_exchange:ident, $($modify:ident $method:ident),+) => {
        /// In place of an atomic load.
        ///
        /// # Safety
        /// The address is that of an atomic of this size.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $load(place: *const $type, ordering: i32) -> $type {
            // SAFETY: the caller's promise.
            let load = || unsafe { &*place.cast::<$atomic>() }.load(SeqCst);
            told(place, Intent::Load, ordering, load)
        }

        /// In place of an atomic store.
        ///
        /// # Safety
        /// As above.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $store(place: *mut $type, value: $type, ordering: i32) {
            let store = || {
                // SAFETY: the caller's promise.
                unsafe { &*place.cast::<$atomic>() }.store(value, SeqCst);
                value
            };
            told(place, Intent::Store, ordering, store);
        }

        /// In place of an atomic compare-exchange; gives the old value.
        ///
        /// # Safety
        /// As above.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $compare_exchange(
            place: *mut $type,
            expected: $type,
            new: $type,
            success: i32,
            failure: i32,
        ) -> $type {
            let length = size_of::<$type>();
            foreign::about_to(place as usize, length, Intent::Change, OrderingNumber(success));
            // SAFETY: the caller's promise.
            let result = unsafe { &*place.cast::<$atomic>() }.compare_exchange(expected, new, SeqCst, SeqCst);
            let (operation, ordering) = match result {
                Ok(_) => (Operation::Modify, success),
                Err(_) => (Operation::Load, failure),
            };
            foreign::performed(place as usize, length, operation, OrderingNumber(ordering));
            result.unwrap_or_else(|old| old)
        }

        $(
            /// In place of an atomic read-modify-write; gives the old value.
            ///
            /// # Safety
            /// As above.
            #[unsafe(no_mangle)]
            pub unsafe extern "C" fn $modify(place: *mut $type, value: $type, ordering: i32) -> $type {
                // SAFETY: the caller's promise.
                let modify = || unsafe { &*place.cast::<$atomic>() }.$method(value, SeqCst);
                told(place, intent(stringify!($method), u64::from(value)), ordering, modify)
            }
        )+
    };
}

atomics!(u8, std::sync::atomic::AtomicU8, __tsan_atomic8_load, __tsan_atomic8_store, __tsan_atomic8_compare_exchange_val,
    __tsan_atomic8_exchange swap, __tsan_atomic8_fetch_add fetch_add, __tsan_atomic8_fetch_sub fetch_sub,
    __tsan_atomic8_fetch_and fetch_and, __tsan_atomic8_fetch_or fetch_or, __tsan_atomic8_fetch_xor fetch_xor, __tsan_atomic8_fetch_nand fetch_nand);
atomics!(u16, std::sync::atomic::AtomicU16, __tsan_atomic16_load, __tsan_atomic16_store, __tsan_atomic16_compare_exchange_val,
    __tsan_atomic16_exchange swap, __tsan_atomic16_fetch_add fetch_add, __tsan_atomic16_fetch_sub fetch_sub,
    __tsan_atomic16_fetch_and fetch_and, __tsan_atomic16_fetch_or fetch_or, __tsan_atomic16_fetch_xor fetch_xor, __tsan_atomic16_fetch_nand fetch_nand);
atomics!(u32, std::sync::atomic::AtomicU32, __tsan_atomic32_load, __tsan_atomic32_store, __tsan_atomic32_compare_exchange_val,
    __tsan_atomic32_exchange swap, __tsan_atomic32_fetch_add fetch_add, __tsan_atomic32_fetch_sub fetch_sub,
    __tsan_atomic32_fetch_and fetch_and, __tsan_atomic32_fetch_or fetch_or, __tsan_atomic32_fetch_xor fetch_xor, __tsan_atomic32_fetch_nand fetch_nand);
atomics!(u64, std::sync::atomic::AtomicU64, __tsan_atomic64_load, __tsan_atomic64_store, __tsan_atomic64_compare_exchange_val,
    __tsan_atomic64_exchange swap, __tsan_atomic64_fetch_add fetch_add, __tsan_atomic64_fetch_sub fetch_sub,
    __tsan_atomic64_fetch_and fetch_and, __tsan_atomic64_fetch_or fetch_or, __tsan_atomic64_fetch_xor fetch_xor, __tsan_atomic64_fetch_nand fetch_nand);

/// Operations on sixteen bytes exclude each other by this: there is no such atomic type on stable Rust. Controlled threads
/// never meet here; others do only in code that is instrumented as well.
static WIDE: AtomicBool = AtomicBool::new(false);

/// Performs an operation on sixteen bytes; gives the old value.
unsafe fn wide(
    place: *mut u128,
    operation: Operation,
    ordering: i32,
    change: impl FnOnce(u128) -> u128,
) -> u128 {
    let intent = match operation {
        Operation::Load => Intent::Load,
        Operation::Store => Intent::Store,
        Operation::Modify | Operation::Count => Intent::Change,
    };
    foreign::about_to(place as usize, 16, intent, OrderingNumber(ordering));
    while WIDE.swap(true, SeqCst) {
        std::hint::spin_loop();
    }
    // SAFETY: the caller passes the place of an atomic of this size.
    let old = unsafe {
        let old = place.read();
        if operation != Operation::Load {
            place.write(change(old));
        }
        old
    };
    WIDE.store(false, SeqCst);
    foreign::performed(place as usize, 16, operation, OrderingNumber(ordering));
    old
}

/// In place of an atomic load.
///
/// # Safety
/// The address is that of an atomic of this size.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __tsan_atomic128_load(place: *const u128, ordering: i32) -> u128 {
    // SAFETY: the caller's promise.
    unsafe { wide(place.cast_mut(), Operation::Load, ordering, |old| old) }
}

/// In place of an atomic store.
///
/// # Safety
/// As above.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __tsan_atomic128_store(place: *mut u128, value: u128, ordering: i32) {
    // SAFETY: the caller's promise.
    unsafe { wide(place, Operation::Store, ordering, |_| value) };
}

/// In place of an atomic compare-exchange; gives the old value.
///
/// # Safety
/// As above.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __tsan_atomic128_compare_exchange_val(
    place: *mut u128,
    expected: u128,
    new: u128,
    success: i32,
    _failure: i32,
) -> u128 {
    let change = |old| if old == expected { new } else { old };
    // SAFETY: the caller's promise. (One that fails counts as if it had succeeded: it orders more than it should.)
    unsafe { wide(place, Operation::Modify, success, change) }
}

/// Defines read-modify-writes of sixteen bytes.
macro_rules! wide_modifications {
    ($($name:ident $change:expr;)*) => {
        $(
            /// In place of an atomic read-modify-write; gives the old value.
            ///
            /// # Safety
            /// As above.
            #[unsafe(no_mangle)]
            pub unsafe extern "C" fn $name(place: *mut u128, value: u128, ordering: i32) -> u128 {
                let change: fn(u128, u128) -> u128 = $change;
                // SAFETY: the caller's promise.
                unsafe { wide(place, Operation::Modify, ordering, |old| change(old, value)) }
            }
        )*
    };
}

wide_modifications! {
    __tsan_atomic128_exchange |_, value| value;
    __tsan_atomic128_fetch_add u128::wrapping_add;
    __tsan_atomic128_fetch_sub u128::wrapping_sub;
    __tsan_atomic128_fetch_and |old, value| old & value;
    __tsan_atomic128_fetch_or |old, value| old | value;
    __tsan_atomic128_fetch_xor |old, value| old ^ value;
    __tsan_atomic128_fetch_nand |old, value| !(old & value);
}
