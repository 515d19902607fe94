//! `mixed:N`: the other ways to draw, in turn. Each finds early what others find late: partial-order sampling rare orders of
//! conflicting steps, PCT and few preemptions what needs a thread to be held up for long, a random walk what needs many
//! threads to meet, SURW rare orders at one object. In turn, none costs more than the share of the others.

use super::{Draw, Drawn, Pct, Pos, Surw, Uniform};
use crate::pass_on;
use crate::schedule::Schedule;
use crate::strategy::{Coverage, Progress, Sampling, Strategy};
use crate::system::{End, Guide};

/// Several ways to draw, in turn.
#[derive(Clone, Debug)]
pub struct Mixed {
    drawn: Drawn,
    uniform: Uniform,
    pos: Pos,
    surw: Surw,
    shallow: Pct,
    deep: Pct,
    turn: Turn,
}

/// Whose turn it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Turn {
    Uniform,
    Pos,
    Surw,
    /// PCT with two orders that matter.
    Shallow,
    /// And with more.
    Deep,
}

const TURNS: [Turn; 8] = [
    Turn::Surw,
    Turn::Pos,
    Turn::Uniform,
    Turn::Shallow,
    Turn::Surw,
    Turn::Pos,
    Turn::Uniform,
    Turn::Deep,
];

impl Mixed {
    pub fn new(draw: Draw) -> Mixed {
        Mixed {
            drawn: Drawn::new(draw, Sampling::Mixed),
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
            Turn::Uniform => &self.uniform,
            Turn::Pos => &self.pos,
            Turn::Surw => &self.surw,
            Turn::Shallow => &self.shallow,
            Turn::Deep => &self.deep,
        }
    }

    fn current_mut(&mut self) -> &mut dyn Strategy {
        match self.turn {
            Turn::Uniform => &mut self.uniform,
            Turn::Pos => &mut self.pos,
            Turn::Surw => &mut self.surw,
            Turn::Shallow => &mut self.shallow,
            Turn::Deep => &mut self.deep,
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
            Turn::Uniform => self.uniform.begin_number(number),
            Turn::Pos => self.pos.begin_number(number),
            Turn::Surw => self.surw.begin_number(number),
            Turn::Shallow => self.shallow.begin_number(number),
            Turn::Deep => self.deep.begin_number(number),
        }
        true
    }

    fn end(&mut self, end: End) {
        self.current_mut().end(end);
        self.drawn.end(end);
    }

    fn schedule(&self) -> Schedule {
        self.current().schedule()
    }

    fn coverage(&self) -> Coverage {
        self.drawn.coverage()
    }

    fn progress(&self) -> Progress {
        self.drawn.progress()
    }
}
