//! `mixed:N`: the other ways to draw, in turn. Each finds early what others find late: partial-order sampling rare orders of
//! conflicting steps, PCT and few preemptions what needs a thread to be held up for long, a random walk what needs many
//! threads to meet, SURW rare orders at one object. In turn, none costs more than the share of the others.

use super::{Pct, Pos, SampleSpec, SamplerState, Surw, Uniform};
use crate::pass_on;
use crate::schedule::Schedule;
use crate::strategy::{Coverage, Sampling, SearchProgress, Strategy};
use crate::system::{ExecutionEnd, Guide};

/// Several ways to draw, in turn.
#[derive(Clone, Debug)]
pub struct Mixed {
    drawn: SamplerState,
    uniform: Uniform,
    pos: Pos,
    surw: Surw,
    shallow: Pct,
    deep: Pct,
    turn: CurrentStrategy,
}

/// Whose turn it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum CurrentStrategy {
    Uniform,
    Pos,
    Surw,
    /// PCT with two orders that matter.
    Shallow,
    /// And with more.
    Deep,
}

const TURNS: [CurrentStrategy; 8] = [
    CurrentStrategy::Surw,
    CurrentStrategy::Pos,
    CurrentStrategy::Uniform,
    CurrentStrategy::Shallow,
    CurrentStrategy::Surw,
    CurrentStrategy::Pos,
    CurrentStrategy::Uniform,
    CurrentStrategy::Deep,
];

impl Mixed {
    pub fn new(draw: SampleSpec) -> Mixed {
        Mixed {
            drawn: SamplerState::new(draw, Sampling::Mixed),
            uniform: Uniform::new(draw),
            pos: Pos::new(draw),
            surw: Surw::new(draw),
            shallow: Pct::new(draw, 2),
            deep: Pct::new(draw, 4),
            turn: TURNS[0],
        }
    }

    /// Executions that were begun.
    pub(crate) fn begun(&self) -> u64 {
        self.drawn.begun
    }

    /// Others drew so many schedules; this one goes on with the numbers after these, to so many of its own in all.
    pub(crate) fn go_on_from(&mut self, elsewhere: u64, schedules: u64) {
        self.drawn.draw.first += elsewhere;
        self.drawn.draw.schedules = schedules;
    }

    fn current(&self) -> &dyn Strategy {
        match self.turn {
            CurrentStrategy::Uniform => &self.uniform,
            CurrentStrategy::Pos => &self.pos,
            CurrentStrategy::Surw => &self.surw,
            CurrentStrategy::Shallow => &self.shallow,
            CurrentStrategy::Deep => &self.deep,
        }
    }

    fn current_mut(&mut self) -> &mut dyn Strategy {
        match self.turn {
            CurrentStrategy::Uniform => &mut self.uniform,
            CurrentStrategy::Pos => &mut self.pos,
            CurrentStrategy::Surw => &mut self.surw,
            CurrentStrategy::Shallow => &mut self.shallow,
            CurrentStrategy::Deep => &mut self.deep,
        }
    }
}

impl Guide for Mixed {
    pass_on!(self => self.current_mut(); choose, data, refine, wake, observe, reach, random_data);
}

impl Strategy for Mixed {
    fn begin(&mut self) -> bool {
        let number = self.drawn.next_number();
        if !self.drawn.begin() {
            return false;
        }
        self.turn = TURNS[(number % TURNS.len() as u64) as usize];
        match self.turn {
            CurrentStrategy::Uniform => self.uniform.begin_number(number),
            CurrentStrategy::Pos => self.pos.begin_number(number),
            CurrentStrategy::Surw => self.surw.begin_number(number),
            CurrentStrategy::Shallow => self.shallow.begin_number(number),
            CurrentStrategy::Deep => self.deep.begin_number(number),
        }
        true
    }

    fn end(&mut self, end: ExecutionEnd) {
        self.current_mut().end(end);
        self.drawn.end(end);
    }

    fn schedule(&self) -> Schedule {
        self.current().schedule()
    }

    fn coverage(&self) -> Coverage {
        self.drawn.coverage()
    }

    fn progress(&self) -> SearchProgress {
        self.drawn.progress()
    }
}
