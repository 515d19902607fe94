//! A suspension state: everything the system may be in after a trace of what the tester gave and saw. Only the nodes
//! that offer something visible, or can do nothing by themselves, are kept: what follows depends on them alone.

use crate::model::{Label, ObjectId, Observation, State};
use std::collections::BTreeSet;
use std::sync::Arc;

/// A state, or a place inside an iteration with several labels: those that are still to come.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SuspensionNode {
    pub state: State,
    pub pending: Arc<[Label]>,
}

impl SuspensionNode {
    pub fn at(state: State) -> SuspensionNode {
        SuspensionNode {
            state,
            pending: Arc::new([]),
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VisibleNode {
    pub node: SuspensionNode,
    /// Outputs, and inputs inside an iteration with several labels, and where they lead; sorted.
    pub offers: Vec<(Label, SuspensionNode)>,
    /// Objects that may take inputs here; which ones, the explorer finds out when asked.
    pub takers: Vec<ObjectId>,
    /// An internal step is enabled too.
    pub internal: bool,
    /// Only internal steps follow, for ever; the number of the group of such nodes that it belongs to.
    pub livelock: Option<u32>,
}

impl VisibleNode {
    /// The offers with this label.
    pub(super) fn offers_of(&self, label: &Label) -> &[(Label, SuspensionNode)] {
        let first = self.offers.partition_point(|(offered, _)| offered < label);
        let count = self.offers[first..].partition_point(|(offered, _)| offered == label);
        &self.offers[first..first + count]
    }

    /// No internal step, or none that leads anywhere.
    pub(super) fn rests(&self) -> bool {
        !self.internal || self.livelock.is_some()
    }

    /// No output, and no internal step that leads anywhere.
    pub fn is_quiescent(&self) -> bool {
        self.rests() && self.offers.iter().all(|(label, _)| label.controllable)
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

    /// Where an observation leads, before internal steps.
    pub fn after_observation(&self, observation: &Observation) -> Vec<SuspensionNode> {
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

    fn targets(&self, label: &Label) -> Vec<SuspensionNode> {
        let offers = self.nodes.iter().flat_map(|node| node.offers_of(label));
        let mut targets: Vec<SuspensionNode> = offers.map(|(_, target)| target.clone()).collect();
        targets.sort();
        targets.dedup();
        targets
    }
}
