//! Timers of the kernel, which ring in virtual time (`control::kernel_timers`).

use std::ffi::{c_int, c_void};
use std::time::Duration;

use super::blocking::{PollNow, poll_now};
use crate::control::external_wait::PollFile;
use crate::control::{control, limits};
use crate::memory::heap;
use crate::memory::system::Timespec;

/// When a timer rings, and how often from then on.
#[repr(C)]
pub struct TimerSetting {
    every: Timespec,
    value: Timespec,
}

const ABSOLUTE: c_int = 1;

fn is_zero(time: &Timespec) -> bool {
    time.seconds == 0 && time.nanoseconds == 0
}

fn duration(time: &Timespec) -> Duration {
    Duration::new(time.seconds.max(0) as u64, time.nanoseconds as u32)
}

/// The C library's `timerfd_create`.
///
/// # Safety
/// As in the C library.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn timerfd_create(clock: c_int, flags: c_int) -> c_int {
    type Create = unsafe extern "C" fn(c_int, c_int) -> c_int;
    // SAFETY: the C library has the function, with this signature; the arguments are the caller's.
    let file = unsafe { passed_on!(c"timerfd_create" as Create)(clock, flags) };
    if file >= 0
        && let Some(control) = control()
    {
        control.state().timers.add(file, clock);
    }
    file
}

/// The C library's `timerfd_settime`: a timer that was made under control is set in virtual time.
///
/// # Safety
/// As in the C library.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn timerfd_settime(
    file: c_int,
    flags: c_int,
    new: *const TimerSetting,
    old: *mut TimerSetting,
) -> c_int {
    let clock = control().and_then(|control| control.state().timers.clock(file));
    let Some(clock) = clock else {
        // SAFETY: the caller's.
        return unsafe { set_now(file, flags, new, old) };
    };
    // SAFETY: the caller passes a setting.
    let setting = unsafe { &*new };
    if !is_zero(&setting.every) && !is_zero(&setting.value) {
        limits::not_under_control("a timer of the kernel rings again and again");
    }
    if !old.is_null() {
        // SAFETY: there is room for a setting.
        unsafe { timerfd_gettime(file, old) };
    }
    let after = match is_zero(&setting.value) {
        true => None,
        false if flags & ABSOLUTE != 0 => {
            let now = crate::clock::now_for_program(clock);
            Some(
                duration(&setting.value)
                    .saturating_sub(now.as_ref().map_or(Duration::ZERO, duration)),
            )
        }
        false => Some(duration(&setting.value)),
    };
    // What has rung and was not read is forgotten, as the kernel does it.
    let result = set_kernels(file, 0);
    if result == 0
        && let Some(control) = control()
    {
        control.state().set_kernel_timer(file, after);
    }
    result
}

/// The C library's `timerfd_gettime`.
///
/// # Safety
/// As in the C library.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn timerfd_gettime(file: c_int, out: *mut TimerSetting) -> c_int {
    type Get = unsafe extern "C" fn(c_int, *mut TimerSetting) -> c_int;
    // SAFETY: the C library has the function, with this signature; the arguments are the caller's.
    let result = unsafe { passed_on!(c"timerfd_gettime" as Get)(file, out) };
    if let Some(control) = control()
        && let Some(rings) = control.state().timers.rings(file)
    {
        let left = rings
            .saturating_sub(control.state().virtual_clock.now)
            .max(1);
        // SAFETY: there is room for a setting.
        unsafe {
            (*out).value = Timespec {
                seconds: (left / 1_000_000_000) as i64,
                nanoseconds: (left % 1_000_000_000) as i64,
            };
        }
    }
    result
}

/// # Safety
/// As for [`timerfd_settime`].
unsafe fn set_now(
    file: c_int,
    flags: c_int,
    new: *const TimerSetting,
    old: *mut TimerSetting,
) -> c_int {
    type Set = unsafe extern "C" fn(c_int, c_int, *const TimerSetting, *mut TimerSetting) -> c_int;
    // SAFETY: the C library has the function, with this signature; the arguments are the caller's.
    unsafe { passed_on!(c"timerfd_settime" as Set)(file, flags, new, old) }
}

/// Sets the kernel's timer to so many nanoseconds from now.
fn set_kernels(file: c_int, nanoseconds: i64) -> c_int {
    let time = |nanoseconds| Timespec {
        seconds: 0,
        nanoseconds,
    };
    let setting = TimerSetting {
        every: time(0),
        value: time(nanoseconds),
    };
    // SAFETY: a setting that is there.
    unsafe { set_now(file, 0, &setting, std::ptr::null_mut()) }
}

/// Makes those timers ring whose time has come.
pub fn ring_due() {
    if !heap::program_runs() {
        return;
    }
    let take_due = || {
        let control = control()?;
        let state = control.state();
        state.timers.take_due(state.virtual_clock.now)
    };
    while let Some(file) = take_due() {
        // One that was closed by a way that we don't see rings no more.
        if set_kernels(file, 1) == 0 {
            let mut files = PollFile::readable(file);
            // SAFETY: one descriptor, which is there.
            unsafe { poll_now((&raw mut files).cast::<c_void>(), 1, PollNow::Soon) };
        }
    }
}
