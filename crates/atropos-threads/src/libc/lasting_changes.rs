//! Calls of the C library that change what lies outside the process and so outlives an execution: files, directories, the
//! current directory, other processes. But for files in the process's own directory ([`super::private_files`]) they are not
//! let through, and end the execution: the next one would not begin as this one did, and a mutant must not destroy what the
//! original leaves alone. (The environment is put back with the statics.) Looks at what changes outside by itself only mark
//! the execution.

use std::ffi::{CStr, c_char, c_int, c_long, c_uint};

use crate::control::{control, external_wait, limits};
use crate::libc::private_files;
use crate::memory::heap;

const WRITE_ONLY: c_int = 1;
const READ_WRITE: c_int = 2;
const CREATE: c_int = 0o100;
const TRUNCATE: c_int = 0o1000;

/// Places whose files are none: writing there leaves nothing behind.
const NO_FILES: [&[u8]; 3] = [b"/dev/", b"/proc/", b"/sys/"];

/// What the kernel says of a process that differs from one moment to the next, and includes what we take ourselves: memory
/// and time. (A backtrace reads `maps`, which is of no consequence.)
const OF_THE_MOMENT: [&[u8]; 7] = [
    b"stat",
    b"statm",
    b"status",
    b"smaps",
    b"smaps_rollup",
    b"io",
    b"schedstat",
];

/// The current directory, in calls that take a directory.
const HERE: c_int = -100;

/// Whether all of these paths, with the directories that they are relative to, lie where changes are undone.
fn are_private(paths: &[(c_int, *const c_char)]) -> bool {
    // What is found out about them is none of the program's doing.
    let control = control();
    let are_private = paths
        .iter()
        .all(|(at, path)| private_files::may_change(*at, *path));
    drop(control);
    are_private
}

fn mark_opening(at: c_int, path: *const c_char, flags: c_int) {
    if !heap::program_runs() {
        return;
    }
    let name = path;
    // SAFETY: callers of the C library pass a path that ends with 0.
    let path = unsafe { CStr::from_ptr(path) }.to_bytes();
    if flags & (WRITE_ONLY | READ_WRITE | CREATE | TRUNCATE) != 0 {
        let is_file = !NO_FILES.iter().any(|place| path.starts_with(place));
        if is_file && !are_private(&[(at, name)]) {
            limits::not_under_control("a file is written");
        }
    } else if let Some(path) = path.strip_prefix(b"/proc/") {
        let mut words = path.rsplit(|byte| *byte == b'/');
        let is_of_process = path.contains(&b'/');
        if is_of_process
            && words
                .next()
                .is_some_and(|word| OF_THE_MOMENT.contains(&word))
        {
            external_wait::mark("its memory is measured");
        }
    }
}

/// Defines a function of the C library that opens a file.
macro_rules! opening {
    ($name:ident($($before:ident: $type:ty)?), $at:expr, $symbol:literal) => {
        /// The C library's function of this name.
        ///
        /// # Safety
        /// As in the C library. It may be called without a mode, which is then any.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name($($before: $type,)? path: *const c_char, flags: c_int, mode: c_uint) -> c_int {
            mark_opening($at, path, flags);
            type Function = unsafe extern "C" fn($($type,)? *const c_char, c_int, ...) -> c_int;
            // SAFETY: the C library has the function, with this signature; the arguments are the caller's.
            unsafe {
                passed_on!($symbol as Function)($($before,)? path, flags, mode)
            }
        }
    };
}

opening!(open(), HERE, c"open");
opening!(open64(), HERE, c"open64");
opening!(openat(directory: c_int), directory, c"openat");
opening!(openat64(directory: c_int), directory, c"openat64");

/// Defines a function of the C library that changes something outside: which paths it changes, if that may be let through.
macro_rules! changing {
    ($name:ident($($argument:ident: $type:ty),*), [$($place:expr),*], $symbol:literal, $what:literal) => {
        /// The C library's function of this name.
        ///
        /// # Safety
        /// As in the C library.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name($($argument: $type),*) -> c_int {
            let places: &[(c_int, *const c_char)] = &[$($place),*];
            if heap::program_runs() && (places.is_empty() || !are_private(places)) {
                limits::not_under_control($what);
            }
            type Function = unsafe extern "C" fn($($type),*) -> c_int;
            // SAFETY: as above.
            unsafe {
                passed_on!($symbol as Function)($($argument),*)
            }
        }
    };
}

changing!(mkdir(path: *const c_char, mode: c_uint), [(HERE, path)], c"mkdir", "a directory is made");
changing!(rmdir(path: *const c_char), [(HERE, path)], c"rmdir", "a directory is removed");
changing!(unlink(path: *const c_char), [(HERE, path)], c"unlink", "a file is removed");
changing!(unlinkat(directory: c_int, path: *const c_char, flags: c_int), [(directory, path)], c"unlinkat", "a file is removed");
changing!(mkdirat(at: c_int, path: *const c_char, mode: c_uint), [(at, path)], c"mkdirat", "a directory is made");
changing!(renameat(at: c_int, from: *const c_char, to_at: c_int, to: *const c_char), [(at, from), (to_at, to)], c"renameat", "a file is renamed");
changing!(chown(path: *const c_char, user: c_uint, group: c_uint), [], c"chown", "a file is changed");
changing!(lchown(path: *const c_char, user: c_uint, group: c_uint), [], c"lchown", "a file is changed");
changing!(rename(from: *const c_char, to: *const c_char), [(HERE, from), (HERE, to)], c"rename", "a file is renamed");
changing!(chmod(path: *const c_char, mode: c_uint), [(HERE, path)], c"chmod", "a file is changed");
changing!(truncate(path: *const c_char, length: c_long), [(HERE, path)], c"truncate", "a file is changed");
changing!(linkat(at: c_int, from: *const c_char, to_at: c_int, to: *const c_char, flags: c_int), [(at, from), (to_at, to)], c"linkat", "a file is linked");
changing!(link(from: *const c_char, to: *const c_char), [(HERE, from), (HERE, to)], c"link", "a file is linked");
changing!(symlink(to: *const c_char, from: *const c_char), [], c"symlink", "a file is linked");
changing!(chdir(path: *const c_char), [], c"chdir", "the current directory is changed");

/// The C library's `kill`: a signal to others is not let through.
///
/// # Safety
/// As in the C library.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kill(process: c_int, signal: c_int) -> c_int {
    // Signal 0 only asks whether somebody is there.
    if heap::program_runs() && signal != 0 && process as u32 != std::process::id() {
        limits::not_under_control("a signal is sent");
    }
    type Function = unsafe extern "C" fn(c_int, c_int) -> c_int;
    // SAFETY: as above.
    unsafe { passed_on!(c"kill" as Function)(process, signal) }
}

/// The C library's `killpg`, likewise.
///
/// # Safety
/// As in the C library.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn killpg(group: c_int, signal: c_int) -> c_int {
    // SAFETY: the caller's.
    unsafe { kill(-group, signal) }
}
