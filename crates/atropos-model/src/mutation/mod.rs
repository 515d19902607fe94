//! Mutants of a model, all in one model (schemata): mutation points in the code, and per run a table that says which
//! mutant acts at which point. Mutant 0 is the original.

mod duplicates;
mod mode;
mod mutant;
mod points;
mod together;
mod weave;

pub use mode::{Mode, MutantSet, ORIGINAL, RECORD};
pub use mutant::{Fate, Mutant, MutantId, Mutants, Operator, Point, PointKind};
pub use weave::weave;
