//! Keeps mutants from harming the machine.
//!
//! Programs are started behind a filter of the kernel's (seccomp), which reports every call that could change something
//! outside the process to a [`Supervisor`], a thread of the driver, before the call happens. That covers raw system calls,
//! libraries that bypass libc, and programs that tests start.
//!
//! While the original of a test runs, the supervisor notes what it does ([`Permissions`]). While a mutant runs, it may do the
//! same: change the files that the original changed, make and remove files in the directories where the original did, and
//! whatever it likes in its directory for temporary files. It may make new files in some places, too: all that it changes
//! outside its own directory is written down before, and undone afterwards. A mutant that is about to do more is killed before
//! it does; what it would have come to is not known, so the caller leaves it undecided.
//!
//! Landlock stands behind that in mutants' processes (`atropos_protocol::landlock`): the supervisor looks at a path before the
//! kernel does, so a program that exchanges links at the right moment could deceive it, but not Landlock.
//!
//! Module map: `calls` (which calls are reported, and what each may change) → `filter` (the kernel's program) →
//! `notification` (the kernel's interface) → `supervisor` (the thread) → `judge` (what a call needs, with `resolve` for paths
//! and `neighbours` for addresses on this machine) → `permissions` → `undo_recorder` (what is undone), `usage` (what no call shows).

mod calls;
mod filter;
mod judge;
mod neighbours;
mod notification;
mod permissions;
mod resolve;
mod supervisor;
mod undo_recorder;
mod usage;

pub use permissions::Permissions;
pub use supervisor::{Harm, Supervisor, SupervisorMode, SupervisorSettings, unavailable};
pub use undo_recorder::UndoSettings;
