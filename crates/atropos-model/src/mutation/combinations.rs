//! Higher-order mutants: sets of mutants that act at once. There are far too many, so a sample is drawn that depends on
//! nothing but the model, the order and the seed.

use super::mode::MutantSet;
use super::mutant::{InitialStatus, ModelMutant, ModelMutantId, Mutants};
use atropos_protocol::hash::spread;
use std::collections::BTreeSet;

/// Draws per set that is wanted before the sample stays smaller.
const DRAWS: usize = 50;

impl Mutants {
    /// Adds sets of 2 up to `order` mutants that are worth killing, each in a place of its own: `sample` sets of each
    /// size, or as many as there are.
    pub fn combine(&mut self, order: usize, sample: usize, seed: u64) {
        let singles: Vec<ModelMutantId> = self.open().map(|mutant| mutant.id).collect();
        self.sets_with = vec![Vec::new(); self.list.len() + 1];
        for size in 2..=order.min(singles.len()) {
            for parts in self.draw(&singles, size, sample, seed) {
                self.add(parts);
            }
        }
    }

    fn draw(
        &self,
        singles: &[ModelMutantId],
        size: usize,
        sample: usize,
        seed: u64,
    ) -> BTreeSet<Vec<ModelMutantId>> {
        let mut drawn = BTreeSet::new();
        let mut state = spread(seed ^ size as u64);
        for _ in 0..sample.saturating_mul(DRAWS) {
            let mut parts = BTreeSet::new();
            while parts.len() < size {
                state = spread(state.wrapping_add(1));
                parts.insert(singles[(state % singles.len() as u64) as usize]);
            }
            let points: BTreeSet<u32> = parts.iter().map(|id| self.get(*id).point.0).collect();
            if points.len() == size {
                drawn.insert(parts.into_iter().collect());
            }
            if drawn.len() == sample {
                break;
            }
        }
        drawn
    }

    fn add(&mut self, parts: Vec<ModelMutantId>) {
        let id = ModelMutantId(self.list.len() as u32 + 1);
        for part in &parts {
            self.sets_with[part.0 as usize].push(id);
        }
        let first = self.get(parts[0]).clone();
        self.list.push(ModelMutant {
            id,
            parts,
            status: InitialStatus::Open,
            ..first
        });
    }

    /// The single mutants that act when this one does.
    pub fn parts(&self, id: ModelMutantId) -> Vec<ModelMutantId> {
        let mutant = self.get(id);
        match mutant.parts.is_empty() {
            true => vec![id],
            false => mutant.parts.clone(),
        }
    }

    /// Where single mutants were infected, what is worth running there: those of them that are open, and sets that hold one.
    pub fn to_start(&self, infected: &MutantSet) -> MutantSet {
        let mut to_start = MutantSet::for_all(self);
        let open = infected
            .iter()
            .filter(|id| self.get(*id).status == InitialStatus::Open);
        for id in open {
            to_start.insert(id);
            let sets = self.sets_with.get(id.0 as usize);
            sets.into_iter()
                .flatten()
                .for_each(|set| to_start.insert(*set));
        }
        to_start
    }
}
