//! Mutants that behave the same share a process until they part, also again and again.

use std::path::PathBuf;
use std::sync::OnceLock;

use atropos_protocol::{FailureKind, RunMode, TestResult};
use atropos_values::MutantId;

use crate::support::{Driver, Kind, compile, limits, mutants, outcomes};

const PROGRAM: &str = r#"
use atropos_runtime::probe::{Peek, PeekAny as _, PeekPrim as _};
use atropos_runtime::{arith, cond, relate, step};

// Mutants 1 to 4: - * / %
fn plus(a: i32, b: i32) -> i32 {
    step(0);
    match (a, b) {
        (l, r) => match arith(1, b'+', b"-*/%", (&Peek(&l)).peek(), (&Peek(&r)).peek()) {
            1 => l - r,
            2 => l * r,
            3 => l / r,
            4 => l % r,
            _ => l + r,
        },
    }
}

// Mutants 5 to 10: < > != <= >= T
fn equal(a: i32, b: i32) -> bool {
    match (&(a), &(b)) {
        (l, r) => match relate(5, b'=', b"<>!lgT", (&Peek(l)).peek(), (&Peek(r)).peek()) {
            1 => *l < *r,
            2 => *l > *r,
            3 => *l != *r,
            4 => *l <= *r,
            5 => *l >= *r,
            6 => true,
            _ => *l == *r,
        },
    }
}

// Mutants 11 to 13: ! T F
fn flag(value: bool) -> bool { cond(11, b"!TF", value) }

fn generic<T: std::ops::Add<Output = T> + std::ops::Sub<Output = T> + Copy>(a: T, b: T) -> T {
    // Mutant 14: -
    match (a, b) {
        (l, r) => match arith(14, b'+', b"-", (&Peek(&l)).peek(), (&Peek(&r)).peek()) {
            1 => l - r,
            _ => l + r,
        },
    }
}

// 15, 16 (one gone): - *
fn gone(a: u8, b: u8) -> u8 {
    match (a, b) {
        (l, r) => match arith(15, b'+', b".*", (&Peek(&l)).peek(), (&Peek(&r)).peek()) {
            2 => l * r,
            _ => l + r,
        },
    }
}

#[test]
fn parts_twice() {
    // 1 = 1: < > != are all false (one class of three), the rest agree with ==.
    let first = equal(1, 1);
    // 1 = 2: < and != part from >; <= and T differ from == now; >= still agrees.
    let second = equal(1, 2);
    // 2 = 1: < parts from !=, and >= is infected at last.
    let third = equal(2, 1);
    if !(first && !second && !third) {
        panic!("{first} {second} {third}");
    }
}

#[test]
fn parts_in_values() {
    // 4 + 2: 4 / 2 is 2 and 4 - 2 is 2; 4 % 2 is 0; 4 * 2 is 8.
    let values = [plus(4, 2), plus(6, 2), plus(9, 0)];
    if values != [6, 8, 9] { panic!("{values:?}"); }
}

#[test]
fn survives_together() {
    assert!(plus(4, 2) < 7);
    assert!(!flag(false));
}

#[test]
fn both_flags() {
    let flags = [flag(true), flag(false), flag(true)];
    if flags != [true, false, true] { panic!("{flags:?}"); }
}

#[test]
fn generics_have_no_values() {
    assert_eq!(generic(7, 0), 7);
    assert_eq!(generic(1.5, 0.0), 1.5);
}

#[test]
fn gone_variants_do_nothing() {
    assert_eq!(gone(3, 4), 7);
}

#[test]
fn overflow_is_unknown() {
    let panicked = std::panic::catch_unwind(|| plus(i32::MAX, 1)).is_err();
    assert!(panicked);
}
"#;

const POINTS: &[(u32, u16)] = &[(1, 4), (5, 6), (11, 3), (14, 1), (15, 2)];

fn driver() -> Driver {
    static PROGRAM_PATH: OnceLock<PathBuf> = OnceLock::new();
    let program = PROGRAM_PATH.get_or_init(|| compile(PROGRAM, Kind::Test));
    Driver::start(program, POINTS)
}

/// The messages under fork must be those of each mutant alone, and so must the outcomes.
fn check(test: &str, wanted: &[u32], forks: u64) {
    let mut driver = driver();
    let baseline = driver.baseline(test);
    assert!(baseline.passed(), "{baseline:?}");
    let (forked, run) = driver.run_with(RunMode::Fork, test, wanted, &limits());
    assert_eq!(run.original.result, TestResult::Passed);
    assert_eq!(run.forks, forks, "{forked:#?}");
    let alone = driver.run(RunMode::Each, test, wanted);
    let batch = driver.run(RunMode::Batch, test, wanted);
    for &mutant in wanted {
        let infected = baseline.infected.contains(&MutantId(mutant));
        let (forked, alone, batch) = (&forked[&mutant], &alone[&mutant], &batch[&mutant]);
        assert_eq!(batch.result, alone.result, "{mutant}");
        assert_eq!(batch.message, alone.message, "{mutant}");
        if infected {
            assert_eq!(forked.result, alone.result, "{mutant}");
            assert_eq!(forked.message, alone.message, "{mutant}");
        } else {
            assert_eq!(forked.result, TestResult::NotInfected, "{mutant}");
            assert_eq!(alone.result, TestResult::Passed, "{mutant}");
        }
    }
}

#[test]
fn classes_part_as_their_values_do() {
    // {< > !=}, from it {>} parts at the second hit and {!=} or {<} at the third;
    // {<= T} at the second hit, parting at the third; {>=} at the third.
    check("parts_twice", &[5, 6, 7, 8, 9, 10], 6);
    check("parts_in_values", &[1, 2, 3, 4], 4);
    check("both_flags", &[11, 12, 13], 3);
}

#[test]
fn a_class_that_never_parts_is_run_once() {
    let mut driver = driver();
    let (test_runs, run) = driver.run_with(RunMode::Fork, "survives_together", &[1, 3], &limits());
    assert_eq!(run.forks, 1);
    assert_eq!(test_runs[&1].leader, MutantId(1));
    assert_eq!(test_runs[&3].leader, MutantId(1));
    assert_eq!(test_runs[&3].result, TestResult::Passed);
    // Alone, its leader is itself.
    let test_runs = driver.run(RunMode::Fork, "survives_together", &[3]);
    assert_eq!(test_runs[&3].leader, MutantId(3));
}

#[test]
fn mutants_that_are_not_wanted_join_no_class() {
    let mut driver = driver();
    let test_runs = driver.run(RunMode::Fork, "parts_twice", &[6, 7]);
    assert_eq!(test_runs.len(), 2);
    assert_eq!(test_runs[&6].message, "false false true");
    assert_eq!(test_runs[&7].message, "false true true");
}

#[test]
fn operands_of_unknown_type_infect() {
    let mut driver = driver();
    assert_eq!(
        driver.baseline("generics_have_no_values").infected,
        mutants([14])
    );
    let test_runs = driver.run(RunMode::Fork, "generics_have_no_values", &[14]);
    assert_eq!(test_runs[&14].result, TestResult::Passed);
}

#[test]
fn variants_that_are_gone_are_never_infected() {
    let mut driver = driver();
    assert_eq!(
        driver.baseline("gone_variants_do_nothing").infected,
        mutants([16])
    );
    let outcomes = outcomes(&driver.run(RunMode::Fork, "gone_variants_do_nothing", &[15, 16]));
    assert_eq!(outcomes[&15], TestResult::NotInfected);
    assert_eq!(outcomes[&16], TestResult::failed(FailureKind::Panicked));
}

#[test]
fn an_original_that_may_panic_is_infected_by_all() {
    let mut driver = driver();
    assert_eq!(
        driver.baseline("overflow_is_unknown").infected,
        mutants([1, 2, 3, 4])
    );
    let outcomes = driver.outcomes(RunMode::Fork, "overflow_is_unknown", &[1, 2, 3, 4]);
    assert!(
        outcomes
            .values()
            .all(|&outcome| outcome == TestResult::failed(FailureKind::Panicked))
    );
}
