//! Calls that change what the kernel keeps for this process, or that ask for what a fork changes.

use std::ffi::{CStr, c_char, c_int, c_long, c_uint, c_void};

use atropos_protocol::Effect;

use super::intercept;
use crate::effects::{note, note_clock};
use crate::{lasting_changes, outside_tests};

fn setting(call: &CStr) {
    note(Effect::ProcessState, call, None);
}

fn signals(call: &CStr) {
    note(Effect::Signals, call, None);
}

fn moving(call: &CStr) {
    note(Effect::Directory, call, None);
}

fn mapping(call: &CStr, protection: c_int, flags: c_int) {
    const PROT_WRITE: c_int = 2;
    const MAP_SHARED: c_int = 1;
    let shared = flags & MAP_SHARED != 0 && protection & PROT_WRITE != 0;
    let effect = if shared {
        Effect::SharedMemory
    } else {
        Effect::Mapping
    };
    note(effect, call, None);
}

// What a program asks of its environment is evidence. Who goes through all variables is not noticed here.
intercept! {
    fn getenv(name: *const c_char) -> *mut c_char, std::ptr::null_mut(),
        |_| lasting_changes::ask_for_variable(name);
    fn secure_getenv(name: *const c_char) -> *mut c_char, std::ptr::null_mut(),
        |_| lasting_changes::ask_for_variable(name);
}

intercept! {
    // `atexit` comes here, too.
    fn __cxa_atexit(function: *mut c_void, argument: *mut c_void, object: *mut c_void) -> c_int, -1,
        |_| outside_tests::note_handler(function);
    fn chdir(path: *const c_char) -> c_int, -1, moving;
    fn fchdir(directory: c_int) -> c_int, -1, moving;
    fn chroot(path: *const c_char) -> c_int, -1, moving;
    // Asking for a handler or a mask is no change of it.
    fn sigaction(signal: c_int, new: *const c_void, old: *mut c_void) -> c_int, -1,
        |call| if !new.is_null() { signals(call) };
    fn signal(signal: c_int, handler: usize) -> usize, usize::MAX, signals;
    fn sigprocmask(how: c_int, new: *const c_void, old: *mut c_void) -> c_int, -1,
        |call| if !new.is_null() { signals(call) };
    fn pthread_sigmask(how: c_int, new: *const c_void, old: *mut c_void) -> c_int, 38,
        |call| if !new.is_null() { signals(call) };
    fn umask(mask: c_uint) -> c_uint, 0, setting;
    fn setrlimit(resource: c_int, limit: *const c_void) -> c_int, -1, setting;
    fn setrlimit64(resource: c_int, limit: *const c_void) -> c_int, -1, setting;
    fn setpriority(which: c_int, who: c_uint, value: c_int) -> c_int, -1, setting;
    fn setuid(id: c_uint) -> c_int, -1, setting;
    fn setgid(id: c_uint) -> c_int, -1, setting;
    fn setsid() -> c_int, -1, setting;
    fn setpgid(pid: c_int, group: c_int) -> c_int, -1, setting;
    fn setitimer(which: c_int, new: *const c_void, old: *mut c_void) -> c_int, -1, setting;
    fn alarm(seconds: c_uint) -> c_uint, 0, setting;
    fn timer_create(clock: c_int, event: *mut c_void, timer: *mut c_void) -> c_int, -1, setting;
    fn sched_setaffinity(pid: c_int, size: usize, mask: *const c_void) -> c_int, -1, setting;
    fn mmap(
        place: *mut c_void, length: usize, protection: c_int, flags: c_int, file: c_int,
        offset: c_long,
    ) -> *mut c_void, usize::MAX as *mut c_void,
        |call| mapping(call, protection, flags);
    fn mmap64(
        place: *mut c_void, length: usize, protection: c_int, flags: c_int, file: c_int,
        offset: c_long,
    ) -> *mut c_void, usize::MAX as *mut c_void,
        |call| mapping(call, protection, flags);
    fn mprotect(place: *mut c_void, length: usize, protection: c_int) -> c_int, -1,
        |call| note(Effect::Mapping, call, None);
    fn shm_open(name: *const c_char, flags: c_int, mode: c_uint) -> c_int, -1,
        |call| note(Effect::SharedMemory, call, Some(name));
    fn shmget(key: c_int, size: usize, flags: c_int) -> c_int, -1,
        |call| note(Effect::SharedMemory, call, None);
    fn getrusage(who: c_int, usage: *mut c_void) -> c_int, -1,
        |call| note(Effect::CpuClock, call, None);
    fn clock() -> c_long, -1,
        |call| note(Effect::CpuClock, call, None);
    // Waiting for time to pass is a look at the clock, too.
    fn nanosleep(time: *const c_void, left: *mut c_void) -> c_int, -1, note_clock;
    fn clock_nanosleep(clock: c_int, flags: c_int, time: *const c_void, left: *mut c_void) -> c_int, 38,
        note_clock;
    fn times(buffer: *mut c_void) -> c_long, -1,
        |call| note(Effect::CpuClock, call, None);
}
