//! A process that will never go on by itself: every thread of it waits, without a limit of time, for memory that only
//! threads of the same process change, or for descriptors that only they make ready.
//!
//! That is no guess. A thread that waits at two looks and was not switched to in between has waited all the time. So
//! between the first look at the last thread and the second look at the first, all waited at once; nobody was left who
//! could wake another.

mod epoll;
mod sockets;

pub use epoll::are_its_own;

use std::fs;
use std::path::Path;

use crate::numbers;

/// The operations of `futex` that wait for ever if no time is given: `WAIT`, `WAIT_BITSET`, `LOCK_PI`.
const WAITING: [u64; 3] = [0, 9, 6];
const OPERATION: u64 = 0x7f;
/// Nobody outside the process can wake it.
const PRIVATE: u64 = 0x80;
/// Signals that a thread only gets by what it does itself (SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV, SIGXCPU,
/// SIGXFSZ, SIGSYS), and the two that the C library uses between threads. A handler for any other could wake somebody.
const OWN_SIGNALS: u64 = bits(&[4, 5, 6, 7, 8, 11, 24, 25, 31, 32, 33]);
/// Signals by which people end a program (SIGHUP, SIGINT, SIGQUIT, SIGTERM). To a test in a process group of its own only a
/// child would send them.
const SIGNALS_OF_PEOPLE: u64 = bits(&[1, 2, 3, 15]);

const fn bits(signals: &[u32]) -> u64 {
    let (mut set, mut at) = (0, 0);
    while at < signals.len() {
        set |= 1 << (signals[at] - 1);
        at += 1;
    }
    set
}

/// What to say of such a process.
pub const DEADLOCK: &str = "all its threads wait for each other";

/// A thread that waits.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Waiting {
    thread: u64,
    /// How often it was switched to and from.
    switches: String,
    call: String,
}

/// Looks at a process again and again.
#[derive(Debug, Default)]
pub struct DeadlockWatch {
    before: Option<Vec<Waiting>>,
}

impl DeadlockWatch {
    /// Whether the process waits for ever, now and at the look before.
    pub fn is_seen(&mut self, pid: i32) -> bool {
        let now = look(pid);
        let is_same = now.is_some() && now == self.before;
        self.before = now;
        is_same
    }
}

/// All threads of a process, if all of them wait.
fn look(pid: i32) -> Option<Vec<Waiting>> {
    let process = format!("/proc/{pid}");
    let process = Path::new(&process);
    let from_outside = signals_from_outside(process)?;
    let is_never_sent =
        from_outside == 0 || (from_outside & !SIGNALS_OF_PEOPLE == 0 && has_no_children(process)?);
    if !is_never_sent {
        return None;
    }
    let mut threads = Vec::new();
    for entry in fs::read_dir(process.join("task")).ok()? {
        threads.push(entry.ok()?.file_name().to_str()?.parse().ok()?);
    }
    threads.sort_unstable();
    let waiting = |thread: &u64| {
        let directory = process.join(format!("task/{thread}"));
        let switches = switches(&directory)?;
        let call = fs::read_to_string(directory.join("syscall")).ok()?;
        let waits_for_its_own = match awaited(&call, &threads)? {
            WaitTarget::Memory => true,
            // A child could have been given any of them.
            WaitTarget::Descriptors { epoll } => {
                has_no_children(process)? && epoll::waits_for_its_own(process, epoll)
            }
        };
        let is_waiting = waits_for_its_own && self::switches(&directory)? == switches;
        is_waiting.then_some(Waiting {
            thread: *thread,
            switches,
            call,
        })
    };
    threads.iter().map(waiting).collect()
}

/// The signals that others may send to the process and for which it has a handler.
fn signals_from_outside(process: &Path) -> Option<u64> {
    let status = fs::read_to_string(process.join("status")).ok()?;
    let caught = u64::from_str_radix(field(&status, "SigCgt:")?, 16).ok()?;
    Some(caught & !OWN_SIGNALS)
}

/// Whether nothing but the one thread of this process can do anything to it: it has no other thread, no child, and no handler for
/// a signal that others send. If what the system tells is not understood, there is no answer.
fn is_alone(process: &Path) -> Option<bool> {
    let threads = fs::read_dir(process.join("task")).ok()?.count();
    let is_signalled = signals_from_outside(process)? & !SIGNALS_OF_PEOPLE != 0;
    Some(threads == 1 && !is_signalled && has_no_children(process)?)
}

fn has_no_children(process: &Path) -> Option<bool> {
    for thread in fs::read_dir(process.join("task")).ok()? {
        let children = fs::read_to_string(thread.ok()?.path().join("children")).ok()?;
        if !children.trim().is_empty() {
            return Some(false);
        }
    }
    Some(true)
}

fn field<'a>(status: &'a str, name: &str) -> Option<&'a str> {
    let mut lines = status.lines();
    lines
        .find_map(|line| line.strip_prefix(name))
        .map(str::trim)
}

/// How often a thread that sleeps was switched to and from.
fn switches(thread: &Path) -> Option<String> {
    let status = fs::read_to_string(thread.join("status")).ok()?;
    // One that was stopped from outside may have been woken before.
    if !field(&status, "State:")?.starts_with('S') {
        return None;
    }
    let (own, others) = (
        field(&status, "voluntary_ctxt_switches:")?,
        field(&status, "nonvoluntary_ctxt_switches:")?,
    );
    Some(format!("{own} {others}"))
}

/// What a thread waits for until it comes.
#[derive(Debug, PartialEq, Eq)]
enum WaitTarget {
    /// Private memory to be changed, or a thread of the process to end.
    Memory,
    /// One of the descriptors in a set to be ready.
    Descriptors { epoll: u64 },
}

/// What a system call (its number and arguments) waits for, if that is without a limit of time.
fn awaited(call: &str, threads: &[u64]) -> Option<WaitTarget> {
    let mut words = call.split_ascii_whitespace();
    let number: usize = words.next()?.parse().ok()?;
    let arguments: Option<Vec<u64>> = words
        .map(|word| u64::from_str_radix(word.strip_prefix("0x")?, 16).ok())
        .collect();
    let [first, second, third, fourth, ..] = *arguments? else {
        return None;
    };
    let descriptors = WaitTarget::Descriptors { epoll: first };
    match number {
        numbers::FUTEX => {
            let (operation, value, time) = (second, third, fourth);
            let ends_by_others = operation & PRIVATE != 0 || threads.contains(&value);
            let waits = WAITING.contains(&(operation & OPERATION)) && time == 0 && ends_by_others;
            waits.then_some(WaitTarget::Memory)
        }
        // The limit is a number of 32 bits; the newest call takes it by its address.
        numbers::EPOLL_PWAIT => (fourth as i32 == -1).then_some(descriptors),
        #[cfg(target_arch = "x86_64")]
        numbers::legacy::EPOLL_WAIT => (fourth as i32 == -1).then_some(descriptors),
        numbers::EPOLL_PWAIT2 => (fourth == 0).then_some(descriptors),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_waits_without_a_limit_for_the_process_itself_count() {
        let futex = |rest: &str| format!("{} {rest} 0x7ffd 0x7f35\n", numbers::FUTEX);
        let check = |call: &str, expected: bool| {
            let expected = expected.then_some(WaitTarget::Memory);
            assert_eq!(awaited(call, &[70, 71]), expected, "{call}");
        };
        check(&futex("0x55 0x89 0x2 0x0 0x0 0xffffffff"), true);
        check(&futex("0x55 0x80 0x2 0x0 0x0 0x0"), true);
        // With a limit of time.
        check(&futex("0x55 0x89 0x2 0x7f00 0x0 0xffffffff"), false);
        // A thread that is joined: the kernel wakes whoever waits for its end.
        check(&futex("0x55 0x109 0x47 0x0 0x0 0xffffffff"), true);
        // Memory that other processes may share.
        check(&futex("0x55 0x109 0x1 0x0 0x0 0xffffffff"), false);
        // Somebody who wakes.
        check(&futex("0x55 0x81 0x1 0x0 0x0 0x0"), false);
        check("running\n", false);
        check("0 0x3 0x7f00 0x1 0x0 0x0 0x0 0x7ffd 0x7f35\n", false);
    }

    #[test]
    fn a_set_of_descriptors_is_waited_for_only_without_a_limit() {
        let epoll = |time: &str| {
            let number = numbers::EPOLL_PWAIT;
            let call = format!("{number} 0x5 0x7fe2 0x400 {time} 0x0 0x7fe2 0x7fe2 0x7fe2\n");
            awaited(&call, &[])
        };
        assert_eq!(
            epoll("0xffffffff"),
            Some(WaitTarget::Descriptors { epoll: 5 })
        );
        assert_eq!(epoll("0xffffffffffffffff"), epoll("0xffffffff"));
        assert_eq!(epoll("0x0"), None);
        assert_eq!(epoll("0xbb8"), None);
        let timed = |time: &str| {
            let number = numbers::EPOLL_PWAIT2;
            let call = format!("{number} 0x5 0x7fe2 0x400 {time} 0x0 0x8 0x7fe2 0x7fe2\n");
            awaited(&call, &[])
        };
        assert_eq!(timed("0x0"), Some(WaitTarget::Descriptors { epoll: 5 }));
        assert_eq!(timed("0x7ffc10"), None);
    }

    #[test]
    fn a_process_that_runs_or_waits_for_others_does_not_stand_still() {
        let mut child = std::process::Command::new("sleep")
            .arg("60")
            .spawn()
            .unwrap();
        let mut deadlock_watch = DeadlockWatch::default();
        for _ in 0..3 {
            assert!(!deadlock_watch.is_seen(child.id() as i32));
        }
        assert!(!deadlock_watch.is_seen(std::process::id() as i32));
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(!deadlock_watch.is_seen(child.id() as i32));
    }
}
