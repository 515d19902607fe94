//! A mutant meets the original: started from the original's nodes at a spec, or one move further.

use super::moves::Move;
use super::state_graph::SpecState;
use crate::model::{ExecError, Observation};
use crate::mutation::{ModelMutantId, MutantSet};
use crate::state_space::{
    Acting, StateExplorer, StateSpaceLimits, Stop, Suspension, SuspensionNode,
};
use std::sync::Arc;

/// What a mutant does at a spec, from the original's nodes, without an input.
#[derive(Clone, Debug)]
pub(super) enum StartResult {
    /// The same as the original.
    Same,
    /// Shows what the original can't.
    Killed(Observation),
    Crashed(ExecError),
    /// Goes through more states than it may, or takes too much work.
    LimitReached,
    /// Nobody waited for the answer.
    Unknown,
    /// Comes to other states.
    Parts(Arc<Suspension>),
}

/// What became of a mutant by one move.
#[derive(Clone, Debug)]
pub(super) enum StepResult {
    Killed(Observation),
    Crashed(ExecError),
    /// Goes through more states than it may, or takes too much work.
    LimitReached,
    /// Back at the original's nodes.
    Same,
    /// Can't show what this test waits for, or nobody waited for the answer.
    Lost,
    Live(Arc<Suspension>),
}

pub(super) fn meet(
    explorer: &mut StateExplorer,
    mutant: ModelMutantId,
    spec: &SpecState,
    limits: StateSpaceLimits,
) -> StartResult {
    let acting = Acting::mutant(&explorer.model.mutants, mutant);
    match close_mutant(explorer, &acting, &spec.kernel, limits) {
        Err(Stop::Error(_, error)) if !error.kind.is_limit() => StartResult::Crashed(error),
        Err(Stop::TooManyStates | Stop::Error(..)) => StartResult::LimitReached,
        Err(Stop::Halted(_)) => StartResult::Unknown,
        Ok(suspension) if suspension == *spec.suspension => StartResult::Same,
        Ok(suspension) => match unpredicted(&suspension, spec) {
            Some(observation) => StartResult::Killed(observation),
            None => StartResult::Parts(Arc::new(suspension)),
        },
    }
}

/// Moves a mutant on, to where the original is at `next`.
pub(super) fn advance(
    explorer: &mut StateExplorer,
    acting: &Acting,
    from: &Suspension,
    step: &Move,
    next: &SpecState,
    limits: StateSpaceLimits,
) -> StepResult {
    explorer.closed = 0;
    let moved = step.of_mutant(explorer, acting, from);
    let closed = moved.and_then(|kernel| {
        if kernel.is_empty() || kernel == next.kernel {
            return Ok(Err(kernel));
        }
        close_mutant(explorer, acting, &kernel, limits).map(Ok)
    });
    match closed {
        Err(Stop::Error(_, error)) if !error.kind.is_limit() => StepResult::Crashed(error),
        Err(Stop::TooManyStates | Stop::Error(..)) => StepResult::LimitReached,
        Err(Stop::Halted(_)) => StepResult::Lost,
        Ok(Err(kernel)) if kernel.is_empty() => StepResult::Lost,
        Ok(Err(_)) => StepResult::Same,
        Ok(Ok(suspension)) => match unpredicted(&suspension, next) {
            Some(observation) => StepResult::Killed(observation),
            None => StepResult::Live(Arc::new(suspension)),
        },
    }
}

fn close_mutant(
    explorer: &mut StateExplorer,
    acting: &Acting,
    kernel: &[SuspensionNode],
    limits: StateSpaceLimits,
) -> Result<Suspension, Stop> {
    let mut infected = MutantSet::default();
    explorer.close(acting, kernel, limits, &mut infected)
}

fn unpredicted(suspension: &Suspension, spec: &SpecState) -> Option<Observation> {
    suspension
        .observations()
        .into_iter()
        .find(|observation| !spec.observations.contains(observation))
}
