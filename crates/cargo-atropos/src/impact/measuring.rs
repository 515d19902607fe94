//! Runs mutants under tests that they infect, and compares what is observed with the original.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Mutex;

use anyhow::Result;
use atropos_invariants::Violation;
use atropos_protocol::{FailureKind, TestResult};
use atropos_values::MutantId;

use super::learning::ObservedOriginal;
use super::observer::{ObservedTest, Observer};
use super::trace::Difference;
use super::workers::{WorkerSetting, in_parallel};
use crate::execute::{Executed, TestId};

/// Under which of the tests that it infects a mutant is observed.
#[derive(Clone, Copy)]
pub enum TestShare {
    All,
    /// All, unless they take long together; then the cheapest: what a mutant disturbs mostly shows in the first of its
    /// tests.
    Quick,
    /// As `Quick`, and not more than so many.
    AtMost(usize),
}

/// What `Quick` tests of a mutant may take together, in seconds.
const SECONDS_PER_MUTANT: f64 = 0.25;

/// What one run of a mutant disturbed.
pub struct ObservedMutantRun {
    /// The test's place in the run's list.
    pub test: usize,
    pub is_killed: bool,
    /// It was stopped by a limit on steps or time.
    is_cut_off: bool,
    /// What it broke, by function.
    pub broken: Vec<(u32, Violation)>,
    pub difference: Difference,
}

/// A test and the mutants to run under it.
struct Item<'t> {
    test: &'t ObservedTest,
    mutants: Vec<MutantId>,
}

/// Measures the wanted mutants; gives each one's runs.
pub fn measure(
    team: &WorkerSetting<'_>,
    executed: &Executed,
    tests: &[ObservedTest],
    original: &ObservedOriginal,
    wanted: &BTreeSet<MutantId>,
    share: TestShare,
) -> Result<BTreeMap<MutantId, Vec<ObservedMutantRun>>> {
    let items = items(executed, tests, original, wanted, share);
    // A mutant that is endless under one test mostly is so under others, and then takes long.
    let endless: Mutex<BTreeSet<MutantId>> = Mutex::new(BTreeSet::new());
    let gathered = in_parallel(
        team,
        &items,
        |observer, item, runs: &mut Vec<(MutantId, ObservedMutantRun)>| {
            for &mutant in &item.mutants {
                if team.interrupt.is_requested() {
                    return;
                }
                let is_endless = endless.lock().expect("no worker panics").contains(&mutant);
                if is_endless {
                    continue;
                }
                if let Some(run) = run(observer, item.test, mutant, original) {
                    if run.is_cut_off {
                        endless.lock().expect("no worker panics").insert(mutant);
                    }
                    runs.push((mutant, run));
                }
            }
        },
    )?;
    let mut by_mutant: BTreeMap<MutantId, Vec<ObservedMutantRun>> = BTreeMap::new();
    for (mutant, run) in gathered.into_iter().flatten() {
        by_mutant.entry(mutant).or_default().push(run);
    }
    for runs in by_mutant.values_mut() {
        runs.sort_by_key(|run| run.test);
    }
    Ok(by_mutant)
}

/// Who is run under which test.
fn items<'t>(
    executed: &Executed,
    tests: &'t [ObservedTest],
    original: &ObservedOriginal,
    wanted: &BTreeSet<MutantId>,
    share: TestShare,
) -> Vec<Item<'t>> {
    let mut by_test: BTreeMap<usize, Vec<MutantId>> = BTreeMap::new();
    for mutant in wanted {
        let infected = &executed.standings[mutant.0 as usize].infected_by;
        let known = infected.iter().map(|TestId(test)| *test);
        let mut known: Vec<(f64, usize)> = known
            .filter_map(|test| Some((original.tests.get(&test)?.seconds, test)))
            .collect();
        known.sort_by(|one, other| one.0.total_cmp(&other.0).then(one.1.cmp(&other.1)));
        for &(_, test) in chosen(&known, share) {
            by_test.entry(test).or_default().push(*mutant);
        }
    }
    /// A worker takes so many mutants at once.
    const PORTION: usize = 16;
    let items = tests.iter().filter_map(|test| {
        let mutants = by_test.get(&test.id)?;
        Some(mutants.chunks(PORTION).map(move |mutants| Item {
            test,
            mutants: mutants.to_vec(),
        }))
    });
    items.flatten().collect()
}

/// Those of a mutant's tests that it is observed under, at least one. They are pairs of time and test, cheapest first.
fn chosen(tests: &[(f64, usize)], share: TestShare) -> &[(f64, usize)] {
    let limit = match share {
        TestShare::All => return tests,
        TestShare::Quick => tests.len(),
        TestShare::AtMost(limit) => limit.min(tests.len()),
    };
    let mut together = 0.0;
    let quick = tests[..limit].iter().take_while(|(seconds, _)| {
        together += seconds;
        together <= SECONDS_PER_MUTANT
    });
    let quick = quick.count();
    &tests[..quick.max(1).min(limit)]
}

fn run(
    observer: &mut Observer<'_>,
    test: &ObservedTest,
    mutant: MutantId,
    original: &ObservedOriginal,
) -> Option<ObservedMutantRun> {
    let known = original.tests.get(&test.id)?;
    let test_run = observer.mutant(test, mutant, &known.limits)?;
    let is_killed = match test_run.result {
        TestResult::Passed => false,
        // Nothing was seen of it: it was not run to where it acts, or not at all.
        TestResult::NotRun | TestResult::NotInfected | TestResult::NeedsOwnProcess => return None,
        _ => true,
    };
    let trace = observer.trace();
    let mut broken = Vec::new();
    for function in trace.functions() {
        if original.learned.of(function).is_empty() {
            continue;
        }
        if let Some(state) = observer.state(function) {
            let violations = original.learned.violations(function, &state);
            broken.extend(violations.into_iter().map(|broken| (function, broken)));
        }
    }
    Some(ObservedMutantRun {
        test: test.id,
        is_killed,
        is_cut_off: test_run.result == TestResult::Starved
            || test_run
                .result
                .failure()
                .is_some_and(|kind| kind.is_cut_off() || kind == FailureKind::Deadlock),
        broken,
        difference: known.trace.difference(&trace, &known.unsteady),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mutant_is_observed_under_all_its_tests_unless_they_take_long() {
        let count = |seconds: &[f64], share| {
            let tests: Vec<(f64, usize)> = seconds.iter().copied().zip(0..).collect();
            chosen(&tests, share).len()
        };
        assert_eq!(count(&[0.001; 200], TestShare::Quick), 200);
        assert_eq!(count(&[0.001; 200], TestShare::AtMost(20)), 20);
        assert_eq!(count(&[0.01, 0.02, 0.5, 0.5], TestShare::Quick), 2);
        assert_eq!(count(&[0.01, 0.02, 0.5, 0.5], TestShare::All), 4);
        assert_eq!(count(&[3.0, 3.0], TestShare::Quick), 1, "at least one");
        for share in [TestShare::All, TestShare::Quick, TestShare::AtMost(20)] {
            assert_eq!(count(&[], share), 0);
        }
    }
}
