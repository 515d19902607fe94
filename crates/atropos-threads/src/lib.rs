//! Puts the threads of a program under control: during an exploration they take turns on one OS thread,
//! and a strategy decides who goes next at every operation that others could notice.
//!
//! The types here have the names, signatures and meanings of std's. A program uses them without knowing:
//! the facade crates `atropos-std` and `atropos-core` stand in for std and core when it is compiled. Outside an
//! exploration every type does what std's does, because it hands the work to std's.
//!
//! ```text
//! program ── lock, send, load … ──► control (announce, choose, switch) ──► atropos-search's Guide
//!                                   memory (stacks, heap, statics: every execution starts the same)
//!                                   memory_model (what a load may read)
//!                                   races (which accesses to plain memory nothing orders)
//! ```
//!
//! [`explore`] runs a test under a strategy; [`ThreadedTest`] is the same as a
//! [`System`](atropos_search::System), for callers who drive strategies themselves.
//!
//! `Arc` is std's own type, which can't be replaced on stable Rust. Its counters are seen only where plain memory is
//! watched (`control::foreign`). Elsewhere neither scheduling points nor happens-before edges come from cloning and dropping
//! `Arc`s.

#[doc(hidden)]
pub use std as __real_std;

pub mod atomic;
mod cell_accesses;
mod clock;
pub mod communication;
mod control;
mod exploration;
pub mod finding;
pub mod injected_faults;
mod libc;
mod memory;
mod memory_model;
pub mod options;
pub mod races;
pub mod statements;
pub mod sync;
pub mod thread;
pub mod trace;
pub mod unsafe_cell;

pub use atropos_search;
pub use control::code::Code;
pub use control::is_controlled;
pub use control::limits::{infect, reach, too_many_steps};
pub use control::objects::Site;
pub use exploration::{ControlReport, FailingRun, LastExecution, NotedSystem, Notes, ThreadedTest};
pub use exploration::{explore, find_places, replay, say, survey};
pub use finding::{FailureCause, Finding, PanicCauseKind, WaitingThread};
pub use libc::private_files::{have_own_directory, use_private_directory};
pub use memory::descriptors::guard as guard_descriptor;
pub use memory::keep;
pub use options::{ControlOptions, ExpectedPanic, MemoryOrder, RandomData, Statics, Time};
