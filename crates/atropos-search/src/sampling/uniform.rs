//! `random:N`: at each step each ready thread is equally likely.

use super::{SampleSpec, SamplerState, sampled};
use crate::choice::Thread;
use crate::strategy::Sampling;
use crate::system::{Guide, Pending, SchedulingPoint};

/// A random walk through the schedules.
#[derive(Clone, Debug)]
pub struct Uniform {
    drawn: SamplerState,
}

impl Uniform {
    pub fn new(draw: SampleSpec) -> Uniform {
        Uniform {
            drawn: SamplerState::new(draw, Sampling::Random),
        }
    }

    fn restart(&mut self) {}
}

impl Guide for Uniform {
    fn choose(&mut self, point: &SchedulingPoint<'_>) -> Option<Thread> {
        if point.is_over() {
            return None;
        }
        self.drawn.decide_yields(point);
        let is_eager = |pending: &&Pending| !self.drawn.gives_way(pending);
        let (all, eager) = (
            point.ready().count(),
            point.ready().filter(is_eager).count(),
        );
        let all_yield = eager == 0;
        let count = if all_yield { all } else { eager };
        let nth = self.drawn.random.below(count as u64) as usize;
        let mut candidates = point
            .ready()
            .filter(|pending| all_yield || !self.drawn.gives_way(pending));
        let thread = candidates.nth(nth)?.thread;
        self.drawn.take(thread)
    }

    fn data(&mut self, options: u32) -> u32 {
        self.drawn.data(options)
    }

    fn random_data(&mut self) -> u32 {
        self.drawn.random_data()
    }
}

sampled!(Uniform);
