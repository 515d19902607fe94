//! `pct:N,D`: probabilistic concurrency testing (Burckhardt, Kothari, Musuvathi and Nagarakatte,
//! ASPLOS 2010). The thread of highest priority runs; priorities are random, and at D - 1 random
//! steps the running thread drops below all others. Finds a bug of depth D among n threads and k steps
//! with probability at least 1 / (n k^(D-1)) in each execution.
//!
//! Steps are counted only where the order matters: where several threads are ready, and the one to go next
//! is about to do something that others could notice. Their number k is not known in advance: it is that of
//! the longest execution so far, and the first execution guesses. A thread that yields drops below all others
//! too where its yield is granted, so that it can't starve those that it waits for.

use super::{SampleSpec, SamplerState, sampled};
use crate::choice::Thread;
use crate::strategy::Sampling;
use crate::system::{Guide, Pending, SchedulingPoint};

/// Random priorities with a few random changes.
#[derive(Clone, Debug)]
pub struct Pct {
    drawn: SamplerState,
    depth: u32,
    /// Priority of each thread; 0 if it has none yet.
    priorities: Vec<u64>,
    changes: Vec<u64>,
    steps: u64,
    longest: u64,
    /// The next priority below all others.
    low: u64,
}

const FIRST_GUESS: u64 = 100;
const HIGH: u64 = 1 << 63;

impl Pct {
    /// `depth` is at least 1: the number of orders between steps that a bug depends on.
    pub fn new(draw: SampleSpec, depth: u32) -> Pct {
        let depth = depth.max(1);
        let drawn = SamplerState::new(draw, Sampling::Pct { depth });
        Pct {
            drawn,
            depth,
            priorities: Vec::new(),
            changes: Vec::new(),
            steps: 0,
            longest: FIRST_GUESS,
            low: HIGH - 1,
        }
    }

    /// The same, with the length of executions known.
    pub fn of_length(draw: SampleSpec, depth: u32, length: u64) -> Pct {
        Pct {
            longest: length.max(1),
            ..Pct::new(draw, depth)
        }
    }

    fn restart(&mut self) {
        if self.steps > 0 {
            self.longest = if self.drawn.begun == 2 {
                self.steps
            } else {
                self.longest.max(self.steps)
            };
        }
        self.steps = 0;
        self.low = HIGH - 1;
        self.priorities.clear();
        self.changes.clear();
        while (self.changes.len() as u64) < u64::from(self.depth - 1).min(self.longest) {
            let step = self.drawn.random.below(self.longest);
            if !self.changes.contains(&step) {
                self.changes.push(step);
            }
        }
    }

    fn drop_below_all(&mut self, thread: Thread) {
        self.priorities[thread.index()] = self.low;
        self.low -= 1;
    }

    fn highest<'a>(&self, point: &SchedulingPoint<'a>) -> Option<&'a Pending> {
        let rank = |pending: &Pending| self.priorities[pending.thread.index()];
        self.drawn.highest(point, rank)
    }

    fn give_priorities(&mut self, point: &SchedulingPoint<'_>) {
        self.drawn.decide_yields(point);
        for pending in point.threads {
            let index = pending.thread.index();
            if self.priorities.len() <= index {
                self.priorities.resize(index + 1, 0);
            }
            if self.priorities[index] == 0 {
                self.priorities[index] = HIGH | self.drawn.random.number();
            }
            let gives_way = pending.ready && self.drawn.gives_way(pending);
            if gives_way && self.priorities[index] >= HIGH {
                self.drop_below_all(pending.thread);
            }
        }
    }
}

impl Guide for Pct {
    fn choose(&mut self, point: &SchedulingPoint<'_>) -> Option<Thread> {
        if point.is_over() {
            return None;
        }
        self.give_priorities(point);
        let mut next = self.highest(point)?;
        if !next.op.is_local() && point.ready().nth(1).is_some() {
            if self.changes.contains(&self.steps) {
                self.drop_below_all(next.thread);
                next = self.highest(point)?;
            }
            self.steps += 1;
        }
        self.drawn.take(next.thread)
    }

    fn data(&mut self, options: u32) -> u32 {
        self.drawn.data(options)
    }

    fn random_data(&mut self) -> u32 {
        self.drawn.random_data()
    }
}

sampled!(Pct);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::op::{Op, OpKind, SharedObject};
    use crate::strategy::Strategy as _;
    use crate::system::ExecutionPhase;

    #[test]
    fn only_steps_whose_order_matters_are_counted() {
        let mut pct = Pct::new(SampleSpec::new(2, 7), 3);
        assert!(pct.begin());
        let pending = |thread: u32, op: Op| Pending {
            thread: Thread(thread),
            op,
            ready: true,
        };
        let write = Op::on(SharedObject(1), OpKind::Write);
        let alone = [pending(0, write)];
        let local = [pending(0, Op::local()), pending(1, Op::local())];
        let both = [pending(0, write), pending(1, write)];
        for threads in [&alone[..], &local[..], &both[..], &both[..], &alone[..]] {
            let point = SchedulingPoint {
                threads,
                fingerprint: None,
                phase: ExecutionPhase::Running,
            };
            assert!(pct.choose(&point).is_some());
        }
        assert!(pct.begin());
        assert_eq!(pct.longest, 2);
        pct.changes.sort();
        assert_eq!(pct.changes, [0, 1], "two different steps");
    }
}
