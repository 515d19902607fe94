//! Runs a piece of a test in a child process with one thread.

use std::collections::BTreeMap;
use std::ffi::c_int;
use std::panic::{AssertUnwindSafe, catch_unwind};

use atropos_threads::atropos_search::{Exhaustive, Search, SearchOrder, Strategy};
use atropos_threads::{ControlOptions, MemoryOrder, survey};

unsafe extern "C" {
    fn fork() -> c_int;
    fn waitpid(child: c_int, status: *mut c_int, options: c_int) -> c_int;
    fn _exit(code: c_int) -> !;
    fn write(file: c_int, bytes: *const u8, length: usize) -> isize;
}

/// Runs `piece` in a child and fails if it fails there.
#[track_caller]
pub fn alone(piece: impl FnOnce()) {
    // A child forked while another test panics would wait for ever for the lock of the panic hook.
    static ONE_AT_A_TIME: std::sync::Mutex<()> = std::sync::Mutex::new(());
    let _turn = ONE_AT_A_TIME
        .lock()
        .unwrap_or_else(|poisoned| poisoned.into_inner());
    // SAFETY: the child runs the piece and leaves without running anything of the parent's.
    let status = unsafe {
        match fork() {
            0 => {
                let code = match catch_unwind(AssertUnwindSafe(piece)) {
                    Ok(()) => 0,
                    Err(payload) => {
                        let text = payload.downcast_ref::<String>().cloned();
                        let text = text.or_else(|| {
                            payload.downcast_ref::<&str>().map(|text| text.to_string())
                        });
                        let text = text.unwrap_or_default() + "\n";
                        write(2, text.as_ptr(), text.len());
                        1
                    }
                };
                _exit(code)
            }
            child => {
                let mut status = 0;
                assert_eq!(waitpid(child, &raw mut status, 0), child);
                status
            }
        }
    };
    assert_eq!(status, 0, "the child failed: {status:#x}");
}

/// Explores with weak memory and all schedules.
pub fn weak() -> ControlOptions {
    ControlOptions::default()
}

/// Explores with sequentially consistent memory.
pub fn sc() -> ControlOptions {
    ControlOptions {
        memory: MemoryOrder::SequentiallyConsistent,
        ..ControlOptions::default()
    }
}

/// The ways in which a test ends, over all schedules, found by enumeration and by partial-order reduction.
pub fn ends(test: &(dyn Fn() + Sync), options: &ControlOptions) -> Vec<String> {
    let (all, report) = survey(test, options, &mut Exhaustive::new());
    assert_eq!(report.divergence, None, "not deterministic");
    keys(all)
}

/// As [`ends`], without reduction.
pub fn all_ends(test: &(dyn Fn() + Sync), options: &ControlOptions) -> Vec<String> {
    let (all, report) = survey(test, options, &mut Search::enumeration());
    assert_eq!(report.divergence, None, "not deterministic");
    keys(all)
}

/// The number of schedules that a strategy needs.
pub fn count(
    test: &(dyn Fn() + Sync),
    options: &ControlOptions,
    strategy: &mut dyn Strategy,
) -> u64 {
    survey(test, options, strategy).1.progress.executions
}

fn keys(map: BTreeMap<String, u64>) -> Vec<String> {
    map.into_keys().collect()
}

/// Checks that reduction and enumeration agree on how a test ends, and that this is how.
#[track_caller]
pub fn check(test: impl Fn() + Sync, options: &ControlOptions, expected: &[&str]) {
    alone(|| {
        assert_eq!(all_ends(&test, options), expected, "enumeration");
        assert_eq!(ends(&test, options), expected, "exhaustive");
    });
}

/// The same by matching states, with sequentially consistent memory.
#[track_caller]
pub fn check_by_states(test: impl Fn() + Sync, expected: &[&str]) {
    check(&test, &sc(), expected);
    alone(|| {
        let (all, report) = survey(&test, &sc(), &mut Search::stateful(SearchOrder::DepthFirst));
        assert_eq!(report.divergence, None, "not deterministic");
        assert_eq!(keys(all), expected, "stateful");
    });
}

/// Checks how a test ends, by reduction alone.
#[track_caller]
pub fn check_reduced(test: impl Fn() + Sync, options: &ControlOptions, expected: &[&str]) {
    alone(|| assert_eq!(ends(&test, options), expected));
}

/// How much memory the process has.
pub fn resident_kilobytes() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status
        .lines()
        .find(|line| line.starts_with("VmRSS:"))
        .unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}
