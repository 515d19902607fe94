//! Tests with threads of their own.

use std::path::PathBuf;
use std::sync::OnceLock;

use atropos_protocol::{Effect, FailureKind, RunMode, TestResult};
use atropos_values::MutantId;

use crate::support::{Driver, Kind, compile, mutants, points};

const PROGRAM: &str = r#"
use atropos_runtime::{at, cond, step};
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;

fn seven() -> u32 {
    step(0);
    match at(1) { 1 => 8, 2 => 9, _ => 7 }
}

fn three(first: bool) -> u32 {
    if cond(3, b"!F", first) { 3 } else { 4 }
}

#[test]
fn met_on_another_thread() {
    assert_eq!(thread::spawn(seven).join().unwrap(), 7);
}

#[test]
fn met_while_another_runs() {
    let other = thread::spawn(|| loop { thread::park(); });
    assert_eq!(seven(), 7);
    drop(other);
}

#[test]
fn met_after_threads_have_ended() {
    let sum: u32 = (0..4).map(|n| thread::spawn(move || n).join().unwrap()).sum();
    assert_eq!(sum, 6);
    assert_eq!(seven(), 7);
}

#[test]
fn met_before_threads_start() {
    let seven = seven();
    let seven = thread::spawn(move || seven).join().unwrap();
    assert_eq!(seven, 7);
}

#[test]
fn parts_while_another_runs() {
    let first = three(true);
    let other = thread::spawn(|| loop { thread::park(); });
    let second = three(false);
    drop(other);
    assert_eq!((first, second), (3, 4));
}

#[test]
fn many_threads_hit_the_same_points() {
    static SUM: AtomicU32 = AtomicU32::new(0);
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| for _ in 0..200 {
                SUM.fetch_add(seven() + three(true), Ordering::Relaxed);
            });
        }
    });
    assert_eq!(SUM.load(Ordering::Relaxed), 8000);
}
"#;

const POINTS: &[(u32, u16)] = &[(1, 2), (3, 2)];

fn driver() -> Driver {
    static PROGRAM_PATH: OnceLock<PathBuf> = OnceLock::new();
    let program = PROGRAM_PATH.get_or_init(|| compile(PROGRAM, Kind::Test));
    Driver::start(program, POINTS)
}

#[test]
fn mutants_met_beside_threads_need_their_own_process() {
    let mut driver = driver();
    for test in ["met_on_another_thread", "met_while_another_runs"] {
        let baseline = driver.baseline(test);
        assert!(baseline.passed());
        assert!(baseline.effects.contains(Effect::Threads), "{test}");
        assert!(!baseline.may_fork() && !baseline.may_batch());
        assert_eq!(baseline.infected, mutants([1, 2]), "{test}");
        let outcomes = driver.outcomes(RunMode::Fork, test, &[1, 2]);
        let own = TestResult::NeedsOwnProcess;
        assert!(outcomes.values().all(|&outcome| outcome == own), "{test}");
        let outcomes = driver.outcomes(RunMode::Each, test, &[1, 2]);
        assert!(
            outcomes
                .values()
                .all(|&outcome| outcome == TestResult::failed(FailureKind::Panicked)),
            "{test}"
        );
    }
}

#[test]
fn mutants_met_while_no_thread_runs_can_be_forked() {
    let mut driver = driver();
    for test in ["met_after_threads_have_ended", "met_before_threads_start"] {
        let outcomes = driver.outcomes(RunMode::Fork, test, &[1, 2]);
        assert!(
            outcomes
                .values()
                .all(|&outcome| outcome == TestResult::failed(FailureKind::Panicked)),
            "{test}"
        );
    }
}

#[test]
fn a_class_that_parts_beside_threads_sends_the_others_away() {
    let mut driver = driver();
    // Both give false first; then `!` gives true where `F` gives false.
    let (test_runs, run) = driver.run_with(
        RunMode::Fork,
        "parts_while_another_runs",
        &[3, 4],
        &crate::support::limits(),
    );
    assert_eq!(run.forks, 1);
    assert_eq!(
        test_runs[&3].result,
        TestResult::failed(FailureKind::Panicked)
    );
    assert!(test_runs[&3].message.contains("(4, 3)"), "{test_runs:?}");
    assert_eq!(test_runs[&4].result, TestResult::NeedsOwnProcess);
    assert!(test_runs[&4].message.contains("threads"), "{test_runs:?}");
}

#[test]
fn points_may_be_hit_from_many_threads() {
    let mut driver = driver();
    let baseline = driver.baseline("many_threads_hit_the_same_points");
    assert!(baseline.passed(), "{baseline:?}");
    assert_eq!(baseline.reached, points([1, 3]));
    assert_eq!(baseline.infected, mutants([1, 2, 3, 4]));
    let outcomes = driver.outcomes(
        RunMode::Each,
        "many_threads_hit_the_same_points",
        &[1, 2, 3, 4],
    );
    assert!(
        outcomes
            .values()
            .all(|&outcome| outcome == TestResult::failed(FailureKind::Panicked))
    );
}

#[test]
fn a_worker_refuses_a_test_with_threads() {
    let mut driver = driver();
    let index = driver.index("met_after_threads_have_ended");
    let run = driver
        .client
        .run(
            RunMode::Batch,
            index,
            &[MutantId(1)],
            &crate::support::limits(),
            &mut |_, _| panic!("a test_run"),
        )
        .unwrap();
    assert!(run.void.is_some());
}
