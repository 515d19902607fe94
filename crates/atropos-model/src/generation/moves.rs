//! One step of a test: the tester gives an input, or waits and sees something.

use crate::model::{Label, Model, Observation};
use crate::mutation::MutantSet;
use crate::state_space::{Acting, Input, StateExplorer, Stop, Suspension, SuspensionNode};
use std::collections::{BTreeMap, BTreeSet};

#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Move {
    Input(Label),
    Observe(Observation),
}

impl Move {
    pub fn text(&self, model: &Model) -> String {
        match self {
            Move::Input(label) => model.label_text(label),
            Move::Observe(observation) => model.observation_text(observation),
        }
    }

    /// Where it leads the original.
    ///
    /// # Errors
    /// What stops the original there.
    pub fn of_original(
        &self,
        explorer: &mut StateExplorer,
        acting: &Acting,
        suspension: &Suspension,
    ) -> Result<Vec<SuspensionNode>, Stop> {
        match self {
            Move::Input(label) => Ok(explorer.take(acting, suspension, label)?.targets),
            Move::Observe(observation) => Ok(suspension.after_observation(observation)),
        }
    }

    /// Where it leads a mutant, which takes every input.
    ///
    /// # Errors
    /// What stops the mutant there.
    pub fn of_mutant(
        &self,
        explorer: &mut StateExplorer,
        acting: &Acting,
        suspension: &Suspension,
    ) -> Result<Vec<SuspensionNode>, Stop> {
        match self {
            Move::Input(label) => Ok(explorer.take(acting, suspension, label)?.completed()),
            Move::Observe(observation) => Ok(suspension.after_observation(observation)),
        }
    }

    /// What a test can do in a suspension state, each with the mutants that an input meets. Inputs that the original
    /// might refuse are left out while there is anything else; quiescence is a move only where it tells something.
    pub fn all(
        observations: &BTreeSet<Observation>,
        inputs: BTreeMap<Label, Input>,
    ) -> Vec<(Move, MutantSet)> {
        let mut moves: Vec<(Move, MutantSet)> = Vec::new();
        for observation in observations {
            let telling = *observation != Observation::Delta || observations.len() > 1;
            if telling {
                moves.push((Move::Observe(observation.clone()), MutantSet::default()));
            }
        }
        let (sure, unsure): (Vec<_>, Vec<_>) =
            inputs.into_iter().partition(|(_, input)| input.is_sure);
        let input = |(label, input): (Label, Input)| (Move::Input(label), input.infected);
        moves.extend(sure.into_iter().map(input));
        if moves.is_empty() {
            moves.extend(unsure.into_iter().map(input));
        }
        moves
    }
}
