//! Controlled threads that wait for something outside the program.

use std::backtrace::Backtrace;
use std::ffi::{c_int, c_void};
use std::time::Duration;

use atropos_protocol::std_sources::is_of_std;
use atropos_search::Op;

use super::code::Code;
use super::thread_state::Wait;
use super::{Announcement, Granted, control, here};
use crate::finding::Finding;
use crate::libc::PollNow;
use crate::trace::is_ours;

/// Descriptors as `poll` takes them, in memory of the thread that waits for them.
#[derive(Clone, Copy, Debug, Default)]
pub struct WaitedFiles {
    start: usize,
    count: usize,
}

/// One of them.
#[repr(C)]
pub struct PollFile {
    pub file: c_int,
    pub events: i16,
    pub found: i16,
}

impl PollFile {
    pub fn readable(file: c_int) -> PollFile {
        const READABLE: i16 = 1;
        PollFile {
            file,
            events: READABLE,
            found: 0,
        }
    }
}

impl WaitedFiles {
    /// # Safety
    /// There must be so many, and they must stay there as long as the thread waits.
    pub unsafe fn new(start: *mut PollFile, count: usize) -> WaitedFiles {
        WaitedFiles {
            start: start as usize,
            count,
        }
    }

    /// Whether any is ready now.
    pub fn are_ready(&self) -> bool {
        // SAFETY: the promise of `new`.
        unsafe { crate::libc::poll_now(self.start as *mut c_void, self.count, PollNow::AtOnce) > 0 }
    }

    /// Whether nobody but this process can make any of them ready.
    pub fn are_its_own(&self) -> bool {
        if self.count == 0 {
            return true;
        }
        // SAFETY: the promise of `new`.
        let files =
            unsafe { std::slice::from_raw_parts(self.start as *const PollFile, self.count) };
        let files: Vec<c_int> = files.iter().map(|file| file.file).collect();
        atropos_protocol::deadlock::are_its_own(&files)
    }
}

/// How a wait for descriptors ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ExternalWaitEnd {
    Ready,
    TimedOut,
    /// The time of some timer of the kernel has come.
    TimerIsDue,
    /// Nothing else can happen, and what is waited for is not this process's own.
    Alone,
}

/// When a wait of so long ends.
pub fn deadline(after: Option<Duration>) -> u64 {
    match (control(), after) {
        (Some(control), Some(after)) => control.state().virtual_clock.after(after),
        _ => u64::MAX,
    }
}

/// Waits until one of the descriptors is ready, or this time comes.
///
/// # Safety
/// As for [`WaitedFiles::new`].
pub unsafe fn wait(files: WaitedFiles, deadline: u64) -> ExternalWaitEnd {
    let Some(control) = control() else {
        return ExternalWaitEnd::Ready;
    };
    let me = control.me();
    (me.blocking.files, me.blocking.waits_alone) = (files, false);
    let site = me.site.unwrap_or(here());
    // Whether anything is there depends on everything.
    let op = Op::universal().blocking().revocable();
    let announcement = Announcement::new(Code::ExternalWait, op, site).waiting(Wait::External);
    let first = control.state().timers.first();
    let granted = control.point(announcement.until(deadline.min(first)));
    match granted {
        _ if control.me().blocking.waits_alone => ExternalWaitEnd::Alone,
        Granted::TimedOut if control.state().virtual_clock.now < deadline => {
            ExternalWaitEnd::TimerIsDue
        }
        Granted::TimedOut => ExternalWaitEnd::TimedOut,
        Granted::Yes | Granted::Spuriously => ExternalWaitEnd::Ready,
    }
}

/// Looks whether something is there, without waiting: others may go first, and what they do may matter.
pub fn look() {
    if let Some(control) = control() {
        let site = control.me().site.unwrap_or(here());
        control.point(Announcement::new(Code::Look, Op::universal(), site));
    }
}

/// The running thread is about to write to a pipe, a socket or similar.
pub fn write() {
    let Some(control) = control() else { return };
    let state = control.state();
    if state.model.weak {
        state.note_cells();
        let thread = &mut state.threads[state.current as usize];
        thread.clocks.clock.tick(state.current);
        state.model.written.join(&thread.clocks.clock);
    }
}

/// The running thread has read from one. The kernel orders memory between who writes and who reads; which of all writes it was is
/// not known.
pub fn read() {
    let Some(control) = control() else { return };
    let state = control.state();
    if state.model.weak {
        state.note_cells();
        let clock = &mut state.threads[state.current as usize].clocks.clock;
        clock.join(&state.model.written);
    }
}

/// The execution depends on what can't be controlled.
pub fn mark(what: &str) {
    if let Some(control) = control() {
        let known = |finding: &Finding| matches!(finding, Finding::Uncontrolled { .. });
        if control.state().findings.iter().any(known) {
            return;
        }
        let last = || control.me().site.map(|site| site.to_string());
        let site = line_of_caller(&Backtrace::force_capture().to_string()).or_else(last);
        control.state().found(Finding::Uncontrolled {
            what: what.to_string(),
            site,
        });
    }
}

/// The innermost place of the user's own code in a backtrace: nobody tells the C library who calls it. Only the crates
/// of the user's workspace have line numbers, apart from std and what the user builds without us.
fn line_of_caller(backtrace: &str) -> Option<String> {
    let places = backtrace
        .lines()
        .filter_map(|line| line.trim().strip_prefix("at "));
    let mut places = places.map(|place| place.strip_prefix("./").unwrap_or(place));
    places
        .find(|place| !is_ours(place) && !is_of_std(place) && !place.contains("/registry/src/"))
        .map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_innermost_line_of_the_user_is_found_in_a_backtrace() {
        let backtrace = "   0: atropos_threads::control::external_wait::mark
             at /atropos/atropos_threads/src/control/outside.rs:40:9
   1: read
   2: <std::io::pipe::PipeReader as std::io::Read>::read
             at /rustc/59807616e1fa2540724bfbac14d7976d7e4a3860/library/std/src/io/pipe.rs:1:1
   3: mio::poll::Poll::poll
             at /home/me/.cargo/registry/src/index/mio-1.0.0/src/poll.rs:5:5
   4: sockets::read
             at ./src/sockets.rs:12:22
   5: sockets::tests::reads
             at ./src/sockets.rs:30:9
";
        assert_eq!(
            line_of_caller(backtrace).as_deref(),
            Some("src/sockets.rs:12:22")
        );
        assert_eq!(line_of_caller("   0: main"), None);
    }
}
