//! Which move next. All strategies are deterministic for a seed.

use super::atlas::{Atlas, PlaceId};
use super::crew::Crew;
use super::experience::Experience;
use super::frontier;
use super::moves::Move;
use super::options::StrategyKind;
use super::outcome::Results;
use super::random::Random;
use crate::explore::{Limits, Suspension};
use crate::mutation::{MutantId, MutantSet};
use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;

/// What a strategy may look at.
pub struct Situation<'s> {
    pub results: &'s Results,
    /// Mutants met so far.
    pub found: &'s MutantSet,
    pub running: &'s BTreeSet<MutantId>,
    /// The running mutants with where they are.
    pub beside: &'s [(MutantId, Arc<Suspension>)],
    /// Not to be had in this test.
    pub gone: &'s BTreeSet<MutantId>,
    /// Choices left in this test.
    pub left: usize,
    pub limits: Limits,
}

pub struct Strategy {
    kind: StrategyKind,
    pub(super) random: Random,
    counts: HashMap<Move, u32>,
    /// How often a mutant was started.
    tries: HashMap<MutantId, u32>,
    /// Mutants that came to other states than the original.
    parted: HashSet<MutantId>,
    /// Kills by starting a mutant, by how often it was started before.
    pub(super) kills: Experience,
}

/// S2 looks at this many moves at most.
const SUBSET: usize = 16;

impl Strategy {
    pub fn new(kind: StrategyKind, seed: u64) -> Strategy {
        Strategy {
            kind,
            random: Random::new(seed),
            counts: HashMap::new(),
            tries: HashMap::new(),
            parted: HashSet::new(),
            kills: Experience::new(),
        }
    }

    /// The number of a move, or `None` if no move could bring anything.
    pub fn choose(
        &mut self,
        crew: &mut Crew,
        atlas: &mut Atlas,
        place: PlaceId,
        situation: &Situation,
    ) -> Option<usize> {
        match self.kind {
            StrategyKind::S1 => Some(self.weighted(atlas, place)),
            StrategyKind::S2 => Some(self.most_new(crew, atlas, place, situation)),
            StrategyKind::Frontier => frontier::choose(self, crew, atlas, place, situation),
        }
    }

    /// Told after every move, chosen or not.
    pub fn taken(&mut self, atlas: &Atlas, place: PlaceId, at: usize) {
        *self
            .counts
            .entry(atlas.place(place).ways()[at].step.clone())
            .or_default() += 1;
    }

    /// Told when a mutant is started.
    pub fn tried(&mut self, mutant: MutantId) {
        let tries = self.tries.entry(mutant).or_default();
        self.kills.attempted(*tries);
        *tries += 1;
    }

    /// Told when a mutant has come to another state than the original.
    pub fn parted(&mut self, mutant: MutantId) {
        self.parted.insert(mutant);
    }

    /// Whether a mutant that is met is to be started; one that is not is left alone for the rest of the test.
    pub fn wants(&self, mutant: MutantId) -> bool {
        self.kind != StrategyKind::Frontier
            || self.tries(mutant) < frontier::PATIENCE
            || self.parted.contains(&mutant)
    }

    /// Told when a mutant is killed that was started.
    pub fn killed(&mut self, mutant: MutantId) {
        self.kills.succeeded(self.tries(mutant).saturating_sub(1));
    }

    pub(super) fn tries(&self, mutant: MutantId) -> u32 {
        self.tries.get(&mutant).copied().unwrap_or(0)
    }

    /// How often a move was taken, anywhere.
    pub(super) fn count(&self, step: &Move) -> u32 {
        self.counts.get(step).copied().unwrap_or(0)
    }

    /// S1: random, with the square of how often a move was taken against it.
    pub(super) fn weighted(&mut self, atlas: &Atlas, place: PlaceId) -> usize {
        let weights: Vec<u64> = atlas
            .place(place)
            .ways()
            .iter()
            .map(|way| {
                let count = u64::from(self.counts.get(&way.step).copied().unwrap_or(0)) + 1;
                (1_000_000 / (count * count)).max(1)
            })
            .collect();
        self.random.weighted(&weights)
    }

    /// S2: explores a bounded set of moves and takes the one that meets the most new mutants.
    fn most_new(
        &mut self,
        crew: &mut Crew,
        atlas: &mut Atlas,
        place: PlaceId,
        situation: &Situation,
    ) -> usize {
        let mut subset: Vec<usize> = (0..atlas.place(place).ways().len()).collect();
        while subset.len() > SUBSET {
            let out = self.random.below(subset.len());
            subset.swap_remove(out);
        }
        subset.sort_unstable();
        atlas.look_ahead(crew, place, &subset, situation.limits);
        let here = atlas.place(place);
        let new = |at: &usize| {
            let way = &here.ways()[*at];
            let mut met: BTreeSet<MutantId> = way.met.iter().copied().collect();
            if let Some(next) = way.next {
                met.extend(atlas.place(next).own.iter());
            }
            met.iter()
                .filter(|id| !situation.found.contains(**id))
                .count()
        };
        let best = subset
            .iter()
            .map(|at| (new(at), std::cmp::Reverse(*at)))
            .max();
        match best {
            Some((count, std::cmp::Reverse(at))) if count > 0 => at,
            _ => self.weighted(atlas, place),
        }
    }
}
