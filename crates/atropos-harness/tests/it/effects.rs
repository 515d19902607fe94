//! What tests and mutants do outside their own memory.

use std::path::PathBuf;
use std::sync::OnceLock;

use atropos_protocol::{Effect, Effects, FailureKind, RunMode, TestResult};
use atropos_values::MutantId;

use crate::support::{Driver, Kind, compile, limits};

const PROGRAM: &str = r#"
use atropos_runtime::{at, step};
use std::io::{Read as _, Write as _};

// 1: wrong, 2: right, 3: writes a file, 4: connects, 5: runs a program, 6: opens a file to read,
// 7: makes a system call by itself, 8: sleeps, 9: wrong. 10: right.
fn seven() -> u32 {
    step(0);
    match at(1) {
        1 | 9 => 8,
        3 => { std::fs::write(std::env::temp_dir().join("mutant"), "x").unwrap(); 7 }
        4 => { std::net::TcpStream::connect("127.0.0.1:1").is_err() as u32 * 7 }
        5 => { std::process::Command::new("true").status().unwrap().success() as u32 * 7 }
        6 => { std::fs::read("/proc/self/status").unwrap(); 7 }
        7 => { make_directory(); 7 }
        8 => { std::thread::sleep(std::time::Duration::from_millis(2000)); 7 }
        _ => 7,
    }
}

fn make_directory() {
    let path = std::env::temp_dir().join("by-hand\0");
    let path = path.to_str().unwrap();
    #[cfg(target_arch = "x86_64")]
    unsafe {
        let mut result: isize = 83;
        std::arch::asm!("syscall", inlateout("rax") result, in("rdi") path.as_ptr(),
            in("rsi") 0o700, out("rcx") _, out("r11") _);
        assert!(result == 0 || result == -17, "{result}");
    }
    #[cfg(target_arch = "aarch64")]
    unsafe {
        let mut result: isize = -100;
        std::arch::asm!("svc 0", inlateout("x0") result, in("x1") path.as_ptr(),
            in("x2") 0o700, in("x8") 34);
        assert!(result == 0 || result == -17, "{result}");
    }
}

#[test]
fn pure() { assert_eq!(seven(), 7); }

#[test]
fn writes_a_file() {
    let path = std::env::temp_dir().join("of-test");
    assert!(!path.exists());
    std::fs::write(&path, "x").unwrap();
    assert_eq!(seven(), 7);
}

#[test]
fn reads_a_file_before() {
    let text = std::fs::read_to_string("/proc/self/status").unwrap();
    assert!(text.contains("Name"));
    assert_eq!(seven(), 7);
}

#[test]
fn holds_a_file_open() {
    let mut file = std::fs::File::open("/proc/self/status").unwrap();
    let mut half = [0; 10];
    file.read_exact(&mut half).unwrap();
    assert_eq!(seven(), 7);
    file.read_exact(&mut half).unwrap();
}

#[test]
fn holds_a_pipe() {
    let (mut reader, mut writer) = std::io::pipe().unwrap();
    writer.write_all(b"x").unwrap();
    assert_eq!(seven(), 7);
    reader.read_exact(&mut [0]).unwrap();
}

#[test]
fn binds_a_port() {
    let socket = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    assert_eq!(seven(), 7);
    drop(socket);
}

#[test]
fn runs_a_program() {
    assert!(std::process::Command::new("true").status().unwrap().success());
    assert_eq!(seven(), 7);
}

#[test]
fn asks_for_its_id() {
    let id = std::process::id();
    assert_eq!(seven(), 7);
    assert_eq!(id, std::process::id());
}

#[test]
fn measures_time() {
    let start = std::time::Instant::now();
    let wall = std::time::SystemTime::now();
    let first = seven();
    let second = seven();
    let (took, wall) = (start.elapsed(), wall.elapsed().unwrap());
    assert!(took.as_millis() < 1000, "took {took:?}");
    assert!(wall.as_millis() < 1000, "{wall:?}");
    assert_eq!((first, second), (7, 7));
}

#[test]
fn makes_a_system_call_by_itself() {
    make_directory();
    assert_eq!(seven(), 7);
}

#[test]
fn moves_away() {
    std::env::set_current_dir("/").unwrap();
    assert_eq!(seven(), 7);
}

#[test]
fn keeps_errno() {
    let error = std::fs::File::open("/no/such/file").is_err();
    let seven = seven();
    let code = std::io::Error::last_os_error().raw_os_error();
    assert!(error && seven == 7);
    assert_eq!(code, Some(2));
}
"#;

const POINTS: &[(u32, u16)] = &[(1, 10)];

fn driver() -> Driver {
    static PROGRAM_PATH: OnceLock<PathBuf> = OnceLock::new();
    let program = PROGRAM_PATH.get_or_init(|| compile(PROGRAM, Kind::Test));
    Driver::start(program, POINTS)
}

fn check_effects(test: &str, effects: &[Effect], first: &str) -> Driver {
    let mut driver = driver();
    let baseline = driver.baseline(test);
    assert!(baseline.passed(), "{test}: {baseline:?}");
    let bits = effects.iter().fold(0, |bits, effect| bits | effect.bit());
    // Whether files lie outside the tree is tested in `evidence`.
    let of_files = Effect::OutsideFiles.bit() | Effect::ReadsCode.bit();
    let seen = baseline.effects.0 & !of_files;
    assert_eq!(Effects(seen), Effects(bits), "{test}: {baseline:?}");
    assert!(baseline.first_effect.contains(first), "{baseline:?}");
    driver
}

/// A test with such effects: its mutants are not forked, but have verdicts alone.
fn check_own_process(test: &str, effects: &[Effect], first: &str) {
    let mut driver = check_effects(test, effects, first);
    let outcomes = driver.outcomes(RunMode::Fork, test, &[1, 2]);
    let own = TestResult::NeedsOwnProcess;
    assert!(
        outcomes.values().all(|&outcome| outcome == own),
        "{test}: {outcomes:?}"
    );
    let outcomes = driver.outcomes(RunMode::Each, test, &[1, 2]);
    assert_eq!(
        outcomes[&1],
        TestResult::failed(FailureKind::Panicked),
        "{test}"
    );
    assert_eq!(outcomes[&2], TestResult::Passed, "{test}");
}

#[test]
fn files_that_a_test_changes_are_noticed() {
    let both = [Effect::Files, Effect::LastingFiles];
    check_own_process("writes_a_file", &both, "of-test");
}

#[test]
fn files_that_are_open_at_a_point_are_noticed() {
    let both = [Effect::OpenDescriptor, Effect::Descriptors];
    check_own_process("holds_a_file_open", &both, "file open");
    check_own_process("holds_a_pipe", &both, "file open");
}

#[test]
fn a_test_that_holds_its_own_descriptors_can_be_repeated() {
    let mut driver = driver();
    for test in ["holds_a_file_open", "holds_a_pipe"] {
        let baseline = driver.baseline(test);
        assert!(baseline.may_batch() && !baseline.may_fork());
        let (test_runs, run) = driver.run_with(RunMode::Batch, test, &[1, 2], &limits());
        assert_eq!(run.void, None);
        assert_eq!(
            test_runs[&1].result,
            TestResult::failed(FailureKind::Panicked),
            "{test}"
        );
        assert_eq!(test_runs[&2].result, TestResult::Passed, "{test}");
    }
}

#[test]
fn the_network_is_noticed() {
    let all = [Effect::Network, Effect::OpenDescriptor, Effect::Descriptors];
    check_own_process("binds_a_port", &all, "bind");
}

#[test]
fn processes_are_noticed() {
    let mut driver = driver();
    let baseline = driver.baseline("runs_a_program");
    assert!(baseline.effects.contains(Effect::Processes));
    assert!(!baseline.may_fork() && !baseline.may_batch());
    let outcomes = driver.outcomes(RunMode::Each, "runs_a_program", &[1, 2]);
    assert_eq!(outcomes[&1], TestResult::failed(FailureKind::Panicked));
    assert_eq!(outcomes[&2], TestResult::Passed);
}

#[test]
fn a_process_id_that_a_fork_would_change_is_noticed() {
    check_own_process("asks_for_its_id", &[Effect::ProcessId], "getpid");
}

#[test]
fn reading_files_does_no_harm() {
    let mut driver = check_effects("reads_a_file_before", &[Effect::Descriptors], "");
    for way in [RunMode::Fork, RunMode::Each, RunMode::Batch] {
        let outcomes = driver.outcomes(way, "reads_a_file_before", &[1, 2, 6]);
        assert_eq!(
            outcomes[&1],
            TestResult::failed(FailureKind::Panicked),
            "{way:?}"
        );
        assert_eq!(outcomes[&2], TestResult::Passed, "{way:?}");
        assert_eq!(outcomes[&6], TestResult::Passed, "{way:?}");
    }
}

#[test]
fn a_test_that_moves_away_can_be_forked_but_not_repeated() {
    let mut driver = check_effects("moves_away", &[Effect::Directory], "chdir");
    let outcomes = driver.outcomes(RunMode::Fork, "moves_away", &[1, 2]);
    assert_eq!(outcomes[&1], TestResult::failed(FailureKind::Panicked));
    assert_eq!(outcomes[&2], TestResult::Passed);
    let index = driver.index("moves_away");
    let run = driver.client.run(
        RunMode::Batch,
        index,
        &[MutantId(1)],
        &limits(),
        &mut |_, _| panic!(),
    );
    assert!(run.unwrap().void.is_some());
}

#[test]
fn a_mutant_with_effects_of_its_own_needs_its_own_process() {
    let mut driver = check_effects("pure", &[], "");
    for way in [RunMode::Fork, RunMode::Batch] {
        let test_runs = driver.run(way, "pure", &[1, 2, 3, 4, 5, 6, 7]);
        assert_eq!(
            test_runs[&1].result,
            TestResult::failed(FailureKind::Panicked),
            "{way:?}"
        );
        assert_eq!(test_runs[&2].result, TestResult::Passed, "{way:?}");
        for mutant in [3, 4, 5, 7] {
            let test_run = &test_runs[&mutant];
            assert_eq!(
                test_run.result,
                TestResult::NeedsOwnProcess,
                "{way:?} {test_run:?}"
            );
            assert_ne!(test_run.message, "", "{way:?} {mutant}");
        }
        assert_eq!(test_runs[&6].result, TestResult::Passed, "{way:?}");
    }
    for (mutant, outcome) in driver.outcomes(RunMode::Each, "pure", &[2, 3, 4, 5, 6, 7]) {
        assert_eq!(outcome, TestResult::Passed, "{mutant}");
    }
}

#[test]
fn a_test_that_goes_around_libc_is_stopped_by_the_kernel() {
    let mut driver = driver();
    // It is not noticed in the baseline, but no mutant is forked behind it.
    let baseline = driver.baseline("makes_a_system_call_by_itself");
    assert!(baseline.passed());
    let test_runs = driver.run(RunMode::Fork, "makes_a_system_call_by_itself", &[1, 2]);
    for test_run in test_runs.values() {
        assert_eq!(test_run.result, TestResult::NeedsOwnProcess);
        assert!(test_run.message.contains("system call"), "{test_run:?}");
    }
    let outcomes = driver.outcomes(RunMode::Each, "makes_a_system_call_by_itself", &[1, 2]);
    assert_eq!(outcomes[&1], TestResult::failed(FailureKind::Panicked));
    assert_eq!(outcomes[&2], TestResult::Passed);
}

#[test]
fn time_spent_on_other_mutants_does_not_count() {
    let mut driver = driver();
    let test_runs = driver.run(RunMode::Fork, "measures_time", &[2, 8, 9, 10]);
    assert_eq!(
        test_runs[&8].result,
        TestResult::failed(FailureKind::Panicked)
    );
    assert!(test_runs[&8].message.contains("took"), "{test_runs:?}");
    // Forked after mutant 8 has slept.
    assert_eq!(test_runs[&10].result, TestResult::Passed, "{test_runs:?}");
    assert!(test_runs[&9].message.contains("(8, 8)"), "{test_runs:?}");
}

#[test]
fn a_point_leaves_errno_alone() {
    let mut driver = driver();
    assert!(driver.baseline("keeps_errno").passed());
    for way in [RunMode::Fork, RunMode::Each, RunMode::Batch] {
        let outcomes = driver.outcomes(way, "keeps_errno", &[2, 10]);
        assert!(
            outcomes
                .values()
                .all(|&outcome| outcome == TestResult::Passed),
            "{way:?}"
        );
    }
}

#[test]
fn temporary_files_of_one_run_are_gone_before_the_next() {
    let mut driver = driver();
    for _ in 0..2 {
        let outcomes = driver.outcomes(RunMode::Each, "writes_a_file", &[2, 3, 10]);
        assert!(
            outcomes
                .values()
                .all(|&outcome| outcome == TestResult::Passed)
        );
        assert!(driver.baseline("writes_a_file").passed());
    }
    let Driver { client, scratch } = driver;
    drop(client);
    let left = std::fs::read_dir(&*scratch).unwrap().flatten();
    let names: Vec<_> = left.map(|entry| entry.file_name()).collect();
    assert_eq!(names, ["captured"]);
}
