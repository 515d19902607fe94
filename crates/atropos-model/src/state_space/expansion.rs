//! The iterations that are enabled in one state, without those that begin with an input: most of them are never taken,
//! and a station has thousands.

use super::fast_hash::FastSet;
use crate::model::{ExecError, Label, ObjectId, State};
use crate::mutation::{ModelMutantId, MutantSet};
use std::ops::Range;
use std::sync::Arc;

/// Lists of mutants, each kept once: objects of one class in one state meet the same.
#[derive(Default)]
pub(super) struct Lists {
    known: FastSet<Arc<[ModelMutantId]>>,
    scratch: Vec<ModelMutantId>,
}

impl Lists {
    pub fn shared(&mut self, infected: &MutantSet) -> Arc<[ModelMutantId]> {
        self.scratch.clear();
        self.scratch.extend(infected.iter());
        if let Some(known) = self.known.get(self.scratch.as_slice()) {
            return known.clone();
        }
        let list: Arc<[ModelMutantId]> = self.scratch.as_slice().into();
        self.known.insert(list.clone());
        list
    }
}

/// One enabled iteration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    pub object: ObjectId,
    /// Empty: internal.
    pub labels: Vec<Label>,
    pub target: State,
}

/// An object that may take inputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Taker {
    pub object: ObjectId,
    /// Its position in the order of ranks.
    pub position: u32,
    /// Whether it really takes one, where that was looked at.
    pub takes: Option<bool>,
}

impl Taker {
    /// Nobody has looked whether it takes one.
    pub fn unasked(object: ObjectId, position: u32) -> Taker {
        Taker {
            object,
            position,
            takes: None,
        }
    }
}

/// Whether the steps of one object were found to be enough.
#[derive(Clone, Debug)]
pub(super) struct Judgement {
    /// The object's position in the order of ranks.
    pub position: u32,
    pub enough: bool,
    /// Mutants on which this rests; all others come to the same.
    pub relied: Arc<[ModelMutantId]>,
}

/// What is enabled in a state, by rank. Objects were looked at in the order of their ranks until the answer was clear.
#[derive(Clone, Debug, Default)]
pub struct Expansion {
    /// Of all objects that were looked at.
    pub looked: Vec<Step>,
    /// The part of `looked` that is to be followed: all, or the steps of one object that are enough.
    pub chosen: Range<usize>,
    /// Objects that may take inputs, in the order of ranks.
    pub takers: Vec<Taker>,
    /// The first iteration that ends in an error, and whose it is.
    pub error: Option<(ObjectId, Vec<Label>, ExecError)>,
    /// While the original ran: mutants that would have computed something else.
    pub infected: MutantSet,
    /// The same per object that was looked at, by its position in the order; only objects that reached any.
    pub infected_at: Vec<(u32, Arc<[ModelMutantId]>)>,
    /// What was found out about objects whose steps are internal, by position.
    pub(super) judgements: Vec<Judgement>,
    /// How many objects were looked at.
    pub objects: u32,
    /// Only some of the enabled iterations, enough for what follows.
    pub reduced: bool,
}

impl Expansion {
    /// About how many bytes it takes.
    pub(super) fn weight(&self) -> usize {
        const STATE: usize = 4096;
        let changed = self
            .looked
            .iter()
            .map(|step| step.target.object(step.object).len());
        1024 + self.looked.len() * STATE
            + changed.sum::<usize>()
            + self.infected_at.len() * size_of::<(u32, Arc<[ModelMutantId]>)>()
            + self.takers.len() * size_of::<Taker>()
            + self.judgements.len() * size_of::<Judgement>()
    }

    pub fn steps(&self) -> &[Step] {
        &self.looked[self.chosen.clone()]
    }

    /// The mutants reached while the object at this position was looked at.
    pub fn met_at(&self, position: u32) -> &[ModelMutantId] {
        match self
            .infected_at
            .binary_search_by_key(&position, |(at, _)| *at)
        {
            Ok(found) => &self.infected_at[found].1,
            Err(_) => &[],
        }
    }

    pub(super) fn judgement_at(&self, position: u32) -> Option<&Judgement> {
        let found = self
            .judgements
            .binary_search_by_key(&position, |judgement| judgement.position);
        found.ok().map(|at| &self.judgements[at])
    }

    pub(super) fn taker_at(&self, position: u32) -> Option<&Taker> {
        let found = self
            .takers
            .binary_search_by_key(&position, |taker| taker.position);
        found.ok().map(|at| &self.takers[at])
    }

    /// Mutants reached while the object at this position, which comes behind all before, was looked at.
    pub(super) fn meet_next(&mut self, position: u32, infected: Arc<[ModelMutantId]>) {
        // Neighbours are mostly of one class and in one state.
        let before = self.infected_at.last();
        if before.is_none_or(|(_, before)| !Arc::ptr_eq(before, &infected)) {
            infected.iter().for_each(|id| self.infected.insert(*id));
        }
        self.infected_at.push((position, infected));
    }

    /// More mutants reached while the object at this position was looked at.
    pub(super) fn meet(&mut self, position: u32, infected: &MutantSet, lists: &mut Lists) {
        if infected.is_empty() {
            return;
        }
        self.infected.union(infected);
        match self
            .infected_at
            .binary_search_by_key(&position, |(at, _)| *at)
        {
            Err(at) => {
                self.infected_at
                    .insert(at, (position, lists.shared(infected)));
            }
            Ok(at) => {
                let mut all: MutantSet = infected.clone();
                self.infected_at[at].1.iter().for_each(|id| all.insert(*id));
                self.infected_at[at].1 = lists.shared(&all);
            }
        }
    }
}
