//! Who executes: the interpreter or compiled code.

use crate::execution::interpreter;
pub use crate::execution::interpreter::Iteration;
use crate::model::{ExecError, Label, Model, ObjectId, State};
use crate::mutation::{MutantSet, MutationMode};
use std::sync::Arc;

/// Which inputs an iteration may begin with. A trace that begins with another one ends there, unless it stands to the
/// left of a `//`: whether the right side is enabled then depends on how it goes on.
#[derive(Clone, Copy, Debug)]
pub enum Inputs<'l> {
    All,
    None,
    Only(&'l Label),
}

impl Inputs<'_> {
    /// Whether a trace must not begin with this label.
    pub fn exclude(&self, label: &Label) -> bool {
        label.controllable
            && match self {
                Inputs::All => false,
                Inputs::None => true,
                Inputs::Only(only) => *only != label,
            }
    }
}

/// What one object can do next.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Iterations {
    /// Leftmost first; none begins with an excluded input.
    pub outcomes: Vec<Iteration>,
    /// Some trace ended at an excluded input: the object may take inputs.
    pub cut: bool,
}

/// An enabled input, with the mutants that compute something else when it is taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EnabledInput {
    pub label: Label,
    pub infected: MutantSet,
}

/// Outcomes of one iteration that are kept; one more is an error.
pub const MOST_OUTCOMES: usize = 100_000;
/// Traces that are tried for them.
pub const MOST_TRACES: usize = 1_000_000;
/// Values that are gone through and calls that are made for them, all traces together.
pub const MOST_WORK: i64 = 10_000_000;
/// Bytes that are copied in about the time of one such step.
pub const BYTES_PER_STEP: usize = 64;

/// Executes single iterations. One engine serves one thread.
pub trait Engine: Send {
    /// The outcomes of one iteration of `object`'s do-od block; where `mode` records, mutants that would compute
    /// something else are added to `infected`. The answer depends on the arguments alone.
    fn run(
        &mut self,
        state: &State,
        object: ObjectId,
        mode: &MutationMode,
        inputs: Inputs,
        infected: &mut MutantSet,
    ) -> Iterations;

    /// All outcomes.
    fn iterations(
        &mut self,
        state: &State,
        object: ObjectId,
        mode: &MutationMode,
        infected: &mut MutantSet,
    ) -> Vec<Iteration> {
        self.run(state, object, mode, Inputs::All, infected)
            .outcomes
    }

    /// The enabled inputs in the order of labels, each with what a run with that input alone would record.
    ///
    /// # Errors
    /// The first execution error of an iteration that begins with an input.
    fn offers(
        &mut self,
        state: &State,
        object: ObjectId,
        mode: &MutationMode,
        infected: &mut MutantSet,
    ) -> Result<Vec<EnabledInput>, (Vec<Label>, ExecError)> {
        let all = self.run(state, object, mode, Inputs::All, infected);
        let labels = enabled_inputs(&all.outcomes)?;
        Ok(labels
            .into_iter()
            .map(|label| {
                let mut infected = MutantSet::default();
                self.run(state, object, mode, Inputs::Only(&label), &mut infected);
                EnabledInput { label, infected }
            })
            .collect())
    }
}

/// The inputs that outcomes begin with, sorted.
pub(crate) fn enabled_inputs(
    outcomes: &[Iteration],
) -> Result<Vec<Label>, (Vec<Label>, ExecError)> {
    let mut labels = Vec::new();
    for outcome in outcomes {
        if let Some(limit) = outcome.limit() {
            return Err((Vec::new(), limit));
        }
        let Some(first) = outcome.labels.first().filter(|first| first.controllable) else {
            continue;
        };
        if let Err(error) = outcome.result {
            return Err((outcome.labels.clone(), error));
        }
        labels.push(first.clone());
    }
    labels.sort();
    labels.dedup();
    Ok(labels)
}

/// The reference interpreter as engine.
pub struct Interpreted {
    pub model: Arc<Model>,
}

impl Engine for Interpreted {
    fn run(
        &mut self,
        state: &State,
        object: ObjectId,
        mode: &MutationMode,
        inputs: Inputs,
        infected: &mut MutantSet,
    ) -> Iterations {
        interpreter::run(&self.model, state, object, mode, inputs, infected)
    }
}
