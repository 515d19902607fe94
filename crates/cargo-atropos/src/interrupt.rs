//! Ctrl-C and termination: the first request lets the run save what it knows and end in order; the
//! second one ends the process at once, and the groups of processes that were to end with it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use atropos_protocol::{signals, sys};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::low_level;

use crate::exit_code::ExitCode;

/// Signals that follow each other so closely are one request: `timeout` sends one to the process and one to its group.
const ONE_REQUEST: Duration = Duration::from_millis(500);

/// Groups of processes that end with this one if it has to end at once; 0 where there is none.
static WARDS: [AtomicI32; 64] = [const { AtomicI32::new(0) }; 64];

/// A group of processes that ends with this one, for as long as the value lives.
#[derive(Debug)]
pub struct ProcessGroupGuard(Option<&'static AtomicI32>);

impl ProcessGroupGuard {
    pub fn of(group: i32) -> ProcessGroupGuard {
        let relaxed = Ordering::Relaxed;
        let mut places = WARDS.iter();
        ProcessGroupGuard(
            places.find(|place| place.compare_exchange(0, group, relaxed, relaxed).is_ok()),
        )
    }
}

impl Drop for ProcessGroupGuard {
    fn drop(&mut self) {
        if let Some(place) = self.0 {
            place.store(0, Ordering::Relaxed);
        }
    }
}

/// Tells whether the user wants the run to end.
#[derive(Clone, Debug, Default)]
pub struct Interrupt {
    requested: Arc<AtomicBool>,
}

impl Interrupt {
    /// From now on signals are requests. To be called once.
    pub fn install() -> Result<Interrupt> {
        let interrupt = Interrupt::default();
        let start = Instant::now();
        let first = Arc::new(AtomicU64::new(0));
        for signal in [SIGINT, SIGTERM, SIGHUP] {
            let requested = Arc::clone(&interrupt.requested);
            let first = Arc::clone(&first);
            // SAFETY: atomics, the clock, `kill` and `_exit` are all that it uses.
            unsafe {
                low_level::register(signal, move || receive(&requested, &first, start.elapsed()))
                    .context("can't listen for Ctrl-C")?;
            }
        }
        Ok(interrupt)
    }

    /// For those that look at it by themselves.
    #[cfg(feature = "model")]
    pub fn flag(&self) -> &Arc<AtomicBool> {
        &self.requested
    }

    pub fn is_requested(&self) -> bool {
        self.requested.load(Ordering::SeqCst)
    }
}

/// A signal has come, so long after the start.
fn receive(requested: &AtomicBool, first: &AtomicU64, now: Duration) {
    // 0 is for no signal.
    let now = now.max(Duration::from_nanos(1));
    let ordering = Ordering::SeqCst;
    match first.compare_exchange(0, now.as_nanos() as u64, ordering, ordering) {
        Ok(_) => requested.store(true, ordering),
        Err(first) if is_another(Duration::from_nanos(first), now) => end_at_once(),
        Err(_) => {}
    }
}

fn is_another(first: Duration, now: Duration) -> bool {
    now.saturating_sub(first) >= ONE_REQUEST
}

fn end_at_once() -> ! {
    for guarded_process in &WARDS {
        let group = guarded_process.load(Ordering::Relaxed);
        let _ = signals::to_group(group, sys::SIGKILL);
    }
    low_level::exit(ExitCode::Interrupted as i32)
}

#[cfg(test)]
mod tests {
    use std::env;
    use std::fs;
    use std::os::unix::process::CommandExt as _;
    use std::process::{Command, Stdio};
    use std::thread;

    use signal_hook::low_level::raise;

    use super::*;

    /// Set for the process that raises signals against itself.
    const VICTIM: &str = "ATROPOS_TEST_SIGNALS";

    /// Raises as many signals as the variable says, with pauses, in a process of its own. Gives that one's exit code and
    /// the number of the process that it guards.
    fn after_signals(number: &str) -> (Option<i32>, String) {
        let output = Command::new(env::current_exe().unwrap())
            .args([
                "--exact",
                "interrupt::tests::the_first_signal_is_a_request_and_the_second_ends",
                "--nocapture",
            ])
            .env(VICTIM, number)
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&output.stdout);
        let (_, guarded_process) = said.split_once("guarded ").unwrap();
        let guarded_process = guarded_process.lines().next().unwrap().to_owned();
        (output.status.code(), guarded_process)
    }

    fn is_running(process: &str) -> bool {
        let status = fs::read_to_string(format!("/proc/{process}/status"));
        status.is_ok_and(|text| !text.contains("State:\tZ"))
    }

    #[test]
    fn the_first_signal_is_a_request_and_the_second_ends() {
        if let Ok(number) = env::var(VICTIM) {
            let interrupt = Interrupt::install().unwrap();
            assert!(!interrupt.is_requested());
            let mut guarded_process = Command::new("sleep")
                .arg("600")
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .process_group(0)
                .spawn()
                .unwrap();
            println!("guarded {}", guarded_process.id());
            let kept = ProcessGroupGuard::of(guarded_process.id() as i32);
            for _ in 0..number.parse().unwrap() {
                raise(SIGTERM).unwrap();
                assert!(interrupt.is_requested());
                thread::sleep(ONE_REQUEST);
            }
            drop(kept);
            guarded_process.kill().unwrap();
            guarded_process.wait().unwrap();
            return;
        }
        let (code, _) = after_signals("1");
        assert_eq!(code, Some(0));
        let (code, guarded_process) = after_signals("2");
        assert_eq!(code, Some(ExitCode::Interrupted as i32));
        // It is as good as dead, but that may take a moment.
        let mut looks = 0;
        while is_running(&guarded_process) {
            looks += 1;
            assert!(looks < 1000, "{guarded_process} goes on");
            thread::sleep(Duration::from_millis(10));
        }
    }

    #[test]
    fn signals_in_quick_succession_are_one_request() {
        let at = Duration::from_millis;
        assert!(!is_another(at(7), at(7)));
        assert!(!is_another(at(7), at(400)));
        assert!(is_another(at(7), at(800)));
    }
}
