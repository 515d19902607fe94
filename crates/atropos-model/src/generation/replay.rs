//! A mutant from the very start along a whole test: the plain meaning of "this test kills that mutant".

use super::generator::Path;
use super::state_graph::{SpecState, StateGraph};
use crate::model::{ExecError, Observation};
use crate::mutation::{Fate, MutantId, MutantSet};
use crate::state_space::{Acting, Explorer, Limits, Node, Stop};

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
    graph: &StateGraph,
    path: &Path,
    limits: Limits,
) -> Replayed {
    let acting = Acting::mutant(&explorer.model.mutants, mutant);
    let open = explorer.model.mutants.get(mutant).fate == Fate::Open;
    let mut kernel = vec![Node::at(explorer.model.initial.clone())];
    for (after, id) in path.states.iter().enumerate() {
        let spec = graph.state(*id);
        let next = path.states.get(after + 1);
        let step = path.moves.get(after).filter(|_| next.is_some());
        // Where the original is and the mutant would do the same, it does not have to be run.
        if open && kernel == spec.kernel && does_the_same(mutant, spec, path.transitions.get(after))
        {
            if let Some(next) = next {
                kernel.clone_from(&graph.state(*next).kernel);
            }
            continue;
        }
        let mut infected = MutantSet::default();
        let suspension =
            match explorer.close(&acting, &kernel, spec.mutant_limits(limits), &mut infected) {
                Ok(suspension) => suspension,
                Err(stop) => return stopped(stop, after),
            };
        let unpredicted = suspension
            .observations()
            .into_iter()
            .find(|o| !spec.observations.contains(o));
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

/// Where this is known of open mutants: by itself, and by the transition taken.
fn does_the_same(mutant: MutantId, spec: &SpecState, transition: Option<&usize>) -> bool {
    let met = |at: &usize| spec.transitions()[*at].met.binary_search(&mutant).is_ok();
    !spec.own.contains(mutant) && !transition.is_some_and(met)
}

fn stopped(stop: Stop, after: usize) -> Replayed {
    match stop {
        Stop::Error(_, error) => Replayed::Crashed { after, error },
        Stop::Halted(_) => Replayed::Halted,
        Stop::Diverges => Replayed::Diverged { after },
    }
}
