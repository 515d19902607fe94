//! Who runs: the original, a mutant, or a set of mutants at once.

use crate::mutation::{ModelMutantId, MutantSet, Mutants, MutationMode};

#[derive(Clone, Debug)]
pub struct Acting {
    ids: Vec<ModelMutantId>,
    pub(super) mode: MutationMode,
}

impl Acting {
    pub fn original(mutants: &Mutants) -> Acting {
        Acting {
            ids: Vec::new(),
            mode: MutationMode::record(mutants),
        }
    }

    pub fn mutant(mutants: &Mutants, id: ModelMutantId) -> Acting {
        // The parts of a set have places of their own.
        Acting::mutants(mutants, &mutants.parts(id)).unwrap_or_else(|| Acting::original(mutants))
    }

    /// A higher-order mutant; `None` if two of them need the same place.
    pub fn mutants(mutants: &Mutants, ids: &[ModelMutantId]) -> Option<Acting> {
        Some(Acting {
            ids: ids.to_vec(),
            mode: MutationMode::enabling(mutants, ids)?,
        })
    }

    pub(super) fn ids(&self) -> &[ModelMutantId] {
        &self.ids
    }

    pub fn is_original(&self) -> bool {
        self.ids.is_empty()
    }

    /// Whether it is, or holds, one of `infected`, which are sorted.
    pub(super) fn is_among(&self, infected: &[ModelMutantId]) -> bool {
        self.ids.iter().any(|id| infected.binary_search(id).is_ok())
    }

    /// Whether the original, having infected these, may have done something else than this.
    pub fn parts_from(&self, infected: &MutantSet) -> bool {
        self.ids.iter().any(|id| infected.contains(*id))
    }
}
