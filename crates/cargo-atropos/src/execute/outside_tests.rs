//! Mutants of what test binaries run before `main` and when they end: in constructors, in handlers of the program's end, when
//! thread-local values go.
//!
//! A zygote has run its share of that before it forks a test, and tests' processes end before theirs. So such mutants get
//! the whole test binary: a process of its own, in which the mutant acts from the first instruction to the last, and which
//! runs all tests one after another. Where a program has handlers for its end, all other mutants that tests don't notice are
//! run like that as well: a handler may look at what the tests did.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Result;
use atropos_values::MutantId;

use super::Context;
use super::baseline::OutsideTests;
use super::plain_programs::{self, PlainBaseline, PlainTest};
use super::standing::{TestId, Undecided};
use super::test_case::RunnableTest;

/// The mutants that act outside tests, by test binary.
pub type OutsideMutants = BTreeMap<usize, BTreeSet<MutantId>>;

pub fn mutants(context: &Context<'_>, outside: &BTreeMap<usize, OutsideTests>) -> OutsideMutants {
    let outside = outside.iter();
    outside
        .map(|(&binary, outside)| {
            let reached: Vec<_> = outside.reached.iter().copied().collect();
            (
                binary,
                context.standings.mutants_at(&reached).into_iter().collect(),
            )
        })
        .collect()
}

/// Runs whole test binaries without a mutant, where there is something outside their tests. What is left undecided because
/// that fails is the second.
pub fn whole_binaries(
    context: &Context<'_>,
    outside: &BTreeMap<usize, OutsideTests>,
    tests: &[RunnableTest],
) -> Result<(Vec<PlainBaseline>, BTreeSet<usize>)> {
    let (mut passing, mut failing) = (Vec::new(), BTreeSet::new());
    for (&binary, outside) in outside {
        let reached: Vec<_> = outside.reached.iter().copied().collect();
        let own: BTreeSet<MutantId> = context.standings.mutants_at(&reached).into_iter().collect();
        let test = whole_binary(context, binary, tests);
        let mut found = plain_programs::baselines(context, vec![test])?.tests;
        if found.is_empty() && !context.interrupted() {
            failing.insert(binary);
        }
        for found in &mut found {
            found
                .reached
                .retain(|point| outside.reached.contains(point));
            if !outside.has_exit_handlers {
                found.infected.retain(|mutant| own.contains(mutant));
            }
        }
        passing.extend(found);
    }
    Ok((passing, failing))
}

/// A test binary with those of its tests that decide something.
fn whole_binary(context: &Context<'_>, binary: usize, tests: &[RunnableTest]) -> PlainTest {
    let test_binary = &context.zygotes.binaries[binary];
    let mut invocation = test_binary.invocation.clone();
    let own = tests.iter().filter(|test| test.binary == binary);
    let names: Vec<String> = own.map(|test| test.name.clone()).collect();
    // A name that no test has: without one, all would be run.
    let none = names.is_empty().then(|| "(none)".to_owned());
    let options = ["--exact", "--include-ignored"].map(str::to_owned);
    invocation
        .arguments
        .extend(options.into_iter().chain(names).chain(none));
    PlainTest {
        package: test_binary.package.clone(),
        target: test_binary.target.clone(),
        name: "(whole program)".to_owned(),
        invocation,
        succeeds: true,
    }
}

/// Says of mutants that act outside tests that nothing can be said, where whole test binaries fail.
pub fn leave_undecided(
    context: &Context<'_>,
    failing: &BTreeSet<usize>,
    mutants: &OutsideMutants,
    tests: &[RunnableTest],
) {
    for binary in failing {
        let test = tests.iter().position(|test| test.binary == *binary);
        let mutants = mutants.get(binary).into_iter().flatten();
        if let Some(test) = test {
            for &mutant in mutants.filter(|&&mutant| context.standings.is_built(mutant)) {
                let why = Undecided::WholeBinaryFails;
                context.standings.leave_undecided(TestId(test), mutant, why);
            }
        }
    }
}
