//! Calls of the C library that would block the one OS thread on which all controlled threads run. Sleeping becomes
//! sleeping in virtual time. Who waits for files goes on when the system says that one is ready. When nobody else can run, threads
//! that wait for what only this process can make ready wait for each other; if anybody else can, the execution depends on the
//! outside world, and ends there. Starting an OS thread is let through and marked.

use std::ffi::{c_int, c_ulong, c_void};
use std::time::Duration;

use atropos_protocol::{numbers, sys};

use super::timers;
use crate::control::external_wait::{ExternalWaitEnd, PollFile, WaitedFiles};
use crate::control::{control, external_wait, limits};
use crate::memory::heap;
use crate::memory::system::Timespec;

/// The C library's `nanosleep`.
///
/// # Safety
/// As in the C library.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nanosleep(duration: *const Timespec, left: *mut Timespec) -> c_int {
    if heap::program_runs() {
        // SAFETY: the duration is readable by contract.
        let duration = unsafe { &*duration };
        crate::thread::sleep(Duration::new(
            duration.seconds.max(0) as u64,
            duration.nanoseconds as u32,
        ));
        return 0;
    }
    type Nanosleep = unsafe extern "C" fn(*const Timespec, *mut Timespec) -> c_int;
    // SAFETY: the C library has the function, with this signature.
    unsafe { passed_on!(c"nanosleep" as Nanosleep)(duration, left) }
}

/// Waits until something is there or the time is up. `files` are those that `look` looks at.
///
/// # Safety
/// As for [`WaitedFiles::new`].
unsafe fn wait_outside(
    what: &str,
    after: Option<Duration>,
    files: WaitedFiles,
    look: &dyn Fn() -> c_int,
) -> c_int {
    let until = external_wait::deadline(after);
    let mut alone = 0;
    loop {
        timers::ring_due();
        let found = look();
        if found != 0 || after == Some(Duration::ZERO) {
            external_wait::read();
            return found;
        }
        // SAFETY: the caller's promise.
        match unsafe { external_wait::wait(files, until) } {
            ExternalWaitEnd::Ready | ExternalWaitEnd::TimerIsDue => {}
            ExternalWaitEnd::TimedOut => {
                timers::ring_due();
                return look();
            }
            ExternalWaitEnd::Alone => alone += 1,
        }
        if alone > MOST_LOOKS_ALONE {
            // To wait in earnest may take for ever, and nothing would be learned by it.
            limits::not_under_control(what);
        }
    }
}

/// Looks with nobody else able to run before it is plain that the outside world is waited for.
const MOST_LOOKS_ALONE: u32 = 20;

/// How long descriptors are looked at.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PollNow {
    AtOnce,
    /// The kernel is about to make one ready.
    Soon,
}

/// How many of these are ready now.
///
/// # Safety
/// As for the C library's `poll`.
pub unsafe fn poll_now(files: *mut c_void, count: usize, how: PollNow) -> c_int {
    const SECOND: c_int = 1000;
    let timeout = match how {
        PollNow::AtOnce => 0,
        PollNow::Soon => SECOND,
    };
    type Poll = unsafe extern "C" fn(*mut c_void, c_ulong, c_int) -> c_int;
    // SAFETY: the C library has the function, with this signature; the arguments are the caller's.
    unsafe { passed_on!(c"poll" as Poll)(files, count as c_ulong, timeout) }
}

/// A limit of time as most calls take it: less than none means for ever.
fn milliseconds(timeout: c_int) -> Option<Duration> {
    (timeout >= 0).then(|| Duration::from_millis(timeout as u64))
}

/// The C library's `poll`.
///
/// # Safety
/// As in the C library.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn poll(files: *mut c_void, count: c_ulong, timeout: c_int) -> c_int {
    // SAFETY: the caller's promise.
    unsafe { poll_for("poll", files, count, timeout) }
}

/// # Safety
/// As for [`poll`].
unsafe fn poll_for(what: &str, files: *mut c_void, count: c_ulong, timeout: c_int) -> c_int {
    type Poll = unsafe extern "C" fn(*mut c_void, c_ulong, c_int) -> c_int;
    // SAFETY: the C library has the function, with this signature; the arguments are the caller's.
    let look = |timeout| unsafe { passed_on!(c"poll" as Poll)(files, count, timeout) };
    if heap::program_runs() {
        // SAFETY: the caller's own, which waits here.
        unsafe {
            let waited = WaitedFiles::new(files.cast(), count as usize);
            wait_outside(what, milliseconds(timeout), waited, &|| look(0))
        }
    } else {
        look(timeout)
    }
}

/// Waits for a set of descriptors.
///
/// # Safety
/// As in the C library.
unsafe fn epoll_for(
    what: &str,
    file: c_int,
    after: Option<Duration>,
    look: &dyn Fn() -> c_int,
) -> c_int {
    let mut set = PollFile::readable(file);
    // SAFETY: it outlives the call.
    unsafe { wait_outside(what, after, WaitedFiles::new(&raw mut set, 1), look) }
}

/// The C library's `epoll_wait`.
///
/// # Safety
/// As in the C library.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn epoll_wait(
    file: c_int,
    events: *mut c_void,
    most: c_int,
    timeout: c_int,
) -> c_int {
    type EpollWait = unsafe extern "C" fn(c_int, *mut c_void, c_int, c_int) -> c_int;
    // SAFETY: as in `poll`.
    let look =
        |timeout| unsafe { passed_on!(c"epoll_wait" as EpollWait)(file, events, most, timeout) };
    match heap::program_runs() {
        // SAFETY: the caller's.
        true => unsafe { epoll_for("epoll_wait", file, milliseconds(timeout), &|| look(0)) },
        false => look(timeout),
    }
}

/// The C library's `epoll_pwait`.
///
/// # Safety
/// As in the C library.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn epoll_pwait(
    file: c_int,
    events: *mut c_void,
    most: c_int,
    timeout: c_int,
    signals: *const c_void,
) -> c_int {
    type EpollWait = unsafe extern "C" fn(c_int, *mut c_void, c_int, c_int, *const c_void) -> c_int;
    // SAFETY: as in `poll`.
    let look = |timeout| unsafe {
        passed_on!(c"epoll_pwait" as EpollWait)(file, events, most, timeout, signals)
    };
    match heap::program_runs() {
        // SAFETY: the caller's.
        true => unsafe { epoll_for("epoll_pwait", file, milliseconds(timeout), &|| look(0)) },
        false => look(timeout),
    }
}

/// `epoll_pwait2`, which some C libraries lack: it goes to the kernel by its number.
///
/// # Safety
/// As in the C library.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn epoll_pwait2(
    file: c_int,
    events: *mut c_void,
    most: c_int,
    timeout: *const Timespec,
    signals: *const c_void,
) -> c_int {
    const SIGNALS: usize = 8;
    let call = |timeout: *const Timespec| {
        let arguments = [
            file as usize,
            events as usize,
            most as usize,
            timeout as usize,
            signals as usize,
            SIGNALS,
        ];
        // SAFETY: the kernel has the call, with these arguments, which are the caller's.
        let result = unsafe { sys::call(numbers::EPOLL_PWAIT2, arguments) };
        result.map_or(-1, |found| found as c_int)
    };
    if !heap::program_runs() {
        return call(timeout);
    }
    // SAFETY: a time, or null.
    let after = unsafe { timeout.as_ref() };
    let after =
        after.map(|after| Duration::new(after.seconds.max(0) as u64, after.nanoseconds as u32));
    let at_once = Timespec {
        seconds: 0,
        nanoseconds: 0,
    };
    // SAFETY: the caller's.
    unsafe { epoll_for("epoll_pwait2", file, after, &|| call(&at_once)) }
}

/// Waits until a file can be read or written, while others run; then that does not block.
fn wait_ready(what: &str, file: c_int, wanted: i16) {
    let mut files = PollFile {
        file,
        events: wanted,
        found: 0,
    };
    // SAFETY: the array has one element, which outlives the call.
    unsafe { poll_for(what, (&raw mut files).cast(), 1, -1) };
}

const READABLE: i16 = 1;
const WRITABLE: i16 = 4;

/// Waits until a file has something to read. Who does not want to wait only lets others go first.
fn wait_readable(what: &str, file: c_int, flags: c_int) {
    if !heap::program_runs() {
        return;
    }
    if flags & DONT_WAIT != 0 || never_blocks(file) {
        external_wait::look();
        external_wait::read();
        return;
    }
    wait_ready(what, file, READABLE);
}

/// What is passed to send and receive by who does not want to wait.
const DONT_WAIT: c_int = 0x40;

/// Whether reading from a file is answered at once, also if there is nothing.
fn never_blocks(file: c_int) -> bool {
    const GET_FLAGS: c_int = 3;
    const NON_BLOCKING: c_int = 0o4000;
    unsafe extern "C" {
        fn fcntl(file: c_int, command: c_int, ...) -> c_int;
    }
    // SAFETY: asking for the flags changes nothing; of a file that is not open none are told.
    let flags = unsafe { fcntl(file, GET_FLAGS) };
    flags != -1 && flags & NON_BLOCKING != 0
}

/// Defines a function of the C library that reads from a file: it waits until there is something.
macro_rules! reading {
    ($name:ident($file:ident $(, $argument:ident: $type:ty)*) -> $result:ty, $symbol:literal, $flags:expr) => {
        /// The C library's function of this name.
        ///
        /// # Safety
        /// As in the C library.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name($file: c_int $(, $argument: $type)*) -> $result {
            wait_readable(stringify!($name), $file, $flags);
            type Function = unsafe extern "C" fn(c_int $(, $type)*) -> $result;
            // SAFETY: the C library has the function, with this signature; the arguments are the caller's.
            unsafe {
                passed_on!($symbol as Function)($file $(, $argument)*)
            }
        }
    };
}

reading!(read(file, buffer: *mut c_void, length: usize) -> isize, c"read", 0);
reading!(recv(file, buffer: *mut c_void, length: usize, flags: c_int) -> isize, c"recv", flags);
reading!(recvfrom(file, buffer: *mut c_void, length: usize, flags: c_int, address: *mut c_void, size: *mut c_void) -> isize, c"recvfrom", flags);
reading!(accept(file, address: *mut c_void, size: *mut c_void) -> c_int, c"accept", 0);
reading!(accept4(file, address: *mut c_void, size: *mut c_void, flags: c_int) -> c_int, c"accept4", 0);

/// As much as there is room for in a pipe or socket that can be written, in bytes.
const PIECE: usize = 4096;

/// Whether what is written at once must arrive as one message.
fn keeps_messages(file: c_int) -> bool {
    const SOCKET: c_int = 1;
    const TYPE: c_int = 3;
    const STREAM: c_int = 1;
    unsafe extern "C" {
        fn getsockopt(
            file: c_int,
            level: c_int,
            name: c_int,
            value: *mut c_int,
            size: *mut u32,
        ) -> c_int;
    }
    let (mut kind, mut size) = (STREAM, size_of::<c_int>() as u32);
    // SAFETY: there is room for a number. What is no socket has no type.
    unsafe { getsockopt(file, SOCKET, TYPE, &mut kind, &mut size) };
    kind != STREAM
}

/// Writes piece by piece, and lets others run where there is no room. (What the test prints is never waited for: who reads it is
/// not in the program.)
fn write_pieces(
    what: &str,
    file: c_int,
    flags: c_int,
    length: usize,
    write: &dyn Fn(usize, usize) -> isize,
) -> isize {
    if !heap::program_runs() || file <= 2 {
        return write(0, length);
    }
    external_wait::write();
    if flags & DONT_WAIT != 0 || never_blocks(file) {
        return write(0, length);
    }
    let most = match length > PIECE && keeps_messages(file) {
        true => length,
        false => PIECE,
    };
    let mut written = 0;
    loop {
        wait_ready(what, file, WRITABLE);
        let now = write(written, most.min(length - written));
        match now {
            1.. => written += now as usize,
            _ if written == 0 => return now,
            _ => return written as isize,
        }
        if written == length {
            return written as isize;
        }
    }
}

/// The C library's `write`.
///
/// # Safety
/// As in the C library.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn write(file: c_int, buffer: *const c_void, length: usize) -> isize {
    type Write = unsafe extern "C" fn(c_int, *const c_void, usize) -> isize;
    write_pieces("write", file, 0, length, &|start, length| {
        // SAFETY: the C library has the function, with this signature; the piece lies in the caller's buffer.
        unsafe { passed_on!(c"write" as Write)(file, buffer.byte_add(start), length) }
    })
}

/// The C library's `send`.
///
/// # Safety
/// As in the C library.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn send(
    file: c_int,
    buffer: *const c_void,
    length: usize,
    flags: c_int,
) -> isize {
    type Send = unsafe extern "C" fn(c_int, *const c_void, usize, c_int) -> isize;
    write_pieces("send", file, flags, length, &|start, length| {
        // SAFETY: as in `write`.
        unsafe { passed_on!(c"send" as Send)(file, buffer.byte_add(start), length, flags) }
    })
}

/// Defines a function of the C library that starts a process: it is let through and marked.
macro_rules! starting {
    ($name:ident($($argument:ident: $type:ty),*), $symbol:literal) => {
        /// The C library's function of this name.
        ///
        /// # Safety
        /// As in the C library.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name($($argument: $type),*) -> c_int {
            if heap::program_runs() {
                external_wait::mark("a process is started");
            }
            type Function = unsafe extern "C" fn($($type),*) -> c_int;
            // SAFETY: the C library has the function, with this signature; the arguments are the caller's.
            unsafe {
                passed_on!($symbol as Function)($($argument),*)
            }
        }
    };
}

starting!(fork(), c"fork");
starting!(posix_spawn(pid: *mut c_int, path: *const c_void, actions: *const c_void, attributes: *const c_void, arguments: *const c_void, environment: *const c_void), c"posix_spawn");
starting!(posix_spawnp(pid: *mut c_int, file: *const c_void, actions: *const c_void, attributes: *const c_void, arguments: *const c_void, environment: *const c_void), c"posix_spawnp");

/// The C library's `pthread_create`.
///
/// # Safety
/// As in the C library.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pthread_create(
    thread: *mut c_ulong,
    attributes: *const c_void,
    start: *const c_void,
    argument: *mut c_void,
) -> c_int {
    if heap::program_runs() {
        external_wait::mark("an OS thread that nobody controls is started");
    }
    type Create =
        unsafe extern "C" fn(*mut c_ulong, *const c_void, *const c_void, *mut c_void) -> c_int;
    // SAFETY: as in `poll`. What the C library allocates for the thread is its own.
    unsafe {
        let control = control();
        let code = passed_on!(c"pthread_create" as Create)(thread, attributes, start, argument);
        drop(control);
        code
    }
}
