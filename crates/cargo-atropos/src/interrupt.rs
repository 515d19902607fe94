//! Ctrl-C and termination: the first request lets the run save what it knows and end in order; the
//! second one ends the process at once.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Context, Result};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::flag;

use crate::exit_code::ExitCode;

/// Tells whether the user wants the run to end.
#[derive(Clone, Debug, Default)]
pub struct Interrupt {
    requested: Arc<AtomicBool>,
}

impl Interrupt {
    /// From now on signals are requests. To be called once.
    pub fn install() -> Result<Interrupt> {
        let interrupt = Interrupt::default();
        for signal in [SIGINT, SIGTERM, SIGHUP] {
            let requested = &interrupt.requested;
            // Actions run in the order of their registration: this one ends the process only if
            // an earlier signal has set the flag.
            let code = ExitCode::Interrupted as i32;
            flag::register_conditional_shutdown(signal, code, Arc::clone(requested))
                .and_then(|_| flag::register(signal, Arc::clone(requested)))
                .context("can't listen for Ctrl-C")?;
        }
        Ok(interrupt)
    }

    /// For those that look at it by themselves.
    pub fn flag(&self) -> &Arc<AtomicBool> {
        &self.requested
    }

    pub fn is_requested(&self) -> bool {
        self.requested.load(Ordering::SeqCst)
    }
}

#[cfg(test)]
mod tests {
    use std::env;
    use std::process::{Command, Stdio};

    use signal_hook::low_level::raise;

    use super::*;

    /// Set for the process that raises signals against itself.
    const VICTIM: &str = "ATROPOS_TEST_SIGNALS";

    /// Raises as many signals as the variable says, in a process of its own.
    fn after_signals(number: &str) -> Option<i32> {
        let status = Command::new(env::current_exe().unwrap())
            .args([
                "--exact",
                "interrupt::tests::the_first_signal_is_a_request_and_the_second_ends",
            ])
            .env(VICTIM, number)
            .stdout(Stdio::null())
            .status()
            .unwrap();
        status.code()
    }

    #[test]
    fn the_first_signal_is_a_request_and_the_second_ends() {
        if let Ok(number) = env::var(VICTIM) {
            let interrupt = Interrupt::install().unwrap();
            assert!(!interrupt.is_requested());
            for _ in 0..number.parse().unwrap() {
                raise(SIGTERM).unwrap();
                assert!(interrupt.is_requested());
            }
            return;
        }
        assert_eq!(after_signals("1"), Some(0));
        assert_eq!(after_signals("2"), Some(ExitCode::Interrupted as i32));
    }
}
