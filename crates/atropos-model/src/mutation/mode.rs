//! Which mutants act in a run, and sets of mutants.

use super::mutant::{ModelMutantId, Mutants};

/// The table's entry for a point where nothing acts.
pub const ORIGINAL: u8 = 0;
/// The original runs, and every mutant that would compute something else is noted.
pub const RECORD: u8 = 255;

/// Per mutation point: [`ORIGINAL`], [`RECORD`], or the variant that acts.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct MutationMode {
    pub table: Vec<u8>,
}

impl MutationMode {
    pub fn original(mutants: &Mutants) -> MutationMode {
        MutationMode {
            table: vec![ORIGINAL; mutants.points.len()],
        }
    }

    pub fn record(mutants: &Mutants) -> MutationMode {
        MutationMode {
            table: vec![RECORD; mutants.points.len()],
        }
    }

    /// The mutants of `set` act together; `None` if two of them need the same point.
    pub fn enabling(mutants: &Mutants, set: &[ModelMutantId]) -> Option<MutationMode> {
        let mut mode = MutationMode::original(mutants);
        for id in set {
            let mutant = mutants.get(*id);
            let entry = &mut mode.table[mutant.point.0 as usize];
            if *entry != ORIGINAL && *entry != mutant.variant {
                return None;
            }
            *entry = mutant.variant;
        }
        Some(mode)
    }
}

/// A set of mutants as bits.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MutantSet {
    words: Vec<u64>,
}

impl MutantSet {
    pub fn for_all(mutants: &Mutants) -> MutantSet {
        MutantSet {
            words: vec![0; mutants.list.len() / 64 + 1],
        }
    }

    pub fn insert(&mut self, id: ModelMutantId) {
        let word = id.0 as usize / 64;
        if word >= self.words.len() {
            self.words.resize(word + 1, 0);
        }
        self.words[word] |= 1 << (id.0 % 64);
    }

    pub fn contains(&self, id: ModelMutantId) -> bool {
        self.words
            .get(id.0 as usize / 64)
            .is_some_and(|word| word >> (id.0 % 64) & 1 == 1)
    }

    pub fn union(&mut self, other: &MutantSet) {
        if other.words.len() > self.words.len() {
            self.words.resize(other.words.len(), 0);
        }
        for (mine, theirs) in self.words.iter_mut().zip(&other.words) {
            *mine |= theirs;
        }
    }

    pub fn is_empty(&self) -> bool {
        self.words.iter().all(|word| *word == 0)
    }

    pub fn clear(&mut self) {
        self.words.fill(0);
    }

    pub fn len(&self) -> usize {
        self.words
            .iter()
            .map(|word| word.count_ones() as usize)
            .sum()
    }

    pub fn iter(&self) -> impl Iterator<Item = ModelMutantId> + '_ {
        self.words.iter().enumerate().flat_map(|(at, word)| {
            let mut left = *word;
            std::iter::from_fn(move || {
                let bit = (left != 0).then(|| left.trailing_zeros() as usize)?;
                left &= left - 1;
                Some(ModelMutantId((at * 64 + bit) as u32))
            })
        })
    }
}
