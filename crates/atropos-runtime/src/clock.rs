//! Hides from the program the time that it stood still while forked mutants ran.
//!
//! Without this, a test that measures its own time would fail in every mutant that is forked
//! after a slow one. Also keeps in mind that the program has looked.

use std::ffi::{CStr, c_int, c_long, c_void};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use atropos_protocol::Effect;

use crate::effects;
use crate::intercept::Next;

/// Nanoseconds that did not happen.
static HIDDEN: AtomicU64 = AtomicU64::new(0);

/// The program has looked at the clock.
static LOOKED: AtomicBool = AtomicBool::new(false);

/// Whether the program has looked at the clock since this was last asked.
pub fn was_looked_at() -> bool {
    LOOKED.swap(false, Ordering::Relaxed)
}

fn note_look(call: &CStr) {
    LOOKED.store(true, Ordering::Relaxed);
    effects::note_clock(call);
}

const SECOND: i64 = 1_000_000_000;

#[repr(C)]
pub struct TimeSpec {
    seconds: i64,
    nanoseconds: i64,
}

pub fn hide(nanoseconds: u64) {
    HIDDEN.fetch_add(nanoseconds, Ordering::Relaxed);
}

fn earlier(seconds: i64, nanoseconds: i64, hidden: u64) -> (i64, i64) {
    let time = i128::from(seconds) * i128::from(SECOND) + i128::from(nanoseconds);
    let time = time - i128::from(hidden);
    let second = i128::from(SECOND);
    (
        time.div_euclid(second) as i64,
        time.rem_euclid(second) as i64,
    )
}

/// # Safety
/// As libc's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clock_gettime(clock: c_int, time: *mut TimeSpec) -> c_int {
    static NEXT: Next = Next::new(c"clock_gettime");
    const PROCESS_CPU: c_int = 2;
    const THREAD_CPU: c_int = 3;
    let Some(next) = NEXT.get() else { return -1 };
    // SAFETY: libc's function has this type; the arguments are the caller's.
    let result = unsafe {
        let next: unsafe extern "C" fn(c_int, *mut TimeSpec) -> c_int = std::mem::transmute(next);
        next(clock, time)
    };
    if clock == PROCESS_CPU || clock == THREAD_CPU || clock < 0 {
        LOOKED.store(true, Ordering::Relaxed);
        effects::note(Effect::CpuClock, c"clock_gettime", None);
        return result;
    }
    note_look(c"clock_gettime");
    let hidden = HIDDEN.load(Ordering::Relaxed);
    if hidden != 0 && result == 0 {
        // SAFETY: libc just filled it.
        let time = unsafe { &mut *time };
        (time.seconds, time.nanoseconds) = earlier(time.seconds, time.nanoseconds, hidden);
    }
    result
}

/// # Safety
/// As libc's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gettimeofday(time: *mut [c_long; 2], zone: *mut c_void) -> c_int {
    static NEXT: Next = Next::new(c"gettimeofday");
    let Some(next) = NEXT.get() else { return -1 };
    // SAFETY: as above.
    let result = unsafe {
        let next: unsafe extern "C" fn(*mut [c_long; 2], *mut c_void) -> c_int =
            std::mem::transmute(next);
        next(time, zone)
    };
    note_look(c"gettimeofday");
    let hidden = HIDDEN.load(Ordering::Relaxed);
    if hidden != 0 && result == 0 && !time.is_null() {
        // SAFETY: libc just filled it: seconds and microseconds.
        let time = unsafe { &mut *time };
        let (seconds, nanoseconds) = earlier(time[0], time[1] * 1000, hidden);
        *time = [seconds, nanoseconds / 1000];
    }
    result
}

/// # Safety
/// As libc's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn time(place: *mut c_long) -> c_long {
    let mut now = [0, 0];
    // SAFETY: two words of our own.
    unsafe { gettimeofday(&raw mut now, std::ptr::null_mut()) };
    if !place.is_null() {
        // SAFETY: the caller's place.
        unsafe { *place = now[0] };
    }
    now[0]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hidden_time_is_subtracted_across_seconds() {
        assert_eq!(earlier(5, 100, 0), (5, 100));
        assert_eq!(earlier(5, 100, 200), (4, SECOND - 100));
        assert_eq!(earlier(0, 0, 1), (-1, SECOND - 1));
    }

    #[test]
    fn the_clock_still_ticks() {
        let start = std::time::Instant::now();
        std::thread::sleep(std::time::Duration::from_millis(2));
        assert!(start.elapsed().as_millis() >= 2);
        assert!(was_looked_at());
        let since_1970 = std::time::SystemTime::now()
            .duration_since(std::time::UNIX_EPOCH)
            .unwrap();
        // SAFETY: null is allowed.
        let seconds = unsafe { time(std::ptr::null_mut()) };
        assert!(since_1970.as_secs().abs_diff(seconds as u64) <= 1);
    }
}
