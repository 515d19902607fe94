//! Executions that go past their limits: are they endless, or only kept from their end?

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use atropos_threads::atomic::AtomicBool;
use atropos_threads::atropos_search::{
    ExecutionEnd, Guide, Limit, SchedulingPoint, System, Thread,
};
use atropos_threads::sync::{Condvar, Mutex};
use atropos_threads::{Finding, LastExecution, ThreadedTest, thread, too_many_steps};

use crate::alone::{alone, sc};

const LIMIT: u64 = 10_000;

/// Lets the youngest thread go that can.
struct Youngest;

impl Guide for Youngest {
    fn choose(&mut self, point: &SchedulingPoint<'_>) -> Option<Thread> {
        point.ready().last().map(|pending| pending.thread)
    }

    fn data(&mut self, _: u32) -> u32 {
        0
    }
}

/// How an execution of a test ends in which the youngest thread always goes on.
fn run(test: &(dyn Fn() + Sync), check: impl FnOnce(ExecutionEnd, LastExecution)) {
    alone(|| {
        let mut system = ThreadedTest::new(test, &sc());
        system.set_step_limit(LIMIT);
        system.set_overtime(true);
        let end = system.run(&mut Youngest);
        check(end, system.last().take());
    });
}

fn has_late_end(test: impl Fn() + Sync) {
    run(&test, |end, last| {
        assert_eq!(end, ExecutionEnd::Passed(0));
        assert!(last.has_late_end && !last.was_hurried);
        assert!(last.findings.is_empty(), "{:?}", last.findings);
    });
}

fn is_endless(limit: Limit, test: impl Fn() + Sync) {
    run(&test, |end, last| {
        assert_eq!(end, ExecutionEnd::Limit(limit));
        assert!(!last.has_late_end && !last.was_hurried);
        let findings = &last.findings;
        assert!(
            matches!(findings[..], [Finding::StepLimit { .. }]),
            "{findings:?}"
        );
    });
}

/// Looks into a lock until something is there, without ever letting others go first.
fn wait_busily(until: impl Fn() -> bool) {
    let rounds = Mutex::new(0_u64);
    while !until() {
        *rounds.lock().unwrap() += 1;
    }
}

#[test]
fn who_waits_busily_for_a_thread_that_has_no_turn_is_not_endless() {
    has_late_end(|| {
        let is_there = Mutex::new(false);
        thread::scope(|scope| {
            scope.spawn(|| wait_busily(|| *is_there.lock().unwrap()));
            *is_there.lock().unwrap() = true;
        });
    });
}

#[test]
fn nor_who_waits_so_for_a_thread_that_sleeps_again_and_again() {
    has_late_end(|| {
        let is_there = Mutex::new(false);
        thread::scope(|scope| {
            scope.spawn(|| wait_busily(|| *is_there.lock().unwrap()));
            (0..10).for_each(|_| thread::sleep(Duration::from_millis(10)));
            *is_there.lock().unwrap() = true;
        });
    });
}

#[test]
fn nor_who_waits_so_for_one_that_waits_for_something_with_a_time_limit() {
    has_late_end(|| {
        let (is_there, never) = (Mutex::new(false), Condvar::new());
        thread::scope(|scope| {
            scope.spawn(|| wait_busily(|| *is_there.lock().unwrap()));
            let guard = is_there.lock().unwrap();
            let (mut guard, _) = never.wait_timeout(guard, Duration::from_secs(5)).unwrap();
            *guard = true;
        });
    });
}

#[test]
fn nor_who_waits_so_until_it_is_time() {
    for seconds in [1, 60, 3600] {
        has_late_end(move || {
            let deadline = Instant::now() + Duration::from_secs(seconds);
            wait_busily(|| Instant::now() >= deadline);
        });
    }
}

/// How it would have ended without being late is not known, so it does not count.
#[test]
fn what_fails_in_overtime_is_no_failure() {
    has_late_end(|| {
        let is_there = AtomicBool::new(false);
        thread::scope(|scope| {
            scope.spawn(|| wait_busily(|| is_there.load(Ordering::SeqCst)));
            thread::sleep(Duration::from_millis(10));
            is_there.store(true, Ordering::SeqCst);
            panic!("too late");
        });
    });
}

#[test]
fn who_waits_busily_for_what_never_comes_is_endless() {
    is_endless(Limit::Points, || {
        let is_there = Mutex::new(false);
        thread::scope(|scope| {
            scope.spawn(|| wait_busily(|| *is_there.lock().unwrap()));
            thread::sleep(Duration::from_secs(1));
        });
    });
}

/// Counts steps as woven loops do; says when there are too many.
fn steps(count: &std::sync::atomic::AtomicU64) {
    let steps = count.fetch_add(1, Ordering::Relaxed);
    if steps > LIMIT {
        too_many_steps(steps, LIMIT);
    }
}

#[test]
fn who_looks_for_others_at_what_nobody_controls_is_not_endless() {
    let is_there = std::sync::atomic::AtomicBool::new(false);
    let count = std::sync::atomic::AtomicU64::new(0);
    has_late_end(|| {
        thread::scope(|scope| {
            scope.spawn(|| {
                while !is_there.load(Ordering::SeqCst) {
                    steps(&count);
                }
            });
            thread::yield_now();
            is_there.store(true, Ordering::SeqCst);
        });
    });
    let never = std::sync::atomic::AtomicBool::new(false);
    let test = || {
        thread::scope(|scope| {
            scope.spawn(|| {
                while !never.load(Ordering::SeqCst) {
                    steps(&count);
                }
            });
        });
    };
    is_endless(Limit::Steps, test);
}

/// As a test does that goes on after one of its threads has looked for something all the time.
#[test]
fn who_goes_on_after_another_has_taken_nearly_all_steps_is_not_endless() {
    let count = std::sync::atomic::AtomicU64::new(0);
    has_late_end(|| {
        thread::scope(|scope| {
            scope.spawn(|| (0..LIMIT - 10).for_each(|_| steps(&count)));
        });
        (0..100).for_each(|_| steps(&count));
    });
    // What goes on for ever does so then, too.
    let count = std::sync::atomic::AtomicU64::new(0);
    is_endless(Limit::Steps, || {
        thread::scope(|scope| {
            scope.spawn(|| (0..LIMIT - 10).for_each(|_| steps(&count)));
        });
        loop {
            steps(&count);
        }
    });
}

#[test]
fn nor_who_looks_at_the_clock_alone() {
    let count = std::sync::atomic::AtomicU64::new(0);
    has_late_end(|| {
        let (lock, deadline) = (Mutex::new(()), Instant::now() + Duration::from_secs(1));
        while Instant::now() < deadline {
            (0..20).for_each(|_| steps(&count));
            drop(lock.lock());
        }
    });
}
