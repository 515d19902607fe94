//! Signals that we send. All of them go through here, so that none reaches anybody but the process or group that is meant.
//!
//! To the kernel, process 0 is the caller's own group and process -1 everybody. Such numbers come about: of a process that is
//! just being released, the kernel says that its process and its parent have the number 0. And the number of a process that
//! was waited for may be another's by now, so who can should hold a [`ProcessHandle`].

use std::fs;
use std::os::fd::{AsRawFd as _, FromRawFd as _, OwnedFd, RawFd};

use crate::numbers;
use crate::sys::{self, EINVAL, Errno, PollFd};

/// No process that we end has a lower number: 1 is the system's first.
const LOWEST: i32 = 2;

/// Sends a signal to one other process.
pub fn to_process(process: i32, signal: i32) -> Result<(), Errno> {
    if process < LOWEST || process == sys::pid() {
        return Err(Errno(EINVAL));
    }
    send(process, signal)
}

/// Sends a signal to all processes of another group than our own.
pub fn to_group(group: i32, signal: i32) -> Result<(), Errno> {
    if group < LOWEST || group == sys::process_group(0) {
        return Err(Errno(EINVAL));
    }
    send(-group, signal)
}

/// Sends a signal to the process that a descriptor stands for.
pub fn to_descriptor(pidfd: RawFd, signal: i32) -> Result<(), Errno> {
    let arguments = [pidfd as usize, signal as usize, 0, 0, 0, 0];
    // SAFETY: no pointers.
    unsafe { sys::call(numbers::PIDFD_SEND_SIGNAL, arguments) }.map(drop)
}

fn send(target: i32, signal: i32) -> Result<(), Errno> {
    let arguments = [target as isize as usize, signal as usize, 0, 0, 0, 0];
    // SAFETY: no pointers.
    unsafe { sys::call(numbers::KILL, arguments) }.map(drop)
}

/// A process for which no other is ever taken, also when its number becomes another's.
#[derive(Debug)]
pub struct ProcessHandle {
    pid: i32,
    pidfd: OwnedFd,
}

impl ProcessHandle {
    /// The process that has this number now; an error if there is none, or if it is this one or the system's first.
    pub fn open(pid: i32) -> Result<ProcessHandle, Errno> {
        if pid < LOWEST || pid == sys::pid() {
            return Err(Errno(EINVAL));
        }
        let pidfd = sys::open_pidfd(pid)?;
        // SAFETY: the kernel has just made it for us.
        let pidfd = unsafe { OwnedFd::from_raw_fd(pidfd) };
        Ok(ProcessHandle { pid, pidfd })
    }

    pub fn pid(&self) -> i32 {
        self.pid
    }

    pub fn descriptor(&self) -> RawFd {
        self.pidfd.as_raw_fd()
    }

    /// Whether it has not ended. As long as it has not, its number means nobody else.
    pub fn is_running(&self) -> bool {
        let mut fds = [PollFd::readable(self.descriptor())];
        sys::poll(&mut fds, 0);
        !fds[0].ready()
    }

    pub fn kill(&self) {
        let _ = to_descriptor(self.descriptor(), sys::SIGKILL);
    }

    /// The processes that it started, in any of its threads, and that have not been waited for.
    pub fn children(&self) -> Vec<ProcessHandle> {
        let threads = fs::read_dir(format!("/proc/{}/task", self.pid));
        let threads = threads.into_iter().flatten().flatten();
        let lists =
            threads.filter_map(|thread| fs::read_to_string(thread.path().join("children")).ok());
        let mut children = Vec::new();
        for list in lists {
            let numbers = list
                .split_ascii_whitespace()
                .filter_map(|number| number.parse().ok());
            children.extend(numbers.filter_map(|number| self.child(number)));
        }
        children
    }

    /// The child that has this number, if it is one.
    fn child(&self, number: i32) -> Option<ProcessHandle> {
        let child = ProcessHandle::open(number).ok()?;
        // Looked at after it was opened, while both run: so this is said of it, and of this process.
        let is_child = parent_of(number) == Some(self.pid);
        (is_child && child.is_running() && self.is_running()).then_some(child)
    }
}

/// Whether a process (or thread) is another, or was started below it; none if there is no such process.
pub fn is_below(process: i32, root: i32) -> Option<bool> {
    let mut at = process_of(process)?;
    while at != root {
        match parent_of(at) {
            Some(parent) => at = parent,
            None => return Some(false),
        }
    }
    Some(true)
}

/// The process that started another, or has adopted it. Of a thread, that of its process. None if there is no such process, or
/// if nobody that can be seen from here has started it.
pub fn parent_of(process: i32) -> Option<i32> {
    number_in_status(process, "PPid:")
}

/// The process that a thread belongs to; none if there is no such thread.
pub fn process_of(thread: i32) -> Option<i32> {
    number_in_status(thread, "Tgid:")
}

fn number_in_status(process: i32, name: &str) -> Option<i32> {
    let status = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let number = status.lines().find_map(|line| line.strip_prefix(name))?;
    // 0 is said of what is just being released.
    number.trim().parse().ok().filter(|&number| number > 0)
}

#[cfg(test)]
mod tests {
    use std::process::{Command, id};
    use std::sync::atomic::{AtomicI32, Ordering};

    use super::*;

    /// Asks only whether somebody is there.
    const NOTHING: i32 = 0;

    #[test]
    fn no_signal_goes_to_everybody_to_the_first_process_or_to_ourselves() {
        let (own, own_group) = (id() as i32, sys::process_group(0));
        for process in [0, 1, -1, i32::MIN, own, -own, -own_group] {
            assert_eq!(
                to_process(process, NOTHING),
                Err(Errno(EINVAL)),
                "{process}"
            );
            assert!(ProcessHandle::open(process).is_err(), "{process}");
        }
        for group in [0, 1, -1, i32::MIN, own_group, -own_group] {
            assert_eq!(to_group(group, NOTHING), Err(Errno(EINVAL)), "{group}");
        }
    }

    #[test]
    fn other_processes_and_groups_are_reached() {
        use std::os::unix::process::CommandExt as _;
        let mut child = Command::new("sleep")
            .arg("100")
            .process_group(0)
            .spawn()
            .unwrap();
        let pid = child.id() as i32;
        assert_eq!(to_process(pid, NOTHING), Ok(()));
        assert_eq!(to_group(pid, NOTHING), Ok(()));
        let handle = ProcessHandle::open(pid).unwrap();
        assert!(handle.is_running() && handle.pid() == pid);
        handle.kill();
        child.wait().unwrap();
        assert!(!handle.is_running());
        assert!(to_descriptor(handle.descriptor(), NOTHING).is_err());
    }

    #[test]
    fn children_of_all_threads_are_found() {
        let mut shell = Command::new("sh");
        shell.args(["-c", "sleep 100 & sleep 100 & wait"]);
        let started = std::thread::spawn(move || shell.spawn().unwrap())
            .join()
            .unwrap();
        let mut started = started;
        let parent = ProcessHandle::open(started.id() as i32).unwrap();
        let mut children = parent.children();
        while children.len() < 2 {
            children = parent.children();
        }
        for child in &children {
            assert_eq!(parent_of(child.pid()), Some(parent.pid()));
            assert!(child.children().is_empty());
            child.kill();
        }
        started.wait().unwrap();
        assert!(parent.children().is_empty());
    }

    #[test]
    fn ones_own_processes_are_told_from_others() {
        let (this, parent) = (id() as i32, sys::parent_pid());
        let mut child = Command::new("sleep").arg("100").spawn().unwrap();
        let below = child.id() as i32;
        for (process, root, expected) in [
            (below, this, Some(true)),
            (below, parent, Some(true)),
            (this, this, Some(true)),
            (this, parent, Some(true)),
            (sys::thread_id(), this, Some(true)),
            (parent, this, Some(false)),
            (1, this, Some(false)),
            (i32::MAX, this, None),
            (0, this, None),
            (-1, this, None),
        ] {
            assert_eq!(is_below(process, root), expected, "{process}");
        }
        child.kill().unwrap();
        child.wait().unwrap();
    }

    #[test]
    fn what_is_just_being_released_has_no_number_instead_of_0() {
        let current = AtomicI32::new(0);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                loop {
                    let process = current.load(Ordering::SeqCst);
                    if process < 0 {
                        return;
                    }
                    for number in [process_of(process), parent_of(process)] {
                        assert!(number.is_none_or(|number| number > 0));
                    }
                }
            });
            for _ in 0..500 {
                let mut child = Command::new("true").spawn().unwrap();
                current.store(child.id() as i32, Ordering::SeqCst);
                child.wait().unwrap();
            }
            current.store(-1, Ordering::SeqCst);
        });
    }
}
