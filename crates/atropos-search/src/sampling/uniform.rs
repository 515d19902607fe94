//! `random:N`: at each step each ready thread is equally likely.

use super::{Draw, Drawn, sampled};
use crate::choice::Thread;
use crate::strategy::Sampling;
use crate::system::{Guide, Point};

/// A random walk through the schedules.
#[derive(Clone, Debug)]
pub struct Uniform {
    drawn: Drawn,
}

impl Uniform {
    pub fn new(draw: Draw) -> Uniform {
        Uniform {
            drawn: Drawn::new(draw, Sampling::Random),
        }
    }

    fn restart(&mut self) {}
}

impl Guide for Uniform {
    fn choose(&mut self, point: &Point<'_>) -> Option<Thread> {
        if point.is_over() {
            return None;
        }
        let (mut all, mut eager) = (0, 0);
        for pending in point.ready() {
            all += 1;
            eager += usize::from(!pending.op.is_yielding());
        }
        let yields = eager == 0;
        let count = if yields { all } else { eager };
        let nth = self.drawn.random.below(count as u64) as usize;
        let mut candidates = point
            .ready()
            .filter(|pending| yields || !pending.op.is_yielding());
        let thread = candidates.nth(nth)?.thread;
        self.drawn.take(thread)
    }

    fn data(&mut self, options: u32) -> u32 {
        self.drawn.data(options)
    }
}

sampled!(Uniform);
