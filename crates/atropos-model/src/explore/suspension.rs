//! A suspension state: everything the system may be in after a trace of what the tester gave and saw. Only the nodes
//! that offer something visible, or can do nothing by themselves, are kept: what follows depends on them alone.

use crate::model::{Label, Observation, State};
use std::collections::BTreeSet;
use std::sync::Arc;

/// A state, or a place inside an iteration with several labels: those that are still to come.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Node {
    pub state: State,
    pub pending: Arc<[Label]>,
}

impl Node {
    pub fn at(state: State) -> Node {
        Node {
            state,
            pending: Arc::new([]),
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VisibleNode {
    pub node: Node,
    /// Visible labels and where they lead, sorted.
    pub offers: Vec<(Label, Node)>,
    /// An internal step is enabled too.
    pub internal: bool,
}

impl VisibleNode {
    pub fn offers_label(&self, label: &Label) -> bool {
        self.offers.iter().any(|(offered, _)| offered == label)
    }

    /// No output and no internal step.
    pub fn is_quiescent(&self) -> bool {
        !self.internal && self.offers.iter().all(|(label, _)| label.controllable)
    }
}

/// Sorted by node. Two suspension states are equal if the same can follow, with the same states.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Suspension {
    pub nodes: Vec<VisibleNode>,
}

impl Suspension {
    /// What may be observed here: outputs and quiescence.
    pub fn observations(&self) -> BTreeSet<Observation> {
        let mut observations = BTreeSet::new();
        for node in &self.nodes {
            if node.is_quiescent() {
                observations.insert(Observation::Delta);
            }
            let outputs = node.offers.iter().filter(|(label, _)| !label.controllable);
            observations.extend(outputs.map(|(label, _)| Observation::Output(label.clone())));
        }
        observations
    }

    /// Inputs that some node takes.
    pub fn inputs(&self) -> BTreeSet<&Label> {
        let offers = self.nodes.iter().flat_map(|node| &node.offers);
        offers
            .filter(|(label, _)| label.controllable)
            .map(|(label, _)| label)
            .collect()
    }

    /// Whether every node takes the input, now or after internal steps: giving it can't go wrong.
    pub fn takes_surely(&self, input: &Label) -> bool {
        self.nodes
            .iter()
            .all(|node| node.internal || node.offers_label(input))
    }

    /// Where an observation leads, before internal steps.
    pub fn after_observation(&self, observation: &Observation) -> Vec<Node> {
        match observation {
            Observation::Delta => self
                .nodes
                .iter()
                .filter(|node| node.is_quiescent())
                .map(|node| node.node.clone())
                .collect(),
            Observation::Output(label) => self.targets(label),
        }
    }

    /// Where an input leads the specification.
    pub fn after_input(&self, input: &Label) -> Vec<Node> {
        self.targets(input)
    }

    /// Where an input leads an implementation: nodes that can't move by themselves and don't take it stay.
    pub fn after_input_completed(&self, input: &Label) -> Vec<Node> {
        let mut targets = self.targets(input);
        let staying = self
            .nodes
            .iter()
            .filter(|node| !node.internal && !node.offers_label(input));
        targets.extend(staying.map(|node| node.node.clone()));
        targets.sort();
        targets.dedup();
        targets
    }

    fn targets(&self, label: &Label) -> Vec<Node> {
        let offers = self.nodes.iter().flat_map(|node| &node.offers);
        let mut targets: Vec<Node> = offers
            .filter(|(offered, _)| offered == label)
            .map(|(_, target)| target.clone())
            .collect();
        targets.sort();
        targets.dedup();
        targets
    }
}
