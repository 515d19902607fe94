//! The programs under Shuttle.

#[path = "../programs/mod.rs"]
mod programs;
#[path = "../questions.rs"]
mod questions;

/// What the programs are written against.
mod under {
    pub use shuttle::{sync, thread};
}

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use programs::Version;
use questions::{Counted, End, Library, Strategy};
use shuttle::scheduler::{DfsScheduler, PctScheduler, RandomScheduler, Scheduler};
use shuttle::{Config, FailurePersistence, MaxSteps, Runner};

struct Shuttle;

/// Steps of an execution that is taken to spin for ever.
const STEPS: usize = 1000;

/// Runs a program under a scheduler; how many schedules, and whether all passed.
fn run(
    scheduler: impl Scheduler + 'static,
    config: Config,
    program: fn(Version),
    version: Version,
) -> (u64, bool) {
    let begun = Arc::new(AtomicU64::new(0));
    let counter = begun.clone();
    let passed = catch_unwind(AssertUnwindSafe(|| {
        Runner::new(scheduler, config).run(move || {
            counter.fetch_add(1, Ordering::Relaxed);
            program(version);
        })
    }));
    (begun.load(Ordering::Relaxed), passed.is_ok())
}

fn config() -> Config {
    let mut config = Config::new();
    config.failure_persistence = FailurePersistence::None;
    config.silence_warnings = true;
    config
}

impl Library for Shuttle {
    fn count(&self, program: fn(Version), most: u64, time: Duration) -> Counted {
        let mut config = config();
        config.max_time = Some(time);
        // Its search does not know that a thread spins.
        config.max_steps = MaxSteps::ContinueAfter(STEPS);
        let scheduler = DfsScheduler::new(Some(most as usize), false);
        let start = std::time::Instant::now();
        let (schedules, passed) = run(scheduler, config, program, Version::Right);
        Counted {
            schedules,
            abandoned: 0,
            end: match passed {
                false => End::Failed,
                true if schedules >= most || start.elapsed() > time => End::Part,
                true => End::All,
            },
        }
    }

    fn draw(&self, program: fn(Version), schedules: u64) {
        let scheduler = RandomScheduler::new_from_seed(7, schedules as usize);
        let (_, passed) = run(scheduler, config(), program, Version::Right);
        assert!(passed, "the program is right");
    }

    fn first_bug(
        &self,
        program: fn(Version),
        strategy: Strategy,
        most: u64,
        seed: u64,
    ) -> Option<u64> {
        let schedules = most as usize;
        let mut config = config();
        let (schedules, passed) = match strategy {
            Strategy::Random => {
                let scheduler = RandomScheduler::new_from_seed(seed, schedules);
                run(scheduler, config, program, Version::Broken)
            }
            Strategy::Pct(depth) => {
                let scheduler = PctScheduler::new_from_seed(seed, depth, schedules);
                run(scheduler, config, program, Version::Broken)
            }
            Strategy::Systematic => {
                config.max_steps = MaxSteps::ContinueAfter(STEPS);
                let scheduler = DfsScheduler::new(Some(schedules), false);
                run(scheduler, config, program, Version::Broken)
            }
        };
        (!passed).then_some(schedules)
    }
}

fn main() {
    std::panic::set_hook(Box::new(|_| {}));
    questions::answer(&Shuttle, &std::env::args().skip(1).collect::<Vec<_>>());
}
