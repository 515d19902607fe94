//! How many schedules per second: two threads, each three times lock / += 1 / unlock.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Instant;

use atropos_search::{Exhaustive, SampleSpec, Search, Strategy, Uniform};
use atropos_threads::sync::Mutex;
use atropos_threads::{ControlOptions, MemoryOrder, explore, thread};

fn program(n: u32) {
    let counter = Arc::new(Mutex::new(0));
    let work = |counter: Arc<Mutex<u32>>| {
        move || {
            for _ in 0..n {
                *counter.lock().unwrap() += 1;
            }
        }
    };
    let threads = [
        thread::spawn(work(counter.clone())),
        thread::spawn(work(counter.clone())),
    ];
    for thread in threads {
        thread.join().unwrap();
    }
    assert_eq!(*counter.lock().unwrap(), 2 * n);
}

fn main() {
    let options = ControlOptions {
        memory: MemoryOrder::SequentiallyConsistent,
        ..ControlOptions::default()
    };
    for n in 2..=5 {
        let strategies: [(&str, Box<dyn Strategy>); 3] = [
            ("enumeration", Box::new(Search::enumeration())),
            ("exhaustive", Box::new(Exhaustive::new())),
            (
                "random",
                Box::new(Uniform::new(SampleSpec::new(200_000, 7))),
            ),
        ];
        for (name, mut strategy) in strategies {
            if name == "enumeration" && n > 3 {
                continue;
            }
            let start = Instant::now();
            let report =
                explore(
                    &|| program(n),
                    &options,
                    &mut *strategy,
                    &mut |strategy| match strategy.progress().executions >= 300_000 {
                        true => ControlFlow::Break(()),
                        false => ControlFlow::Continue(()),
                    },
                );
            let seconds = start.elapsed().as_secs_f64();
            let count = report.progress.executions + report.progress.abandoned;
            println!(
                "n={n} {name}: {} schedules, {} abandoned, {:.0}/s, {}, statics {} bytes, {:?} {:?}",
                report.progress.executions,
                report.progress.abandoned,
                count as f64 / seconds,
                report.coverage,
                report.statics,
                report.failure.map(|failure| failure.finding.to_string()),
                report.divergence
            );
        }
    }
}
