//! Spares tests that print very much the cost of doing so.
//!
//! Nobody reads what mutants print, and of the original's output the beginning and the end will
//! do. So after many writes to the standard streams the rest is not written any more; the
//! original's last few thousand bytes are kept and written when they are asked for. A test that
//! points its streams elsewhere is left alone.

use std::ffi::c_int;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU32, AtomicU64, AtomicUsize, Ordering};

use atropos_protocol::sys;

use crate::intercept::{Next, intercept};
use crate::role::{self, Role};

/// Writes that pass before any is spared.
const FREE: u32 = 1000;
/// How often it is checked that the streams are what they were.
const CHECK: u32 = 1024;
const KEPT: usize = 8192;

static WATCHING: AtomicBool = AtomicBool::new(false);
static WRITES: AtomicU32 = AtomicU32::new(0);
/// What the streams are: device and file number of standard output and error.
static STREAMS: [AtomicU64; 4] = [const { AtomicU64::new(0) }; 4];
static LAST: [AtomicU8; KEPT] = [const { AtomicU8::new(0) }; KEPT];
/// How many bytes went through `LAST`.
static SPARED: AtomicUsize = AtomicUsize::new(0);

fn streams() -> [u64; 4] {
    let (out, err) = (sys::identity(1), sys::identity(2));
    [out.0, out.1, err.0, err.1]
}

/// Starts to count, at a test's start.
pub fn watch() {
    for (slot, value) in STREAMS.iter().zip(streams()) {
        slot.store(value, Ordering::Relaxed);
    }
    WRITES.store(0, Ordering::Relaxed);
    SPARED.store(0, Ordering::Relaxed);
    WATCHING.store(true, Ordering::Relaxed);
}

/// From now on everything is written.
fn leave_alone() {
    WATCHING.store(false, Ordering::Relaxed);
}

/// A write to this descriptor need not be done.
fn is_spared(fd: c_int) -> bool {
    if !(1..=2).contains(&fd) || !WATCHING.load(Ordering::Relaxed) {
        return false;
    }
    let writes = WRITES.load(Ordering::Relaxed).wrapping_add(1);
    WRITES.store(writes, Ordering::Relaxed);
    if writes <= FREE {
        return false;
    }
    if writes % CHECK == 0 || writes == FREE + 1 {
        let same = streams()
            .iter()
            .zip(&STREAMS)
            .all(|(now, then)| *now == then.load(Ordering::Relaxed));
        if !same {
            leave_alone();
            return false;
        }
    }
    true
}

fn keep(bytes: &[u8]) {
    if role::role() != Role::Recorder {
        return;
    }
    let start = SPARED.fetch_add(bytes.len(), Ordering::Relaxed);
    for (offset, byte) in bytes.iter().enumerate() {
        LAST[(start + offset) % KEPT].store(*byte, Ordering::Relaxed);
    }
}

/// Writes what was kept, to standard error.
pub fn flush() {
    let end = SPARED.swap(0, Ordering::Relaxed);
    if end == 0 {
        return;
    }
    if end > KEPT {
        let _ = sys::write(2, b"\n[much output left out]\n");
    }
    // In small pieces: this may be the small stack of a signal handler.
    let mut at = end - end.min(KEPT);
    while at < end {
        let mut bytes = [0; 128];
        let length = bytes.len().min(end - at);
        for (offset, byte) in bytes[..length].iter_mut().enumerate() {
            *byte = LAST[(at + offset) % KEPT].load(Ordering::Relaxed);
        }
        let _ = sys::write(2, &bytes[..length]);
        at += length;
    }
}

/// # Safety
/// As libc's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn write(fd: c_int, data: *const u8, length: usize) -> isize {
    static NEXT: Next = Next::new(c"write");
    if is_spared(fd) {
        // SAFETY: the caller's data has that length.
        keep(unsafe { std::slice::from_raw_parts(data, length) });
        return length as isize;
    }
    let Some(next) = NEXT.get() else { return -1 };
    // SAFETY: libc's function has this type; the arguments are the caller's.
    unsafe {
        let next: unsafe extern "C" fn(c_int, *const u8, usize) -> isize =
            std::mem::transmute(next);
        next(fd, data, length)
    }
}

/// One piece of a vectored write.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct OutputPiece {
    data: *const u8,
    length: usize,
}

/// # Safety
/// As libc's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn writev(fd: c_int, pieces: *const OutputPiece, count: c_int) -> isize {
    static NEXT: Next = Next::new(c"writev");
    if count > 0 && is_spared(fd) {
        let mut total = 0;
        for index in 0..count as usize {
            // SAFETY: the caller gave that many pieces.
            unsafe {
                let piece = *pieces.add(index);
                keep(std::slice::from_raw_parts(piece.data, piece.length));
                total += piece.length;
            }
        }
        return total as isize;
    }
    let Some(next) = NEXT.get() else { return -1 };
    // SAFETY: libc's function has this type; the arguments are the caller's.
    unsafe {
        let next: unsafe extern "C" fn(c_int, *const OutputPiece, c_int) -> isize =
            std::mem::transmute(next);
        next(fd, pieces, count)
    }
}

fn changing(fd: c_int) {
    if (1..=2).contains(&fd) {
        leave_alone();
    }
}

intercept! {
    fn close(fd: c_int) -> c_int, -1, |_| changing(fd);
    fn dup2(from: c_int, to: c_int) -> c_int, -1, |_| changing(to);
    fn dup3(from: c_int, to: c_int, flags: c_int) -> c_int, -1, |_| changing(to);
}
