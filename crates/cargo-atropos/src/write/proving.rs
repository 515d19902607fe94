//! Proves assertions: they are built into the tests as they will be written, must pass on the original in every run, and
//! must fail on the survivors that they are to kill. What does not is replaced by the next best, until all of a round hold.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Result, bail};
use atropos_mutants::mutant::MutantId;
use atropos_protocol::{FailureKind, TestResult};

use super::capturing::{FileCandidate, Originals};
use super::choosing::{AssertionChoice, cover};
use super::running::{AddedTest, OriginalEnd, OriginalRuns, RunSetting, TestRunner, in_parallel};
use crate::build::additions::{AdditionPlan, BuildWithAdditions, build_with_additions};
use crate::build::{Build, BuildFailure, headline};
use crate::interrupt::Interrupt;
use crate::log;
use crate::prepare::Prepared;
use crate::scratch::Scratch;

/// After so many builds what still does not hold is left out together with all of its test.
const MOST_ROUNDS: u32 = 5;
/// How often the original must pass with the assertions in it.
const REPEATS: u32 = 3;

/// An assertion that holds on the original and fails on survivors.
#[derive(Clone, Debug)]
pub struct ProvenAssertion {
    pub choice: AssertionChoice,
    /// The survivors that it was seen to kill, each with the test.
    pub kills: BTreeMap<MutantId, AddedTest>,
    /// The tests that start threads passed in so many runs, under schedules that were not explored.
    pub has_threads: bool,
}

/// What a proof needs.
pub struct ProofInputs<'a> {
    pub prepared: &'a Prepared,
    pub build: &'a Build,
    pub interrupt: &'a Interrupt,
    pub candidates: &'a [FileCandidate],
    pub originals: &'a Originals,
    pub wanted: &'a BTreeSet<MutantId>,
    /// The names of tests, for builds in which they have other places.
    pub names: &'a BTreeMap<AddedTest, (String, String, String)>,
}

/// Chooses and proves until all that is chosen holds. The last round has only what held before.
pub fn prove(
    inputs: &ProofInputs<'_>,
    choices: &[AssertionChoice],
) -> Result<Vec<ProvenAssertion>> {
    let mut choices = choices.to_vec();
    let mut rejected = BTreeSet::new();
    let mut held: Vec<AssertionChoice> = Vec::new();
    for round in 1..=MOST_ROUNDS {
        let chosen = match round {
            MOST_ROUNDS => held,
            _ => cover(&choices, &rejected, &BTreeSet::new()),
        };
        if chosen.is_empty() || inputs.interrupt.is_requested() {
            return Ok(Vec::new());
        }
        let before = rejected.len();
        let mut proven = inputs.round(&chosen, &mut rejected)?;
        log::line(&format!(
            "proof, round {round}: {} assertions, {} hold, {} do not",
            chosen.len(),
            proven.len(),
            rejected.len() - before
        ));
        if rejected.len() == before {
            return Ok(proven);
        }
        if round == MOST_ROUNDS {
            // What held beside others that did not may not hold without them.
            let files = |key: &(u32, String)| inputs.file_and_function(key.0);
            let touched: BTreeSet<(String, String)> = rejected.iter().map(files).collect();
            let is_touched = |place| touched.contains(&inputs.file_and_function(place));
            proven.retain(|proven| !is_touched(proven.choice.place));
            return Ok(proven);
        }
        for proven in &proven {
            add_kills(&mut choices, &proven.choice, &proven.kills);
        }
        held = proven.into_iter().map(|proven| proven.choice).collect();
    }
    Ok(Vec::new())
}

/// What an assertion was seen to kill besides what was foreseen: nothing else is needed for that.
fn add_kills(
    choices: &mut [AssertionChoice],
    seen: &AssertionChoice,
    kills: &BTreeMap<MutantId, AddedTest>,
) {
    let known = choices.iter_mut().find(|choice| choice.key() == seen.key());
    if let Some(choice) = known {
        for (mutant, test) in kills {
            choice
                .kills
                .entry(*mutant)
                .or_default()
                .insert(test.clone());
        }
    }
}

impl ProofInputs<'_> {
    fn candidate(&self, place: u32) -> &FileCandidate {
        &self.candidates[place as usize - 1]
    }

    fn file_and_function(&self, place: u32) -> (String, String) {
        let of = self.candidate(place);
        (of.file.clone(), of.candidate.function.clone())
    }

    /// Builds all that is chosen and runs it. What does not hold is rejected.
    fn round(
        &self,
        chosen: &[AssertionChoice],
        rejected: &mut BTreeSet<(u32, String)>,
    ) -> Result<Vec<ProvenAssertion>> {
        let built = self.build_with(chosen)?;
        let mut failing: BTreeSet<u32> = BTreeSet::new();
        for (number, why) in &built.rejected {
            let choice = &chosen[*number as usize - 1];
            log::line(&format!("  not accepted: {:?}: {why}", choice.key()));
            failing.insert(*number);
        }
        let scratch = Scratch::make(&self.prepared.output_directory, "proving")?;
        let arguments = &self.prepared.options.execute.test_args;
        let setting = RunSetting::of(
            self.prepared,
            &built.binaries,
            arguments,
            scratch.path(),
            self.interrupt,
        );
        let tests = self.tests(&setting, chosen)?;
        let originals = self.run_originals(&setting, chosen, &tests, &mut failing)?;
        let kills = self.run_mutants(&setting, chosen, &tests, &originals, &failing)?;
        let mut proven = Vec::new();
        for (number, choice) in (1..).zip(chosen) {
            let of_number = kills.iter().filter(|(_, (killer, _))| *killer == number);
            let kills: BTreeMap<MutantId, AddedTest> = of_number
                .map(|(mutant, (_, test))| (*mutant, test.clone()))
                .collect();
            if failing.contains(&number) || kills.is_empty() {
                rejected.insert(choice.key());
                continue;
            }
            let of_place = self.originals.tests_at.get(&choice.place);
            let has_threads = of_place.into_iter().flatten().any(|test| {
                self.originals
                    .runs
                    .get(test)
                    .is_some_and(|runs| runs.has_threads)
            });
            proven.push(ProvenAssertion {
                choice: choice.clone(),
                kills,
                has_threads,
            });
        }
        Ok(proven)
    }

    fn build_with(&self, chosen: &[AssertionChoice]) -> Result<BuildWithAdditions> {
        let mut plan = AdditionPlan {
            files: BTreeMap::new(),
            wanted: self.wanted.clone(),
        };
        for (number, choice) in (1..).zip(chosen) {
            let of = self.candidate(choice.place);
            let assertion = |expression: &str| choice.form.of(expression);
            let addition = of.candidate.asserted(number, &assertion);
            plan.files
                .entry(of.file.clone())
                .or_default()
                .push(addition);
        }
        match build_with_additions(self.prepared, self.interrupt, self.build, plan) {
            Ok(built) => Ok(built),
            Err(BuildFailure::Interrupted) => bail!("interrupted"),
            Err(BuildFailure::Internal(error)) => Err(error),
            Err(BuildFailure::DoesNotCompile(said)) => {
                bail!(
                    "the tests do not build with assertions: {}",
                    headline(&said)
                )
            }
        }
    }

    /// The tests that come to what is chosen, by their places in the capturing build.
    fn tests(
        &self,
        setting: &RunSetting<'_>,
        chosen: &[AssertionChoice],
    ) -> Result<BTreeMap<AddedTest, AddedTest>> {
        let involved = chosen
            .iter()
            .filter_map(|choice| self.originals.tests_at.get(&choice.place));
        let involved: BTreeSet<&AddedTest> = involved.flatten().collect();
        let mut runner = TestRunner::new(setting, 0)?;
        let mut here = BTreeMap::new();
        for (number, binary) in setting.binaries.iter().enumerate() {
            for (test, name) in runner.tests(number) {
                here.insert((name, binary.package.clone(), binary.target.clone()), test);
            }
        }
        let known = involved.into_iter().filter_map(|test| {
            let there = here.get(self.names.get(test)?)?;
            Some((test.clone(), there.clone()))
        });
        Ok(known.collect())
    }

    /// Runs the original with what is chosen; what fails is noted. Gives how the tests that passed ran.
    fn run_originals(
        &self,
        setting: &RunSetting<'_>,
        chosen: &[AssertionChoice],
        tests: &BTreeMap<AddedTest, AddedTest>,
        failing: &mut BTreeSet<u32>,
    ) -> Result<BTreeMap<AddedTest, OriginalRuns>> {
        let items: Vec<(&AddedTest, &AddedTest)> = tests.iter().collect();
        let ends = in_parallel(setting, &items, |runner: &mut TestRunner<'_>, (_, test)| {
            runner.original(test, REPEATS)
        })?;
        let mut passed = BTreeMap::new();
        for (index, end) in ends {
            let (there, _) = items[index];
            match end {
                OriginalEnd::Passed(runs) => {
                    passed.insert(there.clone(), runs);
                }
                OriginalEnd::Failed(Some(number), message) => {
                    let choice = number
                        .checked_sub(1)
                        .and_then(|index| chosen.get(index as usize));
                    log::line(&format!(
                        "  does not hold: {:?}: {message}",
                        choice.map(AssertionChoice::key)
                    ));
                    failing.insert(number);
                }
                OriginalEnd::Failed(None, _) | OriginalEnd::Unknown => {
                    let of_test = (1..).zip(chosen).filter(|(_, choice)| {
                        let tests = self.originals.tests_at.get(&choice.place);
                        tests.is_some_and(|tests| tests.contains(there))
                    });
                    failing.extend(of_test.map(|(number, _)| number));
                }
            }
        }
        Ok(passed)
    }

    /// Runs the survivors under tests in which they should fail; gives the assertion that each one's test failed at.
    fn run_mutants(
        &self,
        setting: &RunSetting<'_>,
        chosen: &[AssertionChoice],
        tests: &BTreeMap<AddedTest, AddedTest>,
        originals: &BTreeMap<AddedTest, OriginalRuns>,
        failing: &BTreeSet<u32>,
    ) -> Result<BTreeMap<MutantId, (u32, AddedTest)>> {
        let mut wanted: BTreeMap<MutantId, BTreeSet<&AddedTest>> = BTreeMap::new();
        for choice in chosen {
            for (mutant, tests) in &choice.kills {
                wanted.entry(*mutant).or_default().extend(tests);
            }
        }
        let items: Vec<(MutantId, BTreeSet<&AddedTest>)> = wanted.into_iter().collect();
        let runs = in_parallel(
            setting,
            &items,
            |runner: &mut TestRunner<'_>, (mutant, under)| {
                under.iter().find_map(|there| {
                    let (here, original) = (tests.get(there)?, originals.get(there)?);
                    let run = runner.mutant(here, *mutant, &original.limits)?;
                    let is_killed = matches!(
                        run.result,
                        TestResult::Failed {
                            kind: FailureKind::Panicked,
                            ..
                        }
                    );
                    let last = run.values.last()?.place;
                    (is_killed && !failing.contains(&last)).then(|| (last, (*there).clone()))
                })
            },
        )?;
        let kills = runs.into_iter();
        Ok(kills
            .filter_map(|(index, killer)| Some((items[index].0, killer?)))
            .collect())
    }
}
