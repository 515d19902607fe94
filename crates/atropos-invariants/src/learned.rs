//! What was learned of a whole program, and what a run broke of it.

use std::collections::BTreeMap;

use crate::invariant::Invariant;
use crate::point::PointState;
use crate::value::ObservedValue;

/// The invariants of a program, by point.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Learned {
    points: BTreeMap<u32, Vec<Invariant>>,
}

/// An invariant that a run broke.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Violation {
    pub invariant: Invariant,
    /// A value that broke it, if one can be named.
    pub seen: Option<ObservedValue>,
}

impl Learned {
    /// Learns a point from all that passing runs saw of it.
    pub fn learn(&mut self, point: u32, state: &PointState) {
        let invariants = state.invariants();
        if !invariants.is_empty() {
            self.points.insert(point, invariants);
        }
    }

    /// Drops what another run of the unchanged program breaks: it held by chance, or of one order
    /// of events only. Tells how many were dropped.
    pub fn drop_broken(&mut self, point: u32, state: &PointState) -> usize {
        let Some(invariants) = self.points.get_mut(&point) else {
            return 0;
        };
        let before = invariants.len();
        invariants.retain(|invariant| invariant.holds_in(state));
        before - invariants.len()
    }

    /// What a run broke at a point.
    pub fn violations(&self, point: u32, state: &PointState) -> Vec<Violation> {
        let known = self.points.get(&point).into_iter().flatten();
        known
            .filter(|invariant| !invariant.holds_in(state))
            .map(|&invariant| Violation {
                invariant,
                seen: seen(&invariant, state),
            })
            .collect()
    }

    /// The invariants of a point.
    pub fn of(&self, point: u32) -> &[Invariant] {
        self.points.get(&point).map_or(&[], Vec::as_slice)
    }

    /// How many there are in all.
    pub fn len(&self) -> usize {
        self.points.values().map(Vec::len).sum()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

fn seen(invariant: &Invariant, state: &PointState) -> Option<ObservedValue> {
    match *invariant {
        Invariant::Of(variable, property) => property.counterexample(state.slot(variable)?),
        Invariant::Between(..) => None,
    }
}
