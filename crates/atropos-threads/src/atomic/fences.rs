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

/// See `std::sync::atomic::compiler_fence`.
#[inline]
#[track_caller]
pub fn compiler_fence(order: Ordering) {
    atomic::compiler_fence(order);
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
