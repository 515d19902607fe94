//! The path of the depth-first search: scheduling decisions with what is known at each, and decisions
//! between alternatives.

use super::wakeup::{List, Step};
use crate::choice::Thread;
use crate::op::Op;
use crate::system::SchedulingPoint;

/// A decision on the current path.
#[derive(Clone, Debug)]
pub(super) struct Node {
    pub kind: DecisionKind,
    /// Branches that are done.
    pub done: usize,
    /// How many ends the search had seen when it took the current branch.
    pub ends_before: u64,
    /// Branches still to be explored, in order.
    pub todo: List,
}

#[derive(Clone, Debug)]
pub(super) enum DecisionKind {
    Step(Box<Chosen>),
    Data(Alternatives),
}

/// A decision between alternatives: those that a wakeup tree asks for first, then the others in order.
#[derive(Clone, Debug)]
pub(super) struct Alternatives {
    pub value: u32,
    pub options: u32,
    pub guided: Vec<u32>,
    /// What to do below the others; nothing if they need no exploration.
    pub others: Option<List>,
    pub next_other: u32,
}

impl Alternatives {
    /// How many are left, given how many of those that were asked for are.
    pub(super) fn open(&self, guided: usize) -> usize {
        let others = (self.next_other..self.options).filter(|value| !self.guided.contains(value));
        guided
            + if self.others.is_some() {
                others.count()
            } else {
                0
            }
    }

    pub(super) fn next_other(&mut self) -> Option<u32> {
        self.others?;
        let next = (self.next_other..self.options).find(|value| !self.guided.contains(value))?;
        self.next_other = next + 1;
        Some(next)
    }
}

/// A scheduling decision and the step that followed it.
#[derive(Clone, Debug)]
pub(super) struct Chosen {
    pub step: Step,
    /// The dense numbers of the objects that the step touched.
    pub objects: [u32; 4],
    pub announced: Op,
    /// The dense numbers of the announced operation's objects.
    pub announced_objects: [u32; 4],
    /// Threads whose next step from here is covered elsewhere.
    pub sleep: Vec<Sleeper>,
    /// What the step touched when it took other alternatives.
    pub variants: Vec<Op>,
    /// Which threads were ready, one bit each.
    pub ready: Vec<u64>,
}

/// A thread whose next step is covered elsewhere.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sleeper {
    pub thread: Thread,
    pub op: Op,
}

impl Chosen {
    pub(super) fn is_asleep(&self, thread: Thread) -> bool {
        self.sleep.iter().any(|sleeper| sleeper.thread == thread)
    }

    pub(super) fn was_ready(&self, thread: Thread) -> bool {
        self.ready
            .get(thread.index() / 64)
            .is_some_and(|word| word >> (thread.index() % 64) & 1 == 1)
    }

    pub(super) fn note_ready(&mut self, point: &SchedulingPoint<'_>) {
        self.ready.clear();
        for pending in point.ready() {
            let word = pending.thread.index() / 64;
            if self.ready.len() <= word {
                self.ready.resize(word + 1, 0);
            }
            self.ready[word] |= 1 << (pending.thread.index() % 64);
        }
    }
}

pub(super) fn chosen(path: &[Node], at: usize) -> &Chosen {
    match &path[at].kind {
        DecisionKind::Step(chosen) => chosen,
        DecisionKind::Data(_) => unreachable!("events are steps"),
    }
}

impl Chosen {
    pub(super) fn empty() -> Chosen {
        let step = Step {
            thread: Thread(0),
            seq: 0,
            waker: None,
            op: Op::local(),
            sure: true,
        };
        Chosen {
            step,
            objects: [0; 4],
            announced: Op::local(),
            announced_objects: [0; 4],
            sleep: Vec::new(),
            variants: Vec::new(),
            ready: Vec::new(),
        }
    }
}
