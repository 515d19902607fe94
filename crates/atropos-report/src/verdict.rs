//! The verdicts: what became of a mutant. Exhaustive, and the only words for it anywhere.

use std::fmt;

use atropos_protocol::FailureKind;
use serde::{Deserialize, Serialize};

/// What became of one mutant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(tag = "verdict", content = "how", rename_all = "kebab-case")]
pub enum Verdict {
    /// At least one test noticed it.
    #[serde(with = "crate::serde_words::failure_kind")]
    Killed(FailureKind),
    /// A test reached it, it made a difference there, and every test still passed.
    Survived,
    /// Tests reached it, but its value never differed from the original's.
    Uninfected,
    /// No test executes the place where it acts.
    Unreached,
    /// It ran, but what would decide can't be trusted; the record's note says why.
    Undecided,
    /// rustc rejects it, so there is nothing to test.
    Unviable,
    /// The features and cfg of this build leave its code out.
    NotBuilt,
    /// Left out of this run on request; the record's note says why.
    Skipped,
    /// No test noticed it, and none needs to: the record's note has the reason.
    Accepted,
}

impl Verdict {
    /// All verdicts but for the ways to be killed, in the order of reports.
    pub const UNKILLED: [Verdict; 8] = [
        Verdict::Survived,
        Verdict::Uninfected,
        Verdict::Unreached,
        Verdict::Undecided,
        Verdict::Unviable,
        Verdict::NotBuilt,
        Verdict::Skipped,
        Verdict::Accepted,
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
            Verdict::Undecided => "undecided",
            Verdict::Unviable => "unviable",
            Verdict::NotBuilt => "not built",
            Verdict::Skipped => "skipped",
            Verdict::Accepted => "accepted",
        }
    }

    /// A few words for someone who sees the verdict for the first time.
    pub fn explanation(self) -> &'static str {
        match self {
            Verdict::Killed(_) => "a test noticed the change",
            Verdict::Survived => "tests ran the change and still passed",
            Verdict::Uninfected => "tests ran the place, but there the change made no difference",
            Verdict::Unreached => "no test runs this code",
            Verdict::Undecided => "it can't be told what the tests would say; `show ID` says why",
            Verdict::Unviable => {
                "rustc rejects the change, or one around it; not counted in the score"
            }
            Verdict::NotBuilt => "features or cfg leave this code out; not counted in the score",
            Verdict::Skipped => "left out on request; not counted in the score",
            Verdict::Accepted => {
                "no test noticed the change, and somebody accepted that; not counted in the score"
            }
        }
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
