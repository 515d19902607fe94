//! The default: exhaustive within a budget, then the largest preemption bound that fits, then random.
//!
//! The budget is counted in executions, so that the same budget gives the same result; a caller who
//! watches a clock says so with [`Gradual::hurry`].

use crate::exhaustive::Exhaustive;
use crate::pass_on;
use crate::sampling::{Draw, Uniform};
use crate::schedule::Schedule;
use crate::search::Search;
use crate::strategy::{Coverage, Divergence, Progress, Strategy};
use crate::system::{End, Guide};

/// How many executions each stage may take.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Budget {
    pub exhaustive: u64,
    /// For all preemption bounds together.
    pub bounded: u64,
    pub random: u64,
    pub seed: u64,
}

/// The stages by name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum GradualStage {
    Exhaustive,
    Bounded,
    Random,
}

#[derive(Clone, Debug)]
enum Stage {
    Exhaustive(Box<Exhaustive>),
    Bounded { search: Box<Search>, bound: u32 },
    Random(Box<Uniform>),
}

/// One strategy after the other until the budget is used up.
#[derive(Clone, Debug)]
pub struct Gradual {
    budget: Budget,
    stage: Stage,
    /// The largest bound that was finished.
    bound: Option<u32>,
    is_complete: bool,
    spent: u64,
    earlier: Progress,
    hurried: bool,
}

impl Gradual {
    pub fn new(budget: Budget) -> Gradual {
        Gradual {
            budget,
            stage: Stage::Exhaustive(Box::default()),
            bound: None,
            is_complete: false,
            spent: 0,
            earlier: Progress::default(),
            hurried: false,
        }
    }

    /// The time for this stage is over: the next execution belongs to the next one.
    pub fn hurry(&mut self) {
        self.hurried = true;
    }

    /// The search with a bound on preemptions, if that is the present stage, and how many more executions it may take.
    pub fn bounded(&mut self) -> Option<(&mut Search, u64)> {
        let left = self.budget.bounded.saturating_sub(self.spent);
        match &mut self.stage {
            Stage::Bounded { search, .. } => Some((search, left)),
            _ => None,
        }
    }

    /// So many executions of this stage were made elsewhere.
    pub fn spend(&mut self, executions: u64) {
        self.spent += executions;
    }

    /// The stage of the last execution.
    pub fn stage(&self) -> GradualStage {
        match self.stage {
            Stage::Exhaustive(_) => GradualStage::Exhaustive,
            Stage::Bounded { .. } => GradualStage::Bounded,
            Stage::Random(_) => GradualStage::Random,
        }
    }

    /// The coverage if the present stage has come to this one.
    pub fn coverage_with(&self, now: Coverage) -> Coverage {
        match (self.bound, now) {
            (_, Coverage::All) => Coverage::All,
            (Some(bound), now) => {
                Coverage::Both(Box::new(Coverage::Preemptions(bound)), Box::new(now))
            }
            (None, now) => now,
        }
    }

    fn current(&self) -> &dyn Strategy {
        match &self.stage {
            Stage::Exhaustive(strategy) => &**strategy,
            Stage::Bounded { search, .. } => &**search,
            Stage::Random(strategy) => &**strategy,
        }
    }

    fn current_mut(&mut self) -> &mut dyn Strategy {
        match &mut self.stage {
            Stage::Exhaustive(strategy) => &mut **strategy,
            Stage::Bounded { search, .. } => &mut **search,
            Stage::Random(strategy) => &mut **strategy,
        }
    }

    fn is_spent(&self) -> bool {
        match self.stage {
            Stage::Exhaustive(_) => self.spent >= self.budget.exhaustive,
            Stage::Bounded { .. } => self.spent >= self.budget.bounded,
            Stage::Random(_) => false,
        }
    }

    fn random(&self) -> Stage {
        let draw = Draw::new(self.budget.random, self.budget.seed);
        Stage::Random(Box::new(Uniform::new(draw)))
    }

    /// Leaves a stage for the next; false after the last.
    fn advance(&mut self, finished: bool) -> bool {
        let done = self.current().progress();
        let next = match &self.stage {
            // Too long for that is too long for the next as well.
            Stage::Exhaustive(strategy) if strategy.gave_up() => self.random(),
            Stage::Exhaustive(_) if finished => {
                self.is_complete = true;
                return false;
            }
            Stage::Exhaustive(_) => {
                self.spent = 0;
                Stage::Bounded {
                    search: Box::new(Search::chess(0)),
                    bound: 0,
                }
            }
            Stage::Bounded { search, bound } if finished => {
                self.bound = Some(*bound);
                if !search.was_cut_by_bound() {
                    self.is_complete = true;
                    return false;
                }
                Stage::Bounded {
                    search: Box::new(Search::chess(bound + 1)),
                    bound: bound + 1,
                }
            }
            Stage::Bounded { .. } => self.random(),
            Stage::Random(_) => return false,
        };
        self.earlier.executions += done.executions;
        self.earlier.abandoned += done.abandoned;
        self.stage = next;
        true
    }
}

impl Guide for Gradual {
    pass_on!(self => self.current_mut(); choose, data, refine, wake, observe, reach);
    pass_on!(self => self.current(); wants_fingerprint, is_fresh);
}

impl Strategy for Gradual {
    fn begin(&mut self) -> bool {
        if self.is_complete {
            return false;
        }
        let hurried = std::mem::take(&mut self.hurried);
        if (hurried || self.is_spent()) && !self.advance(false) {
            return false;
        }
        while !self.current_mut().begin() {
            if self.current().divergence().is_some() || !self.advance(true) {
                return false;
            }
        }
        self.spent += 1;
        true
    }

    fn end(&mut self, end: End) {
        self.current_mut().end(end);
    }

    fn schedule(&self) -> Schedule {
        self.current().schedule()
    }

    fn coverage(&self) -> Coverage {
        if self.is_complete {
            return Coverage::All;
        }
        self.coverage_with(self.current().coverage())
    }

    fn progress(&self) -> Progress {
        let now = self.current().progress();
        let executions = self.earlier.executions + now.executions;
        // Earlier stages are done, whatever is left of this one.
        let whole = now
            .estimate()
            .map(|whole| self.earlier.executions as f64 + whole);
        let share = whole.map_or(0.0, |whole| executions as f64 / whole);
        Progress {
            executions,
            abandoned: self.earlier.abandoned + now.abandoned,
            share: if self.is_complete { 1.0 } else { share },
        }
    }

    fn divergence(&self) -> Option<Divergence> {
        self.current().divergence()
    }
}
