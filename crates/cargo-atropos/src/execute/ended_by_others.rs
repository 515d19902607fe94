//! Tests that somebody else may have ended: the system, because memory ran out, or a person.
//!
//! Who sends the signal that nobody can catch is not known afterwards. A test that is ended by it says nothing about its mutant,
//! and neither does one that failed while the system ended processes for lack of memory: it may have been one of the test's.

use std::fs;

use atropos_protocol::{TestResult, sys};

/// Watches whether the system ends processes for lack of memory.
pub struct MemoryWatch {
    ended_before: u64,
}

impl MemoryWatch {
    pub fn start() -> MemoryWatch {
        MemoryWatch {
            ended_before: ended_for_memory(),
        }
    }

    /// Whether the system has ended a process meanwhile.
    pub fn ran_out(&self) -> bool {
        ended_for_memory() != self.ended_before
    }
}

/// Whether a test may have ended like this only because somebody else ended a process; memory `ran_out` meanwhile, or did not.
pub fn is_doubtful(result: TestResult, ran_out: bool) -> bool {
    result == TestResult::crashed(sys::SIGKILL) || result.failure().is_some() && ran_out
}

fn statistics() -> String {
    fs::read_to_string("/proc/vmstat").unwrap_or_default()
}

/// How many processes the system has ended since it was started, in containers, too.
fn ended_for_memory() -> u64 {
    ended_for_memory_in(&statistics())
}

fn ended_for_memory_in(statistics: &str) -> u64 {
    let mut lines = statistics.lines();
    let count = lines.find_map(|line| line.strip_prefix("oom_kill "));
    count.and_then(|count| count.parse().ok()).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use atropos_protocol::FailureKind;

    use super::*;

    #[test]
    fn what_ends_while_memory_runs_out_is_doubtful_and_so_is_who_was_killed() {
        let (killed, panicked) = (
            TestResult::crashed(sys::SIGKILL),
            TestResult::failed(FailureKind::Panicked),
        );
        for ran_out in [false, true] {
            assert!(is_doubtful(killed, ran_out));
            assert_eq!(is_doubtful(panicked, ran_out), ran_out);
            assert!(!is_doubtful(TestResult::Passed, ran_out));
        }
        let ended_before = u64::MAX;
        assert!(MemoryWatch { ended_before }.ran_out());
    }

    #[test]
    fn the_systems_count_is_read() {
        assert_eq!(ended_for_memory_in("nr_free 12\noom_kill 7\nswap 1\n"), 7);
        assert_eq!(ended_for_memory_in(""), 0);
        // It is there since Linux 4.13.
        assert!(statistics().contains("\noom_kill "));
    }
}
