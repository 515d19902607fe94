//! Which expressions of existing tests have another value under a survivor: one build in which every candidate's value is
//! captured, the original at least twice, and each survivor under the tests that it infects.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Result;
use atropos_mutants::mutant::MutantId;
use atropos_protocol::{CapturedValue, TestResult};
use atropos_weave::candidates::{self, AssertionCandidate, PackageTypes, TestCode};

use super::running::{AddedTest, OriginalEnd, OriginalRuns, RunSetting, TestRunner, in_parallel};
use crate::build::additions::AdditionPlan;
use crate::plan::{PlannedPackage, TargetRole};
use crate::prepare::Prepared;

/// More tests of a survivor are not run, nor any after so many seconds of them.
const MOST_TESTS: usize = 60;
const SECONDS_PER_MUTANT: f64 = 1.0;

/// A candidate and the file that it is in.
#[derive(Clone, Debug)]
pub struct FileCandidate {
    /// As the plan names it.
    pub file: String,
    /// The crate that it is part of; none for a test target.
    pub crate_name: Option<String>,
    pub candidate: AssertionCandidate,
}

/// The texts of a package's files, code and tests, by their names in the plan.
pub type TextsOfFiles = BTreeMap<String, String>;

/// Reads all files of the plan.
pub fn texts_of(prepared: &Prepared) -> TextsOfFiles {
    let root = &prepared.plan.workspace_root;
    let files = prepared
        .plan
        .packages
        .iter()
        .flat_map(|package| &package.files);
    let texts = files.filter_map(|file| {
        let text = std::fs::read_to_string(root.join(&file.path)).ok()?;
        Some((file.path.to_string(), text))
    });
    texts.collect()
}

/// All candidates of the plan's packages; a candidate's number is its place, plus one.
pub fn candidates_of(prepared: &Prepared, texts: &TextsOfFiles) -> Vec<FileCandidate> {
    let mut found = Vec::new();
    for package in &prepared.plan.packages {
        let code = package.files.iter().filter(|file| !file.steps_only);
        let code = code.filter_map(|file| texts.get(file.path.as_str()));
        let types = PackageTypes::of(code.map(String::as_str));
        for file in &package.files {
            let name = file.path.as_str();
            let Some(text) = texts.get(name) else {
                continue;
            };
            let crate_name = crate_of(package, &file.targets);
            let of_file = match (file.steps_only, &crate_name) {
                (true, _) => candidates::find(text, TestCode::Whole, &types),
                (false, _) => candidates::find(text, TestCode::TestModules, &types),
            };
            found.extend(of_file.into_iter().map(|candidate| FileCandidate {
                file: name.to_owned(),
                crate_name: crate_name.clone(),
                candidate,
            }));
        }
    }
    found
}

/// The crate that a file is part of, if that is not one of tests.
pub fn crate_of(package: &PlannedPackage, targets: &[usize]) -> Option<String> {
    let mut targets = targets
        .iter()
        .filter_map(|target| package.targets.get(*target));
    let found = targets.find(|target| target.role.is_mutated() && target.role != TargetRole::Bin);
    found.map(|target| target.name.replace('-', "_"))
}

/// What is added to capture these.
pub fn capture_plan(candidates: &[FileCandidate], wanted: &BTreeSet<MutantId>) -> AdditionPlan {
    let mut plan = AdditionPlan {
        files: BTreeMap::new(),
        wanted: wanted.clone(),
    };
    for (number, found) in (1..).zip(candidates) {
        let additions = plan.files.entry(found.file.clone()).or_default();
        additions.push(found.candidate.capture(number));
    }
    plan
}

/// What the original's tests showed.
#[derive(Default)]
pub struct Originals {
    pub runs: BTreeMap<AddedTest, OriginalRuns>,
    /// One and the same value in all runs of all tests.
    pub values: BTreeMap<u32, CapturedValue>,
    /// The tests that have a value at a place.
    pub tests_at: BTreeMap<u32, Vec<AddedTest>>,
}

/// Runs all tests that may matter without a mutant.
pub fn learn(setting: &RunSetting<'_>, tests: &[AddedTest]) -> Result<Originals> {
    let ends = in_parallel(setting, tests, |runner: &mut TestRunner<'_>, test| {
        runner.original(test, 2)
    })?;
    let mut originals = Originals::default();
    let mut unsteady = BTreeSet::new();
    for (index, end) in ends {
        let OriginalEnd::Passed(runs) = end else {
            continue;
        };
        unsteady.extend(&runs.unsteady);
        for (place, value) in &runs.values {
            let known = originals
                .values
                .entry(*place)
                .or_insert_with(|| value.clone());
            if known != value {
                unsteady.insert(*place);
            }
            originals
                .tests_at
                .entry(*place)
                .or_default()
                .push(tests[index].clone());
        }
        originals.runs.insert(tests[index].clone(), runs);
    }
    originals
        .values
        .retain(|place, _| !unsteady.contains(place));
    Ok(originals)
}

/// A value that a survivor makes different.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ValueDifference {
    pub mutant: MutantId,
    pub test: AddedTest,
    /// The first value that is another.
    pub text: String,
}

/// What survivors make different, by place.
pub type DifferencesByPlace = BTreeMap<u32, Vec<ValueDifference>>;

/// Runs each survivor under the tests that it infects.
pub fn compare(
    setting: &RunSetting<'_>,
    originals: &Originals,
    wanted: &BTreeSet<MutantId>,
) -> Result<DifferencesByPlace> {
    let wanted: Vec<MutantId> = wanted.iter().copied().collect();
    let runs = in_parallel(setting, &wanted, |runner: &mut TestRunner<'_>, mutant| {
        of_mutant(runner, setting, originals, *mutant)
    })?;
    let mut by_place = DifferencesByPlace::new();
    for (place, difference) in runs.into_iter().flat_map(|(_, found)| found) {
        by_place.entry(place).or_default().push(difference);
    }
    Ok(by_place)
}

fn of_mutant(
    runner: &mut TestRunner<'_>,
    setting: &RunSetting<'_>,
    originals: &Originals,
    mutant: MutantId,
) -> Vec<(u32, ValueDifference)> {
    let mut tests: Vec<(&AddedTest, &OriginalRuns)> = originals
        .runs
        .iter()
        .filter(|(_, runs)| runs.infected.contains(&mutant) && !runs.values.is_empty())
        .collect();
    tests.sort_by(|(_, one), (_, other)| one.seconds.total_cmp(&other.seconds));
    let mut found = Vec::new();
    let mut spent = 0.0;
    for (test, original) in tests.into_iter().take(MOST_TESTS) {
        if setting.interrupt.is_requested() || (spent > SECONDS_PER_MUTANT && !found.is_empty()) {
            break;
        }
        spent += original.seconds;
        let Some(run) = runner.mutant(test, mutant, &original.limits) else {
            continue;
        };
        // What a survivor computes before it is stopped by a limit is not what it computes.
        if run.result != TestResult::Passed {
            continue;
        }
        let mut seen = BTreeSet::new();
        for value in run.values {
            let known = originals.values.get(&value.place);
            let differs = known.is_some_and(|known| known.text != value.text && !value.is_cut);
            if differs && original.values.contains_key(&value.place) && seen.insert(value.place) {
                let difference = ValueDifference {
                    mutant,
                    test: test.clone(),
                    text: value.text,
                };
                found.push((value.place, difference));
            }
        }
    }
    found
}
