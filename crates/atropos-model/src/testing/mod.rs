//! Runs written tests: an executor that knows a test's file and the system it runs against, here the model or one of its
//! mutants, and nothing of how the test was made. A kill counts only if it is seen here.

mod matrix;
mod run;
mod written_test;

pub use matrix::{Confirmation, KillMatrix, MutantRow, after, reduce};
pub use run::file_label;
