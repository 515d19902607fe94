//! A mutant from the very start along a whole test: the plain meaning of "this test kills that mutant".

use super::atlas::{Atlas, Place};
use super::master::Path;
use crate::explore::{Acting, Explorer, Limits, Node, Stop};
use crate::model::{ExecError, Observation};
use crate::mutation::{Fate, MutantId, MutantSet};

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
    /// The end came before the answer.
    Halted,
}

pub fn replay(
    explorer: &mut Explorer,
    mutant: MutantId,
    atlas: &Atlas,
    path: &Path,
    limits: Limits,
) -> Replayed {
    let acting = Acting::mutant(&explorer.model.mutants, mutant);
    let open = explorer.model.mutants.get(mutant).fate == Fate::Open;
    let mut kernel = vec![Node::at(explorer.model.initial.clone())];
    for (after, id) in path.places.iter().enumerate() {
        let place = atlas.place(*id);
        let next = path.places.get(after + 1);
        let step = path.moves.get(after).filter(|_| next.is_some());
        // Where the original is and the mutant would do the same, it does not have to be run.
        if open && kernel == place.kernel && does_the_same(mutant, place, path.ways.get(after)) {
            if let Some(next) = next {
                kernel.clone_from(&atlas.place(*next).kernel);
            }
            continue;
        }
        let mut infected = MutantSet::default();
        let suspension =
            match explorer.close(&acting, &kernel, place.mutant_limits(limits), &mut infected) {
                Ok(suspension) => suspension,
                Err(stop) => return stopped(stop, after),
            };
        let unpredicted = suspension
            .observations()
            .into_iter()
            .find(|o| !place.observations.contains(o));
        if let Some(observation) = unpredicted {
            return Replayed::Killed { after, observation };
        }
        if let Some(step) = step {
            kernel = match step.of_mutant(explorer, &acting, &suspension) {
                Ok(kernel) => kernel,
                Err(stop) => return stopped(stop, after + 1),
            };
            if kernel.is_empty() {
                return Replayed::Lost { after };
            }
        }
    }
    Replayed::Survived
}

/// Where this is known of open mutants: by itself, and by the way taken.
fn does_the_same(mutant: MutantId, place: &Place, way: Option<&usize>) -> bool {
    let met = |at: &usize| place.ways()[*at].met.binary_search(&mutant).is_ok();
    !place.own.contains(mutant) && !way.is_some_and(met)
}

fn stopped(stop: Stop, after: usize) -> Replayed {
    match stop {
        Stop::Error(_, error) => Replayed::Crashed { after, error },
        Stop::Halted(_) => Replayed::Halted,
        Stop::Diverges => Replayed::Diverged { after },
    }
}
