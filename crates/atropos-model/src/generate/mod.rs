//! Test generation with short-lived mutants (the seed's Algorithm 1): the original is driven along one path, mutants
//! start where the original meets them, run beside it, and are dropped when killed, crashed, back at the original's
//! state, or too old.
//!
//! One deviation makes every kill exact: a mutant that parted from the original and was dropped without being back at
//! its state is left alone for the rest of that test, because its real state is no longer known.

mod atlas;
mod crew;
mod experience;
mod frontier;
mod master;
mod meeting;
mod moves;
mod options;
mod outcome;
mod random;
mod replay;
mod strategy;
mod suite;

pub use atlas::{Atlas, Place, PlaceId, Way};
pub use crew::Crew;
pub use master::{Finished, Generated, Moment, Path, Progress, generate, generate_with};
pub use moves::Move;
pub use options::{EngineKind, Options, StrategyKind};
pub use outcome::{Fault, Kill, Results, Status, Table};
pub use random::Random;
pub use replay::{Replayed, replay};
pub use suite::{KillMatrix, reduce};
