//! Who executes: the interpreter or compiled code.

use crate::interpret;
pub use crate::interpret::Outcome;
use crate::model::{Model, ObjectId, State};
use crate::mutation::{Mode, MutantSet};
use std::sync::Arc;

/// Executes single iterations. One engine serves one thread.
pub trait Engine: Send {
    /// All outcomes of one iteration of `object`'s do-od block, leftmost first; where `mode` records, mutants that
    /// would compute something else are added to `infected`. The answer depends on the arguments alone.
    fn iterations(
        &mut self,
        state: &State,
        object: ObjectId,
        mode: &Mode,
        infected: &mut MutantSet,
    ) -> Vec<Outcome>;
}

/// The reference interpreter as engine.
pub struct Interpreted {
    pub model: Arc<Model>,
}

impl Engine for Interpreted {
    fn iterations(
        &mut self,
        state: &State,
        object: ObjectId,
        mode: &Mode,
        infected: &mut MutantSet,
    ) -> Vec<Outcome> {
        interpret::iterations(&self.model, state, object, mode, infected)
    }
}
