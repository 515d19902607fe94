//! Whole runs of the command on little crates (`testdata/`): build, tests, verdicts, output. No
//! network: those crates depend on each other only.
//!
//! A run costs seconds, so each is made once and looked at from many sides.

mod accepting;
mod archives;
mod broken_builds;
mod build_time_users;
mod busy_waiting;
mod concurrency_operators;
mod crate_kinds;
mod deep_recursion;
mod dependencies;
mod dependency_cycles;
mod environments;
mod failing_tests;
mod gate;
mod generated_programs;
mod harmful_mutants;
mod leftover_files;
mod library_threads;
mod misbehaving_mutants;
mod misbehaving_under_exploration;
mod outside_tests;
mod plain_memory;
mod progress_line;
mod readme;
mod reports;
mod resumed_runs;
mod reused_verdicts;
mod saved_schedules;
mod schedules;
mod selected_mutants;
mod statements;
mod survivor_impact;
mod test_targets;
mod tree;
mod written_assertions;
