//! What a run has learned that later runs may use: results of tests on mutants whose evidence is whole.

use std::collections::HashMap;

use atropos_mutants::mutant::MutantId;
use atropos_protocol::path_set::Paths;
use atropos_protocol::{Board, Effect, Effects, FailureKind, RunEvidence};

use super::surroundings::Variables;
use crate::journal::KillEntry;

/// Results, each with the functions that its run entered.
pub struct NewResults {
    results: HashMap<(String, MutantId), LearnedResult>,
    sets: Vec<Vec<u32>>,
    places: HashMap<Vec<u32>, usize>,
    variables: Variables,
    /// Paths in the tree that tests have used.
    tree_files: Paths,
}

/// What tests have used of what lies around them.
#[derive(Clone, Debug, Default)]
pub struct TestUses {
    pub variables: Paths,
    /// Paths in the source tree.
    pub tree_files: Paths,
}

impl TestUses {
    /// What was noted on a board.
    pub fn of(board: &Board) -> TestUses {
        let header = board.header();
        TestUses {
            variables: header.variables.get(),
            tree_files: header.tree_files.get(),
        }
    }

    pub fn unite(&mut self, other: &TestUses) {
        self.variables.unite(&other.variables);
        self.tree_files.unite(&other.tree_files);
    }
}

/// What a result rests on: the mutant's own run, and the test's without a mutant.
#[derive(Clone, Debug)]
pub struct ResultEvidence {
    pub run: RunEvidence,
    pub original: RunEvidence,
}

impl ResultEvidence {
    pub fn of(run: Option<&RunEvidence>, original: Option<&RunEvidence>) -> Option<Self> {
        Some(ResultEvidence {
            run: run?.clone(),
            original: original?.clone(),
        })
    }
}

/// What a test said of a mutant.
pub struct LearnedResult {
    pub set: usize,
    /// Whether it depends on the bodies of functions that it did not enter, because it has read code.
    pub reads_code: bool,
    pub seconds: f64,
    /// None: the test passed.
    pub kill: Option<KillEntry>,
}

impl Default for NewResults {
    fn default() -> NewResults {
        NewResults {
            results: HashMap::new(),
            sets: Vec::new(),
            places: HashMap::new(),
            variables: Variables {
                asked: Paths::default(),
                all: false,
            },
            tree_files: Paths::default(),
        }
    }
}

impl NewResults {
    /// Notes a result, if nothing that it rests on is unknown. Tells whether it is kept.
    pub fn note(
        &mut self,
        (test, mutant): (&str, MutantId),
        (seconds, kill): (f64, Option<&KillEntry>),
        evidence: &ResultEvidence,
    ) -> bool {
        let ResultEvidence { run, original } = evidence;
        let effects = Effects(run.effects.0 | original.effects.0);
        if effects.intersects(Effects::WITHOUT_EVIDENCE) {
            return false;
        }
        let mut entered = run.entered.clone();
        match kill.map(|kill| kill.how) {
            // It would fail just so, whatever the original does.
            Some(FailureKind::Failed | FailureKind::Panicked | FailureKind::Crashed) => {}
            // Limits are multiples of what the original takes.
            None | Some(FailureKind::StepLimit) => entered.extend(&original.entered),
            _ => return false,
        }
        entered.sort_unstable();
        entered.dedup();
        let next = self.sets.len();
        let set = *self.places.entry(entered).or_insert_with_key(|entered| {
            self.sets.push(entered.clone());
            next
        });
        let result = LearnedResult {
            set,
            reads_code: effects.contains(Effect::ReadsCode),
            seconds,
            kill: kill.cloned(),
        };
        self.results.insert((test.to_owned(), mutant), result);
        true
    }

    /// Notes which variables of their environment tests have asked for, and which files of the tree.
    pub fn note_uses(&mut self, uses: &TestUses) {
        self.variables.asked.unite(&uses.variables);
        self.tree_files.unite(&uses.tree_files);
    }

    pub fn tree_files(&self) -> &Paths {
        &self.tree_files
    }

    pub fn variables(&self) -> &Variables {
        &self.variables
    }

    pub fn results(&self) -> impl Iterator<Item = (&str, MutantId, &LearnedResult)> {
        let results = self.results.iter();
        results.map(|((test, mutant), result)| (test.as_str(), *mutant, result))
    }

    pub fn set(&self, place: usize) -> &[u32] {
        &self.sets[place]
    }
}
