//! The iterations that are enabled in one state.

use crate::model::{ExecError, Label, ObjectId, State};
use crate::mutation::MutantSet;

/// One enabled iteration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    pub object: ObjectId,
    /// Empty: internal.
    pub labels: Vec<Label>,
    pub target: State,
}

/// What is enabled in a state, by rank.
#[derive(Clone, Debug, Default)]
pub struct Expansion {
    pub steps: Vec<Step>,
    /// The first iteration that ends in an error.
    pub error: Option<(Vec<Label>, ExecError)>,
    /// While the original ran: mutants that would have computed something else.
    pub infected: MutantSet,
    /// Only some of the enabled iterations, enough for what follows.
    pub reduced: bool,
}
