//! The gaps in the tests that a run has found, function by function and in the order in which to look at them:
//! survivors, the most disturbing first; code that no test runs; changes that never made a difference.

use crate::by_file::{UnreachedFunction, by_function, in_order, unreached};
use crate::outcomes::{MutantRecord, Outcomes};
use crate::verdict::Verdict;

/// A place to look at.
pub(crate) enum Gap<'o> {
    /// Changes of one function that no test noticed.
    Survived(Vec<&'o MutantRecord>),
    /// A function that no test runs.
    Unreached(UnreachedFunction<'o>),
    /// Changes of one function that tests ran, and that never made a difference there.
    Uninfected(Vec<&'o MutantRecord>),
}

/// All gaps.
pub(crate) fn gaps(outcomes: &Outcomes) -> Vec<Gap<'_>> {
    let of = |verdict| by_function(&in_order(outcomes, verdict));
    let survived = of(Verdict::Survived).into_iter().map(Gap::Survived);
    let unreached = unreached(outcomes).into_iter().map(Gap::Unreached);
    let uninfected = of(Verdict::Uninfected).into_iter().map(Gap::Uninfected);
    survived.chain(unreached).chain(uninfected).collect()
}

/// The records of a gap by their lines, in the order of the source.
pub(crate) fn by_line<'o>(records: &[&'o MutantRecord]) -> Vec<Vec<&'o MutantRecord>> {
    let mut sorted = records.to_vec();
    sorted.sort_by_key(|record| (record.info.line, record.info.column, record.info.id));
    let chunks = sorted.chunk_by(|left, right| left.info.line == right.info.line);
    chunks.map(<[&MutantRecord]>::to_vec).collect()
}

/// What is left out of a list of gaps: how many mutants of each kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct OmittedGaps {
    pub survivors: usize,
    pub unreached_functions: usize,
    pub uninfected: usize,
}

impl OmittedGaps {
    pub fn of(gaps: &[Gap]) -> OmittedGaps {
        let mut left_out = OmittedGaps::default();
        for gap in gaps {
            match gap {
                Gap::Survived(records) => left_out.survivors += records.len(),
                Gap::Unreached(_) => left_out.unreached_functions += 1,
                Gap::Uninfected(records) => left_out.uninfected += records.len(),
            }
        }
        left_out
    }

    /// `3 survivors, 2 functions that no test runs`; empty if nothing is left out.
    pub fn words(self) -> String {
        let number = |number: usize, one: &str, many: &str| match number {
            0 => None,
            1 => Some(format!("1 {one}")),
            _ => Some(format!("{number} {many}")),
        };
        let parts = [
            number(self.survivors, "survivor", "survivors"),
            number(
                self.unreached_functions,
                "function that no test runs",
                "functions that no test runs",
            ),
            number(
                self.uninfected,
                "change that never made a difference",
                "changes that never made a difference",
            ),
        ];
        parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
    }
}
