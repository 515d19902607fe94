//! The default. Exhaustive search and random schedules alternate. A search that is not complete after many schedules waits
//! for more random ones, then goes on alone; then
//! comes the largest preemption bound that fits, then random schedules again. A program that does not do the same under the
//! same choices can't be searched: it gets random schedules only ([`Gradual::diverged`]).
//!
//! # How they alternate
//! The search has every second turn while it is *small*: its estimated size is at most [`SMALL`] times the schedules that were run
//! so far. Else it has one turn of [`RARELY`]` + 1`. So finding a failure takes, at any time of this stage,
//! - at most twice as many schedules as by [`Mixed`] alone, and one more: with `n` executions of the search and `d` random
//!   schedules, the search has its turn only if `n < d`, so `n <= d` always, and `Mixed` has had half of all turns at least. What
//!   this means for the ways to draw that `Mixed` consists of is said there;
//! - at most `RARELY + 1` times as many as by the search alone, and one more: the random schedules have their turn only if
//!   `d <= RARELY * n`;
//! - at most twice as many as the search has in all, and one more, as far as the estimate is right: while the search of `N` is not
//!   small, `d < N / 2`, and then random schedules have their turn only if `d <= n`, which is at most `N`.
//!
//! Both can't have half of the turns and more; the estimate decides who gets the larger part while a failure may still be near.
//!
//! The budget is counted in executions, so that the same budget gives the same result; a caller who
//! watches a clock says so with [`Gradual::hurry`]. Stages may be carried out elsewhere, by several processes, which tell
//! what they did ([`Gradual::take_in`]).

use crate::exhaustive::Exhaustive;
use crate::pass_on;
use crate::sampling::{Mixed, SampleSpec};
use crate::schedule::Schedule;
use crate::search::Search;
use crate::strategy::{Coverage, Divergence, Sampling, SearchProgress, Strategy};
use crate::system::{ExecutionEnd, Guide};

/// Executions after which an exhaustive search is long: most are over by then.
const LONG: u64 = 2000;
/// Random schedules at least, also where the search is over at once: they have other random data …
const LEAST_DRAWN: u64 = 4;
/// … and where the program is known to ask for some.
const LEAST_DRAWN_WITH_RANDOM_DATA: u64 = 200;
/// A search is small if it is estimated to take at most so many times the schedules that were run so far.
const SMALL: u64 = 2;
/// Random schedules for each execution of a search that is not small.
const RARELY: u64 = 7;

/// How many executions each stage may take.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct StageBudget {
    /// Random schedules before a long exhaustive search goes on.
    pub early: u64,
    pub exhaustive: u64,
    /// For all preemption bounds together.
    pub bounded: u64,
    /// Random schedules after all else.
    pub random: u64,
    pub seed: u64,
}

/// The stages, in their order.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum GradualStage {
    /// Exhaustive search and random schedules in turns.
    Alternating,
    /// More random schedules, as the search is long.
    Early,
    Exhaustive,
    Bounded,
    Random,
}

/// One strategy after the other until the budget is used up.
#[derive(Clone, Debug)]
pub struct Gradual {
    budget: StageBudget,
    stage: GradualStage,
    /// In the first stage: whether the search has this turn.
    is_search: bool,
    search: Box<Exhaustive>,
    samples: Box<Mixed>,
    bounded: Box<Search>,
    /// What `bounded` allows.
    bound: u32,
    /// The largest bound that was finished.
    finished_bound: Option<u32>,
    is_complete: bool,
    /// All is covered, and the random schedules that are due are drawn.
    is_drawing_last: bool,
    /// Executions of the search with smaller bounds.
    earlier: SearchProgress,
    /// Executions of the present stage.
    spent: u64,
    /// Executions of other processes: random ones, and those of a search that was begun anew.
    drawn_elsewhere: u64,
    searched_elsewhere: u64,
    hurried: bool,
    least_drawn: u64,
    diverged: Option<Divergence>,
}

impl Gradual {
    pub fn new(budget: StageBudget) -> Gradual {
        Gradual {
            budget,
            stage: GradualStage::Alternating,
            is_search: false,
            search: Box::default(),
            samples: Box::new(Mixed::new(SampleSpec::new(budget.early, budget.seed))),
            bounded: Box::new(Search::chess(0)),
            bound: 0,
            finished_bound: None,
            is_complete: false,
            is_drawing_last: false,
            earlier: SearchProgress::default(),
            spent: 0,
            drawn_elsewhere: 0,
            searched_elsewhere: 0,
            hurried: false,
            least_drawn: LEAST_DRAWN,
            diverged: None,
        }
    }

    /// Where two executions with the same choices parted, so that the search ended.
    pub fn diverged(&self) -> Option<Divergence> {
        self.diverged
    }

    /// Executions with the same choices part, as this one or others found: no more search.
    pub fn draw_only(&mut self) {
        if self.stage != GradualStage::Random {
            self.enter(GradualStage::Random);
        }
        self.hurried = false;
    }

    /// What the program does may depend on random data, of which the search has one set only.
    pub fn draw_more(&mut self) {
        self.least_drawn = LEAST_DRAWN_WITH_RANDOM_DATA;
    }

    /// Random schedules so far.
    pub fn drawn(&self) -> u64 {
        self.samples.progress().executions + self.drawn_elsewhere
    }

    /// The time for this stage is over: the next execution belongs to the next one.
    pub fn hurry(&mut self) {
        self.hurried = true;
    }

    /// The search with a bound on preemptions, if that is the present stage, and how many more executions it may take.
    pub fn bounded(&mut self) -> Option<(&mut Search, u64)> {
        let left = self.budget.bounded.saturating_sub(self.spent);
        (self.stage == GradualStage::Bounded).then_some((&mut self.bounded, left))
    }

    /// So many executions of the search with a bound were made elsewhere; it has taken in what they found.
    pub fn spend(&mut self, executions: u64) {
        self.spent += executions;
    }

    /// The stage of the last execution.
    pub fn stage(&self) -> GradualStage {
        self.stage
    }

    /// The number of the next random schedule, and how many of them the present stage may still draw.
    pub fn samples_left(&self) -> (u64, u64) {
        let all = match self.stage {
            GradualStage::Random => self.budget.early + self.budget.random,
            _ => self.budget.early,
        };
        let drawn = self.samples.begun() + self.drawn_elsewhere;
        (drawn, all.saturating_sub(drawn))
    }

    /// The present stage was carried out elsewhere with so many executions, and is over. If it is the exhaustive search, which then
    /// began anew: to its end or not.
    pub fn take_in(&mut self, executions: u64, is_complete: bool) {
        match self.stage {
            GradualStage::Early | GradualStage::Random => self.drawn_elsewhere += executions,
            GradualStage::Alternating | GradualStage::Exhaustive | GradualStage::Bounded => {
                self.searched_elsewhere += executions;
                self.is_complete |= is_complete;
            }
        }
        self.hurried = true;
    }

    fn current(&self) -> &dyn Strategy {
        match self.stage {
            _ if self.is_drawing_last => &*self.samples,
            GradualStage::Alternating if self.is_search => &*self.search,
            GradualStage::Exhaustive => &*self.search,
            GradualStage::Alternating | GradualStage::Early | GradualStage::Random => {
                &*self.samples
            }
            GradualStage::Bounded => &*self.bounded,
        }
    }

    fn current_mut(&mut self) -> &mut dyn Strategy {
        match self.stage {
            _ if self.is_drawing_last => &mut *self.samples,
            GradualStage::Alternating if self.is_search => &mut *self.search,
            GradualStage::Exhaustive => &mut *self.search,
            GradualStage::Alternating | GradualStage::Early | GradualStage::Random => {
                &mut *self.samples
            }
            GradualStage::Bounded => &mut *self.bounded,
        }
    }

    fn is_spent(&self) -> bool {
        let searched = self.searched();
        match self.stage {
            GradualStage::Alternating => {
                let is_long = self.samples.begun() >= LONG && !self.is_small();
                is_long || searched >= LONG.min(self.budget.exhaustive)
            }
            GradualStage::Exhaustive => searched >= self.budget.exhaustive,
            GradualStage::Bounded => self.spent >= self.budget.bounded,
            GradualStage::Early | GradualStage::Random => false,
        }
    }

    /// Executions of the exhaustive search here.
    fn searched(&self) -> u64 {
        let progress = self.search.progress();
        progress.executions + progress.abandoned
    }

    /// Whether the exhaustive search is small beside what was run so far.
    fn is_small(&self) -> bool {
        let whole = self.search.progress().estimate().unwrap_or(1.0);
        whole <= (SMALL * (self.searched() + self.samples.begun())) as f64
    }

    /// Whether the next turn of the first stage is the search's.
    fn is_for_search(&self) -> bool {
        let drawn = self.samples.begun();
        let each = if self.is_small() { 1 } else { RARELY };
        self.samples_left().1 == 0 || self.searched() * each < drawn
    }

    /// Begins an execution of the present stage; false if there is none left of it.
    fn begin_here(&mut self) -> bool {
        if self.stage == GradualStage::Alternating {
            self.is_search = self.is_for_search();
        }
        if self.current_mut().begin() {
            self.spent += 1;
            return true;
        }
        false
    }

    /// Leaves a stage for the next; false after the last, or when all is covered.
    fn advance(&mut self, is_finished: bool) -> bool {
        let next = match self.stage {
            GradualStage::Alternating | GradualStage::Exhaustive if is_finished => {
                // Too long for that is too long for the next as well.
                if self.search.gave_up() {
                    GradualStage::Random
                } else {
                    self.is_complete = true;
                    return false;
                }
            }
            GradualStage::Alternating => GradualStage::Early,
            GradualStage::Early => GradualStage::Exhaustive,
            GradualStage::Exhaustive => GradualStage::Bounded,
            GradualStage::Bounded if is_finished => {
                self.finished_bound = Some(self.bound);
                if !self.bounded.was_cut_by_bound() {
                    self.is_complete = true;
                    return false;
                }
                let done = self.bounded.progress();
                self.earlier.executions += done.executions;
                self.earlier.abandoned += done.abandoned;
                self.bound += 1;
                *self.bounded = Search::chess(self.bound);
                return true;
            }
            GradualStage::Bounded => GradualStage::Random,
            GradualStage::Random => return false,
        };
        self.enter(next);
        true
    }

    fn enter(&mut self, stage: GradualStage) {
        self.stage = stage;
        self.spent = 0;
        if stage == GradualStage::Random {
            let (first, left) = self.samples_left();
            self.samples
                .go_on_from(first - self.samples.begun(), self.samples.begun() + left);
        }
    }
}

impl Guide for Gradual {
    pass_on!(self => self.current_mut(); choose, data, refine, wake, observe, reach, random_data);
    pass_on!(self => self.current(); wants_fingerprint, is_fresh);
}

impl Strategy for Gradual {
    fn begin(&mut self) -> bool {
        if self.is_complete {
            let is_due = self.stage == GradualStage::Alternating
                && self.samples.begun() < self.least_drawn.min(self.budget.early);
            self.is_drawing_last = is_due && self.samples.begin();
            return self.is_drawing_last;
        }
        if std::mem::take(&mut self.hurried) && !self.advance(false) {
            return false;
        }
        loop {
            if let Some(divergence) = self.current().divergence() {
                self.diverged.get_or_insert(divergence);
                self.draw_only();
            }
            let is_spent = self.is_spent();
            if !is_spent && self.begin_here() {
                return true;
            }
            if self.current().divergence().is_none() && !self.advance(!is_spent) {
                return self.is_complete && self.begin();
            }
        }
    }

    fn end(&mut self, end: ExecutionEnd) {
        self.current_mut().end(end);
    }

    fn schedule(&self) -> Schedule {
        self.current().schedule()
    }

    fn coverage(&self) -> Coverage {
        if self.is_complete {
            return Coverage::All;
        }
        let samples = self.drawn();
        let sample = Coverage::Sample {
            schedules: samples,
            seed: self.budget.seed,
            how: Sampling::Mixed,
        };
        let whole = self.progress().executions;
        let searched = match self.finished_bound {
            Some(bound) => Coverage::Preemptions(bound),
            None => Coverage::Part {
                schedules: whole - samples,
            },
        };
        match samples {
            0 => searched,
            _ if whole == samples => sample,
            _ => Coverage::Both(Box::new(searched), Box::new(sample)),
        }
    }

    /// Where the exhaustive search covered all, the random schedules are not counted: they repeat what it did.
    fn progress(&self) -> SearchProgress {
        let (search, samples) = (self.search.progress(), self.samples.progress());
        let bounded = match self.stage >= GradualStage::Bounded {
            true => self.bounded.progress(),
            false => SearchProgress::default(),
        };
        let searched = match self.searched_elsewhere {
            0 => search.executions,
            elsewhere => elsewhere,
        };
        let systematic = searched + self.earlier.executions + bounded.executions;
        let drawn = self.drawn();
        let is_searched =
            self.is_complete && !self.is_drawing_last && self.stage <= GradualStage::Exhaustive;
        let executions = match is_searched {
            true => searched,
            false => systematic + drawn,
        };
        let now = self.current().progress();
        let before = executions.saturating_sub(now.executions) as f64;
        let whole = now.estimate().map(|whole| before + whole);
        let share = whole.map_or(0.0, |whole| executions as f64 / whole);
        SearchProgress {
            executions,
            abandoned: search.abandoned
                + samples.abandoned
                + self.earlier.abandoned
                + bounded.abandoned,
            share: if self.is_complete { 1.0 } else { share },
        }
    }
}
