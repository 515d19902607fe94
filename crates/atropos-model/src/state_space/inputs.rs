//! Inputs of suspension states. They are computed when they are asked for: all of them for the original, to choose from,
//! and only the chosen one for mutants.

use super::acting::Acting;
use super::explorer::{StateExplorer, Stop};
use super::suspension::{Suspension, SuspensionNode, VisibleNode};
use crate::execution::Inputs;
use crate::language::tree::ActionKind;
use crate::model::visit;
use crate::model::{CodeKind, Label, Model, ObjectId, Stmt, StmtKind};
use crate::mutation::MutantSet;
use std::collections::{BTreeMap, BTreeSet};

/// An input that some node takes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Input {
    /// Every node takes it, now or after internal steps: giving it can't go wrong.
    pub is_sure: bool,
    /// Where the original runs: mutants that compute something else when it is taken.
    pub infected: MutantSet,
}

/// Where an input leads.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Taken {
    /// Sorted.
    pub targets: Vec<SuspensionNode>,
    /// Nodes that don't take it and can't move by themselves.
    pub staying: Vec<SuspensionNode>,
    /// Where the original runs: mutants that compute something else.
    pub infected: MutantSet,
}

impl Taken {
    /// Where it leads an implementation, which takes every input.
    pub fn completed(self) -> Vec<SuspensionNode> {
        let mut all = self.targets;
        all.extend(self.staying);
        all.sort();
        all.dedup();
        all
    }
}

impl StateExplorer {
    /// All inputs that the nodes take.
    ///
    /// # Errors
    /// An execution error behind one of them.
    pub fn inputs(
        &mut self,
        acting: &Acting,
        suspension: &Suspension,
    ) -> Result<BTreeMap<Label, Input>, Stop> {
        let mut inputs: BTreeMap<Label, (Input, usize)> = BTreeMap::new();
        let mut groups: BTreeSet<u32> = BTreeSet::new();
        let mut taken_in: BTreeSet<(u32, Label)> = BTreeSet::new();
        let mut resting = 0;
        for node in &suspension.nodes {
            let taken = self.inputs_of(acting, node)?;
            // A group of livelocked nodes rests as one: the input waits until one of them takes it.
            let first = node.livelock.is_some_and(|group| groups.insert(group));
            resting += usize::from(!node.internal || first);
            for (label, infected) in taken {
                let counts = match node.livelock {
                    Some(group) => taken_in.insert((group, label.clone())),
                    None => !node.internal,
                };
                let entry = inputs.entry(label).or_default();
                entry.0.infected.union(&infected);
                entry.1 += usize::from(counts);
            }
        }
        let sure = |(label, (mut input, takers)): (Label, (Input, usize))| {
            input.is_sure = takers == resting;
            (label, input)
        };
        Ok(inputs.into_iter().map(sure).collect())
    }

    fn inputs_of(
        &mut self,
        acting: &Acting,
        node: &VisibleNode,
    ) -> Result<BTreeMap<Label, MutantSet>, Stop> {
        let pending = node.offers.iter().map(|(label, _)| label);
        let mut inputs: BTreeMap<Label, MutantSet> = pending
            .filter(|label| label.controllable)
            .map(|label| (label.clone(), MutantSet::default()))
            .collect();
        for object in &node.takers {
            if self.is_halted() {
                break;
            }
            let mut infected = MutantSet::default();
            self.expanded += 1;
            let offers = self
                .engine
                .offers(&node.node.state, *object, &acting.mode, &mut infected);
            for offer in offers.map_err(|(labels, error)| Stop::Error(labels, error))? {
                inputs
                    .entry(offer.label)
                    .or_default()
                    .union(&offer.infected);
            }
        }
        self.unless_halted()?;
        Ok(inputs)
    }

    /// Gives an input.
    ///
    /// # Errors
    /// An execution error.
    pub fn take(
        &mut self,
        acting: &Acting,
        suspension: &Suspension,
        input: &Label,
    ) -> Result<Taken, Stop> {
        let mut taken = Taken::default();
        // Of livelocked nodes, the groups that take it, and the nodes that don't.
        let mut takers: BTreeSet<u32> = BTreeSet::new();
        let mut refusing: Vec<(u32, &SuspensionNode)> = Vec::new();
        for node in &suspension.nodes {
            let before = taken.targets.len();
            let pending = node.offers_of(input).iter();
            taken.targets.extend(pending.map(|(_, node)| node.clone()));
            for object in &node.takers {
                self.take_by(acting, node, *object, input, &mut taken)?;
            }
            match node.livelock {
                _ if taken.targets.len() > before => takers.extend(node.livelock),
                Some(group) => refusing.push((group, &node.node)),
                None if !node.internal => taken.staying.push(node.node.clone()),
                None => {}
            }
        }
        let staying = refusing.iter().filter(|(group, _)| !takers.contains(group));
        taken
            .staying
            .extend(staying.map(|(_, node)| (*node).clone()));
        taken.targets.sort();
        taken.targets.dedup();
        Ok(taken)
    }

    fn take_by(
        &mut self,
        acting: &Acting,
        node: &VisibleNode,
        object: ObjectId,
        input: &Label,
        taken: &mut Taken,
    ) -> Result<(), Stop> {
        if !self.foreign_inputs && object != input.object {
            return Ok(());
        }
        if self.is_halted() {
            return self.unless_halted();
        }
        self.expanded += 1;
        let only = Inputs::Only(input);
        let state = &node.node.state;
        let iterations = self
            .engine
            .run(state, object, &acting.mode, only, &mut taken.infected);
        for outcome in iterations.outcomes {
            if let Some(limit) = outcome.limit() {
                return Err(Stop::Error(Vec::new(), limit));
            }
            let Some((_, rest)) = outcome
                .labels
                .split_first()
                .filter(|(first, _)| *first == input)
            else {
                continue;
            };
            match outcome.result {
                Err(error) => return Err(Stop::Error(outcome.labels, error)),
                Ok(state) => taken.targets.push(SuspensionNode {
                    state,
                    pending: rest.into(),
                }),
            }
        }
        Ok(())
    }
}

/// Whether some method calls an input action: then another object's block may begin with it.
pub(super) fn foreign(model: &Model) -> bool {
    let methods = model.codes.iter().filter(|c| c.kind == CodeKind::Method);
    methods
        .into_iter()
        .any(|code| calls_input(model, &code.body))
}

fn calls_input(model: &Model, stmt: &Stmt) -> bool {
    if let StmtKind::Call(call) = &stmt.kind
        && model.code(call.code).kind == CodeKind::Action(ActionKind::Controllable)
    {
        return true;
    }
    let mut found = false;
    visit::substatements(stmt, &mut |part| found |= calls_input(model, part));
    found
}
