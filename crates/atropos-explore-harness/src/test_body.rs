//! A test's body as a function that panics if the test fails, which is what an exploration looks for.

use atropos_libtest::{ShouldPanic, TestDescAndFn};

/// Runs the test; panics if it says that it failed.
pub fn body(test: &TestDescAndFn) {
    if let Err(message) = test.call() {
        match test.desc.should_panic {
            ShouldPanic::No => panic!("{message}"),
            // Returning an error is not panicking.
            ShouldPanic::Yes | ShouldPanic::YesWithMessage(_) => {}
        }
    }
}

/// Whether the test must panic, in the exploration's words.
pub fn should_panic(test: &TestDescAndFn) -> atropos_threads::ExpectedPanic {
    match test.desc.should_panic {
        ShouldPanic::No => atropos_threads::ExpectedPanic::No,
        ShouldPanic::Yes => atropos_threads::ExpectedPanic::Yes,
        ShouldPanic::YesWithMessage(message) => {
            atropos_threads::ExpectedPanic::With(message.to_owned())
        }
    }
}
