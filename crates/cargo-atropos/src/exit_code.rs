//! What the process's exit code says. Scripts rely on it: never renumber.

use std::process;

/// Every exit code of `cargo atropos`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum ExitCode {
    /// Every mutant that counts was killed, or as many as the user wants (see `gate`).
    Success = 0,
    /// The command line, the config file or another input is wrong, or Atropos itself failed.
    Usage = 1,
    /// A mutant survived, was not infected or was not reached; or more of them than the user allows.
    Survivors = 2,
    /// None was missed, but some mutants were killed only by a limit on time or steps, or could not be decided.
    Limits = 3,
    /// The tests fail, or do not build, without any mutant.
    TestsFail = 4,
    /// Mutants that should have been tested were not: none could be built, a package was compiled without its mutants, or
    /// a compiler ended before it said anything. Or a test that `explore` was given by name could not be explored.
    NotTested = 5,
    /// Stopped by Ctrl-C or a termination signal; the verdicts so far are saved.
    Interrupted = 130,
}

impl From<ExitCode> for process::ExitCode {
    fn from(code: ExitCode) -> process::ExitCode {
        process::ExitCode::from(code as u8)
    }
}
