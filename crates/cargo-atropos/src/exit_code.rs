//! What the process's exit code says. Scripts rely on it: never renumber.

use std::process;

use atropos_report::outcomes::Totals;

/// Every exit code of `cargo atropos`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum ExitCode {
    /// Every mutant that counts was killed (or there was nothing to test).
    Success = 0,
    /// The command line, the config file or another input is wrong, or Atropos itself failed.
    Usage = 1,
    /// At least one mutant survived, was not infected or was not reached.
    Survivors = 2,
    /// None was missed, but some mutants were killed only by a limit on time or steps, or could not be decided.
    Limits = 3,
    /// The tests fail, or do not build, without any mutant.
    TestsFail = 4,
    /// Mutants that should have been tested were not: none could be built, a package was compiled without its mutants, or
    /// a compiler ended before it said anything.
    NotTested = 5,
    /// Stopped by Ctrl-C or a termination signal; the verdicts so far are saved.
    Interrupted = 130,
}

impl ExitCode {
    /// The exit code of a run that went to its end with these totals.
    pub fn of(totals: &Totals) -> ExitCode {
        if totals.missed() > 0 {
            ExitCode::Survivors
        } else if totals.cut_off() + totals.untested > 0 {
            ExitCode::Limits
        } else {
            ExitCode::Success
        }
    }
}

impl From<ExitCode> for process::ExitCode {
    fn from(code: ExitCode) -> process::ExitCode {
        process::ExitCode::from(code as u8)
    }
}

#[cfg(test)]
mod tests {
    use atropos_protocol::FailureKind;
    use atropos_report::verdict::Verdict;

    use super::*;

    fn check(verdicts: &[Verdict], expected: ExitCode) {
        let verdicts: Vec<_> = verdicts.iter().copied().map(Some).collect();
        assert_eq!(ExitCode::of(&Totals::count(verdicts)), expected);
    }

    #[test]
    fn the_worst_verdict_decides() {
        let panicked = Verdict::Killed(FailureKind::Panicked);
        let endless = Verdict::Killed(FailureKind::StepLimit);
        let slow = Verdict::Killed(FailureKind::TimeLimit);
        check(&[], ExitCode::Success);
        check(&[panicked], ExitCode::Success);
        check(
            &[panicked, Verdict::Unviable, Verdict::NotBuilt],
            ExitCode::Success,
        );
        check(&[panicked, endless], ExitCode::Limits);
        check(&[panicked, slow], ExitCode::Limits);
        check(
            &[panicked, Verdict::Killed(FailureKind::MemoryLimit)],
            ExitCode::Success,
        );
        check(&[endless, Verdict::Survived], ExitCode::Survivors);
        check(&[Verdict::Uninfected], ExitCode::Survivors);
        check(&[Verdict::Unreached], ExitCode::Survivors);
        let undecided = Totals::count([Some(panicked), None]);
        assert_eq!(ExitCode::of(&undecided), ExitCode::Limits);
    }
}
