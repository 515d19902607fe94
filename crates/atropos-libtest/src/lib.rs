//! The part of libtest that others see: the items that rustc's generated code names, and the
//! arguments of a test binary. Shared by the harness that forks mutants (`atropos-test`) and the one that
//! explores threads (`atropos-explored`).

mod arguments;
mod description;

use std::any::Any;
use std::process::{ExitCode, Termination};

pub use arguments::{Arguments, Ignored};
pub use description::{
    Bencher, ShouldPanic, StaticBenchFn, StaticTestFn, StaticTestName, TestDesc, TestDescAndFn,
    TestFn, TestName, TestType,
};

/// What a test's return value says.
pub fn assert_test_result<T: Termination>(result: T) -> Result<(), String> {
    if result.report() == ExitCode::SUCCESS {
        Ok(())
    } else {
        Err("the test returned an error".to_owned())
    }
}

impl TestDescAndFn {
    /// Runs the test's body; a benchmark's once.
    pub fn call(&self) -> Result<(), String> {
        match self.testfn {
            TestFn::StaticTestFn(body) => body(),
            TestFn::StaticBenchFn(body) => body(&mut Bencher::default()),
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
