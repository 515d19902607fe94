//! What is known of each mutant so far, put together from what tests said.

use std::collections::{BTreeMap, BTreeSet};

use atropos_report::outcomes::{Exploration, Kill};
use atropos_report::verdict::Verdict;

/// A test's place in the run's list of tests.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TestId(pub usize);

/// Why a test decides nothing about a mutant that it comes to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Undecided {
    /// It fails without any mutant, too.
    FailsToo,
    /// Only exploration comes to the mutant, or lets it act, and did not come to an end: why.
    NotToTheEnd(String),
    /// The mutant only acts where threads are explored, and the test's could not be.
    OnlyExplored,
    /// The mutant was stopped before it changed a file that the original leaves alone: by which call, where that is known.
    Harm(Option<String>),
    /// It took longer than the limit of time, while other programs had the processors.
    Starved,
    /// It was ended twice by a signal that may have come from elsewhere, or while memory ran out.
    EndedByOthers,
    /// It acts before `main` or when the program ends, and the whole test binary fails without any mutant.
    WholeBinaryFails,
    /// The test failed, or took too long, and so did the original when it was run once more.
    Unsteady,
}

/// What is known of one mutant.
#[derive(Clone, Debug, Default)]
pub struct Standing {
    pub reached_by: BTreeSet<TestId>,
    /// The tests under which it differs from the original where it acts: those that must be run.
    pub infected_by: BTreeSet<TestId>,
    /// A test that passes and fails by chance, and so decides nothing, comes to it.
    pub reached_by_chance: bool,
    /// Such a test, by its place among them, under which it differs from the original.
    pub infected_by_chance: Option<usize>,
    pub passed: BTreeSet<TestId>,
    pub kills: BTreeMap<TestId, Kill>,
    /// What was explored of the schedules of tests that it passed.
    pub explored: Vec<Exploration>,
    /// Tests that would have something to say, but it can't be told what.
    pub undecided_by: BTreeMap<TestId, Undecided>,
    pub seconds: f64,
    /// Tests whose word on it is that of an earlier run.
    pub reused: BTreeSet<TestId>,
    /// Some of what was said on it can't be used by later runs.
    pub has_no_evidence: bool,
}

impl Standing {
    /// The verdict, if the tests that were run suffice for one.
    pub fn verdict(&self) -> Option<Verdict> {
        if let Some(kill) = self.kills.values().next() {
            return Some(Verdict::Killed(kill.how));
        }
        if !self.infected_by.is_empty() {
            let passed_all = self.infected_by.is_subset(&self.passed);
            return passed_all.then_some(Verdict::Survived);
        }
        if self.infected_by_chance.is_some() {
            return None;
        }
        match self.reached_by.is_empty() && !self.reached_by_chance {
            true => Some(Verdict::Unreached),
            false => Some(Verdict::Uninfected),
        }
    }

    /// Whether all that decided on it was said in earlier runs.
    pub fn is_reused(&self) -> bool {
        match self.kills.is_empty() {
            true => !self.infected_by.is_empty() && self.infected_by.is_subset(&self.reused),
            false => self.kills.keys().all(|test| self.reused.contains(test)),
        }
    }

    /// It makes a difference under some schedule of a test.
    pub fn meet(&mut self, test: TestId) {
        self.reached_by.insert(test);
        self.infected_by.insert(test);
    }

    /// Whether a test still has something to say.
    pub fn is_open_for(&self, test: TestId, all_tests: bool) -> bool {
        self.infected_by.contains(&test) && self.may_be_met_by(test, all_tests)
    }

    /// Whether a test would still have something to say if it came to the mutant under another schedule.
    pub fn may_be_met_by(&self, test: TestId, all_tests: bool) -> bool {
        (all_tests || self.kills.is_empty())
            && !self.undecided_by.contains_key(&test)
            && !self.passed.contains(&test)
            && !self.kills.contains_key(&test)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_only_chance_would_decide_has_no_verdict() {
        let mut standing = Standing {
            reached_by_chance: true,
            ..Standing::default()
        };
        assert_eq!(standing.verdict(), Some(Verdict::Uninfected));
        standing.infected_by_chance = Some(0);
        assert_eq!(standing.verdict(), None);
        // Tests that can be relied on decide without it.
        standing.meet(TestId(1));
        standing.passed.insert(TestId(1));
        assert_eq!(standing.verdict(), Some(Verdict::Survived));
    }

    #[test]
    fn a_survivor_has_passed_every_test_that_it_infects() {
        let mut standing = Standing::default();
        assert_eq!(standing.verdict(), Some(Verdict::Unreached));
        standing.reached_by.extend([TestId(1), TestId(2)]);
        assert_eq!(standing.verdict(), Some(Verdict::Uninfected));
        standing.infected_by.extend([TestId(1), TestId(2)]);
        assert_eq!(standing.verdict(), None);
        standing.passed.insert(TestId(1));
        assert_eq!(standing.verdict(), None);
        assert!(standing.is_open_for(TestId(2), false));
        assert!(!standing.is_open_for(TestId(1), false));
        standing.passed.insert(TestId(2));
        assert_eq!(standing.verdict(), Some(Verdict::Survived));
    }
}
