//! A worker: one process that runs a test again and again, as one mutant after another.
//!
//! Between two runs all memory goes back to what it was (`snapshot`), and no run may do what
//! memory does not show (`effects`, `sandbox`). The original is run first, twice, and last, once:
//! if its runs differ in result, steps or allocations, something is carried over after all, and
//! the worker's verdicts are void. A mutant that ends the process ends the worker; the zygote
//! starts another for the rest.

use std::sync::atomic::Ordering;

use atropos_protocol::{Board, TestResult, sys};
use atropos_values::MutantId;

use crate::effects::{self, Policy};
use crate::role::{self, MutantClass};
use crate::run::SuiteTest;
use crate::sandbox::{self, SharedBySandbox};
use crate::snapshot::Snapshot;
use crate::{fork, heap, limits, steps, wait};

/// A run that leaves more than this on the heap ends the worker: what the allocator mapped for it
/// is not given back.
const MOST_LEAKED: i64 = 1 << 20;

/// What must be the same in every run of the original.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Trace {
    passed: bool,
    steps: u64,
    allocations: u64,
    live: i64,
}

/// Runs the wanted mutants one after another and ends the process.
pub fn work(board: &'static Board, run: SuiteTest) -> ! {
    let header = board.header();
    limits::apply_memory(board);
    steps::set_limit(board.step_limit());
    effects::watch(Policy::Repeating);
    role::become_bystander();
    if sandbox::enter(SharedBySandbox::Process).is_err() {
        give_up(board, "the system has no filter for system calls");
    }
    let Some(snapshot) = Snapshot::take(board.range()) else {
        give_up(board, "the process shares memory");
    };
    let trace = original(board, run, &snapshot);
    if !trace.passed {
        give_up(board, "the test fails without any mutant");
    }
    if original(board, run, &snapshot) != trace {
        give_up(board, "the test does not repeat itself");
    }
    for mutant in board.mutants() {
        if board.cancelled() {
            sys::exit_now(0);
        }
        let open = board.records()[mutant.index()].result() == TestResult::NotRun;
        if open
            && board.is_wanted(mutant)
            && one(board, run, &snapshot, mutant) == WorkerFate::Leave
        {
            break;
        }
    }
    header.current.store(0, Ordering::Relaxed);
    if original(board, run, &snapshot) != trace {
        give_up(board, "a mutant left traces in the process");
    }
    board.records()[0].set_result(TestResult::Passed);
    sys::exit_now(0)
}

fn give_up(board: &Board, reason: &str) -> ! {
    board.header().void.set(reason);
    sys::exit_now(0)
}

fn original(board: &Board, run: SuiteTest, snapshot: &Snapshot) -> Trace {
    wait::start_clock(board, 1);
    let passed = run.once().is_ok();
    let trace = Trace {
        passed,
        steps: steps::taken(),
        allocations: heap::allocations(),
        live: heap::live(),
    };
    go_back(snapshot);
    trace
}

/// Whether the worker may go on after a mutant.
#[derive(Clone, Copy, PartialEq, Eq)]
enum WorkerFate {
    GoOn,
    Leave,
}

/// Makes the process what it was when the snapshot was taken. The caller may hold nothing that
/// the run allocated.
fn go_back(snapshot: &Snapshot) -> WorkerFate {
    let clean = effects::close_leftovers() && heap::live() <= MOST_LEAKED;
    // SAFETY: the worker has one thread, and nothing of the run is held any more.
    unsafe { snapshot.restore() };
    if clean {
        WorkerFate::GoOn
    } else {
        WorkerFate::Leave
    }
}

#[inline(never)]
fn one(board: &Board, run: SuiteTest, snapshot: &Snapshot, mutant: MutantId) -> WorkerFate {
    let class = MutantClass::of_mutant(board, mutant);
    board
        .header()
        .current
        .store(u64::from(mutant.0), Ordering::Relaxed);
    fork::begin(board, class);
    wait::start_clock(board, 1);
    role::become_mutant(class);
    run.conclude(board);
    go_back(snapshot)
}

/// How long a restore takes and how much there is, measured in a child of the zygote.
pub fn measure(board: &'static Board) {
    let Some(snapshot) = Snapshot::take(board.range()) else {
        return;
    };
    let mut least = u64::MAX;
    for _ in 0..3 {
        let start = sys::now();
        // SAFETY: nothing was allocated since; one thread.
        unsafe { snapshot.restore() };
        least = least.min(sys::now() - start);
    }
    let header = board.header();
    header.restore_cost.store(least, Ordering::Relaxed);
    let bytes = snapshot.bytes() as u64;
    header.restore_bytes.store(bytes, Ordering::Relaxed);
}

/// Settles what a worker that has ended was at, and withdraws its verdicts if they are void.
/// `before` are the mutants that were open when it started. Tells whether another may help.
pub fn settle(board: &Board, before: &[MutantId], waited: wait::WaitEnd) -> bool {
    let current = MutantId(board.header().current.load(Ordering::Relaxed) as u32);
    if !current.is_original() && board.records()[current.index()].result() == TestResult::Running {
        fork::settle(board, MutantClass::of_mutant(board, current), waited);
    }
    if board.cancelled() {
        return false;
    }
    let decided =
        |mutant: &&MutantId| board.records()[mutant.index()].result() != TestResult::NotRun;
    if !board.header().void.is_empty() {
        for mutant in before.iter().filter(decided) {
            board.records()[mutant.index()].set_result(TestResult::NotRun);
        }
        return false;
    }
    if before.iter().find(decided).is_none() {
        let original = &board.records()[0];
        fork::settle_record(original, waited);
        board
            .header()
            .void
            .set("the worker ended before its first mutant");
        return false;
    }
    true
}
