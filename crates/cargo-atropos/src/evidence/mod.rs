//! What verdicts of earlier runs rest on, and whether it still is as it was.
//!
//! A test's run with a mutant is taken to end as before if nothing has changed that it depended on: the functions that it
//! entered ([`code`]), everything else of the source tree that the build or a test reads ([`source_files`]), and its
//! [`surroundings`]. What a run
//! depended on that can't be compared (the clock, the network, other programs, the order of threads) makes that it is not
//! kept at all (`atropos_protocol::Effects::WITHOUT_EVIDENCE`).

mod build_uses;
mod code;
mod content_hash;
mod earlier_results;
pub mod learned;
mod outside_code;
mod source_files;
pub mod store;
mod surroundings;
mod tree;
mod whole_run;

pub use code::CodeEvidence;
pub use content_hash::ContentHash;
pub use earlier_results::EarlierResults;
pub use surroundings::Surroundings;
pub use whole_run::WholeRun;
