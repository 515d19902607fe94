//! Notices what the program does outside its own memory, and forbids it where it would do harm.
//!
//! The `intercept` files define libc's names and call [`note`] first. What follows depends on how
//! the process is run: from the test's start on its own, everything is allowed and noted; where
//! several mutants share one history (fork) or one process (batch), an effect that could reach
//! the others ends the run before it happens, and the mutant is left to a process of its own.

use std::ffi::{CStr, c_char};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};

use atropos_protocol::{Board, Effect, Effects, TestResult, sys};

use crate::role::Role;
use crate::{conclude, descendants, lasting_changes, outside_tests, role, without_harness};

/// How effects are treated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Policy {
    /// Not of interest here.
    Ignore = 0,
    /// Noted.
    Note = 1,
    /// Effects outside the process end the run.
    Forking = 2,
    /// Every effect that a later run in this process could feel ends the run.
    Repeating = 3,
}

static POLICY: AtomicU8 = AtomicU8::new(Policy::Ignore as u8);
static SEEN: AtomicU64 = AtomicU64::new(0);
/// Open descriptors at the test's start.
static DESCRIPTORS: AtomicU64 = AtomicU64::new(0);

/// Starts to watch, from a clean slate.
pub fn watch(policy: Policy) {
    SEEN.store(0, Ordering::Relaxed);
    DESCRIPTORS.store(sys::open_descriptors().unwrap_or(0), Ordering::Relaxed);
    POLICY.store(policy as u8, Ordering::Relaxed);
}

/// What this process has done since `watch`.
pub fn seen() -> Effects {
    Effects(SEEN.load(Ordering::Relaxed))
}

/// An effect of what ran so far that forbids forking, if any.
pub fn against_fork() -> Option<Effect> {
    // Threads that have ended do no harm; whether some still run is asked where it matters.
    let harm = Effects::AGAINST_FORK.0 & !Effect::Threads.bit();
    Effects(seen().0 & harm).iter().next()
}

/// The test holds descriptors of its own.
pub fn descriptors_open() -> bool {
    sys::open_descriptors() != Some(DESCRIPTORS.load(Ordering::Relaxed))
}

/// Closes what a run left open, if it had only the standard streams to begin with. Tells whether
/// the descriptors are as they were.
pub fn close_leftovers() -> bool {
    if !descriptors_open() {
        return true;
    }
    const STANDARD_STREAMS: u64 = 3;
    if DESCRIPTORS.load(Ordering::Relaxed) != STANDARD_STREAMS {
        return false;
    }
    sys::close_range(STANDARD_STREAMS as i32, i32::MAX);
    !descriptors_open()
}

/// Notes whether the test holds descriptors now, at a mutation point.
pub fn look_at_descriptors() {
    if !seen().contains(Effect::OpenDescriptor) && crate::role::in_charge() && descriptors_open() {
        note(Effect::OpenDescriptor, c"", None);
    }
}

/// The program is about to do this.
#[inline]
pub fn note(effect: Effect, call: &CStr, path: Option<*const c_char>) {
    if POLICY.load(Ordering::Relaxed) != Policy::Ignore as u8 {
        note_slowly(effect, call, path);
    }
}

/// The program looks at the clock, which some do all the time.
#[inline]
pub fn note_clock(call: &CStr) {
    if !seen().contains(Effect::Clock) {
        note(Effect::Clock, call, None);
    }
}

/// The program is about to change what is at a path, if there is anything. A mutant is stopped before it changes what was
/// there before all tests, unless the original changes the same file.
pub fn change(call: &CStr, at: i32, path: *const c_char, follow: bool) {
    if lasting_changes::is_at_work() || outside_tests::is_ending() {
        return;
    }
    note(Effect::Files, call, Some(path));
    let Some(board) = role::board() else { return };
    let header = board.header();
    let began = header.began.load(Ordering::Relaxed);
    let is_recorded = match role::role() {
        Role::Recorder => true,
        Role::Mutant => false,
        _ => return,
    };
    let errno = sys::errno();
    // SAFETY: the program is about to hand this string to libc.
    let found = unsafe { sys::find(at, path, follow) };
    let is_old = found
        .as_ref()
        .is_some_and(|found| found.is_file && found.is_older_than(began));
    if is_recorded {
        let old = if is_old { Effect::OldFiles.bit() } else { 0 };
        let effects = Effect::Files.bit() | old;
        header.effects.fetch_or(effects, Ordering::Relaxed);
        // What it makes has no time of birth on some file systems, and is taken for old the next time.
        if (is_old || found.is_none())
            && let Some(path) = lasting_changes::resolved(at, path, follow)
            && !lasting_changes::is_own(&path)
        {
            header.old_files.add(&path);
        }
    } else if is_old && !may_change(board, lasting_changes::resolved(at, path, follow)) {
        let mut text = Line::new();
        text.push(call.to_bytes());
        text.push(b" ");
        // SAFETY: it was there a moment ago.
        text.push(unsafe { CStr::from_ptr(path) }.to_bytes());
        conclude::stop(TestResult::Harm, text.as_str());
    }
    sys::set_errno(errno);
}

/// Whether a mutant may change this old file. Where files have no time of birth, its own temporary ones are taken for old.
fn may_change(board: &Board, path: Option<PathBuf>) -> bool {
    path.is_some_and(|path| {
        board.header().old_files.contains(&path) || lasting_changes::is_own(&path)
    })
}

/// The program is about to send a signal. A mutant is stopped before one reaches a process that is not the test's own.
pub fn signal(call: &CStr, target: i32) {
    if role::role() != Role::Mutant || descendants::are_alone_at(target) {
        return;
    }
    let mut text = Line::new();
    text.push(call.to_bytes());
    text.push(format!(" {target}").as_bytes());
    conclude::stop(TestResult::Harm, text.as_str());
}

#[cold]
fn note_slowly(effect: Effect, call: &CStr, path: Option<*const c_char>) {
    if lasting_changes::is_at_work() || outside_tests::is_ending() {
        return;
    }
    let errno = sys::errno();
    let before = SEEN.fetch_or(effect.bit(), Ordering::Relaxed);
    let mut text = Line::new();
    text.push(effect.sentence().as_bytes());
    if !call.is_empty() {
        text.push(b": ");
        text.push(call.to_bytes());
    }
    if let Some(path) = path.filter(|path| !path.is_null()) {
        text.push(b" ");
        // SAFETY: the program is about to hand this string to libc.
        text.push(unsafe { CStr::from_ptr(path) }.to_bytes());
    }
    if before & effect.bit() == 0 {
        tell_board(effect, text.as_str());
    }
    if effect == Effect::Files && path.is_some_and(lasting_changes::is_lasting) {
        tell_board(Effect::LastingFiles, text.as_str());
    }
    let forbidden = match POLICY.load(Ordering::Relaxed) {
        2 => Effects::OUTSIDE,
        3 => Effects::AGAINST_BATCH,
        _ => Effects(0),
    };
    if forbidden.contains(effect) {
        conclude::needs_own_process(text.as_str());
    }
    sys::set_errno(errno);
}

fn tell_board(effect: Effect, text: &str) {
    let Some(board) = role::board() else { return };
    let header = board.header();
    if without_harness::is_plain() {
        header
            .plain_effects
            .fetch_or(effect.bit(), Ordering::Relaxed);
        return;
    }
    header.effects.fetch_or(effect.bit(), Ordering::Relaxed);
    let noteworthy = Effects::AGAINST_FORK.0 | Effects::AGAINST_BATCH.0;
    if effect.bit() & noteworthy != 0 && header.first_effect.is_empty() {
        header.first_effect.set(text);
    }
}

/// A short text on the stack.
struct Line {
    bytes: [u8; 128],
    length: usize,
}

impl Line {
    fn new() -> Line {
        Line {
            bytes: [0; 128],
            length: 0,
        }
    }

    fn push(&mut self, bytes: &[u8]) {
        let room = &mut self.bytes[self.length..];
        let length = bytes.len().min(room.len());
        room[..length].copy_from_slice(&bytes[..length]);
        self.length += length;
    }

    fn as_str(&self) -> &str {
        let bytes = &self.bytes[..self.length];
        match std::str::from_utf8(bytes) {
            Ok(text) => text,
            Err(error) => std::str::from_utf8(&bytes[..error.valid_up_to()]).unwrap_or(""),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_holds_what_fits_and_stays_valid() {
        let mut line = Line::new();
        line.push(b"open ");
        line.push(&[b'x'; 122]);
        line.push("ä".as_bytes());
        assert_eq!(line.length, 128);
        assert_eq!(line.as_str().len(), 127);
    }
}
