//! Whether a process got the processors that it would have got if nothing else had run.
//!
//! The kernel counts for each thread how long it ran and how long it was ready to run and had to wait. Both together tell
//! how many threads of a process wanted to run on average, and so how many processors it could have used. A process whose
//! threads wait for each other by looking again and again needs many times as long where others run beside it: what it took
//! then says nothing.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::thread;
use std::time::Duration;

/// How long a thread ran, and how long it was ready to: nanoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct ThreadTimes {
    ran: u64,
    waited: u64,
}

/// Looks at a process again and again.
#[derive(Debug, Default)]
pub struct StarvationWatch {
    threads: BTreeMap<u64, ThreadTimes>,
    /// All of its threads at all looks together.
    all: ThreadTimes,
}

impl StarvationWatch {
    /// Adds what the process had since the last look. Of threads that ended in between, the last bit is missing.
    pub fn look(&mut self, pid: i32) {
        let mut threads = BTreeMap::new();
        let directory = format!("/proc/{pid}/task");
        for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
            let thread = entry
                .file_name()
                .to_str()
                .and_then(|name| name.parse().ok());
            if let (Some(thread), Some(now)) = (thread, had(&entry.path())) {
                let before = self.threads.get(&thread).copied().unwrap_or_default();
                self.all.ran += now.ran.saturating_sub(before.ran);
                self.all.waited += now.waited.saturating_sub(before.waited);
                threads.insert(thread, now);
            }
        }
        self.threads = threads;
    }

    /// Whether others had the processors for long while it wanted to run, in all the time that it was looked at.
    pub fn was_short(&self, time: Duration) -> bool {
        let processors = thread::available_parallelism().map_or(1, usize::from);
        is_short(self.all, time.as_nanos() as u64, processors as u64)
    }
}

/// More than a fifth of a processor is missing, on average.
fn is_short(had: ThreadTimes, time: u64, processors: u64) -> bool {
    let could_have_run = (had.ran + had.waited).min(time.saturating_mul(processors));
    could_have_run.saturating_sub(had.ran) > time / 5
}

/// What the kernel tells of a thread; nothing if it does not count.
fn had(thread: &Path) -> Option<ThreadTimes> {
    let text = fs::read_to_string(thread.join("schedstat")).ok()?;
    let mut numbers = text.split_ascii_whitespace();
    let mut number = || numbers.next()?.parse().ok();
    Some(ThreadTimes {
        ran: number()?,
        waited: number()?,
    })
}

/// How long a thread of this process has run, or was ready to and had to wait, since it was started; nothing if the kernel does
/// not count.
pub fn time_of_thread(thread: i32) -> Duration {
    let path = format!("/proc/self/task/{thread}");
    let times = had(Path::new(&path)).unwrap_or_default();
    Duration::from_nanos(times.ran.saturating_add(times.waited))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_has_more_threads_than_processors_is_not_short_by_that_alone() {
        let check = |ran, waited, expected| {
            let had = ThreadTimes { ran, waited };
            assert_eq!(is_short(had, 1000, 2), expected, "{had:?}");
        };
        // Alone: idle, one busy thread, two, eight.
        check(10, 5, false);
        check(1000, 10, false);
        check(1990, 10, false);
        check(2000, 6000, false);
        // Beside two strangers: one busy thread, two, eight.
        check(660, 330, true);
        check(1000, 1000, true);
        check(1600, 6400, true);
    }

    #[test]
    fn the_time_of_a_process_is_counted() {
        let mut starvation_watch = StarvationWatch::default();
        let ended = crate::sys::now() + 20_000_000;
        while crate::sys::now() < ended {}
        starvation_watch.look(std::process::id() as i32);
        assert!(starvation_watch.all.ran > 0);
        let before = starvation_watch.all.ran;
        starvation_watch.look(i32::MAX);
        assert_eq!(starvation_watch.all.ran, before, "nobody there");
    }
}
