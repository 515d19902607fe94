//! Which test kills which mutant, and the smallest suite (greedily) that still kills all.

use super::run::{ClosuresOfMutant, PreparedTest, RunResult, run_mutant};
use super::written_test::WrittenTest;
use crate::generation::{GenerationResults, ModelKill, Status, Workers};
use crate::mutation::ModelMutantId;
use crate::state_space::StateSpaceLimits;

/// A mutant, and the result of it on every test.
#[derive(Clone, Debug)]
pub struct MutantRow {
    pub mutant: ModelMutantId,
    pub runs: Vec<RunResult>,
}

impl MutantRow {
    /// The tests that it fails.
    pub fn killers(&self) -> Vec<usize> {
        let runs = self.runs.iter().enumerate();
        runs.filter(|(_, run)| run.failure.is_some())
            .map(|(test, _)| test)
            .collect()
    }

    /// Not all runs were brought to their end.
    pub fn is_unchecked(&self) -> bool {
        self.runs.iter().any(|run| run.halted)
    }
}

/// Whether a mutant is run where the original was seen to do the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shortcuts {
    Taken,
    Never,
}

/// What is wrong with a suite by itself.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SuiteFault {
    #[error("test {0}: {1}")]
    Unreadable(usize, String),
    #[error("test {0} fails the original: it shows {1} {2}")]
    FailsOriginal(usize, String, String),
}

/// Every mutant on every test.
#[derive(Clone, Debug, Default)]
pub struct KillMatrix {
    pub rows: Vec<MutantRow>,
    /// Should be none.
    pub faults: Vec<SuiteFault>,
}

impl KillMatrix {
    /// Runs mutants on a finished suite, which is given as its files' texts.
    pub fn compute(
        workers: &mut Workers,
        mutants: &[ModelMutantId],
        texts: &[String],
        limits: StateSpaceLimits,
        shortcuts: Shortcuts,
    ) -> KillMatrix {
        let mut faults = Vec::new();
        let mut prepared = Vec::new();
        for (at, text) in texts.iter().enumerate() {
            let read = WrittenTest::parse(text)
                .and_then(|test| PreparedTest::new(workers.first(), test, limits));
            match read {
                Err(why) => faults.push(SuiteFault::Unreadable(at, why)),
                Ok(mut test) => {
                    test.always_run = shortcuts == Shortcuts::Never;
                    if let Some(failure) = &test.original.failure {
                        let after = after(&failure.trace);
                        let fault =
                            SuiteFault::FailsOriginal(at, failure.observation.clone(), after);
                        faults.push(fault);
                    }
                    prepared.push(test);
                }
            }
        }
        if !faults.is_empty() {
            let rows = Vec::new();
            return KillMatrix { rows, faults };
        }
        let rows = workers.map(mutants, |explorer, mutant| {
            let mut closures = ClosuresOfMutant::default();
            let run = |test| run_mutant(explorer, test, *mutant, &mut closures);
            MutantRow {
                mutant: *mutant,
                runs: prepared.iter().map(run).collect(),
            }
        });
        KillMatrix { rows, faults }
    }

    pub fn row(&self, mutant: ModelMutantId) -> Option<&MutantRow> {
        let at = self.rows.binary_search_by_key(&mutant, |row| row.mutant);
        at.ok().map(|at| &self.rows[at])
    }
}

/// What running the written tests made of the claims.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Confirmation {
    /// Claimed, but no written test fails.
    pub unconfirmed: Vec<ModelMutantId>,
    /// Not claimed, but a written test fails.
    pub found: usize,
}

impl KillMatrix {
    /// Only what a written test shows counts: sets every mutant's status by it.
    pub fn confirm(&self, results: &mut GenerationResults) -> Confirmation {
        let mut confirmation = Confirmation::default();
        for row in &self.rows {
            let claimed = match results.get(row.mutant) {
                Status::Killed(kill) => Some(kill.clone()),
                _ => None,
            };
            let killers = row.killers();
            let first = match &claimed {
                Some(kill) if killers.contains(&kill.test) => Some(&kill.test),
                _ => killers.first(),
            };
            let failure = first.and_then(|test| Some((*test, row.runs[*test].failure.as_ref()?)));
            match (failure, claimed) {
                (Some((test, failure)), claimed) => {
                    confirmation.found += usize::from(claimed.is_none());
                    let kill = ModelKill {
                        test,
                        after: failure.trace.len(),
                        steps: claimed.and_then(|kill| kill.steps),
                        observation: format!("obs {}", failure.observation),
                    };
                    results.set(row.mutant, Status::Killed(kill));
                }
                (None, Some(kill)) if row.is_unchecked() => {
                    results.unset_kill(row.mutant, Status::Unchecked(kill));
                }
                (None, Some(_)) => {
                    confirmation.unconfirmed.push(row.mutant);
                    results.unset_kill(row.mutant, Status::GivenUp);
                }
                (None, None) => {}
            }
        }
        confirmation
    }
}

/// A trace in words.
pub fn after(trace: &[String]) -> String {
    match trace.is_empty() {
        true => "at the start".into(),
        false => format!("after {}", trace.join(", ")),
    }
}

/// The tests to keep, in order.
pub fn reduce(matrix: &KillMatrix) -> Vec<usize> {
    let mut left: Vec<Vec<usize>> = matrix
        .rows
        .iter()
        .map(MutantRow::killers)
        .filter(|tests| !tests.is_empty())
        .collect();
    let mut kept = Vec::new();
    while !left.is_empty() {
        let tests = left.iter().flatten().copied().max().unwrap_or(0);
        let count = |test: usize| left.iter().filter(|tests| tests.contains(&test)).count();
        let best = (0..=tests)
            .max_by_key(|test| (count(*test), std::cmp::Reverse(*test)))
            .unwrap_or(0);
        kept.push(best);
        left.retain(|tests| !tests.contains(&best));
    }
    kept.sort_unstable();
    kept
}
