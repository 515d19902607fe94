//! The tests that the arguments select, as the zygote wants them.

use atropos_libtest::{Arguments, ShouldPanic, TestDescAndFn};
use atropos_protocol::Test;
use atropos_runtime::zygote::{Failure, Suite};

use crate::judge;

/// The selected tests, in the binary's order.
pub struct Selected<'a> {
    pub tests: Vec<&'a TestDescAndFn>,
    arguments: Arguments,
}

impl<'a> Selected<'a> {
    pub fn new(tests: &[&'a TestDescAndFn], arguments: &Arguments) -> Selected<'a> {
        Selected {
            tests: tests
                .iter()
                .copied()
                .filter(|test| arguments.select(test))
                .collect(),
            arguments: arguments.clone(),
        }
    }
}

impl Suite for Selected<'_> {
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

    fn run(&self, test: usize) -> Result<(), Failure> {
        judge::run(self.tests[test])
    }
}
