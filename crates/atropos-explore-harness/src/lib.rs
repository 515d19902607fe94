//! Linked into a test binary whose threads are explored. It stands in for two crates: libtest (rustc's generated
//! `main` comes to [`test_main_static`]) and `atropos-runtime` (woven code calls the functions of `switch`).
//!
//! The driver starts such a binary for one request (see [`atropos_protocol::exploration`]): explore a test, explore
//! mutants under it, or replay a schedule. Flow: `request` → `subject` (a test under control, with its mutants) →
//! `explore_original` (a strategy within its budget; `partition` divides long work, `parallel` shares it among processes) →
//! `explore_mutants` (in forked `workers`) → `describe` (a failing schedule made readable) → `responses`.
//!
//! Started by hand it runs the tests like libtest, one after another.

mod choice_log;
mod communication;
mod crash_recovery;
mod describe;
mod expected_panics;
mod explore_mutants;
mod explore_original;
#[doc(hidden)]
pub mod injected_faults;
mod lines;
mod parallel;
mod partition;
mod recheck;
mod request;
mod responses;
mod saved_schedule;
mod subject;
mod switch;
mod test_body;
mod timestamp_counter;
mod workers;

pub use std::hint::black_box;
pub use std::process::ExitCode;

pub use atropos_libtest::{
    Bencher, ShouldPanic, StaticBenchFn, StaticTestFn, StaticTestName, TestDesc, TestDescAndFn,
    TestFn, TestName, TestType, assert_test_result,
};
pub use atropos_values::{MaybeEmpty, Prim, prim, probe};
atropos_values::assert_interface!(crate);
pub use switch::{arith, at, cold, cond, constant, enter, logic, on, relate, step};

use atropos_libtest::{HarnessArguments, by_hand};

/// Where rustc's generated `main` goes.
pub fn test_main_static(tests: &[&TestDescAndFn]) -> ! {
    let arguments = match HarnessArguments::parse(std::env::args().skip(1)) {
        Ok(arguments) => arguments,
        Err(error) => request::refuse(&error),
    };
    let selected: Vec<&TestDescAndFn> = tests
        .iter()
        .copied()
        .filter(|test| arguments.select(test))
        .collect();
    let code = match request::given() {
        Some(given) => request::carry_out(given, &selected, &arguments),
        None => by_hand::run(&selected, &arguments),
    };
    std::process::exit(code);
}

/// As [`test_main_static`], for binaries built to abort on panic.
pub fn test_main_static_abort(tests: &[&TestDescAndFn]) -> ! {
    test_main_static(tests)
}

/// Where the `main` goes that rustc generates from Rust 1.100 on.
pub fn test_main_env_args(tests: &[&TestDescAndFn]) -> ExitCode {
    test_main_static(tests)
}

/// As [`test_main_env_args`], for binaries built to abort on panic.
pub fn test_main_env_args_abort(tests: &[&TestDescAndFn]) -> ExitCode {
    test_main_static(tests)
}
