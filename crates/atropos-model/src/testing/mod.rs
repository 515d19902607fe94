//! Runs written tests, against a real system by an adapter, and against the model and its mutants: an executor that knows a test's file and the system it runs against, here the model or one of its
//! mutants, and nothing of how the test was made. A kill counts only if it is seen here.

mod adapter;
mod matrix;
mod monitor;
mod run;
mod written_test;

pub use adapter::{Adapter, TestEnd, TestVerdict};
pub use matrix::{Confirmation, KillMatrix, MutantRow, Shortcuts, after, reduce};
pub use monitor::{Monitor, MonitorEvent, MonitorStep};
pub use run::{RunResult, file_label};
