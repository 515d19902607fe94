//! The weave against rustc: woven programs are compiled and run, beside programs in which one edit
//! was made by hand.

mod editions;
mod equivalence;
mod forms;
mod generated;
mod support;
mod traps;
