//! `surw:N`: selectively uniform random walk (Zhao, Wolff, Mathur and Roychoudhury, ASPLOS 2025). In each execution
//! one object that several threads touch is of interest. Which thread comes to it next is drawn in proportion to how often
//! each will still do so, which makes all orders of these operations about equally likely; everything else is ordered at random around
//! them. A thread that has not started yet counts for the one that will start it.
//!
//! How often threads touch which objects is learned from the first executions. In one execution of four, all objects that
//! threads share are of interest.

use std::collections::BTreeMap;

use super::{SampleSpec, SamplerState, sampled};
use crate::choice::Thread;
use crate::op::{Op, SharedObject};
use crate::strategy::Sampling;
use crate::system::{Guide, Pending, SchedulingPoint};

/// A random walk that is uniform over the orders of some operations.
#[derive(Clone, Debug)]
pub struct Surw {
    drawn: SamplerState,
    profile: Profile,
    /// What the execution under way shows, if it is learned from.
    learning: Option<Profile>,
    interest: OpsOfInterest,
    /// For each thread: how often it will still do something of interest.
    left: Vec<u64>,
    /// The thread that is to do the next operation of interest.
    intended: Option<Thread>,
    /// Threads that have been seen, from 0 on.
    seen: usize,
    last: Option<Thread>,
}

/// Executions that are learned from.
const LEARNED: u64 = 4;

/// The operations that Surw samples uniformly in an execution.
#[derive(Clone, Debug, Default)]
enum OpsOfInterest {
    #[default]
    Nothing,
    One(SharedObject),
    /// All objects that several threads touch, in ascending order.
    Shared(Vec<SharedObject>),
}

impl OpsOfInterest {
    fn is_in(&self, op: &Op) -> bool {
        match self {
            OpsOfInterest::Nothing => false,
            OpsOfInterest::One(object) => op.accesses().any(|access| access.object == *object),
            OpsOfInterest::Shared(objects) => op
                .accesses()
                .any(|access| objects.binary_search(&access.object).is_ok()),
        }
    }
}

/// How often threads touch objects.
#[derive(Clone, Debug, Default)]
struct Profile {
    touches: Vec<BTreeMap<SharedObject, u64>>,
    /// Who started each thread.
    parents: Vec<Option<Thread>>,
}

impl Profile {
    fn note(&mut self, thread: Thread, op: &Op) {
        if self.touches.len() <= thread.index() {
            self.touches.resize(thread.index() + 1, BTreeMap::new());
        }
        for access in op.accesses() {
            *self.touches[thread.index()]
                .entry(access.object)
                .or_default() += 1;
        }
    }

    fn note_parent(&mut self, thread: usize, parent: Option<Thread>) {
        if self.parents.len() <= thread {
            self.parents.resize(thread + 1, None);
        }
        self.parents[thread] = parent;
    }

    /// Takes in another execution: the largest numbers count.
    fn add(&mut self, other: Profile) {
        for (thread, touches) in other.touches.into_iter().enumerate() {
            if self.touches.len() <= thread {
                self.touches.push(BTreeMap::new());
            }
            for (object, count) in touches {
                let most = self.touches[thread].entry(object).or_default();
                *most = count.max(*most);
            }
        }
        for (thread, parent) in other.parents.into_iter().enumerate() {
            if self.parents.len() <= thread {
                self.parents.push(parent);
            }
        }
    }

    /// The objects that several threads touch, in ascending order.
    fn shared(&self) -> Vec<SharedObject> {
        let mut threads: BTreeMap<SharedObject, u32> = BTreeMap::new();
        for object in self.touches.iter().flat_map(BTreeMap::keys) {
            *threads.entry(*object).or_default() += 1;
        }
        let shared = threads.into_iter().filter(|(_, threads)| *threads > 1);
        shared.map(|(object, _)| object).collect()
    }
}

impl Surw {
    pub fn new(draw: SampleSpec) -> Surw {
        Surw {
            drawn: SamplerState::new(draw, Sampling::Surw),
            profile: Profile::default(),
            learning: None,
            interest: OpsOfInterest::default(),
            left: Vec::new(),
            intended: None,
            seen: 0,
            last: None,
        }
    }

    fn restart(&mut self) {
        if let Some(learned) = self.learning.take() {
            self.profile.add(learned);
        }
        self.learning = (self.drawn.begun <= LEARNED).then(Profile::default);
        let mut shared = self.profile.shared();
        self.interest = match shared.len() as u64 {
            0 => OpsOfInterest::Nothing,
            _ if self.drawn.random.one_in(4) => OpsOfInterest::Shared(shared),
            count => {
                OpsOfInterest::One(shared.swap_remove(self.drawn.random.below(count) as usize))
            }
        };
        let touches = self.profile.touches.iter();
        self.left = touches
            .map(|touches| match &self.interest {
                OpsOfInterest::Nothing => 0,
                OpsOfInterest::One(object) => touches.get(object).copied().unwrap_or(0),
                OpsOfInterest::Shared(objects) => {
                    let count = |object| touches.get(object).copied().unwrap_or(0);
                    objects.iter().map(count).sum()
                }
            })
            .collect();
        (self.intended, self.seen, self.last) = (None, 0, None);
    }

    /// New threads take what is theirs from the thread that started them.
    fn meet_new_threads(&mut self, point: &SchedulingPoint<'_>) {
        let Some(newest) = point.threads.last().map(|pending| pending.thread.index()) else {
            return;
        };
        if newest < self.seen {
            return;
        }
        for thread in self.seen..=newest {
            if let Some(learning) = &mut self.learning {
                learning.note_parent(thread, self.last);
            }
        }
        self.seen = newest + 1;
        self.intended = None;
    }

    /// How often the thread, and those that it will start, will still do something of interest.
    fn weight(&self, thread: Thread) -> u64 {
        let own = self.left.get(thread.index()).copied().unwrap_or(0);
        let children: u64 = (self.seen..self.left.len())
            .filter(|child| self.profile.parents.get(*child) == Some(&Some(thread)))
            .map(|child| self.weight(Thread(child as u32)))
            .sum();
        own.saturating_add(children)
    }

    /// Draws the thread that is to do the next operation of interest. Every live thread counts at least once: it may do
    /// more than was learned.
    fn intend(&mut self, point: &SchedulingPoint<'_>) {
        let is_there = self
            .intended
            .is_some_and(|thread| point.find(thread).is_some());
        if is_there || matches!(self.interest, OpsOfInterest::Nothing) {
            return;
        }
        let weights: Vec<(Thread, u64)> = point
            .threads
            .iter()
            .map(|pending| (pending.thread, self.weight(pending.thread).max(1)))
            .collect();
        let whole = weights.iter().map(|(_, weight)| weight).sum();
        let mut nth = self.drawn.random.below(whole);
        for (thread, weight) in weights {
            if nth < weight {
                self.intended = Some(thread);
                return;
            }
            nth -= weight;
        }
    }

    /// One of the ready threads that pass the filter, each equally likely; those that give way come last.
    fn any(
        &mut self,
        point: &SchedulingPoint<'_>,
        filter: impl Fn(&Pending) -> bool,
    ) -> Option<Pending> {
        let mut candidates: Vec<Pending> = point
            .ready()
            .filter(|pending| filter(pending))
            .copied()
            .collect();
        if candidates
            .iter()
            .any(|pending| !self.drawn.gives_way(pending))
        {
            candidates.retain(|pending| !self.drawn.gives_way(pending));
        }
        match candidates.len() as u64 {
            0 => None,
            count => Some(candidates[self.drawn.random.below(count) as usize]),
        }
    }
}

impl Guide for Surw {
    fn choose(&mut self, point: &SchedulingPoint<'_>) -> Option<Thread> {
        if point.is_over() {
            return None;
        }
        self.meet_new_threads(point);
        self.drawn.decide_yields(point);
        self.intend(point);
        let interest = std::mem::take(&mut self.interest);
        let intended = self.intended;
        let may_go =
            |pending: &Pending| Some(pending.thread) == intended || !interest.is_in(&pending.op);
        // Where only operations of interest are left and the thread that is to go can't, any goes.
        let next = match self.any(point, may_go) {
            Some(next) => Some(next),
            None => self.any(point, |_| true),
        };
        let is_of_interest = next.is_some_and(|next| interest.is_in(&next.op));
        self.interest = interest;
        let next = next?;
        if is_of_interest {
            if let Some(left) = self.left.get_mut(next.thread.index()) {
                *left = left.saturating_sub(1);
            }
            self.intended = None;
        }
        if let Some(learning) = &mut self.learning {
            learning.note(next.thread, &next.op);
        }
        self.last = Some(next.thread);
        self.drawn.take(next.thread)
    }

    fn data(&mut self, options: u32) -> u32 {
        self.drawn.data(options)
    }

    fn random_data(&mut self) -> u32 {
        self.drawn.random_data()
    }
}

sampled!(Surw);
