//! How a program is explored, strategy apart.

use std::num::NonZero;

/// How time passes for the program.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Time {
    /// The clock moves on when nothing else can run.
    #[default]
    Virtual,
    /// Timers may fire at any moment.
    Adversarial,
}

/// What atomics promise.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum MemoryOrder {
    /// Orderings are honoured and nothing more: loads may read older stores.
    #[default]
    Weak,
    /// Every atomic access is in one order that all threads see.
    SequentiallyConsistent,
}

/// What becomes of statics between executions.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Statics {
    /// Put back before every execution. Only in a process with one OS thread; else they are kept.
    #[default]
    Fresh,
    /// Left as the last execution left them.
    Kept,
}

/// Whether the test is one that must panic.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum ExpectedPanic {
    #[default]
    No,
    Yes,
    /// With a message that contains this.
    With(String),
}

/// What a program gets that asks for random bytes or makes a hash map.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RandomData {
    /// Other data in each schedule that is drawn at random, as the guide says.
    Varied,
    /// The same in all schedules.
    Fixed,
}

/// The options of an exploration.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ControlOptions {
    /// Name of the test's own thread.
    pub name: String,
    pub time: Time,
    pub memory: MemoryOrder,
    pub statics: Statics,
    pub should_panic: ExpectedPanic,
    /// Whether conditions, parked threads and weak compare-exchanges may wake or fail for no reason.
    pub spurious: bool,
    pub random_data: RandomData,
    /// Scheduling points after which an execution counts as one that does not end.
    pub step_limit: u64,
    /// Whether accesses to plain memory are looked at, if the program is compiled for that. Needs [`MemoryOrder::Weak`].
    pub races: bool,
    /// Whether memory that is never given back is a failure. Needs `races`.
    pub leaks: bool,
    /// Whether virtual time also passes while threads run that seem not to end before it does; see [`crate::clock`].
    pub hurry: bool,
    /// What `available_parallelism` says.
    pub processors: NonZero<usize>,
}

impl Default for ControlOptions {
    fn default() -> ControlOptions {
        ControlOptions {
            name: "main".to_string(),
            time: Time::Virtual,
            memory: MemoryOrder::Weak,
            statics: Statics::Fresh,
            should_panic: ExpectedPanic::No,
            spurious: false,
            random_data: RandomData::Varied,
            step_limit: 1_000_000,
            races: true,
            leaks: false,
            hurry: false,
            processors: const { NonZero::new(2).unwrap() },
        }
    }
}

/// The options as executions look them up.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ControlSettings {
    pub time: Time,
    pub spurious: bool,
    pub random_data: RandomData,
    pub step_limit: u64,
    pub leaks: bool,
    pub thread_limit: usize,
    pub hurry: bool,
    /// Whether an execution that takes too many scheduling points goes on to see whether it has an end.
    pub overtime: bool,
    /// Nanoseconds between two looks at the clock, at least.
    pub look: u64,
    pub processors: NonZero<usize>,
    /// Whether to keep a trace.
    pub record: bool,
    /// Whether panics are printed.
    pub print_panics: bool,
}
