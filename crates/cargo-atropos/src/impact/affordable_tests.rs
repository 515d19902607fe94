//! Which tests are observed: those that take no longer together than a ranking is worth, unless the user asks for all. Of their
//! programs only so many are built that each survivor has a test in one.

use std::collections::{BTreeMap, BTreeSet};

use atropos_report::outcomes::TestRecord;
use atropos_values::MutantId;

use crate::execute::{Standing, TestId};

/// What the tests that are observed may take together without a mutant and unobserved, in seconds.
const TOGETHER: f64 = 3.0;

pub struct AffordableTests {
    /// By their places in the run's list.
    chosen: BTreeSet<usize>,
    are_all: bool,
}

impl AffordableTests {
    /// All but doctests, which are never observed.
    pub fn all(tests: &[TestRecord]) -> AffordableTests {
        let tests = tests.iter().enumerate();
        let observable = tests.filter(|(_, test)| test.target != "doc");
        AffordableTests {
            chosen: observable.map(|(index, _)| index).collect(),
            are_all: true,
        }
    }

    /// The cheapest of them, as long as they are cheap together.
    pub fn cheapest(tests: &[TestRecord]) -> AffordableTests {
        let mut order: Vec<usize> = AffordableTests::all(tests).chosen.into_iter().collect();
        order.sort_by(|&one, &other| tests[one].seconds.total_cmp(&tests[other].seconds));
        let mut together = 0.0;
        let cheap = order.into_iter().take_while(|&index| {
            together += tests[index].seconds;
            together <= TOGETHER
        });
        AffordableTests {
            chosen: cheap.collect(),
            are_all: false,
        }
    }

    pub fn contains(&self, test: usize) -> bool {
        self.chosen.contains(&test)
    }

    /// Whether one of them comes to a mutant and makes a difference there.
    pub fn meet(&self, standing: &Standing) -> bool {
        self.meeting(standing).next().is_some()
    }

    fn meeting(&self, standing: &Standing) -> impl Iterator<Item = usize> {
        let infected = standing.infected_by.iter().map(|TestId(test)| *test);
        infected.filter(|test| self.contains(*test))
    }

    /// The arguments of cargo for the targets with tests of these mutants, or so many of them that each mutant has a test in one:
    /// to link a program takes longer than what another test of the same mutant adds to its rank is worth.
    pub fn targets(
        &self,
        tests: &[TestRecord],
        standings: &[Standing],
        wanted: &BTreeSet<MutantId>,
    ) -> Vec<String> {
        let mut mutants_of: BTreeMap<&str, BTreeSet<MutantId>> = BTreeMap::new();
        for &mutant in wanted {
            for test in self.meeting(&standings[mutant.index()]) {
                let target = tests[test].target.as_str();
                mutants_of.entry(target).or_default().insert(mutant);
            }
        }
        let mut chosen = Vec::new();
        while let Some((&target, mutants)) = mutants_of
            .iter()
            .max_by_key(|(target, mutants)| (mutants.len(), std::cmp::Reverse(target.to_string())))
            .filter(|(_, mutants)| !mutants.is_empty())
        {
            chosen.push(match target.split_once(' ') {
                Some((kind, name)) => format!("--{kind}={name}"),
                None => format!("--{target}"),
            });
            let covered = mutants.clone();
            mutants_of.remove(target);
            if !self.are_all {
                for mutants in mutants_of.values_mut() {
                    mutants.retain(|mutant| !covered.contains(mutant));
                }
            }
        }
        chosen
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
        assert_eq!(cheap.chosen, BTreeSet::from([1, 3]));
        assert_eq!(AffordableTests::all(&tests).chosen.len(), 3);
    }

    #[test]
    fn every_survivor_has_a_test_in_the_programs_that_are_built() {
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
        assert_eq!(targets(&[1, 3]), ["--test=it"]);
        assert_eq!(targets(&[1, 3, 4]), ["--test=it", "--test=more"]);
        assert_eq!(targets(&[2]), [""; 0]);
        let all = AffordableTests::all(&tests);
        let targets = all.targets(&tests, &standings, &BTreeSet::from([1, 3].map(MutantId)));
        assert_eq!(targets, ["--test=it", "--bin=some", "--lib"]);
        assert!(cheap.meet(&standings[4]) && !cheap.meet(&standings[2]));
    }
}
