//! The directory for temporary files that an explored process has for itself. What an execution does to files below it is let
//! through, because it is undone before the next one: the directory is empty whenever an execution begins.
//!
//! The driver makes it and names it in `TMPDIR`, with digits at the end. A forked process writes its own number over them, so that
//! processes that share an exploration have a directory each, by names of the same length.

use std::ffi::{CStr, OsStr, c_char, c_int};
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicPtr, Ordering::Relaxed};

use atropos_protocol::exploration::PRIVATE_DIGITS;

struct PrivateFiles {
    /// The value of `TMPDIR` as the process got it, where it lies; null if there is no such directory.
    path: AtomicPtr<c_char>,
    /// Something was changed below it.
    is_dirty: AtomicBool,
}

static PRIVATE: PrivateFiles = PrivateFiles {
    path: AtomicPtr::new(std::ptr::null_mut()),
    is_dirty: AtomicBool::new(false),
};

unsafe extern "C" {
    fn getenv(name: *const c_char) -> *mut c_char;
}

/// The process uses the directory that the driver made for it, if it did.
pub fn use_private_directory() {
    // SAFETY: the process has one thread, and what the kernel put there stays.
    let path = unsafe { getenv(c"TMPDIR".as_ptr()) };
    if path.is_null() {
        return;
    }
    // SAFETY: it is a variable's value.
    let text = unsafe { CStr::from_ptr(path) }.to_bytes();
    let digits = text.iter().rev().take_while(|byte| byte.is_ascii_digit());
    if digits.count() == PRIVATE_DIGITS && text.starts_with(b"/") {
        let start = (&raw const PRIVATE).addr();
        crate::memory::keep(start..start + size_of::<PrivateFiles>());
        PRIVATE.path.store(path, Relaxed);
    }
}

/// A forked process has a directory of its own from now on.
pub fn have_own_directory() {
    let Some(text) = directory() else { return };
    let digits = format!("{:0PRIVATE_DIGITS$}", std::process::id());
    let place = PRIVATE.path.load(Relaxed);
    // SAFETY: the text has so many digits at its end, and this process has it for itself.
    unsafe {
        let end = place.add(text.len() - PRIVATE_DIGITS);
        std::ptr::copy_nonoverlapping(digits.as_ptr().cast(), end, PRIVATE_DIGITS);
    }
    let _ = fs::create_dir(path_of(directory().unwrap_or_default()));
    PRIVATE.is_dirty.store(false, Relaxed);
}

/// Undoes what was done below it. No controlled thread runs.
pub fn clean() {
    if !PRIVATE.is_dirty.swap(false, Relaxed) {
        return;
    }
    let path = path_of(directory().unwrap_or_default());
    let _ = fs::remove_dir_all(path);
    let _ = fs::create_dir(path);
}

fn directory() -> Option<&'static [u8]> {
    let path = PRIVATE.path.load(Relaxed);
    // SAFETY: it is a variable's value, which stays.
    (!path.is_null()).then(|| unsafe { CStr::from_ptr(path) }.to_bytes())
}

fn path_of(bytes: &[u8]) -> &Path {
    Path::new(OsStr::from_bytes(bytes))
}

/// Whether a path, relative to an open directory if it is no absolute one, lies below the private directory. If so, something is
/// about to be changed there.
pub fn may_change(at: c_int, path: *const c_char) -> bool {
    let Some(directory) = directory() else {
        return false;
    };
    // SAFETY: callers of the C library pass a path that ends with 0.
    let path = unsafe { CStr::from_ptr(path) }.to_bytes();
    let is_below = match path.starts_with(b"/") {
        true => is_below(path, directory),
        false => is_of_open_directory(at, directory) && !goes_up(path),
    };
    if is_below {
        PRIVATE.is_dirty.store(true, Relaxed);
    }
    is_below
}

/// Whether a path leads below a directory. None of its parts may lead up again; that none is a link is seen to by letting
/// through no links to what lies elsewhere.
fn is_below(path: &[u8], directory: &[u8]) -> bool {
    let rest = path.strip_prefix(directory);
    rest.is_some_and(|rest| rest.starts_with(b"/") && !goes_up(rest))
}

fn goes_up(path: &[u8]) -> bool {
    path.split(|byte| *byte == b'/').any(|part| part == b"..")
}

fn is_of_open_directory(at: c_int, directory: &[u8]) -> bool {
    if at < 0 {
        return false;
    }
    let link = fs::read_link(format!("/proc/self/fd/{at}"));
    link.is_ok_and(|place| {
        let place = place.as_os_str().as_bytes();
        place == directory || is_below(place, directory)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_lies_below_the_directory_is_private() {
        let directory = b"/tmp/a/tmp-01";
        for (path, expected) in [
            (&b"/tmp/a/tmp-01/x"[..], true),
            (b"/tmp/a/tmp-01/x/y", true),
            (b"/tmp/a/tmp-01", false),
            (b"/tmp/a/tmp-012/x", false),
            (b"/tmp/a/tmp-01/../x", false),
            (b"/tmp/a/tmp-01/x/..", false),
            (b"/etc/passwd", false),
        ] {
            assert_eq!(is_below(path, directory), expected, "{path:?}");
        }
    }

    #[test]
    fn without_a_directory_nothing_is_private() {
        assert!(!may_change(-100, c"/tmp/x".as_ptr()));
    }
}
