//! Strategies that draw schedules at random. Each execution has its own stream of random numbers,
//! made from the seed and the execution's number, so any of them can be repeated, and any number of
//! workers can share them. Memory is four bytes a step.
//!
//! A thread that yields asks for others to go first; it need not happen. In every second execution each yield is
//! granted: a loop that waits ends soon. In the others each is granted with probability 1/2 ([`SamplerState::decide_yields`]), so
//! that no order is left out for ever, and nobody goes on for ever either.

mod mixed;
mod pct;
mod pos;
mod surw;
mod uniform;

pub use mixed::Mixed;
pub use pct::Pct;
pub use pos::Pos;
pub use surw::Surw;
pub use uniform::Uniform;

use crate::choice::{Choice, Thread};
use crate::hash::mix;
use crate::random::XorShift;
use crate::schedule::Schedule;
use crate::strategy::{Coverage, Sampling, SearchProgress, Strategy};
use crate::system::{ExecutionEnd, Pending, SchedulingPoint};

/// How many executions to draw, with which seed, and which of them if several workers share the work.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SampleSpec {
    pub schedules: u64,
    pub seed: u64,
    /// The first execution's number; later ones follow at a distance of `stride`.
    pub first: u64,
    pub stride: u64,
}

impl SampleSpec {
    pub fn new(schedules: u64, seed: u64) -> SampleSpec {
        SampleSpec {
            schedules,
            seed,
            first: 0,
            stride: 1,
        }
    }

    /// The share of one of several workers.
    pub fn share(schedules: u64, seed: u64, worker: u64, workers: u64) -> SampleSpec {
        let all = workers.max(1);
        let mine = (schedules + all - 1).saturating_sub(worker) / all;
        SampleSpec {
            schedules: mine,
            seed,
            first: worker,
            stride: all,
        }
    }
}

impl Sampling {
    /// The strategy that draws this way. `length` is that of executions, where it is known.
    pub fn strategy(self, draw: SampleSpec, length: Option<u64>) -> Box<dyn Strategy> {
        match (self, length) {
            (Sampling::Random, _) => Box::new(Uniform::new(draw)),
            (Sampling::Pct { depth }, None) => Box::new(Pct::new(draw, depth)),
            (Sampling::Pct { depth }, Some(length)) => {
                Box::new(Pct::of_length(draw, depth, length))
            }
            (Sampling::Pos, _) => Box::new(Pos::new(draw)),
            (Sampling::Surw, _) => Box::new(Surw::new(draw)),
            (Sampling::Mixed, _) => Box::new(Mixed::new(draw)),
        }
    }
}

/// Streams of random data that programs are given.
const STREAMS: u64 = 1 << 15;
/// Makes these from an execution's own random numbers.
const RANDOM_DATA: u64 = 0xDA7A;

/// The state that all sampling strategies share.
#[derive(Clone, Debug)]
struct SamplerState {
    draw: SampleSpec,
    how: Sampling,
    /// What the execution's random numbers are made from.
    stream: u64,
    random: XorShift,
    path: Vec<Choice>,
    begun: u64,
    progress: SearchProgress,
    /// Whether a thread that yields may go on before others in this execution.
    may_go_on: bool,
    /// For each thread: what was decided about the yield that it is about to perform.
    yields: Vec<Yield>,
}

/// The result of a yield.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
enum Yield {
    #[default]
    Undecided,
    /// All others that are ready come first.
    GivesWay,
    /// It is like any other operation.
    GoesOn,
}

impl SamplerState {
    fn new(draw: SampleSpec, how: Sampling) -> SamplerState {
        SamplerState {
            draw,
            how,
            stream: 0,
            random: XorShift::new(0),
            path: Vec::new(),
            begun: 0,
            progress: SearchProgress::default(),
            may_go_on: false,
            yields: Vec::new(),
        }
    }

    fn begin(&mut self) -> bool {
        if self.begun == self.draw.schedules {
            return false;
        }
        self.begin_number(self.next_number());
        true
    }

    /// The number of the next execution.
    fn next_number(&self) -> u64 {
        self.draw.first + self.begun * self.draw.stride
    }

    /// Begins the execution of this number.
    fn begin_number(&mut self, number: u64) {
        self.stream = mix(self.draw.seed, number);
        self.random = XorShift::new(self.stream);
        self.path.clear();
        self.yields.clear();
        self.may_go_on = self.random.one_in(2);
        self.begun += 1;
    }

    fn end(&mut self, end: ExecutionEnd) {
        match end {
            ExecutionEnd::Stopped => self.progress.abandoned += 1,
            _ => self.progress.executions += 1,
        }
    }

    fn take(&mut self, thread: Thread) -> Option<Thread> {
        self.path.push(Choice::thread(thread));
        if let Some(decision) = self.yields.get_mut(thread.index()) {
            *decision = Yield::Undecided;
        }
        Some(thread)
    }

    /// Decides about the yields of all ready threads, each once.
    fn decide_yields(&mut self, point: &SchedulingPoint<'_>) {
        if !self.may_go_on {
            return;
        }
        for pending in point.ready().filter(|pending| pending.op.is_yielding()) {
            let index = pending.thread.index();
            if self.yields.len() <= index {
                self.yields.resize(index + 1, Yield::Undecided);
            }
            if self.yields[index] == Yield::Undecided {
                self.yields[index] = match self.random.one_in(2) {
                    true => Yield::GoesOn,
                    false => Yield::GivesWay,
                };
            }
        }
    }

    /// Whether all others that are ready come before this thread.
    fn gives_way(&self, pending: &Pending) -> bool {
        let decision = || self.yields.get(pending.thread.index());
        pending.op.is_yielding() && !(self.may_go_on && decision() == Some(&Yield::GoesOn))
    }

    /// The ready thread that ranks highest; threads that give way come after all others.
    fn highest<'a>(
        &self,
        point: &SchedulingPoint<'a>,
        rank: impl Fn(&Pending) -> u64,
    ) -> Option<&'a Pending> {
        point
            .threads
            .iter()
            .filter(|pending| pending.ready)
            .max_by_key(|pending| {
                let others = std::cmp::Reverse(pending.thread);
                (!self.gives_way(pending), rank(pending), others)
            })
    }

    fn data(&mut self, options: u32) -> u32 {
        if options <= 1 {
            return 0;
        }
        let value = self.random.below(u64::from(options)) as u32;
        self.path.push(Choice::data(value));
        value
    }

    /// Another stream of random data for each execution, which does not change what else is drawn.
    fn random_data(&mut self) -> u32 {
        let value = (mix(self.stream, RANDOM_DATA) % STREAMS) as u32;
        if value > 0 {
            self.path.push(Choice::data(value));
        }
        value
    }

    fn schedule(&self) -> Schedule {
        Schedule {
            choices: self.path.clone(),
        }
    }

    fn coverage(&self) -> Coverage {
        Coverage::Sample {
            schedules: self.progress.executions,
            seed: self.draw.seed,
            how: self.how,
        }
    }

    fn progress(&self) -> SearchProgress {
        let share = self.begun as f64 / self.draw.schedules.max(1) as f64;
        SearchProgress {
            share,
            ..self.progress
        }
    }
}

/// Everything of [`crate::Strategy`] that does not differ between sampling strategies.
macro_rules! sampled {
    ($strategy:ident) => {
        impl $strategy {
            /// Begins the execution of this number, whichever came before.
            pub(super) fn begin_number(&mut self, number: u64) {
                self.drawn.begin_number(number);
                self.restart();
            }
        }

        impl crate::strategy::Strategy for $strategy {
            fn begin(&mut self) -> bool {
                let more = self.drawn.begin();
                if more {
                    self.restart();
                }
                more
            }

            fn end(&mut self, end: crate::system::ExecutionEnd) {
                self.drawn.end(end);
            }

            fn schedule(&self) -> crate::schedule::Schedule {
                self.drawn.schedule()
            }

            fn coverage(&self) -> crate::strategy::Coverage {
                self.drawn.coverage()
            }

            fn progress(&self) -> crate::strategy::SearchProgress {
                self.drawn.progress()
            }
        }
    };
}
use sampled;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn workers_share_a_draw_without_gap_or_overlap() {
        let mut numbers = Vec::new();
        for worker in 0..3 {
            let draw = SampleSpec::share(10, 7, worker, 3);
            numbers.extend((0..draw.schedules).map(|i| draw.first + i * draw.stride));
        }
        numbers.sort();
        assert_eq!(numbers, (0..10).collect::<Vec<_>>());
    }
}
