//! Compilers that will never go on: where memory is short, rustc may wait for a thread that could not be started. Cargo would
//! wait for it without an end.

use std::collections::HashMap;
use std::fs;
use std::time::{Duration, Instant};

use atropos_protocol::deadlock::DeadlockWatch;
use atropos_protocol::signals::ProcessHandle;

/// How often to look. A compiler that stands still at two looks is ended.
const INTERVAL: Duration = Duration::from_secs(2);

pub struct HungCompilers {
    watched: HashMap<i32, DeadlockWatch>,
    next: Instant,
}

impl HungCompilers {
    pub fn watch() -> HungCompilers {
        HungCompilers {
            watched: HashMap::new(),
            next: Instant::now() + INTERVAL,
        }
    }

    /// Ends those below a process, if it is time to look.
    pub fn end_below(&mut self, process: u32) {
        if Instant::now() >= self.next {
            self.look(process);
            self.next = Instant::now() + INTERVAL;
        }
    }

    fn look(&mut self, process: u32) {
        let mut all: Vec<ProcessHandle> = ProcessHandle::open(process as i32).into_iter().collect();
        let mut watched = HashMap::new();
        while let Some(process) = all.pop() {
            all.extend(process.children());
            if !is_compiler(&process) {
                continue;
            }
            let mut watch = self.watched.remove(&process.pid()).unwrap_or_default();
            if watch.is_seen(process.pid()) {
                process.kill();
            }
            watched.insert(process.pid(), watch);
        }
        self.watched = watched;
    }
}

/// Other programs may wait for what we don't know of.
fn is_compiler(process: &ProcessHandle) -> bool {
    let name = fs::read_to_string(format!("/proc/{}/comm", process.pid()));
    name.is_ok_and(|name| name.trim_end() == "rustc")
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;
    use std::process::{Child, Command};

    use super::*;

    /// A program in Python that is called like a compiler; none without Python.
    fn compiler(directory: &std::path::Path, program: &str) -> Option<Child> {
        let python = Command::new("python3")
            .args(["-c", "import sys; print(sys.executable)"])
            .output();
        let python = String::from_utf8(python.ok()?.stdout).ok()?;
        let rustc = directory.join("rustc");
        let _ = fs::remove_file(&rustc);
        symlink(fs::canonicalize(python.trim()).ok()?, &rustc).ok()?;
        let mut shell = Command::new("sh");
        let script = format!("'{}' -c '{program}'; exit $?", rustc.display());
        shell.args(["-c", &script]).spawn().ok()
    }

    /// Looks until it has ended; gives its exit code.
    fn watched(mut child: Child) -> Option<i32> {
        let mut compilers = HungCompilers::watch();
        let start = Instant::now();
        loop {
            if let Some(status) = child.try_wait().unwrap() {
                return status.code();
            }
            compilers.look(child.id());
            std::thread::sleep(Duration::from_millis(20));
            assert!(start.elapsed() < Duration::from_secs(60), "it does not end");
        }
    }

    #[test]
    fn a_compiler_that_waits_for_itself_is_ended_and_no_other() {
        let directory = tempfile::tempdir().unwrap();
        let stuck = "import threading; lock = threading.Lock(); lock.acquire(); lock.acquire()";
        let Some(stuck) = compiler(directory.path(), stuck) else {
            return;
        };
        assert_eq!(watched(stuck), Some(128 + 9));
        let slow = compiler(directory.path(), "import time; time.sleep(0.5)").unwrap();
        assert_eq!(watched(slow), Some(0));
    }
}
