//! What the Atropos driver and a woven test binary say to each other.
//!
//! The driver starts a test binary as a *zygote* with [`Client::start`], which makes a
//! [`Board`] (a file that all processes map) and a channel for commands:
//!
//! ```no_run
//! # use std::{path::Path, process::Command, time::Duration};
//! # use atropos_protocol::*;
//! # use atropos_values::{MutantId, NumberedPoint, Numbering};
//! # fn main() -> Result<(), ZygoteError> {
//! // Mutants 1 to 3 share a point, 4 has its own.
//! let points = [NumberedPoint::new(MutantId(1), 3), NumberedPoint::new(MutantId(4), 1)];
//! let silence_limit = Duration::from_secs(10);
//! let command = Command::new("target/debug/deps/bank-0123456789abcdef");
//! let mut zygote = Client::start(command, Path::new("scratch"), &Numbering::new(4, &points), silence_limit)?;
//! for (index, test) in zygote.tests().to_vec().iter().enumerate() {
//!     let limits = Limits::only_time(Duration::from_secs(60));
//!     let baseline = zygote.baseline(index, &limits, Path::new("captured"))?;
//!     let limits = Limits { steps: 10 * baseline.steps + 100_000, ..limits };
//!     let mode = if baseline.may_fork() { RunMode::Fork } else { RunMode::Each };
//!     zygote.run(mode, index, &baseline.infected, &limits, &mut |mutant, verdict| {
//!         println!("{mutant} under {}: {:?} {}", test.name, verdict.result, verdict.message);
//!     })?;
//! }
//! # Ok(())
//! # }
//! ```
//!
//! * The run modes: [`RunMode::Fork`] runs the original once and forks each mutant where it first differs
//!   (expensive tests); [`RunMode::Batch`] runs the test again and again in one process whose memory is
//!   brought back after each mutant (cheap tests: no fork per mutant); [`RunMode::Each`] gives each
//!   mutant a process from the test's start, and is always possible. [`Baseline::may_fork`] and
//!   [`Baseline::may_batch`] tell what a test permits, [`Costs`] and the baseline's figures what
//!   is cheaper.
//! * A [`TestRun`]'s [`TestResult`] is about one mutant under one test. `NeedsOwnProcess` means: run
//!   it again with [`RunMode::Each`]. If [`MutantsRun::void`] says something, the batch gave no verdict at
//!   all: use another mode. If [`MutantsRun::original`] of a fork did not pass, the test is not
//!   deterministic. What a broken zygote had reported before it broke is valid.
//! * For a test that starts programs the limits of steps should be those of [`Baseline::steps`]
//!   or [`Baseline::spawned_steps`], whichever is more.
//! * [`Client::board`] gives the board to other threads: [`Board::set_dead`] and
//!   `header().cancel` are obeyed while a command runs.
//! * A program without our harness (doctests, `harness = false`, programs that tests start) is
//!   in *plain mode*: it is given the environment variable [`ENV_BOARD`] (the board's path) and
//!   acts as the mutant in [`ENV_MUTANT`], if any. With `header().recording` set it notes on the
//!   board what it reaches and infects.
//!
//! This crate defines no symbol of libc; the runtime does.

#[cfg(not(all(
    target_os = "linux",
    any(target_arch = "x86_64", target_arch = "aarch64")
)))]
compile_error!("Atropos runs on Linux, on x86-64 or aarch64");

pub mod board;
pub mod captured_values;
mod client;
pub mod command;
pub mod communication;
pub mod cpu_starvation;
pub mod deadlock;
pub mod effect;
pub mod exploration;
pub mod failure_kind;
pub mod hash;
pub mod landlock;
#[doc(hidden)]
pub mod numbers;
pub mod observations;
pub mod path_set;
pub mod seccomp;
pub mod signals;
pub mod stack;
pub mod std_sources;
#[doc(hidden)]
pub mod sys;
pub mod test_run;
pub mod text;
pub mod thread_trace;
pub mod undo;

pub use board::{Board, Header, began};
pub use captured_values::{CapturedValue, CapturedValues, ENV_CAPTURES};
pub use client::{BOARD, Baseline, Client, Costs, Limits, MutantsRun, ZygoteError};
pub use command::{Reply, RunMode, Test, ZygoteCommand};
pub use effect::{Effect, Effects};
pub use failure_kind::FailureKind;
pub use observations::{ENV_OBSERVATIONS, FunctionTally, Observations, ObservedCounts};
pub use stack::woven_stack;
pub use test_run::{Record, RunEvidence, STACK_OVERFLOW, TestResult, TestRun};

/// Of the board's layout and of the commands.
pub const VERSION: u64 = 3;

/// Holds the path of the board.
pub const ENV_BOARD: &str = "ATROPOS_BOARD";
/// Holds the number of the zygote's end of the channel; only a zygote has it.
pub const ENV_ZYGOTE: &str = "ATROPOS_ZYGOTE";
/// Holds the mutant that a process in plain mode acts as.
pub const ENV_MUTANT: &str = "ATROPOS_MUTANT";
