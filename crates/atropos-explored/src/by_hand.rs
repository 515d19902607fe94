//! Without an order: runs the tests as they are, one after another, like libtest.

use std::panic::{AssertUnwindSafe, catch_unwind};

use atropos_libtest::{Arguments, ShouldPanic, TestDescAndFn, text_of};

/// Lists or runs the tests; the result is the process's exit code.
pub fn run(tests: &[&TestDescAndFn], arguments: &Arguments) -> i32 {
    if arguments.list {
        for test in tests {
            println!("{}: test", test.name());
        }
        return 0;
    }
    let mut failed = 0;
    for test in tests.iter().filter(|test| !arguments.ignores(test)) {
        let passes = passes(test);
        failed += i32::from(!passes);
        let word = if passes { "ok" } else { "FAILED" };
        println!("test {} ... {word}", test.name());
    }
    println!("\n{} tests, {failed} failed", tests.len());
    if failed == 0 { 0 } else { 101 }
}

fn passes(test: &TestDescAndFn) -> bool {
    let result = catch_unwind(AssertUnwindSafe(|| test.call()));
    match (test.desc.should_panic, result) {
        (ShouldPanic::No, Ok(result)) => result.is_ok(),
        (ShouldPanic::No, Err(_)) | (_, Ok(_)) => false,
        (ShouldPanic::Yes, Err(_)) => true,
        (ShouldPanic::YesWithMessage(message), Err(payload)) => {
            text_of(&*payload).contains(message)
        }
    }
}
