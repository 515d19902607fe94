//! The verdicts: what became of a mutant. Exhaustive, and the only words for it anywhere.

use std::fmt;

use serde::{Deserialize, Serialize};

/// What became of one mutant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(tag = "verdict", content = "how", rename_all = "kebab-case")]
pub enum Verdict {
    /// At least one test noticed it.
    Killed(How),
    /// A test reached it, it made a difference there, and every test still passed.
    Survived,
    /// Tests reached it, but its value never differed from the original's.
    Uninfected,
    /// No test executes the place where it acts.
    Unreached,
    /// rustc rejects it, so there is nothing to test.
    Unviable,
    /// The features and cfg of this build leave its code out.
    NotBuilt,
    /// Left out of this run on request; the record's note says why.
    Skipped,
}

/// How a test noticed a mutant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum How {
    /// The test returned an error, or a `should_panic` test did not panic (as it should).
    Failed,
    /// The test panicked: an assertion, an index, an overflow.
    Panicked,
    /// The process died of a signal: abort, segmentation fault, stack overflow.
    Crashed,
    /// The process ended in the middle of the test, as by `process::exit`.
    Exited,
    /// Every thread waits for another.
    Deadlock,
    /// It took many times the steps that the original takes.
    StepLimit,
    /// It asked for far more memory than the original.
    MemoryLimit,
    /// It wrote a file far larger than tests do.
    FileLimit,
    /// It started far more threads or processes than the original.
    SpawnLimit,
    /// It ran far longer than the original.
    TimeLimit,
}

impl Verdict {
    /// All verdicts but for the ways to be killed, in the order of reports.
    pub const UNKILLED: [Verdict; 6] = [
        Verdict::Survived,
        Verdict::Uninfected,
        Verdict::Unreached,
        Verdict::Unviable,
        Verdict::NotBuilt,
        Verdict::Skipped,
    ];

    pub fn is_killed(self) -> bool {
        matches!(self, Verdict::Killed(_))
    }

    /// Whether it is a viable mutant that no test noticed.
    pub fn is_missed(self) -> bool {
        matches!(
            self,
            Verdict::Survived | Verdict::Uninfected | Verdict::Unreached
        )
    }

    /// Whether it counts in the score.
    pub fn is_scored(self) -> bool {
        self.is_killed() || self.is_missed()
    }

    /// The word for it, without how.
    pub fn word(self) -> &'static str {
        match self {
            Verdict::Killed(_) => "killed",
            Verdict::Survived => "survived",
            Verdict::Uninfected => "uninfected",
            Verdict::Unreached => "unreached",
            Verdict::Unviable => "unviable",
            Verdict::NotBuilt => "not built",
            Verdict::Skipped => "skipped",
        }
    }

    /// A few words for someone who sees the verdict for the first time.
    pub fn explanation(self) -> &'static str {
        match self {
            Verdict::Killed(_) => "a test noticed the change",
            Verdict::Survived => "tests ran the change and still passed",
            Verdict::Uninfected => "tests ran the place, but there the change made no difference",
            Verdict::Unreached => "no test runs this code",
            Verdict::Unviable => {
                "rustc rejects the change, or one around it; not counted in the score"
            }
            Verdict::NotBuilt => "features or cfg leave this code out; not counted in the score",
            Verdict::Skipped => "left out on request; not counted in the score",
        }
    }
}

impl How {
    pub const ALL: [How; 10] = [
        How::Failed,
        How::Panicked,
        How::Crashed,
        How::Exited,
        How::Deadlock,
        How::StepLimit,
        How::MemoryLimit,
        How::FileLimit,
        How::SpawnLimit,
        How::TimeLimit,
    ];

    pub fn word(self) -> &'static str {
        match self {
            How::Failed => "failed",
            How::Panicked => "panicked",
            How::Crashed => "crashed",
            How::Exited => "exited",
            How::Deadlock => "deadlock",
            How::StepLimit => "step limit",
            How::MemoryLimit => "memory limit",
            How::FileLimit => "file limit",
            How::SpawnLimit => "spawn limit",
            How::TimeLimit => "time limit",
        }
    }

    /// Whether the mutant was cut off for taking too long, rather than caught by what it did.
    pub fn is_cut_off(self) -> bool {
        matches!(self, How::StepLimit | How::TimeLimit)
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Verdict::Killed(how) => write!(formatter, "killed ({how})"),
            verdict => formatter.write_str(verdict.word()),
        }
    }
}

impl fmt::Display for How {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.word())
    }
}
