//! Mutants into source text, and out again where rustc rejects them.
//!
//! [`weave_file`] takes a file's text, its mutants and the form that each mutation point has at
//! present, and gives the text of the meta-mutant: the same lines, with every mutant behind a call
//! of `atropos_runtime`. When rustc rejects it, [`rollback::roll_back`] reads the errors, finds the
//! points they come from in the [`WeaveMap`], and gives those points a plainer form or drops
//! mutants; then the file is woven again. What was dropped on mere suspicion is tried again
//! ([`retry_dropped`]).
//!
//! Two promises hold for every form. With no mutant active the woven code does what the original
//! does: the same evaluations in the same order, the same temporaries for as long, the same panics
//! on the same lines. With a mutant active it does what the program would do in which only that
//! mutant's edit was made.
//!
//! Text in, text out: this crate starts no process and reads no file.

mod arms;
mod choice;
mod constants;
mod context;
mod effects;
mod exact;
mod flow;
mod layout;
mod ranges;
pub mod retry_dropped;
mod shapes;
mod site;
mod syntax;
mod temporaries;
#[cfg(test)]
mod testing;
mod weave;
mod writer;

pub mod additions;
pub mod candidates;
pub mod diagnostics;
pub mod forms;
pub mod inputs;
pub mod nesting;
pub mod observe;
pub mod rollback;
pub mod source_map;

mod blame;

pub use exact::find_points;
pub use forms::{FileForms, Form, PackageForms};
pub use source_map::WeaveMap;
pub use weave::{FileWeave, WeaveOptions, weave_file};
