//! Verdicts for people and for machines. Knows nothing of how they were obtained.

pub mod communication;
pub mod impact;
pub mod lines;
pub mod number_text;
pub mod serde_words;
pub mod shards;
pub mod stable_hash;
pub mod style;

pub mod mutant;
pub mod verdict;

pub mod merge;
pub mod outcomes;

mod by_file;
mod change;
mod region;

pub mod edit;
mod gaps;
pub mod summary;

pub mod annotations;
pub mod cargo_messages;
pub mod gitlab;
pub mod html;
pub mod junit;
pub mod markdown;
pub mod sarif;
pub mod schedules;
pub mod stryker;
