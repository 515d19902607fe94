//! State that tests and mutants leave in a process: no other mutant may see it.

use std::path::PathBuf;
use std::sync::OnceLock;

use atropos_protocol::{FailureKind, RunMode, TestResult};

use crate::support::{Driver, Kind, compile, limits, outcomes};

const PROGRAM: &str = r#"
use atropos_runtime::{at, step};
use std::cell::Cell;
use std::collections::HashMap;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, OnceLock};

static COUNTER: AtomicU32 = AtomicU32::new(0);
static LIST: OnceLock<Mutex<Vec<u32>>> = OnceLock::new();
static CACHE: OnceLock<HashMap<u32, u32>> = OnceLock::new();
thread_local! {
    static LOCAL: Cell<u32> = const { Cell::new(0) };
    static LAZY: Mutex<Vec<String>> = Mutex::new(vec!["first".to_string()]);
}

// Mutants 1 to 40 all return the same wrong value, 41 to 50 the right one.
fn seven() -> u32 {
    step(0);
    match at(1) { 0 => 7, 1..=40 => 8, _ => 7 }
}

// Mutant 51 fills the cache wrongly.
fn cached(n: u32) -> u32 {
    let cache = CACHE.get_or_init(|| {
        (0..100).map(|n| (n, if at(51) == 1 { n } else { n * n })).collect()
    });
    cache[&n]
}

#[test]
fn counts() {
    assert_eq!(COUNTER.fetch_add(1, Ordering::Relaxed), 0);
    assert_eq!(seven(), 7);
}

#[test]
fn lists() {
    let list = LIST.get_or_init(Default::default);
    let mut list = list.lock().unwrap();
    list.push(1);
    assert_eq!(list.len(), 1);
    assert_eq!(seven(), 7);
}

#[test]
fn locals() {
    LOCAL.set(LOCAL.get() + 1);
    assert_eq!(LOCAL.get(), 1);
    LAZY.with(|lazy| {
        let mut lazy = lazy.lock().unwrap();
        lazy.push("second".into());
        assert_eq!(lazy.len(), 2);
    });
    assert_eq!(seven(), 7);
}

#[test]
fn variables() {
    assert!(std::env::var("STATE_OF_TEST").is_err());
    unsafe { std::env::set_var("STATE_OF_TEST", "set"); }
    assert_eq!(seven(), 7);
}

#[test]
fn leaks() {
    let leaked: &'static mut Vec<u64> = Box::leak(Box::new(vec![1; 5000]));
    leaked[17] = 3;
    std::mem::forget(vec![1u8; 500_000]);
    assert_eq!(seven(), 7);
}

#[test]
fn caches() {
    assert_eq!(cached(5), 25);
    assert_eq!(seven(), 7);
}

#[test]
fn poisons() {
    // The mutants panic while they hold the lock.
    let list = LIST.get_or_init(Default::default);
    let guard = list.lock().unwrap();
    assert_eq!(seven(), 7);
    drop(guard);
}

#[test]
fn grows() {
    // Far more heap than at the start, given back at the end.
    let blocks: Vec<Vec<u8>> = (0..3000).map(|n| vec![n as u8; 1000]).collect();
    assert!(blocks.iter().all(|block| block[0] == block[999]));
    let zeroes = vec![0u64; 100_000];
    assert!(zeroes.iter().all(|&word| word == 0));
    assert_eq!(seven(), 7);
}

#[test]
fn hashes() {
    let map: HashMap<u32, u32> = (0..100).map(|n| (n, n)).collect();
    let order: Vec<u32> = map.keys().copied().collect();
    assert_eq!(seven(), 7, "{:?}", &order[..5]);
}

#[test]
fn leaks_much() {
    std::mem::forget(vec![1u8; 2_000_000]);
    assert_eq!(seven(), 7);
}

#[test]
fn leaves_files_open() {
    let file = std::fs::File::open("/proc/self/status").unwrap();
    use std::os::fd::AsRawFd;
    assert!(file.as_raw_fd() < 10);
    std::mem::forget(file);
    std::mem::forget(std::os::unix::net::UnixStream::pair().unwrap());
    assert_eq!(seven(), 7);
}

#[test]
fn differs() {
    let nanoseconds = std::time::SystemTime::now()
        .duration_since(std::time::UNIX_EPOCH).unwrap().subsec_nanos();
    for _ in 0..nanoseconds % 1000 { step(0); }
    assert_eq!(seven(), 7);
}

#[test]
fn hooks() {
    let before = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| before(info)));
    assert_eq!(seven(), 7);
}
"#;

const POINTS: &[(u32, u16)] = &[(1, 50), (51, 1)];
const TESTS: &[&str] = &[
    "counts",
    "lists",
    "locals",
    "variables",
    "leaks",
    "caches",
    "poisons",
    "grows",
    "hashes",
    "hooks",
];

fn driver() -> Driver {
    static PROGRAM_PATH: OnceLock<PathBuf> = OnceLock::new();
    let program = PROGRAM_PATH.get_or_init(|| compile(PROGRAM, Kind::Test));
    Driver::start(program, POINTS)
}

#[test]
fn a_worker_brings_all_state_back_between_mutants() {
    let mut driver = driver();
    let wanted: Vec<u32> = (1..=50).collect();
    for test in TESTS {
        let baseline = driver.baseline(test);
        assert!(
            baseline.passed() && baseline.may_batch(),
            "{test}: {baseline:?}"
        );
        let (test_runs, run) = driver.run_with(RunMode::Batch, test, &wanted, &limits());
        assert_eq!(run.void, None, "{test}");
        assert_eq!(run.workers, 1, "{test}");
        assert_eq!(test_runs.len(), 50, "{test}");
        for (mutant, outcome) in outcomes(&test_runs) {
            let expected = match mutant {
                ..=40 => TestResult::failed(FailureKind::Panicked),
                _ => TestResult::Passed,
            };
            assert_eq!(outcome, expected, "{test} {mutant}");
        }
    }
}

#[test]
fn a_mutant_in_lazily_made_state_is_met_in_every_way() {
    let mut driver = driver();
    for way in [RunMode::Fork, RunMode::Each, RunMode::Batch] {
        // Others before it must not have filled the cache.
        let outcomes = driver.outcomes(way, "caches", &[1, 41, 42, 51]);
        assert_eq!(
            outcomes[&51],
            TestResult::failed(FailureKind::Panicked),
            "{way:?}"
        );
        assert_eq!(outcomes[&41], TestResult::Passed, "{way:?}");
    }
}

#[test]
fn hash_maps_have_the_same_order_in_every_run() {
    let mut messages = Vec::new();
    for way in [RunMode::Fork, RunMode::Each, RunMode::Batch] {
        let mut driver = driver();
        for test_run in driver.run(way, "hashes", &[1, 2]).values() {
            messages.push(test_run.message.clone());
        }
    }
    assert_eq!(messages.len(), 6);
    assert!(
        messages.iter().all(|message| *message == messages[0]),
        "{messages:?}"
    );
}

#[test]
fn a_worker_is_replaced_when_a_run_leaks_much() {
    let mut driver = driver();
    let (test_runs, run) = driver.run_with(RunMode::Batch, "leaks_much", &[1, 2, 41], &limits());
    assert_eq!(outcomes(&test_runs)[&41], TestResult::Passed);
    assert_eq!(
        outcomes(&test_runs)[&2],
        TestResult::failed(FailureKind::Panicked)
    );
    assert_eq!((run.workers, run.void), (3, None));
}

#[test]
fn files_that_mutants_leave_open_do_not_pile_up() {
    let mut driver = driver();
    let wanted: Vec<u32> = (1..=50).collect();
    let (test_runs, run) = driver.run_with(RunMode::Batch, "leaves_files_open", &wanted, &limits());
    assert_eq!((run.workers, run.void), (1, None));
    assert_eq!(
        outcomes(&test_runs)[&40],
        TestResult::failed(FailureKind::Panicked)
    );
    assert_eq!(outcomes(&test_runs)[&50], TestResult::Passed);
}

#[test]
fn a_test_that_differs_from_run_to_run_is_not_repeated() {
    let mut driver = driver();
    let (test_runs, run) = driver.run_with(RunMode::Batch, "differs", &[1, 41], &limits());
    assert!(test_runs.is_empty());
    // If the first two runs are alike by chance, the last one is not.
    let why = run.void.as_deref();
    let by_chance = Some("a mutant left traces in the process");
    assert!(
        why == Some("the test does not repeat itself") || why == by_chance,
        "{why:?}"
    );
}
