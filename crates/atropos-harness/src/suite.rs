//! The tests that the arguments select, as the zygote wants them.

use atropos_libtest::{HarnessArguments, ShouldPanic, TestDescAndFn};
use atropos_protocol::Test;
use atropos_runtime::zygote::{BodyFailure, Suite};

use crate::judge;

/// The selected tests, in the binary's order.
pub struct SelectedTests<'a> {
    pub tests: Vec<&'a TestDescAndFn>,
    arguments: HarnessArguments,
}

impl<'a> SelectedTests<'a> {
    pub fn new(tests: &[&'a TestDescAndFn], arguments: &HarnessArguments) -> SelectedTests<'a> {
        SelectedTests {
            tests: tests
                .iter()
                .copied()
                .filter(|test| arguments.select(test))
                .collect(),
            arguments: arguments.clone(),
        }
    }
}

impl Suite for SelectedTests<'_> {
    fn tests(&self) -> Vec<Test> {
        self.tests
            .iter()
            .map(|test| Test {
                name: test.name().to_owned(),
                ignored: self.arguments.ignores(test),
                should_panic: test.desc.should_panic != ShouldPanic::No,
            })
            .collect()
    }

    fn run(&self, test: usize) -> Result<(), BodyFailure> {
        judge::run(self.tests[test])
    }
}
