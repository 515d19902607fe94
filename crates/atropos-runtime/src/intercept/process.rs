//! Calls that start processes or threads, or send signals.

use std::ffi::{CStr, c_char, c_int, c_void};

use atropos_protocol::{Effect, woven_stack};

use super::{Next, intercept};
use crate::effects::{self, note};
use crate::{heap, inherited, limits, spawns, steps};

fn starting(call: &CStr, path: *const c_char) {
    note(Effect::Processes, call, Some(path));
    limits::lift();
}

/// As `starting`, with the environment of this process.
fn starting_as_this(call: &CStr, path: *const c_char) {
    starting(call, path);
    // SAFETY: the program is about to hand this path to libc.
    unsafe { inherited::set_own_environment(path) };
}

/// As `starting`, where this process goes on beside the other.
fn spawning(call: &CStr, path: *const c_char) {
    starting(call, path);
    spawns::count();
}

fn signalling(call: &CStr, target: c_int, signal: c_int) {
    note(Effect::Kill, call, None);
    // Signal 0 only asks whether somebody is there.
    if signal != 0 {
        effects::signal(call, target);
    }
}

type Strings = *const *const c_char;

intercept! {
    fn fork() -> c_int, -1,
        |call| spawning(call, std::ptr::null());
    fn posix_spawn(
        pid: *mut c_int, path: *const c_char, actions: *const c_void, attributes: *const c_void,
        arguments: Strings, environment: Strings,
    ) -> c_int, 38,
        |call| spawning(call, path),
        with environment = unsafe { inherited::environment(path, environment) };
    fn posix_spawnp(
        pid: *mut c_int, path: *const c_char, actions: *const c_void, attributes: *const c_void,
        arguments: Strings, environment: Strings,
    ) -> c_int, 38,
        |call| spawning(call, path),
        with environment = unsafe { inherited::environment(path, environment) };
    fn execve(path: *const c_char, arguments: Strings, environment: Strings) -> c_int, -1,
        |call| starting(call, path),
        with environment = unsafe { inherited::environment(path, environment) };
    fn execv(path: *const c_char, arguments: Strings) -> c_int, -1,
        |call| starting_as_this(call, path);
    fn execvp(path: *const c_char, arguments: Strings) -> c_int, -1,
        |call| starting_as_this(call, path);
    fn execvpe(path: *const c_char, arguments: Strings, environment: Strings) -> c_int, -1,
        |call| starting(call, path),
        with environment = unsafe { inherited::environment(path, environment) };
    fn fexecve(file: c_int, arguments: Strings, environment: Strings) -> c_int, -1,
        |call| starting(call, std::ptr::null());
    fn system(command: *const c_char) -> c_int, -1,
        |call| spawning(call, command);
    fn popen(command: *const c_char, mode: *const c_char) -> *mut c_void, std::ptr::null_mut(),
        |call| spawning(call, command);
    fn kill(pid: c_int, signal: c_int) -> c_int, -1,
        |call| signalling(call, pid, signal);
    fn killpg(group: c_int, signal: c_int) -> c_int, -1,
        |call| signalling(call, -group, signal);
    fn sigqueue(pid: c_int, signal: c_int, value: *mut c_void) -> c_int, -1,
        |call| signalling(call, pid, signal);
    fn getpid() -> c_int, 0,
        |call| note(Effect::ProcessId, call, None);
}

/// The parent of a vfork may not return before the child is gone, which a wrapper can't ensure;
/// a fork serves as well.
///
/// # Safety
/// As libc's `fork`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vfork() -> c_int {
    // SAFETY: no conditions.
    unsafe { fork() }
}

/// # Safety
/// As libc's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pthread_create(
    thread: *mut c_void,
    attributes: *const c_void,
    start: *mut c_void,
    argument: *mut c_void,
) -> c_int {
    static NEXT: Next = Next::new(c"pthread_create");
    const EAGAIN: c_int = 11;
    heap::threads_start();
    limits::threads_start();
    steps::threads_start();
    note(Effect::Threads, c"pthread_create", None);
    spawns::count();
    let Some(next) = NEXT.get() else {
        return EAGAIN;
    };
    // SAFETY: libc's function has this type; the arguments are the caller's.
    unsafe {
        let next: unsafe extern "C" fn(
            *mut c_void,
            *const c_void,
            *mut c_void,
            *mut c_void,
        ) -> c_int = std::mem::transmute(next);
        next(thread, attributes, start, argument)
    }
}

/// Woven code needs several times the stack of the original, so a thread gets more than it asks for: a program that is
/// content with what it asks for must not overflow because it holds mutants. It is a matter of addresses; memory is only
/// taken by those who go so deep.
///
/// # Safety
/// As libc's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pthread_attr_setstacksize(attributes: *mut c_void, size: usize) -> c_int {
    static NEXT: Next = Next::new(c"pthread_attr_setstacksize");
    const EINVAL: c_int = 22;
    let Some(next) = NEXT.get() else {
        return EINVAL;
    };
    // SAFETY: libc's function has this type; the attributes are the caller's.
    unsafe {
        let next: unsafe extern "C" fn(*mut c_void, usize) -> c_int = std::mem::transmute(next);
        next(attributes, woven_stack(size))
    }
}
