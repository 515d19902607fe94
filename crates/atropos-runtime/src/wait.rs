//! Waits for a child, but not longer than the running process may take.
//!
//! Processes form a chain: the zygote waits for a test, which waits for a mutant, which may wait
//! for another that parted from it. Only the last one runs. The board holds its deadline and its
//! depth; its parent enforces the deadline, and each process further up waits a little longer,
//! in case the ones between are stuck.

use std::os::fd::RawFd;
use std::sync::atomic::Ordering;
use std::time::Duration;

use atropos_protocol::Board;
use atropos_protocol::cpu_starvation::StarvationWatch;
use atropos_protocol::deadlock::DeadlockWatch;
use atropos_protocol::signals::{self, parent_of};
use atropos_protocol::sys::{self, ChildEnd, Errno, PollFd};

/// How much longer each process further up waits.
const GRACE: u64 = 500_000_000;
/// How often `cancel` is looked at.
const SLICE: u64 = 50_000_000;
/// How often to look whether the process stands still.
const LOOK: u64 = 100_000_000;

/// Why a wait ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WaitEnd {
    Ended(ChildEnd),
    /// It took too long and was killed.
    TimedOut,
    /// It took too long and was killed, but others had the processors for much of that time.
    Starved,
    /// It would never have gone on, and was killed.
    StoodStill,
    /// The driver gave up on the command (or is gone), so it was killed.
    Cancelled,
}

/// The process at `depth` starts to run now.
pub fn start_clock(board: &Board, depth: u64) {
    let header = board.header();
    let limit = board.time_limit().unwrap_or(u64::MAX / 4);
    header.depth.store(depth, Ordering::Relaxed);
    header
        .deadline
        .store(sys::now().saturating_add(limit), Ordering::Relaxed);
}

/// Waits for a child of the process at `depth`. If `channel` is given, its closing cancels.
pub fn wait_for(board: &Board, pid: i32, depth: u64, channel: Option<RawFd>) -> WaitEnd {
    let pidfd = sys::open_pidfd(pid).ok();
    let waited = watch(board, pid, pidfd, depth, channel);
    if let Some(fd) = pidfd {
        sys::close(fd);
    }
    waited
}

fn watch(
    board: &Board,
    pid: i32,
    pidfd: Option<RawFd>,
    depth: u64,
    channel: Option<RawFd>,
) -> WaitEnd {
    // Without a pidfd (old kernels, no descriptors left) look again and again.
    let mut nap = 20_000;
    let mut deadlock_watch = DeadlockWatch::default();
    let mut starvation_watch = StarvationWatch::default();
    let start = sys::now();
    let mut look = start + LOOK;
    loop {
        let header = board.header();
        let below = header.depth.load(Ordering::Relaxed).saturating_sub(depth);
        let grace = below.saturating_sub(1) * GRACE;
        let deadline = header
            .deadline
            .load(Ordering::Relaxed)
            .saturating_add(grace);
        let left = deadline.saturating_sub(sys::now());
        let mut fds = [
            PollFd::readable(pidfd.unwrap_or(-1)),
            PollFd {
                fd: channel.unwrap_or(-1),
                events: 0,
                revents: 0,
            },
        ];
        let mut wait = left.min(SLICE);
        if pidfd.is_none() {
            wait = wait.min(nap);
            nap = (nap * 2).min(2_000_000);
        }
        sys::poll(&mut fds, wait);
        if fds[0].ready() || pidfd.is_none() {
            match sys::wait(pid, false) {
                Ok(Some((_, ended))) => return WaitEnd::Ended(ended),
                Ok(None) => {}
                Err(Errno(_)) => return WaitEnd::Ended(ChildEnd::Exited(-1)),
            }
        }
        let abandoned = fds[1].ready();
        if abandoned {
            header.cancel.store(1, Ordering::Relaxed);
        }
        if abandoned || board.cancelled() {
            kill(pid, pidfd);
            return WaitEnd::Cancelled;
        }
        let mut stands_still = false;
        if below == 1 && sys::now() >= look {
            stands_still = deadlock_watch.is_seen(pid);
            starvation_watch.look(pid);
            look = sys::now() + LOOK;
        }
        if left == 0 || stands_still {
            return match kill(pid, pidfd) {
                // It ended by itself at the last moment.
                Some(ended) if ended != ChildEnd::Signaled(sys::SIGKILL) => WaitEnd::Ended(ended),
                _ if stands_still => WaitEnd::StoodStill,
                _ if starvation_watch.was_short(Duration::from_nanos(sys::now() - start)) => {
                    WaitEnd::Starved
                }
                _ => WaitEnd::TimedOut,
            };
        }
    }
}

fn kill(pid: i32, pidfd: Option<RawFd>) -> Option<ChildEnd> {
    let killed = match pidfd {
        Some(fd) => signals::to_descriptor(fd, sys::SIGKILL),
        None => signals::to_process(pid, sys::SIGKILL),
    };
    if killed.is_err() {
        let _ = signals::to_process(pid, sys::SIGKILL);
    }
    match sys::wait(pid, true) {
        Ok(Some((_, ended))) => Some(ended),
        _ => None,
    }
}

/// How long what a test leaves running may go on (nanoseconds).
const LINGER: u64 = 1_000_000_000;

/// Lets go on for a while what the original of a test has left running: what it comes to counts.
pub fn wait_for_leftovers(board: &Board) {
    let end = sys::now() + LINGER;
    while sys::now() < end && !board.cancelled() {
        match sys::wait(-1, false) {
            Err(_) => return,
            Ok(Some(_)) => {}
            Ok(None) => drop(sys::poll(&mut [], 2_000_000)),
        }
    }
}

/// Kills and reaps every child there is, also orphans that we adopted, until none is left.
pub fn sweep() {
    loop {
        match sys::wait(-1, false) {
            Err(_) => return,
            Ok(Some(_)) => continue,
            Ok(None) => {}
        }
        for child in children() {
            let _ = signals::to_process(child, sys::SIGKILL);
        }
        // Killed processes are reaped one by one; their children become ours and go next.
        if sys::wait(-1, true).is_err() {
            return;
        }
    }
}

fn children() -> Vec<i32> {
    let own = sys::pid();
    if let Ok(text) = std::fs::read_to_string(format!("/proc/self/task/{own}/children")) {
        return text
            .split_ascii_whitespace()
            .filter_map(|pid| pid.parse().ok())
            .collect();
    }
    by_looking_at_all(own)
}

fn by_looking_at_all(parent: i32) -> Vec<i32> {
    let Ok(entries) = std::fs::read_dir("/proc") else {
        return Vec::new();
    };
    entries
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
        .filter(|&pid| parent_of(pid) == Some(parent))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parents_are_known_with_and_without_the_kernels_list() {
        let mut child = std::process::Command::new("sleep")
            .arg("60")
            .spawn()
            .unwrap();
        let pid = child.id() as i32;
        assert_eq!(parent_of(pid), Some(sys::pid()));
        assert_eq!(parent_of(sys::pid()), Some(sys::parent_pid()));
        assert!(by_looking_at_all(sys::pid()).contains(&pid));
        child.kill().unwrap();
        child.wait().unwrap();
        assert_eq!(parent_of(pid), None);
    }
}
