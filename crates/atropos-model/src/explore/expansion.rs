//! The iterations that are enabled in one state.

use crate::model::{ExecError, Label, ObjectId, State};
use crate::mutation::{MutantId, MutantSet};
use std::ops::Range;

/// One enabled iteration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    pub object: ObjectId,
    /// Empty: internal.
    pub labels: Vec<Label>,
    pub target: State,
}

/// What is enabled in a state, by rank. Objects were looked at in the order of their ranks until the answer was clear.
#[derive(Clone, Debug, Default)]
pub struct Expansion {
    /// Of all objects that were looked at.
    pub looked: Vec<Step>,
    /// The part of `looked` that is to be followed: all, or the steps of one object that are enough.
    pub chosen: Range<usize>,
    /// The first iteration that ends in an error, and whose it is.
    pub error: Option<(ObjectId, Vec<Label>, ExecError)>,
    /// While the original ran: mutants that would have computed something else.
    pub infected: MutantSet,
    /// The same per object that was looked at, by its position in the order; only objects that met any.
    pub infected_at: Vec<(u32, Box<[MutantId]>)>,
    /// How many objects were looked at.
    pub objects: u32,
    /// Only some of the enabled iterations, enough for what follows.
    pub reduced: bool,
}

impl Expansion {
    pub fn steps(&self) -> &[Step] {
        &self.looked[self.chosen.clone()]
    }

    /// The mutants met while the object at this position was looked at.
    pub fn met_at(&self, position: u32) -> &[MutantId] {
        match self
            .infected_at
            .binary_search_by_key(&position, |(at, _)| *at)
        {
            Ok(found) => &self.infected_at[found].1,
            Err(_) => &[],
        }
    }
}
