//! How far a long command is, on standard error: one line that is rewritten on a terminal, and now and then a plain one
//! elsewhere.

use std::io::IsTerminal as _;
use std::time::{Duration, Instant};

pub(super) struct ProgressLine {
    terminal: bool,
    shown: Instant,
}

impl ProgressLine {
    pub fn new() -> ProgressLine {
        ProgressLine {
            terminal: std::io::stderr().is_terminal(),
            shown: Instant::now(),
        }
    }

    /// Shows the text if the last one is long enough ago.
    pub fn show(&mut self, text: impl FnOnce() -> String) {
        // In a log a line now and then is enough.
        let pause = Duration::from_millis(if self.terminal { 200 } else { 20_000 });
        if self.shown.elapsed() <= pause {
            return;
        }
        self.shown = Instant::now();
        let (before, after) = match self.terminal {
            true => ("\r\x1b[K", ""),
            false => ("", "\n"),
        };
        super::tell(&format!("{before}{}{after}", text()));
    }

    /// Leaves no line on the terminal.
    pub fn end(&self) {
        if self.terminal {
            super::tell("\r\x1b[K");
        }
    }
}
