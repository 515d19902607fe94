//! The tests of a run, from all binaries, each with what the original showed under it.

use atropos_protocol::Baseline;

/// One test.
pub struct RunnableTest {
    /// Which binary it is in.
    pub binary: usize,
    /// Its number there.
    pub index: usize,
    /// Its name within the binary.
    pub name: String,
    pub baseline: Baseline,
}

/// What was left out, and why.
#[derive(Default)]
pub struct LeftOutTests {
    pub ignored: usize,
    pub flaky: Vec<FlakyTest>,
    /// Doctests that fail without any mutant.
    pub failing_doctests: Vec<String>,
}

/// A test that passed and failed without any mutant.
pub struct FlakyTest {
    /// With its target.
    pub name: String,
    pub baseline: Baseline,
}

/// A test that fails without any mutant.
#[derive(Clone)]
pub struct FailedTest {
    /// With its target.
    pub name: String,
    pub message: String,
    /// What it printed.
    pub output: String,
}
