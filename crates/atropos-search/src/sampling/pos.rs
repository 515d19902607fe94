//! `pos:N`: partial-order sampling (Yuan, Yang and Gu, CAV 2018). Every pending operation has a
//! random priority and the highest runs; operations that conflict with it draw anew. Rare orders of
//! conflicting steps are far likelier than in a random walk.

use super::{SampleSpec, SamplerState, sampled};
use crate::choice::Thread;
use crate::op::Op;
use crate::strategy::Sampling;
use crate::system::{Guide, Pending, SchedulingPoint};

/// A random priority for each operation.
#[derive(Clone, Debug)]
pub struct Pos {
    drawn: SamplerState,
    /// Priority of each thread's next operation; 0 if it has none yet.
    priorities: Vec<u64>,
    last: Option<(Thread, Op)>,
}

impl Pos {
    pub fn new(draw: SampleSpec) -> Pos {
        Pos {
            drawn: SamplerState::new(draw, Sampling::Pos),
            priorities: Vec::new(),
            last: None,
        }
    }

    fn restart(&mut self) {
        self.priorities.clear();
        self.last = None;
    }

    fn give_priorities(&mut self, point: &SchedulingPoint<'_>) {
        for pending in point.threads {
            let index = pending.thread.index();
            if self.priorities.len() <= index {
                self.priorities.resize(index + 1, 0);
            }
            let is_spent = self
                .last
                .is_some_and(|(thread, op)| thread == pending.thread || op.conflicts(&pending.op));
            if is_spent || self.priorities[index] == 0 {
                self.priorities[index] = self.drawn.random.number() | 1;
            }
        }
    }
}

impl Guide for Pos {
    fn choose(&mut self, point: &SchedulingPoint<'_>) -> Option<Thread> {
        if point.is_over() {
            return None;
        }
        self.give_priorities(point);
        self.drawn.decide_yields(point);
        let rank = |pending: &Pending| self.priorities[pending.thread.index()];
        let next = self.drawn.highest(point, rank)?;
        self.last = Some((next.thread, next.op));
        self.drawn.take(next.thread)
    }

    fn data(&mut self, options: u32) -> u32 {
        self.drawn.data(options)
    }

    fn random_data(&mut self) -> u32 {
        self.drawn.random_data()
    }

    fn refine(&mut self, op: Op) {
        if let Some((_, last)) = &mut self.last {
            *last = op;
        }
    }
}

sampled!(Pos);
