//! Woven programs that tests start, and programs without our harness.

use std::path::PathBuf;
use std::process::Command;
use std::sync::OnceLock;
use std::sync::atomic::Ordering;

use atropos_protocol::{
    Board, Client, ENV_BOARD, ENV_MUTANT, FailureKind, RunMode, TestResult, ZygoteError,
};
use atropos_values::MutantId;

use crate::support::{
    Driver, Kind, SILENCE_LIMIT, compile, fresh_directory, mutants, numbered, points,
};

/// Prints 7. Mutants 1 and 2 print something else, 3 loops, 4 explodes, 6 writes a file without end.
const PROGRAM: &str = r#"
use atropos_runtime::{at, cond, step};

fn fill() -> u32 {
    use std::io::Write as _;
    let path = std::env::temp_dir().join("filled");
    let mut file = std::fs::File::create(path).unwrap();
    while file.write_all(&[7; 1 << 16]).is_ok() {}
    7
}

fn main() {
    for _ in 0..10_000 { step(0); }
    let seven = match at(1) {
        1 => 8,
        2 => 9,
        3 => loop { step(0); },
        4 => { let mut all = vec![]; loop { all.push(vec![1u8; 100_000]); } }
        _ => 7,
    };
    let seven = if at(6) == 1 { fill() } else { seven };
    println!("{}", if cond(5, b"T", seven > 0) { seven } else { 0 });
}
"#;

const TEST: &str = r#"
use std::process::Command;

#[test]
fn the_program_prints_seven() {
    let output = Command::new(env!("PROGRAM")).output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stdout), "7\n");
}

#[test]
fn the_program_is_started_without_environment() {
    let output = Command::new(env!("PROGRAM")).env_clear().output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stdout), "7\n");
}

#[test]
fn the_program_may_print_anything() {
    let _ = Command::new(env!("PROGRAM")).output().unwrap();
}
"#;

const POINTS: &[(u32, u16)] = &[(1, 4), (5, 1), (6, 1)];

fn program() -> PathBuf {
    static PROGRAM_PATH: OnceLock<PathBuf> = OnceLock::new();
    PROGRAM_PATH
        .get_or_init(|| compile(PROGRAM, Kind::Bin))
        .clone()
}

fn driver() -> Driver {
    static TEST_PATH: OnceLock<PathBuf> = OnceLock::new();
    let test = TEST_PATH.get_or_init(|| {
        let source = TEST.replace("env!(\"PROGRAM\")", &format!("{:?}", program()));
        compile(&source, Kind::Test)
    });
    Driver::start(test, POINTS)
}

#[test]
fn a_program_that_a_test_starts_is_recorded() {
    let mut driver = driver();
    let baseline = driver.baseline("the_program_prints_seven");
    assert!(baseline.passed(), "{}", driver.captured());
    assert_eq!(baseline.reached, points([1, 5, 6]));
    assert_eq!(baseline.infected, mutants([1, 2, 3, 4, 6]));
    assert_eq!(baseline.steps, 0);
    assert_eq!(baseline.spawned_steps, 10_000);
    assert!(!baseline.may_fork());
}

#[test]
fn a_program_that_a_test_starts_acts_as_the_mutant() {
    let mut driver = driver();
    let wanted = [1, 2, 3, 4, 5];
    let test_runs = driver.run(RunMode::Each, "the_program_prints_seven", &wanted);
    assert_eq!(
        test_runs[&1].result,
        TestResult::failed(FailureKind::Panicked)
    );
    assert!(test_runs[&1].message.contains("8\\n"), "{test_runs:?}");
    assert!(test_runs[&2].message.contains("9\\n"), "{test_runs:?}");
    assert_eq!(
        test_runs[&3].result,
        TestResult::failed(FailureKind::StepLimit)
    );
    assert_eq!(
        test_runs[&4].result,
        TestResult::failed(FailureKind::MemoryLimit)
    );
    assert_eq!(test_runs[&5].result, TestResult::Passed);
}

#[test]
fn a_limit_of_the_program_counts_even_if_the_test_does_not_care() {
    let mut driver = driver();
    let outcomes = driver.outcomes(
        RunMode::Each,
        "the_program_may_print_anything",
        &[1, 3, 4, 6],
    );
    assert_eq!(outcomes[&1], TestResult::Passed);
    assert_eq!(outcomes[&6], TestResult::failed(FailureKind::FileLimit));
    assert_eq!(outcomes[&3], TestResult::failed(FailureKind::StepLimit));
    assert_eq!(outcomes[&4], TestResult::failed(FailureKind::MemoryLimit));
}

#[test]
fn a_program_without_the_environment_is_the_original() {
    let mut driver = driver();
    let test = "the_program_is_started_without_environment";
    assert_eq!(
        driver.outcomes(RunMode::Each, test, &[1])[&1],
        TestResult::Passed
    );
}

fn output(board: Option<&Board>, mutant: Option<&str>) -> String {
    let mut command = Command::new(program());
    if let Some(board) = board {
        command.env(ENV_BOARD, board.path());
    }
    if let Some(mutant) = mutant {
        command.env(ENV_MUTANT, mutant);
    }
    String::from_utf8(command.output().unwrap().stdout).unwrap()
}

#[test]
fn plain_mode_obeys_the_environment_and_never_complains() {
    let scratch = fresh_directory();
    let board = Board::create(&scratch.join("board"), &numbered(6, POINTS)).unwrap();
    // Without limits, mutants have none.
    assert_eq!(output(Some(&board), Some("1")), "8\n");
    let header = board.header();
    header.step_limit.store(50_000, Ordering::Relaxed);
    header.heap_limit.store(64 << 20, Ordering::Relaxed);
    header.time_limit.store(10_000_000_000, Ordering::Relaxed);
    assert_eq!(output(None, None), "7\n");
    assert_eq!(output(None, Some("1")), "7\n");
    assert_eq!(output(Some(&board), Some("1")), "8\n");
    assert_eq!(output(Some(&board), Some("2")), "9\n");
    assert_eq!(output(Some(&board), Some("77")), "7\n");
    assert_eq!(output(Some(&board), Some("x")), "7\n");
    assert_eq!(output(Some(&board), Some("3")), "");
    assert_eq!(
        board.spawned_limit(MutantId(3)),
        Some(TestResult::failed(FailureKind::StepLimit))
    );
    assert_eq!(board.spawned_limit(MutantId(2)), None);
    assert_eq!(output(Some(&board), None), "7\n");
    assert!(
        board
            .reached()
            .iter()
            .all(|byte| byte.load(Ordering::Relaxed) == 0)
    );
    header.recording.store(1, Ordering::Relaxed);
    assert_eq!(output(Some(&board), None), "7\n");
    assert_eq!(board.reached()[1].load(Ordering::Relaxed), 1);
    assert_eq!(board.infected()[4].load(Ordering::Relaxed), 1);
    assert_eq!(board.infected()[5].load(Ordering::Relaxed), 0);
    drop(board);
    std::fs::write(scratch.join("board"), "no board").unwrap();
    let path = scratch.join("board");
    let output = Command::new(program())
        .env(ENV_BOARD, &path)
        .env(ENV_MUTANT, "1")
        .output();
    assert_eq!(output.unwrap().stdout, b"7\n");
    std::fs::remove_dir_all(scratch).unwrap();
}

#[test]
fn a_program_without_the_harness_is_no_zygote() {
    let scratch = fresh_directory();
    let result = Client::start(
        Command::new(program()),
        &scratch,
        &numbered(5, POINTS),
        SILENCE_LIMIT,
    );
    assert!(matches!(result, Err(ZygoteError::NotAZygote(Some(_)))));
    let missing = Command::new("/no/such/program");
    let result = Client::start(
        missing,
        &fresh_directory(),
        &numbered(5, POINTS),
        SILENCE_LIMIT,
    );
    assert!(matches!(result, Err(ZygoteError::Start(_))));
    std::fs::remove_dir_all(scratch).unwrap();
}
