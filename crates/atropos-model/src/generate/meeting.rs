//! A mutant meets the original: started from the original's nodes at a place, or one move further.

use super::atlas::Place;
use super::moves::Move;
use crate::explore::{Acting, Explorer, Limits, Node, Stop, Suspension};
use crate::model::{ExecError, Observation};
use crate::mutation::{MutantId, MutantSet};
use std::sync::Arc;

/// What a mutant does at a place, from the original's nodes, without an input.
#[derive(Clone, Debug)]
pub(super) enum Meeting {
    /// The same as the original.
    Same,
    /// Shows what the original can't.
    Killed(Observation),
    Crashed(ExecError),
    Diverged,
    /// Nobody waited for the answer.
    Unknown,
    /// Comes to other states.
    Parts(Arc<Suspension>),
}

/// What became of a mutant by one move.
#[derive(Clone, Debug)]
pub(super) enum Advance {
    Killed(Observation),
    Crashed(ExecError),
    Diverged,
    /// Back at the original's nodes.
    Same,
    /// Can't show what this test waits for, or nobody waited for the answer.
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
        Err(Stop::Halted(_)) => Meeting::Unknown,
        Ok(suspension) if suspension == *place.suspension => Meeting::Same,
        Ok(suspension) => match unpredicted(&suspension, place) {
            Some(observation) => Meeting::Killed(observation),
            None => Meeting::Parts(Arc::new(suspension)),
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
    explorer.closed = 0;
    let moved = step.of_mutant(explorer, acting, from);
    let closed = moved.and_then(|kernel| {
        if kernel.is_empty() || kernel == next.kernel {
            return Ok(Err(kernel));
        }
        close_mutant(explorer, acting, &kernel, limits).map(Ok)
    });
    match closed {
        Err(Stop::Error(_, error)) => Advance::Crashed(error),
        Err(Stop::Diverges) => Advance::Diverged,
        Err(Stop::Halted(_)) => Advance::Lost,
        Ok(Err(kernel)) if kernel.is_empty() => Advance::Lost,
        Ok(Err(_)) => Advance::Same,
        Ok(Ok(suspension)) => match unpredicted(&suspension, next) {
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
