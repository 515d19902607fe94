//! Mutants under random schedules: first the schedules that reached the mutant in the original, each
//! of which goes the same way up to the mutant, then new ones.

use std::collections::BTreeMap;

use super::Verdict;
use crate::choice::Thread;
use crate::op::Op;
use crate::sampling::{Draw, Uniform};
use crate::strategy::{Finding, Strategy};
use crate::system::{Guide, Mutable, Point};

/// What a sample of the original's schedules left behind.
#[derive(Clone, Debug)]
pub struct SampledOriginal {
    seed: u64,
    schedules: u64,
    /// For each mutant the numbers of the executions that reached it.
    reached: BTreeMap<u32, Vec<u64>>,
    /// The first failing execution of the original.
    pub finding: Option<Finding>,
}

impl SampledOriginal {
    /// Runs so many random schedules of the original, or up to the first that fails.
    pub fn explore(system: &mut dyn Mutable, schedules: u64, seed: u64) -> SampledOriginal {
        system.activate(0);
        let mut sampled = SampledOriginal {
            seed,
            schedules,
            reached: BTreeMap::new(),
            finding: None,
        };
        for number in 0..schedules {
            let (finding, reached) = run(system, seed, number);
            for mutant in reached {
                sampled.reached.entry(mutant).or_default().push(number);
            }
            if finding.is_some() {
                sampled.finding = finding;
                break;
            }
        }
        sampled
    }

    /// The mutants that some schedule reached.
    pub fn reached(&self) -> impl Iterator<Item = u32> + '_ {
        self.reached.keys().copied()
    }

    /// Runs a mutant under the schedules that reached it and then under `more` new ones. Returns what
    /// became of it and after how many executions. A mutant that no schedule of the original reached
    /// gets the new ones only: others may reach it.
    pub fn explore_mutant(
        &self,
        system: &mut dyn Mutable,
        mutant: u32,
        more: u64,
    ) -> (Verdict, u64) {
        let known = self.reached.get(&mutant).map_or(&[][..], Vec::as_slice);
        if self.finding.is_some() {
            let verdict = if known.is_empty() {
                Verdict::Unreached
            } else {
                Verdict::Undecided
            };
            return (verdict, 0);
        }
        system.activate(mutant);
        let new = self.schedules..self.schedules + more;
        let mut executions = 0;
        let mut is_reached = !known.is_empty();
        let mut killed = None;
        for number in known.iter().copied().chain(new) {
            let (finding, reached) = run(system, self.seed, number);
            executions += 1;
            is_reached |= reached.contains(&mutant);
            killed = finding.filter(|_| reached.contains(&mutant));
            if killed.is_some() {
                break;
            }
        }
        system.activate(0);
        let verdict = match killed {
            Some(finding) => Verdict::Killed(finding),
            None if is_reached => Verdict::Survived,
            None => Verdict::Unreached,
        };
        (verdict, executions)
    }
}

/// One execution of a sample; how it failed, if it did, and what it reached.
fn run(system: &mut dyn Mutable, seed: u64, number: u64) -> (Option<Finding>, Vec<u32>) {
    let mut strategy = Uniform::new(Draw {
        schedules: 1,
        seed,
        first: number,
        stride: 1,
    });
    strategy.begin();
    let mut noting = Noting {
        guide: &mut strategy,
        reached: Vec::new(),
    };
    let end = system.run(&mut noting);
    let reached = noting.reached;
    strategy.end(end);
    let finding = end.is_failure().then(|| Finding {
        end,
        schedule: strategy.schedule(),
    });
    (finding, reached)
}

/// Passes everything on and notes which mutants are reached.
struct Noting<'a> {
    guide: &'a mut Uniform,
    reached: Vec<u32>,
}

impl Guide for Noting<'_> {
    fn choose(&mut self, point: &Point<'_>) -> Option<Thread> {
        self.guide.choose(point)
    }

    fn data(&mut self, options: u32) -> u32 {
        self.guide.data(options)
    }

    fn refine(&mut self, op: Op) {
        self.guide.refine(op);
    }

    fn wake(&mut self, thread: Thread) {
        self.guide.wake(thread);
    }

    fn reach(&mut self, mutant: u32) {
        if !self.reached.contains(&mutant) {
            self.reached.push(mutant);
        }
    }
}
