//! Stands in for libtest under a woven test binary.
//!
//! rustc's generated test `main` names items of a crate `test`; given this crate in libtest's
//! place, every `#[test]` comes to [`test_main_static`] and runs on the main thread. Under a
//! driver the process serves as a zygote; started by hand it is a small libtest.

mod judge;
mod suite;

pub use std::hint::black_box;
pub use std::process::ExitCode;

pub use atropos_libtest::{
    Bencher, ShouldPanic, StaticBenchFn, StaticTestFn, StaticTestName, TestDesc, TestDescAndFn,
    TestFn, TestName, TestType, assert_test_result,
};
use atropos_libtest::{HarnessArguments, by_hand};
use atropos_runtime::zygote;

use suite::SelectedTests;

/// Where rustc's generated `main` goes.
pub fn test_main_static(tests: &[&TestDescAndFn]) -> ! {
    let arguments = match HarnessArguments::parse(std::env::args().skip(1)) {
        Ok(arguments) => arguments,
        Err(error) if zygote::is_zygote() => zygote::refuse(&error),
        Err(error) => {
            eprintln!("error: {error}");
            std::process::exit(101);
        }
    };
    let suite = SelectedTests::new(tests, &arguments);
    if zygote::is_zygote() {
        judge::watch_panics();
        zygote::serve(&suite);
    }
    std::process::exit(by_hand::run(&suite.tests, &arguments));
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
