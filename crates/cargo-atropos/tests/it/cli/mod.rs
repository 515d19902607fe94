//! The command line as users meet it: small packages in temporary directories, no network.
//! Only what needs no build of the package under test; whole runs are tested elsewhere.

mod bad_input;
mod cargo_conventions;
mod discovery;
mod merging;
mod project;
mod reporting;
mod reviewing;
mod selection;
mod showing;
