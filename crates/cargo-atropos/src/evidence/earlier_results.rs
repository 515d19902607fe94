//! What a run uses of the store, and what it adds to it.

use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

use anyhow::{Context as _, Result};
use atropos_mutants::mutant::MutantId;
use atropos_report::outcomes::Outcomes;
use atropos_report::verdict::Verdict;

use super::learned::{NewResults, ResultEvidence, TestUses};
use super::store::{CurrentRun, Store};
use super::{CodeEvidence, Surroundings, WholeRun};
use crate::build::Build;
use crate::build::test_binary::Invocation;
use crate::journal::{JournalEntry, KillEntry};
use crate::log;
use crate::plan::Plan;
use crate::prepare::Prepared;

/// The store during a run.
pub struct EarlierResults<'a> {
    prepared: &'a Prepared,
    plan: &'a Plan,
    code: CodeEvidence,
    /// None: no result of earlier runs is used.
    is_used: bool,
    /// Nothing that this run says is kept.
    is_blind: bool,
    surroundings: Mutex<Surroundings>,
    store: Mutex<Store>,
    learned: Mutex<NewResults>,
}

/// A worker that panics is a bug of ours and ends the run anyway.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<'a> EarlierResults<'a> {
    pub fn open(prepared: &'a Prepared, build: &Build) -> Result<EarlierResults<'a>> {
        let output = &prepared.output_directory;
        let plan = &prepared.plan;
        if prepared.archived.is_some() {
            // Evidence is about a tree that is worked on.
            return Ok(EarlierResults {
                prepared,
                plan,
                code: CodeEvidence::default(),
                is_used: false,
                is_blind: true,
                surroundings: Mutex::default(),
                store: Mutex::default(),
                learned: Mutex::default(),
            });
        }
        let (surroundings, uses) =
            Surroundings::of(prepared, build).context("can't read what the build was made of")?;
        let learned = surroundings.learned_by_dependencies;
        Ok(EarlierResults {
            prepared,
            plan,
            code: CodeEvidence::of(plan, &prepared.texts, build, output, (learned, uses)),
            is_used: !prepared.options.execute.no_reuse,
            is_blind: learned.kernel,
            surroundings: Mutex::new(surroundings),
            store: Mutex::new(Store::read(output)),
            learned: Mutex::default(),
        })
    }

    /// What earlier runs said that still holds, of the tests that are known so far.
    pub fn holding(&self) -> Vec<JournalEntry> {
        if !self.is_used || self.is_blind {
            return Vec::new();
        }
        let surroundings = lock(&self.surroundings);
        let (held, used) = lock(&self.store).holding(&CurrentRun {
            plan: self.plan,
            code: &self.code,
            surroundings: &surroundings,
        });
        self.note_uses(&used);
        log::line(&format!("{} results of earlier runs hold", held.len()));
        held
    }

    /// Learns the environment of a target's tests that is known only later.
    pub fn add_target(&self, target: &str, invocation: &Invocation) {
        lock(&self.surroundings).add(target, invocation);
    }

    /// Notes what a test said of a mutant; tells whether later runs may use it.
    pub fn note(
        &self,
        (test, mutant): (&str, MutantId),
        (seconds, kill): (f64, Option<&KillEntry>),
        evidence: Option<&ResultEvidence>,
    ) -> bool {
        evidence.is_some_and(|evidence| {
            !self.is_blind && lock(&self.learned).note((test, mutant), (seconds, kill), evidence)
        })
    }

    /// Keeps the outcomes of a whole run in which everything has evidence.
    pub fn write_whole_run(
        &self,
        prepared: &Prepared,
        build: &Build,
        verdicts: &[Option<Verdict>],
        outcomes: &Outcomes,
    ) -> Result<()> {
        let mut outcomes = outcomes.clone();
        for record in &mut outcomes.mutants {
            if record.verdict == Some(Verdict::Accepted) {
                record.verdict = verdicts[record.info.id.index() - 1];
                record.note = None;
            }
        }
        let learned = lock(&self.learned);
        let mut asked = learned.variables().clone();
        asked.all |= self.code.asks_for_all_variables;
        let unread = self.code.source_files.unread(learned.tree_files());
        let target_directory = &build.cargo.target_directory;
        WholeRun::keep(prepared, target_directory, (&asked, unread), &outcomes)
            .context("can't keep the outcomes of this run")
    }

    /// Notes what tests have used of what lies around them.
    pub fn note_uses(&self, uses: &TestUses) {
        lock(&self.learned).note_uses(uses);
    }

    /// Whether the tree is what it was when the mutants were found: else nobody knows what the tests have read.
    pub fn is_tree_as_before(&self) -> bool {
        let Prepared {
            plan,
            texts,
            output_directory,
            ..
        } = self.prepared;
        let (before, learned) = (&self.code.source_files, lock(&self.learned));
        let now = self.code.source_files_now(plan, texts, output_directory);
        let used = learned.tree_files();
        now.outside(used) == before.outside(used) && now.code(used) == before.code(used)
    }

    /// Writes down what was learned, for later runs.
    pub fn write(&self, output: &Path) -> Result<()> {
        if self.is_blind {
            return Ok(());
        }
        let surroundings = lock(&self.surroundings);
        let now = CurrentRun {
            plan: self.plan,
            code: &self.code,
            surroundings: &surroundings,
        };
        let mut store = lock(&self.store);
        store.add(&lock(&self.learned), &now);
        store
            .write(output)
            .with_context(|| format!("can't write the verdicts to {}", output.display()))
    }
}
