//! A group of processes that does nothing: none of them runs, and none has done so for a while.
//!
//! What is explored never waits for real: sleeping and waiting take virtual time. Only a system call that does not pass
//! through the C library, where we would see it, brings it to a halt.

use std::fs;
use std::time::{Duration, Instant};

/// So long nothing must happen.
const WHILE: Duration = Duration::from_secs(3);
/// How often to look.
const PAUSE: Duration = Duration::from_millis(500);

/// Watches a group.
pub struct IdleWatch {
    group: u32,
    looked: Instant,
    /// The processor time that it had used, and since when that is all.
    since: Option<(u64, Instant)>,
}

impl IdleWatch {
    pub fn of(group: u32) -> IdleWatch {
        IdleWatch {
            group,
            looked: Instant::now(),
            since: None,
        }
    }

    /// Whether nothing has happened for a while.
    pub fn is_long(&mut self) -> bool {
        if self.looked.elapsed() < PAUSE {
            return false;
        }
        self.looked = Instant::now();
        let Some(used) = used_by_sleepers(self.group) else {
            self.since = None;
            return false;
        };
        match self.since {
            Some((before, since)) if before == used => since.elapsed() >= WHILE,
            _ => {
                self.since = Some((used, Instant::now()));
                false
            }
        }
    }
}

/// The processor time that a group of processes has used, if all of them sleep.
fn used_by_sleepers(group: u32) -> Option<u64> {
    let mut used = 0;
    for entry in fs::read_dir("/proc").ok()?.flatten() {
        let Ok(stat) = fs::read_to_string(entry.path().join("stat")) else {
            continue;
        };
        // The name, which may hold anything, stands in parentheses; then state, parent, group.
        let fields: Vec<&str> = match stat.rsplit_once(") ") {
            Some((_, rest)) => rest.split(' ').collect(),
            None => continue,
        };
        let number = |at: usize| fields.get(at).and_then(|field| field.parse::<u64>().ok());
        if number(2) != Some(u64::from(group)) {
            continue;
        }
        if !["S", "Z"].contains(&fields[0]) {
            return None;
        }
        used += number(11)? + number(12)?;
    }
    Some(used)
}

#[cfg(test)]
mod tests {
    use std::os::unix::process::CommandExt as _;
    use std::process::{Command, Stdio};

    use super::*;

    #[test]
    fn who_waits_for_a_pipe_is_still_and_who_counts_is_not() {
        let [mut waiting, mut counting] = ["read line", "while :; do :; done"].map(|script| {
            let mut command = Command::new("sh");
            command.args(["-c", script]).stdin(Stdio::piped());
            command.process_group(0).spawn().expect("a shell")
        });
        let mut still = IdleWatch::of(waiting.id());
        let mut busy = IdleWatch::of(counting.id());
        while !still.is_long() {
            assert!(!busy.is_long());
            std::thread::sleep(Duration::from_millis(50));
        }
        for child in [&mut waiting, &mut counting] {
            child.kill().unwrap();
            child.wait().unwrap();
        }
    }
}
