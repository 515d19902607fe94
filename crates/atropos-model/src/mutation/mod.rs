//! Mutants of a model, all in one model (schemata): mutation points in the code, and per run a table that says which
//! mutant acts at which point. Mutant 0 is the original.

mod combinations;
mod duplicates;
mod insert_points;
mod mode;
mod mutant;
mod points;

pub use insert_points::insert_points;
pub use mode::{Mode, MutantSet, ORIGINAL, RECORD};
pub use mutant::{Fate, ModelMutant, ModelMutantId, Mutants};
