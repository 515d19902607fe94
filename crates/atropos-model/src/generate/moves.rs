//! One step of a test: the tester gives an input, or waits and sees something.

use crate::explore::{Node, Suspension};
use crate::model::{Label, Model, Observation};

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
    pub fn of_original(&self, suspension: &Suspension) -> Vec<Node> {
        match self {
            Move::Input(label) => suspension.after_input(label),
            Move::Observe(observation) => suspension.after_observation(observation),
        }
    }

    /// Where it leads a mutant, which takes every input.
    pub fn of_mutant(&self, suspension: &Suspension) -> Vec<Node> {
        match self {
            Move::Input(label) => suspension.after_input_completed(label),
            Move::Observe(observation) => suspension.after_observation(observation),
        }
    }

    /// What a test can do in a suspension state. Inputs that the original might refuse are left out while there is
    /// anything else; quiescence is a move only where it tells something.
    pub fn all(suspension: &Suspension) -> Vec<Move> {
        let observations = suspension.observations();
        let mut moves: Vec<Move> = Vec::new();
        for observation in &observations {
            let telling = *observation != Observation::Delta || observations.len() > 1;
            if telling {
                moves.push(Move::Observe(observation.clone()));
            }
        }
        let inputs = suspension.inputs();
        moves.extend(
            inputs
                .iter()
                .filter(|input| suspension.takes_surely(input))
                .map(|input| Move::Input((*input).clone())),
        );
        if moves.is_empty() {
            moves.extend(inputs.into_iter().map(|input| Move::Input(input.clone())));
        }
        moves
    }
}
