//! The programs under Loom, which has one strategy.

#[path = "../programs/mod.rs"]
mod programs;
#[path = "../questions.rs"]
mod questions;

/// What the programs are written against.
mod under {
    pub use loom::{sync, thread};
}

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use loom::model::Builder;
use programs::Version;
use questions::{Counted, End, Library, Strategy};

struct Loom;

/// Steps of an execution that is taken to spin for ever.
const STEPS: usize = 1000;

/// Runs a program; how many schedules, and whether all passed.
fn run(program: fn(Version), version: Version, most: u64, time: Duration) -> (u64, bool) {
    let begun = Arc::new(AtomicU64::new(0));
    let counter = begun.clone();
    let mut builder = Builder::new();
    builder.max_branches = STEPS;
    builder.checkpoint_interval = 1;
    builder.max_permutations = Some(most as usize);
    builder.max_duration = Some(time);
    let passed = catch_unwind(AssertUnwindSafe(|| {
        builder.check(move || {
            counter.fetch_add(1, Ordering::Relaxed);
            program(version);
        });
    }));
    (begun.load(Ordering::Relaxed), passed.is_ok())
}

impl Library for Loom {
    fn count(&self, program: fn(Version), most: u64, time: Duration) -> Counted {
        let start = Instant::now();
        // It stops before the one that would be the last.
        let (schedules, passed) = run(program, Version::Right, most + 1, time);
        Counted {
            schedules,
            abandoned: 0,
            end: match passed {
                false => End::Failed,
                true if schedules >= most || start.elapsed() >= time => End::Part,
                true => End::All,
            },
        }
    }

    fn draw(&self, _program: fn(Version), _schedules: u64) {
        panic!("Loom draws no schedules");
    }

    fn first_bug(
        &self,
        program: fn(Version),
        strategy: Strategy,
        most: u64,
        _seed: u64,
    ) -> Option<u64> {
        assert!(strategy == Strategy::Systematic, "Loom has one strategy");
        let (schedules, passed) = run(program, Version::Broken, most, Duration::MAX);
        (!passed).then_some(schedules)
    }
}

fn main() {
    std::panic::set_hook(Box::new(|_| {}));
    questions::answer(&Loom, &std::env::args().skip(1).collect::<Vec<_>>());
}
