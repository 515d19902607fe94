//! Whole runs of the command on little crates (`testdata/`): build, tests, verdicts, output. No
//! network: those crates depend on each other only.
//!
//! A run costs seconds, so each is made once and looked at from many sides.

mod broken_builds;
mod builders;
mod busy;
mod circles;
mod conduct;
mod delegated;
mod depths;
mod disturbance;
mod failing_tests;
mod footprints;
mod generated;
mod landscape;
mod mistakes;
mod ordeals;
mod reports;
mod resuming;
mod schedules;
mod selected;
mod tree;
