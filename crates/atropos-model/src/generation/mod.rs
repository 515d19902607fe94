//! Test generation with short-lived mutants (the MoMuT paper's Algorithm 1): the original is driven along one path, mutants
//! start where the original meets them, run beside it, and are dropped when killed, crashed, back at the original's
//! state, or too old.
//!
//! One deviation makes every kill exact: a mutant that parted from the original and was dropped without being back at
//! its state is left alone for the rest of that test, because its real state is no longer known.

mod frontier;
mod generator;
mod moves;
mod mutant_run;
mod options;
mod state_graph;
mod status;
mod strategy;
mod success_rates;
mod workers;

#[cfg(test)]
pub use generator::generate;
pub use generator::{Finished, Generated, GenerationProgress, Path, ProgressPoint, generate_with};
pub use moves::Move;
pub use options::{EngineKind, GenerationOptions, StrategyKind};
pub use state_graph::{SpecStateId, StateGraph};
pub use status::{GenerationResults, ModelKill, Status, StatusTable};
pub use workers::Workers;
