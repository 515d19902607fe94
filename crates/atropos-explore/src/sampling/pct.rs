//! `pct:N,D`: probabilistic concurrency testing (Burckhardt, Kothari, Musuvathi and Nagarakatte,
//! ASPLOS 2010). The thread of highest priority runs; priorities are random, and at D - 1 random
//! steps the running thread drops below all others. Finds a bug of depth D among n threads and k steps
//! with probability at least 1 / (n k^(D-1)) in each execution.
//!
//! The number of steps k is not known in advance: it is the longest execution so far, and the first
//! execution guesses. A thread that yields drops below all others too, so that it can't starve those
//! that it waits for.

use super::{Draw, Drawn, highest, sampled};
use crate::choice::Thread;
use crate::strategy::Sampling;
use crate::system::{Guide, Point};

/// Random priorities with a few random changes.
#[derive(Clone, Debug)]
pub struct Pct {
    drawn: Drawn,
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
    pub fn new(draw: Draw, depth: u32) -> Pct {
        let depth = depth.max(1);
        let drawn = Drawn::new(draw, Sampling::Pct { depth });
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
        for _ in 1..self.depth {
            let step = self.drawn.random.below(self.longest.max(1));
            self.changes.push(step);
        }
    }

    fn drop_below_all(&mut self, thread: Thread) {
        self.priorities[thread.index()] = self.low;
        self.low -= 1;
    }

    fn give_priorities(&mut self, point: &Point<'_>) {
        for pending in point.threads {
            let index = pending.thread.index();
            if self.priorities.len() <= index {
                self.priorities.resize(index + 1, 0);
            }
            if self.priorities[index] == 0 {
                self.priorities[index] = HIGH | self.drawn.random.number();
            }
            if pending.ready && pending.op.is_yielding() && self.priorities[index] >= HIGH {
                self.drop_below_all(pending.thread);
            }
        }
    }
}

impl Guide for Pct {
    fn choose(&mut self, point: &Point<'_>) -> Option<Thread> {
        if point.is_over() {
            return None;
        }
        self.give_priorities(point);
        let mut thread = highest(point, |pending| self.priorities[pending.thread.index()])?.thread;
        if self.changes.contains(&self.steps) {
            self.drop_below_all(thread);
            thread = highest(point, |pending| self.priorities[pending.thread.index()])?.thread;
        }
        self.steps += 1;
        self.drawn.take(thread)
    }

    fn data(&mut self, options: u32) -> u32 {
        self.drawn.data(options)
    }
}

sampled!(Pct);
