//! The items that rustc's generated code builds: their names and fields are libtest's.

pub use TestFn::{StaticBenchFn, StaticTestFn};
pub use TestName::StaticTestName;

/// A test's name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TestName {
    StaticTestName(&'static str),
}

impl TestName {
    pub fn as_str(&self) -> &'static str {
        match self {
            StaticTestName(name) => name,
        }
    }
}

/// Whether a test must panic to pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShouldPanic {
    No,
    Yes,
    YesWithMessage(&'static str),
}

/// Where a test comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TestType {
    UnitTest,
    IntegrationTest,
    DocTest,
    Unknown,
}

/// What a test runs.
#[derive(Clone, Copy)]
pub enum TestFn {
    StaticTestFn(fn() -> Result<(), String>),
    StaticBenchFn(fn(&mut Bencher) -> Result<(), String>),
}

/// Runs a benchmark's body once, as libtest does when it tests benchmarks.
#[derive(Clone, Debug, Default)]
pub struct Bencher {
    pub bytes: u64,
}

impl Bencher {
    pub fn iter<T>(&mut self, mut inner: impl FnMut() -> T) {
        std::hint::black_box(inner());
    }
}

/// All about a test but what it runs.
#[derive(Clone, Copy, Debug)]
pub struct TestDesc {
    pub name: TestName,
    pub ignore: bool,
    pub ignore_message: Option<&'static str>,
    pub source_file: &'static str,
    pub start_line: usize,
    pub start_col: usize,
    pub end_line: usize,
    pub end_col: usize,
    pub should_panic: ShouldPanic,
    pub compile_fail: bool,
    pub no_run: bool,
    pub test_type: TestType,
}

/// A test.
pub struct TestDescAndFn {
    pub desc: TestDesc,
    pub testfn: TestFn,
}

impl TestDescAndFn {
    pub fn name(&self) -> &'static str {
        self.desc.name.as_str()
    }
}
