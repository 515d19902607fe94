//! What every strategy offers, and the loop that drives one over a system.

use std::fmt;
use std::ops::ControlFlow;

use crate::choice::Choice;
use crate::op::Op;
use crate::schedule::Schedule;
use crate::system::{ExecutionEnd, Guide, System};

/// A way through the executions of a system.
///
/// # Order of calls
/// [`Strategy::begin`]; if it says yes, one [`System::run`] with the strategy as guide, then
/// [`Strategy::end`] with what `run` returned; and so on until `begin` says no. The other methods
/// may be called between executions at any time; [`Strategy::schedule`] speaks of the last one.
///
/// # Duty of determinism
/// A strategy is a function of its parameters (a seed among them) and of what the system showed
/// it: no clock, no addresses, no iteration over hash tables.
pub trait Strategy: Guide {
    /// Prepares the next execution; false when there is none left.
    fn begin(&mut self) -> bool;

    /// Takes in how the execution ended.
    fn end(&mut self, end: ExecutionEnd);

    /// The choices of the last execution.
    fn schedule(&self) -> Schedule;

    /// What the executions so far have covered.
    fn coverage(&self) -> Coverage;

    /// How far the strategy has come.
    fn progress(&self) -> SearchProgress;

    /// The first place where the system broke its duty of determinism, if it did.
    fn divergence(&self) -> Option<Divergence> {
        None
    }
}

/// What was covered, to be said to a user.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Coverage {
    /// Every schedule, up to the order of steps that commute or states that are the same.
    All,
    /// Every schedule with at most this many preemptions.
    Preemptions(u32),
    /// This many schedules drawn at random.
    Sample {
        schedules: u64,
        seed: u64,
        how: Sampling,
    },
    /// One given schedule.
    One,
    /// A search that was not finished: this many schedules of it.
    Part { schedules: u64 },
    /// What two strategies covered, one after the other.
    Both(Box<Coverage>, Box<Coverage>),
}

/// How a sample was drawn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Sampling {
    /// Each ready thread equally likely at each step.
    Random,
    /// Probabilistic concurrency testing: priorities that drop at `depth - 1` random steps.
    Pct { depth: u32 },
    /// Partial-order sampling: a priority for each operation, drawn anew after a conflict.
    Pos,
    /// Selectively uniform random walk: all orders of the operations on one object about equally likely.
    Surw,
    /// All of these in turn.
    Mixed,
}

impl fmt::Display for Coverage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Coverage::All => f.write_str("all schedules"),
            Coverage::Preemptions(0) => f.write_str("all schedules without preemption"),
            Coverage::Preemptions(1) => f.write_str("all schedules with at most 1 preemption"),
            Coverage::Preemptions(n) => write!(f, "all schedules with at most {n} preemptions"),
            Coverage::Sample {
                schedules,
                seed,
                how,
            } => {
                write!(f, "{} random {}", grouped(*schedules), plural(*schedules))?;
                match how {
                    Sampling::Random => {}
                    Sampling::Pct { depth } => write!(f, " (PCT, depth {depth})")?,
                    Sampling::Pos => f.write_str(" (POS)")?,
                    Sampling::Surw => f.write_str(" (SURW)")?,
                    Sampling::Mixed => f.write_str(" (mixed)")?,
                }
                write!(f, ", seed {seed}")
            }
            Coverage::One => f.write_str("one schedule"),
            Coverage::Both(first, second) => write!(f, "{first}, and {second}"),
            Coverage::Part { schedules } => {
                write!(f, "{} {}, not all", grouped(*schedules), plural(*schedules))
            }
        }
    }
}

fn plural(n: u64) -> &'static str {
    if n == 1 { "schedule" } else { "schedules" }
}

fn grouped(n: u64) -> String {
    let digits = n.to_string();
    let mut text = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// How far a search has come.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct SearchProgress {
    /// Executions that ran to their end.
    pub executions: u64,
    /// Executions that were abandoned: they came to what other executions cover.
    pub abandoned: u64,
    /// The share of the search tree that is done, from 0 to 1, taking each open branch to be as
    /// big as its siblings on average (the weighted backtrack estimate). 0 where nothing is known.
    pub share: f64,
}

impl SearchProgress {
    /// How many executions there will be in all, as far as can be told.
    pub fn estimate(&self) -> Option<f64> {
        (self.share > 0.0).then(|| self.executions as f64 / self.share)
    }
}

/// Adds up the explored share of a depth-first search tree, from the root down.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ShareOfTree {
    share: f64,
    weight: f64,
}

impl ShareOfTree {
    pub(crate) fn new() -> ShareOfTree {
        ShareOfTree {
            share: 0.0,
            weight: 1.0,
        }
    }

    /// Goes one level down: `done` branches are finished, one is being explored, `open` are left.
    pub(crate) fn descend(&mut self, done: usize, open: usize) {
        let branches = (done + 1 + open) as f64;
        self.share += self.weight * done as f64 / branches;
        self.weight /= branches;
    }

    /// The share, counting the path itself as done.
    pub(crate) fn with_leaf(self) -> f64 {
        (self.share + self.weight).min(1.0)
    }
}

/// The first place where an execution did not follow an earlier one with the same choices.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Divergence {
    /// Index of the choice in the schedule.
    pub at: usize,
    /// The choice that should have been taken there.
    pub choice: Choice,
    pub cause: DivergenceKind,
}

/// What was different there.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DivergenceKind {
    /// The thread does not exist or can't go on.
    NotReady,
    /// The thread is about to do something else.
    Operation { before: Op, now: Op },
    /// There is another number of alternatives.
    Alternatives { before: u32, now: u32 },
    /// A thread was to be chosen and the execution asked for an alternative, or the other way round.
    Question,
    /// A thread learned another value during the step before.
    Value,
    /// One execution ended here, the other did not, or in another way.
    End,
}

impl fmt::Display for Divergence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "two runs with the same choices part at choice {} ({:?}): ",
            self.at, self.choice
        )?;
        match self.cause {
            DivergenceKind::NotReady => f.write_str("the thread can't go on"),
            DivergenceKind::Operation { .. } => {
                f.write_str("the thread is about to do something else")
            }
            DivergenceKind::Alternatives { before, now } => {
                write!(f, "{before} alternatives before, {now} now")
            }
            DivergenceKind::Question => {
                f.write_str("a thread was to be chosen in one, an alternative in the other")
            }
            DivergenceKind::Value => f.write_str("a thread saw another value"),
            DivergenceKind::End => f.write_str("they end differently"),
        }
    }
}

/// A failing execution.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FailingExecution {
    pub end: ExecutionEnd,
    pub schedule: Schedule,
}

/// The result of an exploration.
#[derive(Clone, PartialEq, Debug)]
pub struct SearchReport {
    /// The first failing execution.
    pub finding: Option<FailingExecution>,
    pub coverage: Coverage,
    pub progress: SearchProgress,
    /// Set if the system is not deterministic under control; the rest is then not to be trusted.
    pub divergence: Option<Divergence>,
}

/// Runs a strategy until it has nothing left or `watch` breaks. `watch` is called after every
/// execution, the abandoned ones too, with how it ended.
pub fn explore_with(
    system: &mut dyn System,
    strategy: &mut dyn Strategy,
    watch: &mut dyn FnMut(ExecutionEnd, &dyn Strategy) -> ControlFlow<()>,
) -> SearchReport {
    let mut finding = None;
    while strategy.begin() {
        let end = system.run(strategy);
        strategy.end(end);
        if end.is_failure() && finding.is_none() {
            finding = Some(FailingExecution {
                end,
                schedule: strategy.schedule(),
            });
        }
        if strategy.divergence().is_some() || watch(end, strategy).is_break() {
            break;
        }
    }
    SearchReport {
        finding,
        coverage: strategy.coverage(),
        progress: strategy.progress(),
        divergence: strategy.divergence(),
    }
}

/// Runs a strategy until it has nothing left or an execution fails.
pub fn explore(system: &mut dyn System, strategy: &mut dyn Strategy) -> SearchReport {
    explore_with(system, strategy, &mut |end, _| match end.is_failure() {
        true => ControlFlow::Break(()),
        false => ControlFlow::Continue(()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn coverage_is_said_in_words() {
        let check = |coverage: Coverage, text: &str| assert_eq!(coverage.to_string(), text);
        check(Coverage::All, "all schedules");
        check(
            Coverage::Preemptions(2),
            "all schedules with at most 2 preemptions",
        );
        check(
            Coverage::Sample {
                schedules: 10_000,
                seed: 7,
                how: Sampling::Random,
            },
            "10,000 random schedules, seed 7",
        );
        check(Coverage::Part { schedules: 1 }, "1 schedule, not all");
    }

    #[test]
    fn the_share_of_a_tree_grows_to_one() {
        let mut share = ShareOfTree::new();
        share.descend(1, 0);
        share.descend(0, 3);
        assert_eq!(share.with_leaf(), 0.5 + 0.125);
        let mut last = ShareOfTree::new();
        last.descend(1, 0);
        last.descend(3, 0);
        assert_eq!(last.with_leaf(), 1.0);
    }
}
