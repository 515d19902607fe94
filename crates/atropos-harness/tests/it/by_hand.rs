//! A woven test binary started by hand is a small libtest.

use std::path::PathBuf;
use std::process::{Command, Output};
use std::sync::OnceLock;

use crate::support::{Kind, compile};

const PROGRAM: &str = r#"
mod group {
    #[test] fn passes() { atropos_runtime::step(0); assert_eq!(atropos_runtime::at(1), 0); }
    #[test] fn fails() { panic!("on purpose") }
    #[test] #[ignore = "slow"] fn ignored() {}
    #[test] #[should_panic(expected = "boom")] fn should_panic() { panic!("boom!") }
    #[test] #[should_panic] fn should_panic_but_does_not() {}
    #[test] #[should_panic(expected = "boom")] fn panics_otherwise() { panic!("bang") }
    #[test] fn returns_ok() -> Result<(), String> { Ok(()) }
    #[test] fn returns_err() -> Result<(), String> { Err("no".into()) }
    #[test] fn returns_a_code() -> std::process::ExitCode { 3.into() }
}
"#;

fn run(arguments: &[&str]) -> (i32, String) {
    static PROGRAM_PATH: OnceLock<PathBuf> = OnceLock::new();
    let program = PROGRAM_PATH.get_or_init(|| compile(PROGRAM, Kind::Test));
    let Output { status, stdout, .. } = Command::new(program).args(arguments).output().unwrap();
    (status.code().unwrap(), String::from_utf8(stdout).unwrap())
}

#[test]
fn each_test_is_reported() {
    let (code, output) = run(&[]);
    assert_eq!(code, 101);
    for line in [
        "running 9 tests",
        "test group::passes ... ok",
        "test group::fails ... FAILED",
        "test group::ignored ... ignored, slow",
        "test group::should_panic ... ok",
        "test group::should_panic_but_does_not ... FAILED",
        "test group::panics_otherwise ... FAILED",
        "test group::returns_ok ... ok",
        "test group::returns_err ... FAILED",
        "test group::returns_a_code ... FAILED",
        "test result: FAILED. 3 passed; 5 failed; 1 ignored",
    ] {
        assert!(
            output.lines().any(|found| found == line),
            "{line}: {output}"
        );
    }
}

#[test]
fn success_has_code_zero() {
    let (code, output) = run(&["passes", "--nocapture"]);
    assert_eq!(code, 0);
    assert!(output.contains("running 1 test\n"));
    assert_eq!(run(&["nothing"]).0, 0);
    assert_eq!(run(&["--ignored"]).0, 0);
    let (_, output) = run(&["--include-ignored", "--exact", "group::ignored"]);
    assert!(output.contains("group::ignored ... ok"));
    assert_eq!(run(&["--dance"]).0, 101);
}

#[test]
fn tests_are_listed_as_libtest_lists_them() {
    let (code, output) = run(&["--list", "returns"]);
    assert_eq!(code, 0);
    assert_eq!(
        output,
        "group::returns_a_code: test\ngroup::returns_err: test\ngroup::returns_ok: test\n\
         \n3 tests, 0 benchmarks\n"
    );
    let (_, output) = run(&["--list", "--format", "terse", "returns_ok"]);
    assert_eq!(output, "group::returns_ok: test\n");
}
