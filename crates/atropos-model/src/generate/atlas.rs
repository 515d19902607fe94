//! The suspension states that the original was seen in, and how they hang together.

use super::crew::Crew;
use super::meeting::Meeting;
use super::moves::Move;
use crate::explore::{Acting, Explorer, Limits, Node, Stop, Suspension};
use crate::model::Observation;
use crate::mutation::{Fate, MutantId, MutantSet, Mutants};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PlaceId(pub usize);

/// A suspension state of the original.
pub struct Place {
    /// Its nodes before internal steps.
    pub kernel: Vec<Node>,
    pub suspension: Arc<Suspension>,
    pub observations: BTreeSet<Observation>,
    /// Mutants that compute something else on the way into or out of here.
    pub infected: MutantSet,
    pub moves: Vec<Move>,
    /// Where each move leads, if known.
    pub next: Vec<Option<PlaceId>>,
    /// How often each move was taken.
    pub taken: Vec<u32>,
    pub visits: u32,
    /// What became of mutants started here.
    pub(super) meetings: BTreeMap<MutantId, Meeting>,
}

#[derive(Default)]
pub struct Atlas {
    pub places: Vec<Place>,
    known: HashMap<Vec<Node>, PlaceId>,
}

impl Atlas {
    pub fn place(&self, id: PlaceId) -> &Place {
        &self.places[id.0]
    }

    /// The place of a kernel, explored now if it is new.
    ///
    /// # Errors
    /// What stops the original there.
    pub fn enter(
        &mut self,
        crew: &mut Crew,
        kernel: Vec<Node>,
        limits: Limits,
    ) -> Result<PlaceId, Stop> {
        if let Some(id) = self.known.get(&kernel) {
            return Ok(*id);
        }
        let closed = close(crew.first(), &kernel, limits)?;
        Ok(self.add(kernel, closed))
    }

    /// Where a move leads.
    ///
    /// # Errors
    /// What stops the original there.
    pub fn follow(
        &mut self,
        crew: &mut Crew,
        from: PlaceId,
        at: usize,
        limits: Limits,
    ) -> Result<PlaceId, Stop> {
        if let Some(next) = self.places[from.0].next[at] {
            return Ok(next);
        }
        let kernel = self.places[from.0].moves[at].of_original(&self.places[from.0].suspension);
        let next = self.enter(crew, kernel, limits)?;
        self.places[from.0].next[at] = Some(next);
        Ok(next)
    }

    /// Explores where several moves lead, at once. Moves that stop the original stay unknown.
    pub fn look_ahead(&mut self, crew: &mut Crew, from: PlaceId, moves: &[usize], limits: Limits) {
        let place = self.place(from);
        let jobs: Vec<(usize, Vec<Node>)> = moves
            .iter()
            .filter(|at| place.next[**at].is_none())
            .map(|at| (*at, place.moves[*at].of_original(&place.suspension)))
            .collect();
        let new: Vec<&Vec<Node>> = jobs
            .iter()
            .map(|(_, kernel)| kernel)
            .filter(|k| !self.known.contains_key(*k))
            .collect();
        let closed = crew.map(&new, |explorer, kernel| close(explorer, kernel, limits));
        let new: Vec<Vec<Node>> = new.into_iter().cloned().collect();
        for (kernel, closed) in new.into_iter().zip(closed) {
            if let (Ok(closed), false) = (closed, self.known.contains_key(&kernel)) {
                self.add(kernel, closed);
            }
        }
        for (at, kernel) in jobs {
            self.places[from.0].next[at] = self.known.get(&kernel).copied();
        }
    }

    fn add(
        &mut self,
        kernel: Vec<Node>,
        (suspension, infected): (Suspension, MutantSet),
    ) -> PlaceId {
        let id = PlaceId(self.places.len());
        let moves = Move::all(&suspension);
        self.known.insert(kernel.clone(), id);
        self.places.push(Place {
            kernel,
            observations: suspension.observations(),
            infected,
            next: vec![None; moves.len()],
            taken: vec![0; moves.len()],
            moves,
            visits: 0,
            suspension: Arc::new(suspension),
            meetings: BTreeMap::new(),
        });
        id
    }
}

fn close(
    explorer: &mut Explorer,
    kernel: &[Node],
    limits: Limits,
) -> Result<(Suspension, MutantSet), Stop> {
    let acting = Acting::original(&explorer.model.mutants);
    let mut infected = MutantSet::for_all(&explorer.model.mutants);
    let suspension = explorer.close(&acting, kernel, limits, &mut infected)?;
    Ok((suspension, open_only(&infected, &explorer.model.mutants)))
}

/// Mutants known before to be equivalent, duplicate or dead are not worth running.
fn open_only(infected: &MutantSet, mutants: &Mutants) -> MutantSet {
    let mut open = MutantSet::for_all(mutants);
    infected
        .iter()
        .filter(|id| mutants.get(*id).fate == Fate::Open)
        .for_each(|id| open.insert(id));
    open
}
