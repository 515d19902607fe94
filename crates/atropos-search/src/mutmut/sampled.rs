//! Mutants under random schedules: first the schedules that reached the mutant in the original, each
//! of which goes the same way up to the mutant, then new ones. A kill by a new one counts only if the original passes
//! under the same draw.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;

use atropos_values::MutantId;

use super::{SearchResult, Watch};
use crate::choice::Thread;
use crate::pass_on;
use crate::sampling::SampleSpec;
use crate::strategy::{Coverage, FailingExecution, Sampling, Strategy};
use crate::system::{ExecutionEnd, Guide, Mutable, SchedulingPoint};

/// How schedules are drawn, each by its number.
#[derive(Clone, Copy, Debug)]
struct Sampler {
    how: Sampling,
    seed: u64,
    /// Scheduling points of the first execution of the original, once it is known.
    length: Option<u64>,
}

impl Sampler {
    fn strategy(&self, number: u64) -> Box<dyn Strategy> {
        let draw = SampleSpec {
            schedules: 1,
            seed: self.seed,
            first: number,
            stride: 1,
        };
        self.how.strategy(draw, self.length)
    }
}

/// What a sample of the original's schedules left behind.
#[derive(Clone, Debug)]
pub struct SampledOriginal {
    sampler: Sampler,
    /// Executions of the original.
    pub executions: u64,
    /// For each mutant the numbers of the executions that reached it.
    reached: BTreeMap<MutantId, Vec<u64>>,
    /// The first failing execution of the original.
    pub finding: Option<FailingExecution>,
}

/// The result of a mutant under random schedules.
#[derive(Clone, Debug)]
pub struct SampledRun {
    pub result: SearchResult,
    pub executions: u64,
    /// What was run.
    pub coverage: Coverage,
    /// How the original fails under the draw under which the mutant failed, if it does.
    pub own: Option<FailingExecution>,
}

impl SampledOriginal {
    /// Runs so many random schedules of the original, or up to the first that fails, or as long as `watch` says.
    pub fn explore(
        system: &mut dyn Mutable,
        how: Sampling,
        schedules: u64,
        seed: u64,
        watch: &mut Watch<'_>,
    ) -> SampledOriginal {
        system.activate(MutantId::ORIGINAL);
        let mut sampled = SampledOriginal {
            sampler: Sampler {
                how,
                seed,
                length: None,
            },
            executions: 0,
            reached: BTreeMap::new(),
            finding: None,
        };
        for number in 0..schedules {
            let run = sampled.run(system, number);
            sampled.executions += 1;
            sampled.sampler.length.get_or_insert(run.points);
            for mutant in run.reached {
                sampled.reached.entry(mutant).or_default().push(number);
            }
            sampled.finding = run.finding;
            if sampled.finding.is_some() || watch(run.end).is_break() {
                break;
            }
        }
        sampled
    }

    /// What so many executions cover.
    pub fn coverage(&self, schedules: u64) -> Coverage {
        Coverage::Sample {
            schedules,
            seed: self.sampler.seed,
            how: self.sampler.how,
        }
    }

    /// The mutants that some schedule reached.
    pub fn reached(&self) -> impl Iterator<Item = MutantId> + '_ {
        self.reached.keys().copied()
    }

    /// Whether just the same schedules reached the two.
    pub fn is_reached_alike(&self, one: MutantId, other: MutantId) -> bool {
        self.reached.get(&one) == self.reached.get(&other)
    }

    /// Runs a mutant under the schedules that reached it and then under as many new ones as the original had, as long as
    /// `watch` says. A mutant that no schedule of the original reached gets the new ones only: others may reach it.
    pub fn explore_mutant(
        &self,
        system: &mut dyn Mutable,
        mutant: MutantId,
        watch: &mut Watch<'_>,
    ) -> SampledRun {
        let known = self.reached.get(&mutant).map_or(&[][..], Vec::as_slice);
        let mut is_reached = !known.is_empty();
        let mut result = None;
        let mut executions = 0;
        let mut own = None;
        if self.finding.is_some() {
            result = is_reached.then_some(SearchResult::Undecided);
            return self.said(result, is_reached, 0, own);
        }
        system.activate(mutant);
        let new = self.executions..2 * self.executions;
        for number in known.iter().copied().chain(new) {
            let run = self.run(system, number);
            executions += 1;
            let is_here = run.reached.contains(&mutant);
            is_reached |= is_here;
            if let Some(finding) = run.finding.filter(|_| is_here) {
                system.activate(MutantId::ORIGINAL);
                if number >= self.executions {
                    own = self.run(system, number).finding;
                }
                result = Some(match own {
                    None => SearchResult::Killed(finding),
                    Some(_) => SearchResult::Undecided,
                });
                break;
            }
            if watch(run.end) == ControlFlow::Break(()) {
                break;
            }
        }
        system.activate(MutantId::ORIGINAL);
        self.said(result, is_reached, executions, own)
    }

    fn said(
        &self,
        result: Option<SearchResult>,
        is_reached: bool,
        executions: u64,
        own: Option<FailingExecution>,
    ) -> SampledRun {
        let otherwise = match is_reached {
            true => SearchResult::Survived,
            false => SearchResult::Unreached,
        };
        SampledRun {
            result: result.unwrap_or(otherwise),
            executions,
            coverage: self.coverage(executions),
            own,
        }
    }

    /// One execution of the sample.
    fn run(&self, system: &mut dyn Mutable, number: u64) -> Run {
        let mut strategy = self.sampler.strategy(number);
        strategy.begin();
        let mut noting = ReachRecorder {
            guide: &mut *strategy,
            reached: BTreeSet::new(),
            points: 0,
        };
        let end = system.run(&mut noting);
        let (reached, points) = (noting.reached, noting.points);
        strategy.end(end);
        let finding = end.is_failure().then(|| FailingExecution {
            end,
            schedule: strategy.schedule(),
        });
        Run {
            end,
            finding,
            reached,
            points,
        }
    }
}

/// What one execution showed.
struct Run {
    end: ExecutionEnd,
    finding: Option<FailingExecution>,
    reached: BTreeSet<MutantId>,
    points: u64,
}

/// Passes everything on and notes which mutants are reached.
struct ReachRecorder<'a> {
    guide: &'a mut dyn Guide,
    reached: BTreeSet<MutantId>,
    points: u64,
}

impl Guide for ReachRecorder<'_> {
    fn choose(&mut self, point: &SchedulingPoint<'_>) -> Option<Thread> {
        self.points += 1;
        self.guide.choose(point)
    }

    pass_on!(self => self.guide; data, refine, wake, random_data);

    fn reach(&mut self, mutant: MutantId) {
        self.reached.insert(mutant);
    }
}
