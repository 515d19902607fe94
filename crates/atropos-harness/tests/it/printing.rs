//! Tests that print very much, and tests that read their own output.

use std::path::PathBuf;
use std::sync::OnceLock;

use atropos_protocol::{FailureKind, RunMode, TestResult};

use crate::support::{Driver, Kind, compile};

const PROGRAM: &str = r#"
use atropos_runtime::{at, step};
use std::io::{Read as _, Write as _};
use std::os::fd::AsRawFd as _;

unsafe extern "C" {
    fn dup(fd: i32) -> i32;
    fn dup2(from: i32, to: i32) -> i32;
    fn close(fd: i32) -> i32;
}

fn seven() -> u32 {
    step(0);
    match at(1) { 1 => 8, _ => 7 }
}

fn chatter(lines: u32) {
    for line in 0..lines { eprintln!("line {line} of chatter"); }
}

#[test]
fn fails_after_much_output() {
    eprintln!("the first words");
    chatter(100_000);
    eprintln!("the last words");
    assert_eq!(seven(), 8, "on purpose");
}

#[test]
fn aborts_after_much_output() {
    chatter(5_000);
    eprintln!("the last words");
    panic_in_drop();
}

fn panic_in_drop() {
    struct Bomb;
    impl Drop for Bomb { fn drop(&mut self) { panic!("second") } }
    let _bomb = Bomb;
    panic!("first");
}

#[test]
fn reads_its_own_output() {
    chatter(5_000);
    let (mut reader, writer) = std::io::pipe().unwrap();
    unsafe {
        let saved = dup(1);
        dup2(writer.as_raw_fd(), 1);
        println!("to the pipe");
        std::io::stdout().flush().unwrap();
        dup2(saved, 1);
        close(saved);
    }
    drop(writer);
    let mut text = String::new();
    reader.read_to_string(&mut text).unwrap();
    drop(reader);
    assert_eq!(text, "to the pipe\n");
    assert_eq!(seven(), 7);
}
"#;

fn driver() -> Driver {
    static PROGRAM_PATH: OnceLock<PathBuf> = OnceLock::new();
    let program = PROGRAM_PATH.get_or_init(|| compile(PROGRAM, Kind::Test));
    Driver::start(program, &[(1, 1)])
}

#[test]
fn the_beginning_and_the_end_of_much_output_are_kept() {
    let mut driver = driver();
    let baseline = driver.baseline("fails_after_much_output");
    assert_eq!(
        baseline.test_run.result,
        TestResult::failed(FailureKind::Panicked)
    );
    let captured = driver.captured();
    assert!(captured.len() < 200_000, "{} bytes", captured.len());
    for text in [
        "the first words\n",
        "\nline 7 of chatter\n",
        "[much output left out]",
        "\nline 99999 of chatter\nthe last words\n",
        "on purpose",
    ] {
        assert!(captured.contains(text), "{text}");
    }
    driver.baseline("aborts_after_much_output");
    let captured = driver.captured();
    assert!(captured.contains("\nline 4999 of chatter\nthe last words\n"));
    assert!(captured.contains("second"));
}

#[test]
fn a_test_can_still_read_its_own_output() {
    let mut driver = driver();
    let baseline = driver.baseline("reads_its_own_output");
    assert!(baseline.passed(), "{}", driver.captured());
    let outcomes = driver.outcomes(RunMode::Each, "reads_its_own_output", &[1]);
    assert_eq!(outcomes[&1], TestResult::failed(FailureKind::Panicked));
    let test_runs = driver.run(RunMode::Fork, "reads_its_own_output", &[1]);
    assert_eq!(
        test_runs[&1].result,
        TestResult::failed(FailureKind::Panicked)
    );
    assert!(test_runs[&1].message.contains("right: 7"), "{test_runs:?}");
}
