//! Listing, baselines, and the three ways on well-behaved programs.

use std::sync::OnceLock;
use std::{path::PathBuf, process::Command};

use atropos_protocol::{Client, FailureKind, RunMode, TestResult, ZygoteError};
use atropos_values::MutantId;

use crate::support::{Driver, Kind, SILENCE_LIMIT, compile, mutants, numbered, points};

const PROGRAM: &str = r#"
use atropos_runtime::probe::{Peek, PeekAny as _, PeekPrim as _};
use atropos_runtime::{MaybeEmpty, arith, at, cond, logic, on, relate, step};

// Mutants 1 to 3: - * /
fn add(a: u32, b: u32) -> u32 {
    step(0);
    match (a, b) {
        (l, r) => match arith(1, b'+', b"-*/", (&Peek(&l)).peek(), (&Peek(&r)).peek()) {
            1 => l - r,
            2 => l * r,
            3 => l / r,
            _ => l + r,
        },
    }
}

// Mutants 4 to 6: ! T F
fn is_even(n: u32) -> bool {
    cond(4, b"!TF", n % 2 == 0)
}

// Mutants 7 to 9: | L R
fn both(a: bool, b: bool) -> bool {
    match a { l => if logic(7, b'&', b"|LR", l) { b } else { l } }
}

// Mutants 10 to 14: <= > == T F
fn less(a: i64, b: i64) -> bool {
    match (&(a), &(b)) {
        (l, r) => match relate(10, b'<', b"l>=TF", (&Peek(l)).peek(), (&Peek(r)).peek()) {
            1 => *l <= *r,
            2 => *l > *r,
            3 => *l == *r,
            4 => true,
            5 => false,
            _ => *l < *r,
        },
    }
}

// Mutant 15: deleted statement. Mutant 16: nothing is yielded. 17 and 18: replaced body.
fn log(list: &mut Vec<u32>) {
    if !on(15) { list.push(1); }
}
fn numbers() -> impl Iterator<Item = u32> {
    if on(16) { return MaybeEmpty(None); }
    MaybeEmpty(Some(vec![1, 2].into_iter()))
}
fn name() -> String {
    match at(17) { 1 => return String::new(), 2 => return "xyzzy".into(), _ => {} }
    "name".to_string()
}

#[test]
fn adds() {
    assert_eq!(add(2, 2), 4);
    assert_eq!(add(2, 0), 2);
}

#[test]
fn checks_one_sum() {
    assert_eq!(add(2, 2), 4, "sum");
}

#[test]
fn evens() {
    assert!(is_even(2));
    assert!(!is_even(3));
}

#[test]
fn ands() {
    assert!(both(true, true));
    assert!(!both(true, false));
    assert!(!both(false, true));
}

#[test]
fn compares() {
    assert!(less(1, 2));
}

#[test]
fn deletes_and_replaces() {
    let mut list = vec![];
    log(&mut list);
    assert_eq!(list.len(), 1);
    assert_eq!(numbers().sum::<u32>(), 3);
    assert!(!name().is_empty());
}

#[test]
fn nothing_woven() {}

#[test]
#[should_panic(expected = "out of range")]
fn should_panic_with_text() {
    if add(2, 3) == 5 { panic!("5 is out of range") } else { panic!("other") }
}

#[test]
#[should_panic]
fn should_panic_at_all() {
    if add(2, 3) == 5 { panic!() }
}

#[test]
fn returns_a_result() -> Result<(), String> {
    if add(2, 3) == 5 { Ok(()) } else { Err("sum".into()) }
}

#[test]
#[ignore = "slow"]
fn ignored() {}

#[test]
fn fails() {
    println!("about to fail");
    assert_eq!(add(2, 2), 5, "two and two");
}
"#;

const POINTS: &[(u32, u16)] = &[(1, 3), (4, 3), (7, 3), (10, 5), (15, 1), (16, 1), (17, 2)];

fn program() -> PathBuf {
    static PROGRAM_PATH: OnceLock<PathBuf> = OnceLock::new();
    PROGRAM_PATH
        .get_or_init(|| compile(PROGRAM, Kind::Test))
        .clone()
}

fn driver() -> Driver {
    Driver::start(&program(), POINTS)
}

const WAYS: [RunMode; 3] = [RunMode::Fork, RunMode::Each, RunMode::Batch];

#[test]
fn tests_are_listed_with_their_marks() {
    let driver = driver();
    let tests = driver.client.tests();
    assert_eq!(tests.len(), 12);
    let ignored: Vec<_> = tests.iter().filter(|test| test.ignored).collect();
    assert_eq!(ignored.len(), 1);
    assert_eq!(ignored[0].name, "ignored");
    assert_eq!(tests.iter().filter(|test| test.should_panic).count(), 2);
    assert!(driver.client.costs().fork.as_nanos() > 0);
}

#[test]
fn arguments_select_tests_of_a_zygote() {
    let mut command = Command::new(program());
    command.args(["should_panic", "--skip", "at_all", "--nocapture"]);
    let driver = Driver::start_command(command, POINTS);
    let names: Vec<_> = driver
        .client
        .tests()
        .iter()
        .map(|test| &test.name)
        .collect();
    assert_eq!(names, ["should_panic_with_text"]);
}

#[test]
fn wrong_arguments_are_refused_with_a_reason() {
    let mut command = Command::new(program());
    command.arg("--dance");
    let scratch = crate::support::fresh_directory();
    match Client::start(command, &scratch, &numbered(18, POINTS), SILENCE_LIMIT) {
        Err(ZygoteError::Refused(reason)) => assert_eq!(reason, "unknown option --dance"),
        other => panic!("{:?}", other.err()),
    }
    std::fs::remove_dir_all(scratch).unwrap();
}

#[test]
fn a_baseline_tells_what_was_reached_and_infected() {
    let mut driver = driver();
    let baseline = driver.baseline("adds");
    assert!(baseline.passed(), "{baseline:?}");
    assert_eq!(baseline.reached, points([1]));
    // 2 + 2 is 2 * 2, but 2 + 0 is not 2 * 0; 2 / 0 may panic.
    assert_eq!(baseline.infected, mutants([1, 2, 3]));
    assert_eq!(baseline.steps, 2);
    assert!(baseline.effects.is_empty(), "{}", baseline.first_effect);
    assert!(baseline.may_fork() && baseline.may_batch());
    assert_eq!(driver.baseline("checks_one_sum").infected, mutants([1, 3]));
    let compares = driver.baseline("compares");
    assert_eq!(compares.infected, mutants([11, 12, 14]));
    let all = driver.baseline("deletes_and_replaces");
    assert_eq!(all.reached, points([15, 16, 17]));
    assert_eq!(all.infected, mutants([15, 16, 17, 18]));
    assert!(all.allocations > 0 && all.peak_heap > 0);
    assert!(driver.baseline("nothing_woven").reached.is_empty());
}

#[test]
fn a_failing_baseline_says_why_and_shows_the_output() {
    let mut driver = driver();
    let baseline = driver.baseline("fails");
    assert_eq!(
        baseline.test_run.result,
        TestResult::failed(FailureKind::Panicked)
    );
    assert!(baseline.test_run.message.contains("two and two"));
    assert!(baseline.test_run.location.contains("program.rs:"));
    let captured = driver.captured();
    assert!(captured.contains("about to fail"), "{captured}");
    assert!(captured.contains("two and two"), "{captured}");
}

#[test]
fn mutants_are_killed_or_survive_the_same_in_every_way() {
    let mut driver = driver();
    for way in WAYS {
        let outcomes = |driver: &mut Driver, test, wanted: &[u32]| {
            let outcomes = driver.outcomes(way, test, wanted);
            outcomes.into_iter().collect::<Vec<_>>()
        };
        let sums = outcomes(&mut driver, "adds", &[1, 2, 3]);
        let failed = TestResult::failed(FailureKind::Panicked);
        assert_eq!(sums, [(1, failed), (2, failed), (3, failed)], "{way:?}");
        let evens = outcomes(&mut driver, "evens", &[4, 5, 6]);
        assert_eq!(evens, [(4, failed), (5, failed), (6, failed)], "{way:?}");
        let ands = outcomes(&mut driver, "ands", &[7, 8, 9]);
        assert_eq!(ands, [(7, failed), (8, failed), (9, failed)], "{way:?}");
        let all = outcomes(&mut driver, "deletes_and_replaces", &[15, 16, 17, 18]);
        let passed = TestResult::Passed;
        assert_eq!(
            all,
            [(15, failed), (16, failed), (17, failed), (18, passed)],
            "{way:?}"
        );
        let panics = outcomes(&mut driver, "should_panic_with_text", &[1, 2, 3]);
        // None of them panics with that text, so there is no place of a panic to tell.
        let no_panic = TestResult::failed(FailureKind::Failed);
        assert_eq!(
            panics,
            [1, 2, 3].map(|mutant| (mutant, no_panic)),
            "{way:?}"
        );
        let panics = outcomes(&mut driver, "should_panic_at_all", &[1, 2]);
        // 2 - 3 overflows, which is a panic too.
        assert_eq!(panics, [(1, passed), (2, no_panic)], "{way:?}");
        let results = outcomes(&mut driver, "returns_a_result", &[2, 3]);
        assert_eq!(results, [(2, no_panic), (3, no_panic)], "{way:?}");
    }
}

#[test]
fn uninfected_mutants_are_not_run_where_values_show_it() {
    let mut driver = driver();
    let outcomes = driver.outcomes(RunMode::Fork, "checks_one_sum", &[1, 2, 3]);
    assert_eq!(outcomes[&2], TestResult::NotInfected);
    let outcomes = driver.outcomes(RunMode::Fork, "compares", &[10, 11, 12, 13, 14]);
    assert_eq!(outcomes[&10], TestResult::NotInfected);
    assert_eq!(outcomes[&13], TestResult::NotInfected);
    assert_eq!(outcomes[&11], TestResult::failed(FailureKind::Panicked));
}

#[test]
fn equal_mutants_share_a_process() {
    let mut driver = driver();
    let index = [11, 12, 14];
    let (test_runs, run) =
        driver.run_with(RunMode::Fork, "compares", &index, &crate::support::limits());
    assert_eq!(run.forks, 1);
    assert!(
        test_runs
            .values()
            .all(|test_run| test_run.leader == MutantId(11))
    );
    assert!(
        test_runs
            .values()
            .all(|test_run| test_run.result == TestResult::failed(FailureKind::Panicked))
    );
}

#[test]
fn verdicts_carry_message_and_place() {
    let mut driver = driver();
    for way in WAYS {
        let test_runs = driver.run(way, "checks_one_sum", &[1]);
        let test_run = &test_runs[&1];
        assert!(test_run.message.contains("sum"), "{way:?}: {test_run:?}");
        assert!(
            test_run.location.contains("program.rs:"),
            "{way:?}: {test_run:?}"
        );
        assert_eq!(test_run.leader, MutantId(1));
        assert_eq!(test_run.steps, 1);
    }
}
