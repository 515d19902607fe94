//! The part of libtest that others see: the items that rustc's generated code names, the
//! arguments of a test binary, and what they mean. Shared by the harness that forks mutants (`atropos-harness`) and the one that
//! explores threads (`atropos-explore-harness`).

mod arguments;
pub mod by_hand;
mod description;
mod judgement;

use std::process::{ExitCode, Termination};

pub use arguments::{HarnessArguments, Ignored};
pub use description::{
    Bencher, ShouldPanic, StaticBenchFn, StaticTestFn, StaticTestName, TestDesc, TestDescAndFn,
    TestFn, TestName, TestType,
};
pub use judgement::{run_and_judge, text_of};

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
