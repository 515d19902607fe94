//! What a search keeps for each state, and how it counts states and transitions.

use crate::choice::{Choice, Thread};
use crate::graph::NodeId;
use crate::hash::Set;

/// A state to begin at, by the choices that lead to it.
#[derive(Clone, Debug)]
pub(crate) struct SearchStart {
    pub path: Vec<Choice>,
    pub spot: NodeFacts,
    /// The transitions to explore from it.
    pub choices: Vec<Choice>,
    /// The transitions and states on the way, for the count.
    pub passed: Vec<HashedTransition>,
    /// Leave it out if the search has come to the state by itself.
    pub unless_met: bool,
}

/// A transition and the state it leads to, by their hashes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct HashedTransition {
    pub transition: Option<u64>,
    pub state: Option<u64>,
}

/// What a node knows of the path to it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct NodeFacts {
    /// The state, and what of the path to it matters under a bound.
    pub key: u64,
    /// False in the middle of a step, where an alternative is to be chosen.
    pub is_state: bool,
    pub(super) last: Option<Thread>,
    /// Whether to leave `last` is a preemption.
    pub(super) last_could_go_on: bool,
    pub(super) preemptions: u32,
}

/// A state of the search, or a choice between alternatives in the middle of a step.
#[derive(Clone, Debug)]
pub(super) struct Node {
    pub(super) parent: Option<u32>,
    /// Where the path to it starts, for nodes without parent.
    pub(super) start: u32,
    pub(super) choice: Choice,
    pub(super) spot: NodeFacts,
    /// Its transitions in `choices`, and how many of them were taken.
    pub(super) first: u32,
    pub(super) count: u32,
    pub(super) taken: u32,
    /// Its share of the tree, if all branches are alike.
    pub(super) weight: f64,
    /// Its number in the recorded graph.
    pub(super) graph: NodeId,
}

impl Node {
    /// The share of the tree behind each of its transitions.
    pub(super) fn weight_of_each(&self) -> f64 {
        self.weight / f64::from(self.count.max(1))
    }
}

/// The transition being executed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Edge {
    pub(super) from: Option<u32>,
    pub(super) choice: Choice,
}

/// How many states and transitions were explored, each counted once.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub struct SearchSize {
    pub states: u64,
    pub transitions: u64,
}

/// Counts what is not in the set yet; counts everything where there is no set.
#[derive(Clone, Debug, Default)]
pub(super) struct Counted {
    pub(super) sets: Option<(Set<u64>, Set<u64>)>,
    pub(super) size: SearchSize,
    /// The transitions among these before which no mutant had acted, nor in them.
    pub(super) before: u64,
    /// Those among the latter that only lead to a start: they are repeated, not explored.
    pub(super) ways: u64,
}

impl Counted {
    /// Counts what lies on the way to a start, as the paper's Figure 5 does.
    pub(super) fn count_way(&mut self, way: &[HashedTransition]) {
        let before = self.size.transitions;
        way.iter().for_each(|&passed| self.count(passed, false));
        self.ways += self.size.transitions - before;
    }

    pub(super) fn count(&mut self, passed: HashedTransition, has_acted: bool) {
        let (states, transitions) = match &mut self.sets {
            Some((states, transitions)) => (
                passed.state.is_some_and(|state| states.insert(state)),
                passed
                    .transition
                    .is_some_and(|transition| transitions.insert(transition)),
            ),
            None => (passed.state.is_some(), passed.transition.is_some()),
        };
        self.size.states += u64::from(states);
        self.size.transitions += u64::from(transitions);
        self.before += u64::from(transitions && !has_acted);
    }
}

impl NodeFacts {
    pub(super) fn cost(&self, thread: Thread) -> u32 {
        u32::from(self.last_could_go_on && self.last != Some(thread))
    }
}
