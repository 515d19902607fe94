//! A mutant from the very start along a whole test: the plain meaning of "this test kills that mutant".

use super::atlas::Atlas;
use super::master::Path;
use crate::explore::{Acting, Explorer, Limits, Node, Stop};
use crate::model::{ExecError, Observation};
use crate::mutation::MutantSet;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Replayed {
    /// After so many moves it shows what the original can't.
    Killed {
        after: usize,
        observation: Observation,
    },
    Crashed {
        after: usize,
        error: ExecError,
    },
    Diverged {
        after: usize,
    },
    /// Can't show what the test waits for: inconclusive.
    Lost {
        after: usize,
    },
    Survived,
}

pub fn replay(
    explorer: &mut Explorer,
    acting: &Acting,
    atlas: &Atlas,
    path: &Path,
    limits: Limits,
) -> Replayed {
    let mut kernel = vec![Node::at(explorer.model.initial.clone())];
    for (after, id) in path.places.iter().enumerate() {
        let place = atlas.place(*id);
        let mut infected = MutantSet::default();
        let suspension = match explorer.close(acting, &kernel, limits, &mut infected) {
            Ok(suspension) => suspension,
            Err(Stop::Error(_, error)) => return Replayed::Crashed { after, error },
            Err(Stop::Diverges) => return Replayed::Diverged { after },
        };
        let unpredicted = suspension
            .observations()
            .into_iter()
            .find(|o| !place.observations.contains(o));
        if let Some(observation) = unpredicted {
            return Replayed::Killed { after, observation };
        }
        if let Some(step) = path
            .moves
            .get(after)
            .filter(|_| after + 1 < path.places.len())
        {
            kernel = step.of_mutant(&suspension);
            if kernel.is_empty() {
                return Replayed::Lost { after };
            }
        }
    }
    Replayed::Survived
}
