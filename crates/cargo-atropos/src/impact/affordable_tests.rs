//! Which tests are observed: those that take no longer together than a ranking is worth, unless the user asks for all. Of their
//! programs only those are built in which a test comes to a survivor.

use std::collections::BTreeSet;

use atropos_report::outcomes::TestRecord;
use atropos_values::MutantId;

use crate::execute::{Standing, TestId};

/// What the tests that are observed may take together without a mutant and unobserved, in seconds.
const TOGETHER: f64 = 3.0;

/// Tests by their places in the run's list.
pub struct AffordableTests(BTreeSet<usize>);

impl AffordableTests {
    /// All but doctests, which are never observed.
    pub fn all(tests: &[TestRecord]) -> AffordableTests {
        let tests = tests.iter().enumerate();
        let observable = tests.filter(|(_, test)| test.target != "doc");
        AffordableTests(observable.map(|(index, _)| index).collect())
    }

    /// The cheapest of them, as long as they are cheap together.
    pub fn cheapest(tests: &[TestRecord]) -> AffordableTests {
        let mut order: Vec<usize> = AffordableTests::all(tests).0.into_iter().collect();
        order.sort_by(|&one, &other| tests[one].seconds.total_cmp(&tests[other].seconds));
        let mut together = 0.0;
        let cheap = order.into_iter().take_while(|&index| {
            together += tests[index].seconds;
            together <= TOGETHER
        });
        AffordableTests(cheap.collect())
    }

    pub fn contains(&self, test: usize) -> bool {
        self.0.contains(&test)
    }

    /// Whether one of them comes to a mutant and makes a difference there.
    pub fn meet(&self, standing: &Standing) -> bool {
        self.meeting(standing).next().is_some()
    }

    fn meeting(&self, standing: &Standing) -> impl Iterator<Item = usize> {
        let infected = standing.infected_by.iter().map(|TestId(test)| *test);
        infected.filter(|test| self.contains(*test))
    }

    /// The arguments of cargo for the targets that have tests of these mutants.
    pub fn targets(
        &self,
        tests: &[TestRecord],
        standings: &[Standing],
        wanted: &BTreeSet<MutantId>,
    ) -> Vec<String> {
        let meeting = wanted
            .iter()
            .flat_map(|mutant| self.meeting(&standings[mutant.index()]));
        let labels: BTreeSet<&str> = meeting.map(|test| tests[test].target.as_str()).collect();
        let arguments = labels.into_iter().map(|label| match label.split_once(' ') {
            Some((kind, name)) => format!("--{kind}={name}"),
            None => format!("--{label}"),
        });
        arguments.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn test(target: &str, seconds: f64) -> TestRecord {
        TestRecord {
            name: "one".to_owned(),
            package: "some".to_owned(),
            target: target.to_owned(),
            seconds,
        }
    }

    #[test]
    fn a_long_test_costs_only_itself() {
        let tests = [
            test("lib", 100.0),
            test("test it", 0.5),
            test("doc", 0.1),
            test("bin some", 1.0),
        ];
        let cheap = AffordableTests::cheapest(&tests);
        assert_eq!(cheap.0, BTreeSet::from([1, 3]));
        assert_eq!(AffordableTests::all(&tests).0.len(), 3);
    }

    #[test]
    fn only_programs_with_tests_of_survivors_are_built() {
        let tests =
            ["lib", "test it", "doc", "bin some", "test more"].map(|label| test(label, 0.1));
        let infected_by = |tests: &[usize]| Standing {
            infected_by: tests.iter().copied().map(TestId).collect(),
            ..Standing::default()
        };
        let standings = [
            Standing::default(),
            infected_by(&[0, 1]),
            infected_by(&[2]),
            infected_by(&[1, 3]),
            infected_by(&[4]),
        ];
        let cheap = AffordableTests::cheapest(&tests);
        let targets = |wanted: &[u32]| {
            let wanted = wanted.iter().copied().map(MutantId).collect();
            cheap.targets(&tests, &standings, &wanted)
        };
        assert_eq!(targets(&[1, 2]), ["--lib", "--test=it"]);
        assert_eq!(targets(&[1, 3]), ["--bin=some", "--lib", "--test=it"]);
        assert_eq!(targets(&[2]), [""; 0]);
        assert!(cheap.meet(&standings[4]) && !cheap.meet(&standings[2]));
    }
}
