//! Calls that change files, open them, or ask about them.

use std::ffi::{CStr, c_char, c_int, c_long, c_uint, c_void};

use atropos_protocol::{Effect, sys};

use super::intercept;
use crate::effects::{change, note};
use crate::lasting_changes;

const HERE: c_int = sys::AT_FDCWD as c_int;

/// Opening to write, or to create, changes files; opening to read only takes a descriptor.
fn opening(call: &CStr, at: c_int, path: *const c_char, flags: c_int) {
    let writing = sys::O_WRONLY | sys::O_RDWR | sys::O_TRUNC;
    let is_new = flags & (sys::O_EXCL | sys::O_TMPFILE) != 0;
    if flags & writing != 0 && !is_new {
        change(call, at, path, true);
        return lasting_changes::change(at, path, true);
    }
    let changing = sys::O_WRONLY | sys::O_RDWR | sys::O_CREAT | sys::O_TRUNC | sys::O_TMPFILE;
    let effect = if flags & changing != 0 {
        Effect::Files
    } else {
        Effect::Descriptors
    };
    note(effect, call, Some(path));
    match effect {
        Effect::Files => lasting_changes::change(at, path, true),
        _ => lasting_changes::read(at, path),
    }
}

/// Whether proptest wants to write down in the user's tree how a test failed, which it does just before the test fails. It
/// is told that it can't, and goes on: what it would write is of a mutant.
fn writes_failures(path: *const c_char, flags: c_int) -> bool {
    if path.is_null() || flags & (sys::O_WRONLY | sys::O_RDWR) == 0 {
        return false;
    }
    // SAFETY: the program is about to hand this string to libc.
    let path = unsafe { CStr::from_ptr(path) }.to_bytes();
    let name = b"proptest-regressions";
    let is_theirs = path.windows(name.len()).any(|part| part == name);
    if is_theirs {
        sys::set_errno(sys::EROFS);
    }
    is_theirs
}

fn changing(call: &CStr, path: *const c_char) {
    note(Effect::Files, call, Some(path));
}

/// Something is made where nothing was.
fn making(call: &CStr, at: c_int, path: *const c_char) {
    changing(call, path);
    lasting_changes::change(at, path, false);
}

/// What is there is changed, or removed.
fn altering(call: &CStr, at: c_int, path: *const c_char, follow: bool) {
    change(call, at, path, follow);
    lasting_changes::change(at, path, follow);
}

/// What is renamed is gone from where it was, and so is what was there where it goes.
fn renaming(call: &CStr, from: (c_int, *const c_char), to: (c_int, *const c_char)) {
    // SAFETY: the program is about to hand this string to libc.
    if unsafe { sys::find(from.0, from.1, false) }.is_none() {
        // The call fails.
        return changing(call, from.1);
    }
    for (at, path) in [from, to] {
        change(call, at, path, false);
    }
    lasting_changes::rename(from, to);
}

fn opening_stream(call: &CStr, path: *const c_char, mode: *const c_char) {
    // SAFETY: the program is about to hand this string to libc.
    let mode = unsafe { CStr::from_ptr(mode) }.to_bytes();
    let reads_only = mode.first() == Some(&b'r') && !mode.contains(&b'+');
    opening(call, HERE, path, if reads_only { 0 } else { sys::O_WRONLY });
}

/// What std takes for a kernel or a libc that is too old for a call: it goes another way then.
fn not_there() -> c_int {
    sys::set_errno(sys::ENOSYS);
    -1
}

// What asks about files. Of the many forms of `stat` only this one, which std uses: older versions of libc have no others
// that could be passed on to.
intercept! {
    fn statx(
        at: c_int, path: *const c_char, flags: c_int, mask: c_uint, answer: *mut c_void,
    ) -> c_int, not_there(),
        |_| lasting_changes::look(at, path);
    fn access(path: *const c_char, mode: c_int) -> c_int, -1,
        |_| lasting_changes::look(HERE, path);
    fn faccessat(at: c_int, path: *const c_char, mode: c_int, flags: c_int) -> c_int, -1,
        |_| lasting_changes::look(at, path);
    fn readlink(path: *const c_char, to: *mut c_char, size: usize) -> isize, -1,
        |_| lasting_changes::look(HERE, path);
    fn readlinkat(at: c_int, path: *const c_char, to: *mut c_char, size: usize) -> isize, -1,
        |_| lasting_changes::look(at, path);
    fn realpath(path: *const c_char, to: *mut c_char) -> *mut c_char, std::ptr::null_mut(),
        |_| lasting_changes::look(HERE, path);
}

intercept! {
    fn opendir(path: *const c_char) -> *mut c_void, std::ptr::null_mut(),
        |_| lasting_changes::read(HERE, path);
}

// The variadic ones take their optional argument in the same register as a fixed one would be.
intercept! {
    fn open(path: *const c_char, flags: c_int, mode: c_uint) -> c_int, -1,
        |call| opening(call, HERE, path, flags),
        unless writes_failures(path, flags);
    fn open64(path: *const c_char, flags: c_int, mode: c_uint) -> c_int, -1,
        |call| opening(call, HERE, path, flags),
        unless writes_failures(path, flags);
    fn openat(at: c_int, path: *const c_char, flags: c_int, mode: c_uint) -> c_int, -1,
        |call| opening(call, at, path, flags);
    fn openat64(at: c_int, path: *const c_char, flags: c_int, mode: c_uint) -> c_int, -1,
        |call| opening(call, at, path, flags);
    fn creat(path: *const c_char, mode: c_uint) -> c_int, -1,
        |call| altering(call, HERE, path, true);
    fn creat64(path: *const c_char, mode: c_uint) -> c_int, -1,
        |call| altering(call, HERE, path, true);
    fn fopen(path: *const c_char, mode: *const c_char) -> *mut c_void, std::ptr::null_mut(),
        |call| opening_stream(call, path, mode);
    fn fopen64(path: *const c_char, mode: *const c_char) -> *mut c_void, std::ptr::null_mut(),
        |call| opening_stream(call, path, mode);
    fn mkdir(path: *const c_char, mode: c_uint) -> c_int, -1,
        |call| making(call, HERE, path);
    fn mkdirat(at: c_int, path: *const c_char, mode: c_uint) -> c_int, -1,
        |call| making(call, at, path);
    fn rmdir(path: *const c_char) -> c_int, -1,
        |call| altering(call, HERE, path, false);
    fn unlink(path: *const c_char) -> c_int, -1,
        |call| altering(call, HERE, path, false);
    fn unlinkat(at: c_int, path: *const c_char, flags: c_int) -> c_int, -1,
        |call| altering(call, at, path, false);
    fn remove(path: *const c_char) -> c_int, -1,
        |call| altering(call, HERE, path, false);
    fn rename(from: *const c_char, to: *const c_char) -> c_int, -1,
        |call| renaming(call, (HERE, from), (HERE, to));
    fn renameat(at: c_int, from: *const c_char, to_at: c_int, to: *const c_char) -> c_int, -1,
        |call| renaming(call, (at, from), (to_at, to));
    fn renameat2(
        at: c_int, from: *const c_char, to_at: c_int, to: *const c_char, flags: c_uint,
    ) -> c_int, -1,
        |call| renaming(call, (at, from), (to_at, to));
    fn link(from: *const c_char, to: *const c_char) -> c_int, -1,
        |call| making(call, HERE, to);
    fn linkat(
        at: c_int, from: *const c_char, to_at: c_int, to: *const c_char, flags: c_int,
    ) -> c_int, -1,
        |call| making(call, to_at, to);
    fn symlink(target: *const c_char, path: *const c_char) -> c_int, -1,
        |call| making(call, HERE, path);
    fn symlinkat(target: *const c_char, at: c_int, path: *const c_char) -> c_int, -1,
        |call| making(call, at, path);
    fn truncate(path: *const c_char, length: c_long) -> c_int, -1,
        |call| altering(call, HERE, path, true);
    fn truncate64(path: *const c_char, length: c_long) -> c_int, -1,
        |call| altering(call, HERE, path, true);
    fn chmod(path: *const c_char, mode: c_uint) -> c_int, -1,
        |call| altering(call, HERE, path, true);
    fn fchmod(file: c_int, mode: c_uint) -> c_int, -1,
        |call| changing(call, std::ptr::null());
    fn fchmodat(at: c_int, path: *const c_char, mode: c_uint, flags: c_int) -> c_int, -1,
        |call| altering(call, at, path, true);
    fn chown(path: *const c_char, user: c_uint, group: c_uint) -> c_int, -1,
        |call| altering(call, HERE, path, true);
    fn lchown(path: *const c_char, user: c_uint, group: c_uint) -> c_int, -1,
        |call| altering(call, HERE, path, false);
    fn fchown(file: c_int, user: c_uint, group: c_uint) -> c_int, -1,
        |call| changing(call, std::ptr::null());
    fn fchownat(
        at: c_int, path: *const c_char, user: c_uint, group: c_uint, flags: c_int,
    ) -> c_int, -1,
        |call| changing(call, path);
    fn utimensat(
        at: c_int, path: *const c_char, times: *const c_void, flags: c_int,
    ) -> c_int, -1,
        |call| changing(call, path);
    fn futimens(file: c_int, times: *const c_void) -> c_int, -1,
        |call| changing(call, std::ptr::null());
    fn mkfifo(path: *const c_char, mode: c_uint) -> c_int, -1,
        |call| making(call, HERE, path);
    fn mkdtemp(template: *mut c_char) -> *mut c_char, std::ptr::null_mut(),
        |call| changing(call, template);
    fn mkstemp(template: *mut c_char) -> c_int, -1,
        |call| changing(call, template);
    fn mkostemp(template: *mut c_char, flags: c_int) -> c_int, -1,
        |call| changing(call, template);
    fn tmpfile() -> *mut c_void, std::ptr::null_mut(),
        |call| changing(call, std::ptr::null());
}
