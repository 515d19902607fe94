//! The programs under Shuttle's schedulers.

#[path = "../programs/mod.rs"]
mod programs;
#[path = "../table.rs"]
mod table;

/// What the programs are written against.
mod under {
    pub use shuttle::{sync, thread};
}

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use shuttle::scheduler::{PctScheduler, RandomScheduler, Scheduler};
use shuttle::{Config, FailurePersistence, MaxSteps, Runner};
use table::{Column, MOST};

fn find(program: fn(), scheduler: impl Scheduler + 'static) -> Option<u64> {
    let mut config = Config::new();
    config.failure_persistence = FailurePersistence::None;
    config.silence_warnings = true;
    config.max_steps = MaxSteps::ContinueAfter(100_000);
    let begun = Arc::new(AtomicU64::new(0));
    let counter = begun.clone();
    let passed = catch_unwind(AssertUnwindSafe(|| {
        Runner::new(scheduler, config).run(move || {
            counter.fetch_add(1, Ordering::Relaxed);
            program();
        })
    }));
    passed.is_err().then(|| begun.load(Ordering::Relaxed))
}

fn main() {
    std::panic::set_hook(Box::new(|_| {}));
    table::print(&[
        Column {
            name: "random (Shuttle)",
            is_seeded: true,
            find: |program, seed| {
                find(program, RandomScheduler::new_from_seed(seed, MOST as usize))
            },
        },
        Column {
            name: "PCT 3 (Shuttle)",
            is_seeded: true,
            find: |program, seed| {
                find(program, PctScheduler::new_from_seed(seed, 3, MOST as usize))
            },
        },
    ]);
}
