//! A mutant meets the original: started from the original's nodes at a place, or one move further.

use super::atlas::Place;
use super::moves::Move;
use crate::explore::{Acting, Explorer, Limits, Node, Stop, Suspension};
use crate::model::{ExecError, Observation};
use crate::mutation::{MutantId, MutantSet};
use std::sync::Arc;

/// What a mutant does at a place, from the original's nodes.
#[derive(Clone, Debug)]
pub(super) enum Meeting {
    /// The same as the original.
    Same,
    /// Shows what the original can't.
    Killed(Observation),
    Crashed(ExecError),
    Diverged,
    /// Parts by these moves (their numbers), if by any.
    Parts {
        suspension: Arc<Suspension>,
        moves: Vec<usize>,
    },
}

/// What became of a mutant by one move.
#[derive(Clone, Debug)]
pub(super) enum Advance {
    Killed(Observation),
    Crashed(ExecError),
    Diverged,
    /// Back at the original's nodes.
    Same,
    /// Can't show what this test waits for.
    Lost,
    Live(Arc<Suspension>),
}

pub(super) fn meet(
    explorer: &mut Explorer,
    mutant: MutantId,
    place: &Place,
    limits: Limits,
) -> Meeting {
    let acting = Acting::mutant(&explorer.model.mutants, mutant);
    match close_mutant(explorer, &acting, &place.kernel, limits) {
        Err(Stop::Error(_, error)) => Meeting::Crashed(error),
        Err(Stop::Diverges) => Meeting::Diverged,
        Ok(suspension) if suspension == *place.suspension => Meeting::Same,
        Ok(suspension) => match unpredicted(&suspension, place) {
            Some(observation) => Meeting::Killed(observation),
            None => {
                let parts = |at: &usize| {
                    let step = &place.moves[*at];
                    step.of_mutant(&suspension) != step.of_original(&place.suspension)
                };
                let moves = (0..place.moves.len()).filter(parts).collect();
                Meeting::Parts {
                    suspension: Arc::new(suspension),
                    moves,
                }
            }
        },
    }
}

/// Moves a mutant on, to where the original is at `next`.
pub(super) fn advance(
    explorer: &mut Explorer,
    acting: &Acting,
    from: &Suspension,
    step: &Move,
    next: &Place,
    limits: Limits,
) -> Advance {
    let kernel = step.of_mutant(from);
    if kernel.is_empty() {
        return Advance::Lost;
    }
    match close_mutant(explorer, acting, &kernel, limits) {
        Err(Stop::Error(_, error)) => Advance::Crashed(error),
        Err(Stop::Diverges) => Advance::Diverged,
        Ok(suspension) if suspension == *next.suspension && kernel == next.kernel => Advance::Same,
        Ok(suspension) => match unpredicted(&suspension, next) {
            Some(observation) => Advance::Killed(observation),
            None => Advance::Live(Arc::new(suspension)),
        },
    }
}

fn close_mutant(
    explorer: &mut Explorer,
    acting: &Acting,
    kernel: &[Node],
    limits: Limits,
) -> Result<Suspension, Stop> {
    let mut infected = MutantSet::default();
    explorer.close(acting, kernel, limits, &mut infected)
}

fn unpredicted(suspension: &Suspension, place: &Place) -> Option<Observation> {
    suspension
        .observations()
        .into_iter()
        .find(|observation| !place.observations.contains(observation))
}
