//! Linked into every woven program: the mutant switch, step and heap limits, fork at the point.
//!
//! Woven code calls the functions of `switch` (re-exported here) and [`probe`]; the
//! harness calls [`zygote`]. Without a driver all of it does nothing, and the program is the
//! original.
//!
//! How a point is decided: `switch` → `table` (anything to do here?) → `decision` (values, by
//! `atropos-values`) → `fork` → `wait` → `conclude`. The `intercept` modules, `heap`, `output`, `clock` and
//! `random` define names of libc.

#[cfg(not(all(
    target_os = "linux",
    target_env = "gnu",
    any(target_arch = "x86_64", target_arch = "aarch64")
)))]
compile_error!("Atropos runs programs for Linux with glibc, on x86-64 or aarch64");

mod batch;
#[doc(hidden)]
pub mod capture;
mod clock;
mod conclude;
mod crash;
mod decision;
mod descendants;
mod effects;
mod entered;
mod fork;
mod heap;
mod inherited;
#[doc(hidden)]
pub mod injected_faults;
mod intercept;
mod lasting_changes;
mod limits;
#[doc(hidden)]
pub mod observe;
mod output;
mod outside_tests;
mod random;
mod role;
mod run;
mod sandbox;
mod snapshot;
mod spawns;
mod steps;
mod switch;
mod table;
mod wait;
mod without_harness;
#[doc(hidden)]
pub mod zygote;

pub use atropos_values::{MaybeEmpty, Prim, prim, probe};

atropos_values::assert_interface!(crate, observer);
#[doc(hidden)]
pub use conclude::note_panic;
pub use switch::{arith, at, cold, cond, constant, enter, logic, on, relate, step};
