//! Fences and the hint of a spinning thread.

use std::sync::atomic::{self, Ordering};

use crate::control::{control, here};

/// See `std::sync::atomic::fence`.
#[inline]
#[track_caller]
pub fn fence(order: Ordering) {
    if order == Ordering::Relaxed {
        return atomic::fence(order);
    }
    match control() {
        None => atomic::fence(order),
        Some(control) => control.atomic_fence(order, here()),
    }
}

/// See `std::sync::atomic::compiler_fence`. Code for x86 fences memory by a read-modify-write and this, because there
/// every such instruction is a fence.
#[inline]
#[track_caller]
pub fn compiler_fence(order: Ordering) {
    atomic::compiler_fence(order);
    if cfg!(target_arch = "x86_64")
        && order == Ordering::SeqCst
        && let Some(control) = control()
        && control.has_just_modified()
    {
        control.atomic_fence(order, here());
    }
}

/// Machine code of the program's own is about to run. It may be a fence (`lock not`, `mfence`), and is taken for one.
#[inline]
#[track_caller]
pub fn machine_code() {
    fence(Ordering::SeqCst);
}

/// See `std::arch::asm`.
#[macro_export]
macro_rules! asm {
    ($($code:tt)*) => {{
        $crate::atomic::machine_code();
        $crate::__real_std::arch::asm!($($code)*)
    }};
}

/// See `std::sync::atomic::spin_loop_hint`.
#[inline]
#[track_caller]
#[deprecated(since = "1.51.0", note = "use hint::spin_loop instead")]
pub fn spin_loop_hint() {
    spin_loop();
}

/// See `std::hint::spin_loop`.
#[inline]
#[track_caller]
pub fn spin_loop() {
    match control() {
        None => std::hint::spin_loop(),
        Some(control) => control.yield_now(here()),
    }
}
