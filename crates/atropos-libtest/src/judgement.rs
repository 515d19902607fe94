//! Whether a test passed.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::{ShouldPanic, TestDescAndFn};

/// Runs a test on this thread; what is wrong with it if it fails.
pub fn run_and_judge(test: &TestDescAndFn) -> Result<(), String> {
    match catch_unwind(AssertUnwindSafe(|| test.call())) {
        Ok(result) => match test.desc.should_panic {
            ShouldPanic::No => result,
            ShouldPanic::Yes | ShouldPanic::YesWithMessage(_) => {
                Err("test did not panic as expected".to_owned())
            }
        },
        Err(payload) => {
            let message = text_of(&*payload);
            // Dropping what a test threw may panic again.
            let _ = catch_unwind(AssertUnwindSafe(|| drop(payload)));
            match test.desc.should_panic {
                ShouldPanic::No => Err(message),
                ShouldPanic::Yes => Ok(()),
                ShouldPanic::YesWithMessage(expected) if message.contains(expected) => Ok(()),
                ShouldPanic::YesWithMessage(expected) => Err(format!(
                    "panic did not contain expected string {expected:?}: {message:?}"
                )),
            }
        }
    }
}

/// The text that a panic carries.
pub fn text_of(payload: &(dyn Any + Send)) -> String {
    if let Some(text) = payload.downcast_ref::<&str>() {
        (*text).to_owned()
    } else if let Some(text) = payload.downcast_ref::<String>() {
        text.clone()
    } else {
        "a panic with a value that is no text".to_owned()
    }
}
