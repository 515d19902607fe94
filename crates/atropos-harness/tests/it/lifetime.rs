//! Who ends when: cancelling, dead mutants, drivers that die, processes that stay.

use std::path::PathBuf;
use std::sync::OnceLock;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use atropos_protocol::{Limits, RunMode, TestResult};
use atropos_values::MutantId;

use crate::support::{Driver, Kind, compile, limits};

const PROGRAM: &str = r#"
use atropos_runtime::{at, step};

fn seven() -> u32 {
    step(0);
    match at(1) {
        1 => { std::thread::sleep(std::time::Duration::from_secs(3000)); 7 }
        2 => { std::process::Command::new("setsid").args(["sleep", "3574"]).status().unwrap(); 7 }
        _ => 7,
    }
}

#[test]
fn test() { assert_eq!(seven(), 7); }
"#;

const POINTS: &[(u32, u16)] = &[(1, 20)];

fn program() -> PathBuf {
    static PROGRAM_PATH: OnceLock<PathBuf> = OnceLock::new();
    PROGRAM_PATH
        .get_or_init(|| compile(PROGRAM, Kind::Test))
        .clone()
}

fn driver() -> Driver {
    Driver::start(&program(), POINTS)
}

fn patient() -> Limits {
    Limits {
        time: Duration::from_secs(100),
        ..limits()
    }
}

/// Processes whose command line holds `text`.
fn running(text: &str) -> Vec<u32> {
    let entries = std::fs::read_dir("/proc").unwrap().flatten();
    entries
        .filter_map(|entry| {
            let pid = entry.file_name().to_str()?.parse().ok()?;
            let line = std::fs::read(entry.path().join("cmdline")).ok()?;
            let line = String::from_utf8_lossy(&line).replace('\0', " ");
            line.contains(text).then_some(pid)
        })
        .collect()
}

fn wait_until(what: &str, mut done: impl FnMut() -> bool) {
    let start = Instant::now();
    while !done() {
        assert!(start.elapsed() < Duration::from_secs(10), "{what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn a_cancelled_command_ends_soon_and_keeps_what_it_has() {
    for way in [RunMode::Fork, RunMode::Each, RunMode::Batch] {
        let mut driver = driver();
        let board = driver.client.board();
        let watcher = std::thread::spawn(move || {
            wait_until("mutant 1 runs", || {
                board.records()[1].result() == TestResult::Running
            });
            board.header().cancel.store(1, Ordering::Relaxed);
        });
        let start = Instant::now();
        let (test_runs, _) = driver.run_with(way, "test", &[1, 3], &patient());
        assert!(start.elapsed() < Duration::from_secs(20));
        watcher.join().unwrap();
        assert!(test_runs.is_empty(), "{way:?}: {test_runs:?}");
        // The zygote is as good as before.
        let outcomes = driver.outcomes(way, "test", &[3]);
        assert_eq!(outcomes[&3], TestResult::Passed, "{way:?}");
    }
}

#[test]
fn dead_mutants_are_not_run() {
    for way in [RunMode::Fork, RunMode::Each, RunMode::Batch] {
        let mut driver = driver();
        driver.client.board().set_dead(MutantId(1));
        let (test_runs, _) = driver.run_with(way, "test", &[1, 3], &patient());
        assert_eq!(test_runs.len(), 1, "{way:?}");
        assert_eq!(test_runs[&3].result, TestResult::Passed);
    }
}

#[test]
fn dropping_the_client_ends_everything() {
    let driver = driver();
    let pid = driver.client.id();
    assert!(PathBuf::from(format!("/proc/{pid}")).exists());
    drop(driver);
    assert!(!PathBuf::from(format!("/proc/{pid}")).exists());
}

/// Runs this very test binary again as a driver that is killed in the middle of a command.
#[test]
fn a_killed_driver_leaves_no_process_behind() {
    for mutant in ["1", "2"] {
        let name = format!("zygote-of-killed-driver-{mutant}-{}", std::process::id());
        let mut child = std::process::Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "lifetime::act_as_a_driver", "--nocapture"])
            .env("ACT_AS_A_DRIVER", program())
            .env("ACT_AS_A_DRIVER_OF", mutant)
            .env("ACT_AS_A_DRIVER_WITH", &name)
            .stdout(std::process::Stdio::null())
            .spawn()
            .unwrap();
        wait_until("the mutant runs", || running(&name).len() >= 2);
        if mutant == "2" {
            wait_until("its program runs", || !running("sleep 3574").is_empty());
        }
        child.kill().unwrap();
        child.wait().unwrap();
        wait_until("all have ended", || running(&name).is_empty());
        wait_until("the program has ended", || running("sleep 3574").is_empty());
    }
}

#[test]
fn act_as_a_driver() {
    let Some(program) = std::env::var_os("ACT_AS_A_DRIVER") else {
        return;
    };
    let mutant: u32 = std::env::var("ACT_AS_A_DRIVER_OF")
        .unwrap()
        .parse()
        .unwrap();
    let mut command = std::process::Command::new(program);
    command
        .args(["test", "--skip"])
        .arg(std::env::var("ACT_AS_A_DRIVER_WITH").unwrap());
    let mut driver = Driver::start_command(command, POINTS);
    driver.run_with(RunMode::Each, "test", &[mutant], &patient());
}

#[test]
fn a_killed_zygote_is_reported_and_its_tests_end() {
    let mut driver = driver();
    let pid = driver.client.id();
    let board = driver.client.board();
    let killer = std::thread::spawn(move || {
        wait_until("mutant 1 runs", || {
            board.records()[1].result() == TestResult::Running
        });
        let children = format!("/proc/{pid}/task/{pid}/children");
        let mut child = String::new();
        // It is said to run a little before it does.
        wait_until("mutant 1 has a process", || {
            child = std::fs::read_to_string(&children).unwrap();
            !child.is_empty()
        });
        atropos_protocol::signals::to_process(pid as i32, 9).unwrap();
        child.trim().to_owned()
    });
    let index = driver.index("test");
    let result = driver.client.run(
        RunMode::Each,
        index,
        &[MutantId(1)],
        &patient(),
        &mut |_, _| (),
    );
    assert!(matches!(
        result,
        Err(atropos_protocol::ZygoteError::Died(Some(_)))
    ));
    let child = killer.join().unwrap();
    wait_until("the test has ended", || {
        let stat = std::fs::read_to_string(format!("/proc/{child}/stat")).unwrap_or_default();
        stat.is_empty() || stat.contains(") Z ")
    });
}
