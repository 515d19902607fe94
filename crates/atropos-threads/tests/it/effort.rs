//! What an execution costs, counted in looks at threads, not in time: it must not depend on how many others are there.

use std::sync::Arc;

use atropos_threads::atomic::{AtomicUsize, Ordering};
use atropos_threads::atropos_search::{SampleSpec, Uniform, explore};
use atropos_threads::sync::{Condvar, Mutex};
use atropos_threads::{ControlOptions, LastExecution, ThreadedTest, thread};

use crate::alone::{alone, resident_kilobytes, sc, weak};

/// One random execution of a test that passes.
fn run(test: &(dyn Fn() + Sync), options: &ControlOptions) -> LastExecution {
    let mut system = ThreadedTest::new(test, options);
    let report = explore(&mut system, &mut Uniform::new(SampleSpec::new(1, 7)));
    assert_eq!(report.finding, None);
    system.last().take()
}

/// Two threads that lock and unlock while `idle` others wait for something else.
fn busy_beside_waiting(idle: usize) {
    let condition = Arc::new((Mutex::new(false), Condvar::new()));
    let waiting: Vec<_> = (0..idle)
        .map(|_| {
            let condition = condition.clone();
            thread::spawn(move || {
                let guard = condition.0.lock().unwrap();
                let is_set = condition.1.wait_while(guard, |is_set| !*is_set);
                drop(is_set.unwrap());
            })
        })
        .collect();
    let counter = Arc::new(Mutex::new(0));
    let busy: Vec<_> = (0..2)
        .map(|_| {
            let counter = counter.clone();
            thread::spawn(move || (0..2000).for_each(|_| *counter.lock().unwrap() += 1))
        })
        .collect();
    busy.into_iter().for_each(|thread| thread.join().unwrap());
    *condition.0.lock().unwrap() = true;
    condition.1.notify_all();
    waiting
        .into_iter()
        .for_each(|thread| thread.join().unwrap());
}

#[test]
fn threads_that_wait_for_something_else_are_not_looked_at() {
    alone(|| {
        let few = run(&|| busy_beside_waiting(1), &sc());
        let many = run(&|| busy_beside_waiting(100), &sc());
        // Each of the hundred is looked at when it waits, and all when the lock that they wake with changes hands.
        let allowed = few.looks + 100 * 100 * 4;
        assert!(few.looks < few.steps * 2, "{} looks", few.looks);
        assert!(many.looks < allowed, "{} looks", many.looks);
        assert!(many.looks < many.steps * 100 / 4, "not all at every step");
    });
}

#[test]
fn threads_that_wait_for_nothing_are_not_looked_at() {
    let test = || {
        let cells: Arc<Vec<AtomicUsize>> = Arc::new((0..100).map(|_| 0.into()).collect());
        let threads: Vec<_> = (0..100)
            .map(|_| {
                let cells = cells.clone();
                thread::spawn(move || {
                    for cell in cells.iter() {
                        cell.fetch_add(1, Ordering::Relaxed);
                    }
                })
            })
            .collect();
        threads
            .into_iter()
            .for_each(|thread| thread.join().unwrap());
        let all_counted = |cell: &AtomicUsize| cell.load(Ordering::Relaxed) == 100;
        assert!(cells.iter().all(all_counted));
    };
    alone(move || {
        for options in [sc(), weak()] {
            let last = run(&test, &options);
            assert!(last.steps > 10_000);
            assert!(last.looks <= 200, "{} looks for 100 joins", last.looks);
        }
    });
}

#[test]
fn a_long_history_of_one_atomic_is_forgotten() {
    alone(|| {
        // The thread that only waits has seen none of these stores and could read any of them.
        let test = || {
            let cell = Arc::new(AtomicUsize::new(0));
            let writer = {
                let cell = cell.clone();
                thread::spawn(move || {
                    (1..=100_000).for_each(|value| cell.store(value, Ordering::Relaxed));
                })
            };
            writer.join().unwrap();
            assert_eq!(cell.load(Ordering::Relaxed), 100_000);
        };
        let before = resident_kilobytes();
        run(&test, &weak());
        let growth = resident_kilobytes().saturating_sub(before);
        assert!(growth < 8_000, "{growth} KiB for a hundred thousand stores");
    });
}
