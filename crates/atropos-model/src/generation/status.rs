//! What became of every mutant, and the row of the MoMuT paper's Tables 4 and 5.

use crate::model::ExecError;
use crate::mutation::{InitialStatus, ModelMutantId, Mutants};
use serde::Serialize;

/// How a test kills a mutant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelKill {
    pub test: usize,
    /// Moves of the test before the observation.
    pub after: usize,
    /// Moves since the mutant was started; nothing if it was found on the finished suite alone.
    pub steps: Option<u32>,
    /// As labels are written, `obs delta` or `obs Y(…)`.
    pub observation: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Status {
    /// No test computed anything else with it.
    Unreached,
    /// Met, but never started for want of room.
    Skipped,
    /// Started, and dropped without a kill.
    GivenUp,
    /// A written test fails with it.
    Killed(ModelKill),
    /// It showed something else while its test was made, but nobody waited until the written test was run.
    Unchecked(ModelKill),
    Crashed {
        test: usize,
        after: usize,
        error: ExecError,
    },
    /// Went through more states than it may, and no test kills it.
    TimedOut,
}

/// Per mutant (id minus 1) its status.
#[derive(Clone, Debug)]
pub struct GenerationResults {
    pub statuses: Vec<Status>,
    /// Mutants worth killing that are neither killed nor crashed.
    open: usize,
}

impl GenerationResults {
    pub fn new(mutants: &Mutants) -> GenerationResults {
        GenerationResults {
            statuses: vec![Status::Unreached; mutants.list.len()],
            open: mutants.open().count(),
        }
    }

    pub fn get(&self, id: ModelMutantId) -> &Status {
        &self.statuses[id.0 as usize - 1]
    }

    pub fn set(&mut self, id: ModelMutantId, status: Status) {
        let before = self.is_open(id);
        self.statuses[id.0 as usize - 1] = status;
        self.open -= usize::from(before && !self.is_open(id));
    }

    /// Neither killed nor crashed.
    pub fn is_open(&self, id: ModelMutantId) -> bool {
        !matches!(self.get(id), Status::Killed(_) | Status::Crashed { .. })
    }

    /// Whether nothing is left to be killed.
    pub fn all_decided(&self) -> bool {
        self.open == 0
    }

    /// A kill that no written test has shown, and what to call the mutant instead.
    pub fn unset_kill(&mut self, id: ModelMutantId, status: Status) {
        let before = self.is_open(id);
        self.statuses[id.0 as usize - 1] = status;
        self.open += usize::from(!before && self.is_open(id));
    }

    pub fn killed(&self) -> impl Iterator<Item = (ModelMutantId, &ModelKill)> {
        self.statuses
            .iter()
            .enumerate()
            .filter_map(|(at, status)| match status {
                Status::Killed(kill) => Some((ModelMutantId(at as u32 + 1), kill)),
                _ => None,
            })
    }

    pub fn table(&self, mutants: &Mutants) -> StatusTable {
        let mut table = StatusTable {
            generated: mutants.list.len(),
            ..StatusTable::default()
        };
        for mutant in &mutants.list {
            match mutant.status {
                InitialStatus::Open => {}
                InitialStatus::Duplicate(_) => table.duplicates += 1,
                InitialStatus::Equivalent => table.equivalent += 1,
                InitialStatus::Dead => table.dead += 1,
            }
            if mutant.status == InitialStatus::Open {
                table.together += usize::from(!mutant.parts.is_empty());
                table.count(self.get(mutant.id));
            }
        }
        table
    }
}

/// One row: the mutants to be killed, by what became of them.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct StatusTable {
    /// All that the operators make.
    pub generated: usize,
    pub duplicates: usize,
    pub equivalent: usize,
    /// In code that no object executes.
    pub dead: usize,
    /// Those that were to be killed.
    pub total: usize,
    /// Of these, mutants that act together.
    pub together: usize,
    pub found: usize,
    pub errors: usize,
    /// Of the errors, those that go through too many states.
    pub timeouts: usize,
    pub killed: usize,
    pub skipped: usize,
    pub given_up: usize,
    /// Seen to differ, but not on the written test for want of time.
    pub unchecked: usize,
    /// Killed after 0–4, 5–9, 10–14, 15–19 and 20 steps.
    pub steps: [usize; 5],
}

impl StatusTable {
    fn count(&mut self, status: &Status) {
        self.total += 1;
        if *status != Status::Unreached {
            self.found += 1;
        }
        match status {
            Status::Unreached => {}
            Status::Skipped => self.skipped += 1,
            Status::Unchecked(_) => self.unchecked += 1,
            Status::GivenUp => self.given_up += 1,
            Status::Crashed { .. } => self.errors += 1,
            Status::TimedOut => {
                self.errors += 1;
                self.timeouts += 1;
            }
            Status::Killed(kill) => {
                self.killed += 1;
                if let Some(steps) = kill.steps {
                    self.steps[(steps as usize / 5).min(4)] += 1;
                }
            }
        }
    }

    /// Of all mutants without those that crash, as in the MoMuT paper.
    pub fn percent_of_total(&self) -> f64 {
        percent(self.killed, self.total - self.errors)
    }

    /// Of those found without those that crash.
    pub fn percent_of_found(&self) -> f64 {
        percent(self.killed, self.found - self.errors)
    }
}

fn percent(part: usize, whole: usize) -> f64 {
    if whole == 0 {
        0.0
    } else {
        100.0 * part as f64 / whole as f64
    }
}
