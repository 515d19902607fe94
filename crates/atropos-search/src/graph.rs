//! The graph of states that a search of the original went through: which transition leads where
//! and which mutants it reached. What the MuTMuT techniques know about the original is read from it.

use atropos_values::MutantId;

use crate::choice::Choice;
use crate::hash::{Table, mix};
use crate::search::{HashedTransition, NodeFacts};

/// Number of a state (or of a choice between alternatives in the middle of a step), in the order of discovery.
pub(crate) type NodeId = u32;

/// The initial state.
pub(crate) const ROOT: NodeId = 0;

#[derive(Clone, Debug)]
pub(crate) struct GraphNode {
    pub spot: NodeFacts,
    /// The transition that discovered it.
    pub parent: Option<(NodeId, Choice)>,
    /// How many transitions had been executed when it was discovered.
    pub discovered: u32,
    /// Its transitions, in the order of their execution.
    pub edges: Vec<u32>,
}

#[derive(Clone, Debug)]
pub(crate) struct GraphEdge {
    pub from: NodeId,
    pub choice: Choice,
    pub to: NodeId,
    /// The mutants whose points it executes.
    pub reached: Box<[MutantId]>,
}

/// The recorded graph. Edges are numbered in the order of execution.
#[derive(Clone, Debug, Default)]
pub(crate) struct Graph {
    pub nodes: Vec<GraphNode>,
    pub edges: Vec<GraphEdge>,
    by_key: Table<u64, NodeId>,
}

impl Graph {
    /// Adds a transition and, if it is new, the state it leads to; returns that state.
    pub(crate) fn add(
        &mut self,
        from: Option<NodeId>,
        choice: Choice,
        spot: NodeFacts,
        reached: &[MutantId],
    ) -> NodeId {
        let next = self.nodes.len() as NodeId;
        let to = *self.by_key.entry(spot.key).or_insert(next);
        if to == next {
            let discovered = self.edges.len() as u32;
            let parent = from.map(|from| (from, choice));
            self.nodes.push(GraphNode {
                spot,
                parent,
                discovered,
                edges: Vec::new(),
            });
        }
        if let Some(from) = from {
            self.nodes[from as usize]
                .edges
                .push(self.edges.len() as u32);
            self.edges.push(GraphEdge {
                from,
                choice,
                to,
                reached: reached.into(),
            });
        }
        to
    }

    /// The choices that lead to a state by way of `parents`, and what lies on the way.
    pub(crate) fn way_to(
        &self,
        node: NodeId,
        parents: &dyn Fn(NodeId) -> Option<(NodeId, Choice)>,
    ) -> (Vec<Choice>, Vec<HashedTransition>) {
        let mut path = Vec::new();
        let mut passed = Vec::new();
        let mut at = node;
        loop {
            let parent = parents(at);
            let spot = &self.nodes[at as usize].spot;
            if spot.is_state {
                let transition = parent.map(|(from, choice)| mix(self.key(from), choice.bits()));
                passed.push(HashedTransition {
                    transition,
                    state: Some(spot.key),
                });
            }
            let Some((from, choice)) = parent else { break };
            path.push(choice);
            at = from;
        }
        path.reverse();
        passed.reverse();
        (path, passed)
    }

    pub(crate) fn key(&self, node: NodeId) -> u64 {
        self.nodes[node as usize].spot.key
    }
}
