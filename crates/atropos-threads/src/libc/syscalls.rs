//! What dependencies ask of the kernel without std: `syscall(SYS_futex, …)` of a controlled thread waits and wakes among
//! controlled threads, `syscall(SYS_membarrier, …)` fences their memory, and `syscall(SYS_getrandom, …)` gives the same
//! bytes in every execution. All other system calls pass.

use std::ffi::{c_int, c_long, c_void};
use std::time::Duration;

use super::allocation_and_clock;
use crate::control::futex::{self, FutexWaitEnd};
use crate::control::{control, here};
use crate::memory::heap;
use crate::memory::system::Timespec;

#[cfg(target_arch = "x86_64")]
const SYS_FUTEX: c_long = 202;
#[cfg(target_arch = "aarch64")]
const SYS_FUTEX: c_long = 98;
#[cfg(target_arch = "x86_64")]
const SYS_MEMBARRIER: c_long = 324;
#[cfg(target_arch = "aarch64")]
const SYS_MEMBARRIER: c_long = 283;
#[cfg(target_arch = "x86_64")]
const SYS_GETRANDOM: c_long = 318;
#[cfg(target_arch = "aarch64")]
const SYS_GETRANDOM: c_long = 278;
/// The commands of `membarrier` that fence (of all processes, of those that want it, of this one); others ask and register.
const FENCING: [c_long; 3] = [1, 2, 8];
const WAIT: c_long = 0;
const WAKE: c_long = 1;
const WAIT_BITSET: c_long = 9;
const WAKE_BITSET: c_long = 10;
/// Without the bits that say "private" and "by the wall clock".
const COMMAND: c_long = 0x7f;
const WALL_CLOCK: c_long = 256;
const NOT_THIS_VALUE: c_int = 11;
const TIMED_OUT: c_int = 110;
const MONOTONIC: c_int = 1;

unsafe extern "C" {
    fn __errno_location() -> *mut c_int;
}

/// The C library's `syscall`.
///
/// # Safety
/// As in the C library. The arguments that a call does not have are not looked at.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn syscall(
    number: c_long,
    a: c_long,
    b: c_long,
    c: c_long,
    d: c_long,
    e: c_long,
    f: c_long,
) -> c_long {
    if number == SYS_FUTEX && heap::program_runs() {
        // SAFETY: the caller passes what the kernel would want.
        if let Some(result) = unsafe { controlled_futex(a, b, c, d) } {
            return result;
        }
    }
    if number == SYS_MEMBARRIER
        && FENCING.contains(&a)
        && heap::program_runs()
        && let Some(control) = control()
    {
        control.fence_of_all(here());
        return 0;
    }
    if number == SYS_GETRANDOM {
        // SAFETY: the caller passes what the kernel would want, and the C library's function wants the same.
        return unsafe { allocation_and_clock::getrandom(a as *mut c_void, b as usize, c as u32) }
            as c_long;
    }
    type Syscall =
        unsafe extern "C" fn(c_long, c_long, c_long, c_long, c_long, c_long, c_long) -> c_long;
    // SAFETY: the C library has the function; passing more arguments than a call has does no harm in these calling conventions.
    unsafe { passed_on!(c"syscall" as Syscall)(number, a, b, c, d, e, f) }
}

/// # Safety
/// The arguments must be those of a futex call; `None` if it is of a kind that is not controlled.
unsafe fn controlled_futex(
    address: c_long,
    operation: c_long,
    value: c_long,
    timeout: c_long,
) -> Option<c_long> {
    let word = address as *const u32;
    let outcome = match operation & COMMAND {
        command @ (WAIT | WAIT_BITSET) => {
            // SAFETY: a pointer to a time, or null.
            let time = unsafe { (timeout as *const Timespec).as_ref() };
            let time =
                time.map(|time| Duration::new(time.seconds.max(0) as u64, time.nanoseconds as u32));
            let clock = if operation & WALL_CLOCK != 0 {
                0
            } else {
                MONOTONIC
            };
            let left = match command {
                WAIT => time,
                _ => time.map(|until| {
                    let now = crate::clock::now_for_program(clock).unwrap_or(Timespec {
                        seconds: 0,
                        nanoseconds: 0,
                    });
                    until.saturating_sub(Duration::new(now.seconds as u64, now.nanoseconds as u32))
                }),
            };
            // SAFETY: the word is the caller's.
            unsafe { futex::wait(word, value as u32, left) }
        }
        WAKE | WAKE_BITSET => return Some(futex::wake(word, value as u32) as c_long),
        _ => return None,
    };
    let error = match outcome {
        FutexWaitEnd::Woken => return Some(0),
        FutexWaitEnd::OtherValue => NOT_THIS_VALUE,
        FutexWaitEnd::TimedOut => TIMED_OUT,
    };
    // SAFETY: the calling thread's own error number.
    unsafe { *__errno_location() = error };
    Some(-1)
}
