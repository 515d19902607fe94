//! What a run depended on: the functions that it entered, the variables that it asked for, the files that it used.

use std::path::Path;
use std::sync::OnceLock;
use std::{path::PathBuf, process::Command};

use atropos_protocol::{Effect, FailureKind, RunEvidence, RunMode, TestResult};

use crate::support::{Driver, Kind, compile};

const PROGRAM: &str = r#"
use atropos_runtime::{at, cold, enter, on, step};

// Runs before all tests, and so belongs to each.
extern "C" fn constructor() { enter(98); }
#[used]
#[unsafe(link_section = ".init_array")]
static CONSTRUCTOR: extern "C" fn() = constructor;

fn first() { enter(70); }
fn behind() { enter(3); }
fn only_of_a_mutant() { enter(99); }

// Mutant 1 goes elsewhere, 2 panics, 3 aborts, 4 ends the process, 5 goes round for ever.
#[test]
fn goes_on() {
    enter(0);
    first();
    match at(1) {
        1 => only_of_a_mutant(),
        2 => panic!("now"),
        3 => std::process::abort(),
        4 => std::process::exit(0),
        5 => loop { step(0); },
        _ => {}
    }
    behind();
}

// Mutant 6 asks for a variable, 7 reads a file outside, 8 one of the tree, 9 one that is built.
#[test]
fn looks_around() {
    enter(1);
    if !cold(6) {
        match at(6) {
            1 => drop(std::env::var("ASKED_FOR_BY_A_MUTANT")),
            2 => drop(std::fs::read("/etc/hostname")),
            3 => drop(std::fs::read("/usr/share/doc/none")),
            4 => drop(std::fs::read("/usr/target/none")),
            _ => {}
        }
    }
    let temporary = std::env::temp_dir().join("file");
    if on(10) { std::fs::write(&temporary, "x").unwrap(); }
}

// Mutant 11 lists a directory, 12 looks at a file, both outside. Mutant 13 reads code of the tree.
#[test]
fn lists() {
    enter(2);
    if on(11) { drop(std::fs::read_dir("/etc")); }
    if on(12) { drop(std::path::Path::new("/etc/hosts").exists()); }
    if on(13) { drop(std::fs::read("/usr/src/none.rs")); }
}
"#;

/// Two runs of the same test, each with the bytes that the kernel gives by number.
const RANDOM: &str = r#"
unsafe extern "C" { fn syscall(number: i64, buffer: *mut u8, length: usize, flags: u32) -> i64; }
const NUMBER: i64 = if cfg!(target_arch = "x86_64") { 318 } else { 278 };
#[test]
fn draws() {
    let mut bytes = [0; 8];
    assert_eq!(unsafe { syscall(NUMBER, bytes.as_mut_ptr(), 8, 0) }, 8);
    panic!("{bytes:?}");
}
"#;

#[test]
fn random_bytes_by_number_are_the_same_in_every_run() {
    let program = compile(RANDOM, Kind::Test);
    let draw = || {
        let mut driver = Driver::start(&program, &[]);
        driver.baseline("draws").test_run.message
    };
    let first = draw();
    assert!(first.starts_with('[') && first == draw(), "{first}");
}

const POINTS: &[(u32, u16)] = &[(1, 5), (6, 4), (10, 1), (11, 1), (12, 1), (13, 1)];

fn driver() -> Driver {
    static PROGRAM_FILE: OnceLock<PathBuf> = OnceLock::new();
    let program = PROGRAM_FILE.get_or_init(|| compile(PROGRAM, Kind::Test));
    let driver = Driver::start_command(Command::new(program), POINTS);
    driver.client.board().header().tree.set("/usr");
    driver
}

fn entered(evidence: &Option<RunEvidence>) -> Option<&[u32]> {
    evidence.as_ref().map(|evidence| &evidence.entered[..])
}

#[test]
fn a_run_tells_the_functions_that_it_entered_and_those_before_its_mutant() {
    let mut driver = driver();
    let baseline = driver.baseline("goes_on");
    let all = Some(&[0, 3, 70, 98][..]);
    assert_eq!(entered(&baseline.test_run.evidence), all);
    for way in [RunMode::Fork, RunMode::Batch, RunMode::Each] {
        let runs = driver.run(way, "goes_on", &[1, 2]);
        let of = |mutant| entered(&runs[&mutant].evidence);
        assert_eq!(of(1), Some(&[0, 3, 70, 98, 99][..]), "{way:?}");
        assert_eq!(of(2), Some(&[0, 70, 98][..]), "{way:?}");
    }
    // The runs of others have left nothing behind.
    let baseline = driver.baseline("goes_on");
    assert_eq!(entered(&baseline.test_run.evidence), all);
}

#[test]
fn a_run_that_was_not_seen_to_its_end_has_no_evidence() {
    let mut driver = driver();
    for way in [RunMode::Fork, RunMode::Each] {
        // The evidence of the run before does not stay.
        driver.run(way, "goes_on", &[1]);
        let runs = driver.run(way, "goes_on", &[3, 4, 5]);
        let result = |mutant| (runs[&mutant].result, entered(&runs[&mutant].evidence));
        let (aborted, ended, endless) = (result(3), result(4), result(5));
        assert_eq!(aborted.0.failure(), Some(FailureKind::Crashed));
        assert_eq!(aborted.1, None, "{way:?}");
        assert_eq!(ended, (TestResult::exited(0), None), "{way:?}");
        assert_eq!(endless.0.failure(), Some(FailureKind::StepLimit));
        assert_eq!(endless.1, Some(&[0, 70, 98][..]));
    }
}

#[test]
fn what_a_mutant_asks_of_its_surroundings_is_seen() {
    let mut driver = driver();
    let baseline = driver.baseline("looks_around");
    let effects = baseline.test_run.evidence.unwrap().effects;
    assert!(!effects.contains(Effect::OutsideFiles));
    let variables = |driver: &Driver| driver.client.board().header().variables.get();
    let name = Path::new("ASKED_FOR_BY_A_MUTANT");
    assert!(!variables(&driver).contains(name));
    for (mutant, is_outside) in [(6, false), (7, true), (8, false), (9, true), (10, false)] {
        let runs = driver.run(RunMode::Each, "looks_around", &[mutant]);
        let effects = runs[&mutant].evidence.as_ref().unwrap().effects;
        assert_eq!(
            effects.contains(Effect::OutsideFiles),
            is_outside,
            "{mutant}"
        );
    }
    assert!(variables(&driver).contains(name));
    let used = |driver: &Driver, path: &str| {
        let files = driver.client.board().header().tree_files.get();
        files.contains(Path::new(path))
    };
    assert!(used(&driver, "/usr/share/doc/none"));
    assert!(!used(&driver, "/usr/src/none.rs") && !used(&driver, "/usr/target/none"));
    for (mutant, is_outside) in [(11, true), (12, true), (13, false)] {
        let runs = driver.run(RunMode::Each, "lists", &[mutant]);
        let effects = runs[&mutant].evidence.as_ref().unwrap().effects;
        let of_code = effects.contains(Effect::ReadsCode);
        assert_eq!(
            effects.contains(Effect::OutsideFiles),
            is_outside,
            "{mutant}"
        );
        assert_eq!(of_code, !is_outside, "{mutant}");
    }
    assert!(used(&driver, "/usr/src/none.rs"));
}
