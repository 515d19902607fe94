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

    pub fn is_requested(&self) -> bool {
        self.requested.load(Ordering::SeqCst)
    }
}

#[cfg(test)]
mod tests {
    use signal_hook::low_level::raise;

    use super::*;

    #[test]
    fn the_first_signal_is_a_request() {
        let interrupt = Interrupt::install().unwrap();
        assert!(!interrupt.is_requested());
        raise(SIGTERM).unwrap();
        assert!(interrupt.is_requested());
    }
}
