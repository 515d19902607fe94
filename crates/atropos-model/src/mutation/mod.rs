//! Mutants of a model, all in one model (schemata): mutation points in the code, and per run a table that says which
//! mutant acts at which point. Mutant 0 is the original.

mod combinations;
mod duplicates;
mod insert_points;
mod mode;
mod mutant;
mod points;
mod woven;

pub use insert_points::{insert_points, insert_woven_points};
pub use mode::{MutantSet, MutationMode, ORIGINAL, RECORD};
pub use mutant::{InitialStatus, ModelMutant, ModelMutantId, ModelOperator, Mutants};
pub use woven::{ShapeMutant, Woven};
