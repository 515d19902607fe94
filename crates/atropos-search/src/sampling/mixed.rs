//! `mixed:N`: the other ways to draw, in turn. Each finds early what others find late: partial-order sampling rare orders of
//! conflicting steps, SURW rare orders at one object and what needs many threads to meet, PCT and few preemptions what needs a
//! thread to be held up for long.
//!
//! Of [`CYCLE`] schedules, [`OFTEN`] are drawn by SURW and as many by POS, one by a random walk and one by PCT. A way to draw that has
//! `w` of `c` turns makes the same schedules as alone, with others in between: what it finds within `m` schedules alone, it finds
//! here within `c * ceil(m / w)`. So the mixture takes at most 16/7 of what SURW or POS takes (and a cycle more), 16 times what the
//! others take. Two ways get nearly everything because that bound is 2 for two, and can't be less: of `k` ways that have the
//! same share, each may be the only one that finds something. They are the two whose spaces differ most, orders of single operations
//! and walks of whole threads; a random walk is SURW with no object of interest.

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

/// After so many schedules, every way to draw has had its share.
const CYCLE: u64 = 16;
/// Of these, by SURW, and as many by POS.
const OFTEN: u64 = 7;

/// Whose turn the schedule of this number is.
fn turn(number: u64) -> CurrentStrategy {
    let cycle = number / CYCLE;
    match number % CYCLE {
        nth if nth < 2 * OFTEN && nth % 2 == 0 => CurrentStrategy::Surw,
        nth if nth < 2 * OFTEN => CurrentStrategy::Pos,
        nth if nth == 2 * OFTEN => CurrentStrategy::Uniform,
        _ if cycle.is_multiple_of(2) => CurrentStrategy::Shallow,
        _ => CurrentStrategy::Deep,
    }
}

impl Mixed {
    pub fn new(draw: SampleSpec) -> Mixed {
        Mixed {
            drawn: SamplerState::new(draw, Sampling::Mixed),
            uniform: Uniform::new(draw),
            pos: Pos::new(draw),
            surw: Surw::new(draw),
            shallow: Pct::new(draw, 2),
            deep: Pct::new(draw, 4),
            turn: turn(0),
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
        self.turn = turn(number);
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_way_to_draw_has_its_share_of_any_cycle() {
        for first in 0..2 * CYCLE {
            let count = |of: &[CurrentStrategy]| {
                let turns = (first..first + CYCLE).map(turn);
                turns.filter(|turn| of.contains(turn)).count() as u64
            };
            assert_eq!(count(&[CurrentStrategy::Surw]), OFTEN);
            assert_eq!(count(&[CurrentStrategy::Pos]), OFTEN);
            assert_eq!(count(&[CurrentStrategy::Uniform]), 1);
            let pct = [CurrentStrategy::Shallow, CurrentStrategy::Deep];
            assert_eq!(count(&pct), 1);
        }
    }
}
