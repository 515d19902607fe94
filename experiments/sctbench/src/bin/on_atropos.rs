//! The programs under Atropos's strategies, with the memory that Shuttle has.

#[path = "../programs/mod.rs"]
mod programs;
#[path = "../table.rs"]
mod table;

/// What the programs are written against.
mod under {
    pub use atropos_threads::thread;
    pub mod sync {
        pub use atropos_threads::atomic;
        pub use atropos_threads::sync::*;
    }
}

use std::ops::ControlFlow;

use atropos_search::{Gradual, StageBudget, Strategy, StrategySpec, explore_with};
use atropos_threads::{ControlOptions, MemoryOrder, ThreadedTest};
use table::{Column, MOST};

fn options() -> ControlOptions {
    ControlOptions {
        memory: MemoryOrder::SequentiallyConsistent,
        ..ControlOptions::default()
    }
}

fn find(program: fn(), strategy: &mut dyn Strategy) -> Option<u64> {
    let body = move || program();
    let mut test = ThreadedTest::new(&body, &options());
    let mut executions = 0;
    let report = explore_with(&mut test, strategy, &mut |end, _| {
        executions += 1;
        match end.is_failure() || executions >= MOST {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        }
    });
    report.finding.map(|_| executions)
}

fn by_name(program: fn(), name: &str, seed: u64) -> Option<u64> {
    let spec: StrategySpec = name.parse().expect("a strategy");
    find(program, &mut *spec.strategy(seed))
}

fn by_default(program: fn(), seed: u64) -> Option<u64> {
    let mut strategy = Gradual::new(StageBudget {
        early: MOST / 2,
        exhaustive: MOST,
        bounded: MOST,
        random: MOST,
        seed,
    });
    find(program, &mut strategy)
}

/// The share of random schedules under which each program passes, in per cent: none is to be always right or always wrong.
fn print_passing() {
    const DRAWN: u64 = 1000;
    for program in programs::all() {
        let body = move || (program.run)();
        let mut test = ThreadedTest::new(&body, &options());
        let spec: StrategySpec = format!("mixed:{DRAWN}").parse().expect("a strategy");
        let mut passed = 0;
        explore_with(&mut test, &mut *spec.strategy(0), &mut |end, _| {
            passed += u64::from(!end.is_failure());
            ControlFlow::Continue(())
        });
        println!("{} {}", program.name, passed * 100 / DRAWN);
    }
}

fn main() {
    if std::env::args().any(|argument| argument == "--passing") {
        std::panic::set_hook(Box::new(|_| {}));
        return print_passing();
    }
    std::panic::set_hook(Box::new(|_| {}));
    table::print(&[
        Column {
            name: "random",
            is_seeded: true,
            find: |program, seed| by_name(program, "random:10000", seed),
        },
        Column {
            name: "PCT 3",
            is_seeded: true,
            find: |program, seed| by_name(program, "pct:10000,3", seed),
        },
        Column {
            name: "POS",
            is_seeded: true,
            find: |program, seed| by_name(program, "pos:10000", seed),
        },
        Column {
            name: "SURW",
            is_seeded: true,
            find: |program, seed| by_name(program, "surw:10000", seed),
        },
        Column {
            name: "exhaustive",
            is_seeded: false,
            find: |program, seed| by_name(program, "exhaustive", seed),
        },
        Column {
            name: "mixed",
            is_seeded: true,
            find: |program, seed| by_name(program, "mixed:10000", seed),
        },
        Column {
            name: "default",
            is_seeded: true,
            find: by_default,
        },
    ]);
}
