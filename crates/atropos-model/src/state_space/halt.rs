//! What ends an exploration from outside, wherever it is: the user, the time, the memory.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HaltCause {
    Interrupted,
    Time,
    /// So many MiB were not enough.
    Memory(u64),
}

/// Never comes unless something is set.
#[derive(Clone, Debug, Default)]
pub struct Halt {
    pub interrupted: Arc<AtomicBool>,
    pub deadline: Option<Instant>,
    /// MiB that this process may use.
    pub memory: Option<u64>,
}

impl Halt {
    /// Comes after some time, whatever else happens.
    pub fn after(time: Duration) -> Halt {
        Halt {
            deadline: Some(Instant::now() + time),
            ..Halt::default()
        }
    }

    /// Whether it is time to end.
    pub fn cause(&self) -> Option<HaltCause> {
        self.quick_cause().or_else(|| {
            let most = self.memory?;
            (used_memory()? > most).then_some(HaltCause::Memory(most))
        })
    }

    /// The same without a look at the memory, which takes longer.
    pub(super) fn quick_cause(&self) -> Option<HaltCause> {
        if self.interrupted.load(Ordering::Relaxed) {
            return Some(HaltCause::Interrupted);
        }
        let deadline = self.deadline?;
        (Instant::now() > deadline).then_some(HaltCause::Time)
    }
}

/// MiB of this process, as Linux tells it.
fn used_memory() -> Option<u64> {
    number_behind(
        &std::fs::read_to_string("/proc/self/status").ok()?,
        "VmRSS:",
    )
}

/// MiB that are free for a new process, as Linux tells it.
pub fn free_memory() -> Option<u64> {
    number_behind(
        &std::fs::read_to_string("/proc/meminfo").ok()?,
        "MemAvailable:",
    )
}

/// In MiB; the text has kB.
fn number_behind(text: &str, name: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    let number: u64 = line.split_whitespace().next()?.parse().ok()?;
    Some(number >> 10)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_ends_what_was_given_no_end() {
        assert_eq!(Halt::default().cause(), None);
    }

    #[test]
    fn the_user_comes_before_time_and_memory() {
        let mut halt = Halt::after(Duration::ZERO);
        halt.memory = Some(0);
        halt.interrupted.store(true, Ordering::Relaxed);
        assert_eq!(halt.cause(), Some(HaltCause::Interrupted));
    }

    #[test]
    fn numbers_of_the_system_are_read_in_mebibytes() {
        let text = "VmPeak:\t  10 kB\nVmRSS:\t  204800 kB\n";
        assert_eq!(number_behind(text, "VmRSS:"), Some(200));
        assert_eq!(number_behind(text, "VmSwap:"), None);
    }
}
