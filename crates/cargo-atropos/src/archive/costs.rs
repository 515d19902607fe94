//! What each mutant is expected to take, so that shards can be made that take the same time.
//!
//! What a run before this one has measured is taken as it is. For all others the tests that they infect tell: those run one
//! after the other, the quickest first, until one fails.

use std::collections::HashMap;

use atropos_report::outcomes::Outcomes;

use crate::build::Build;
use crate::execute::Executed;
use crate::plan::Plan;

/// What a mutant takes besides its tests.
const EACH: f64 = 0.002;
/// The share of the mutants that no test kills: all their tests run.
const SURVIVORS: f64 = 0.15;
/// The share of the others that the next test kills.
const KILLED_BY_NEXT: f64 = 0.6;

/// The costs of all mutants of a plan, in microseconds.
pub fn costs(
    plan: &Plan,
    build: &Build,
    executed: &Executed,
    earlier: Option<&Outcomes>,
) -> Vec<u64> {
    let measured = earlier.map(measured).unwrap_or_default();
    let cost = |info: &atropos_report::mutant::MutantInfo| {
        if !build.built.contains(&info.id) {
            return 0.0;
        }
        if let Some(seconds) = measured.get(info.key.as_str()) {
            return seconds + EACH;
        }
        let standing = &executed.standings[info.id.index()];
        let infected = standing.infected_by.iter();
        let mut tests: Vec<f64> = infected
            .map(|test| executed.tests[test.0].seconds)
            .collect();
        expected(&mut tests)
    };
    let infos = plan.mutants.iter();
    infos.map(|info| (cost(info) * 1e6) as u64).collect()
}

/// What the mutants took that the run before this one had a verdict on.
fn measured(outcomes: &Outcomes) -> HashMap<&str, f64> {
    let decided = outcomes
        .mutants
        .iter()
        .filter(|record| record.verdict.is_some() && !record.reused);
    decided
        .map(|record| (record.info.key.as_str(), record.seconds))
        .collect()
}

/// What running tests until one fails is expected to take.
fn expected(tests: &mut [f64]) -> f64 {
    tests.sort_by(f64::total_cmp);
    let mut alive = 1.0 - SURVIVORS;
    let mut sum = if tests.is_empty() { 0.0 } else { EACH };
    for seconds in tests {
        sum += *seconds * (SURVIVORS + alive);
        alive *= 1.0 - KILLED_BY_NEXT;
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_and_longer_tests_cost_more_and_none_costs_nothing() {
        assert_eq!(expected(&mut []), 0.0);
        let one = expected(&mut [1.0]);
        assert!((one - 1.0 - EACH).abs() < 1e-9);
        let two = expected(&mut [1.0, 1.0]);
        assert!(one < two && two < 2.0);
        assert_eq!(expected(&mut [3.0, 1.0]), expected(&mut [1.0, 3.0]));
        assert!(expected(&mut [1.0, 3.0]) > two);
    }
}
