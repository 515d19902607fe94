//! One run of a test, in a process of its own: prepare the process, run, conclude.

use std::os::fd::RawFd;
use std::path::PathBuf;
use std::sync::atomic::Ordering;

use atropos_protocol::{Board, ENV_BOARD, ENV_MUTANT, FailureKind, TestResult};
use atropos_protocol::{landlock, sys};
use atropos_values::MutantId;

use crate::effects::{self, Policy};
use crate::role::{self, MutantClass, Role};
use crate::sandbox::{self, SharedBySandbox};
use crate::zygote::{BodyFailure, Suite};
use crate::{
    batch, capture, conclude, fork, heap, inherited, lasting_changes, limits, observe, output,
    outside_tests, random, steps,
};

/// As what a test is run.
pub enum ChildPlan {
    /// The original, noting everything.
    Baseline {
        /// Where the output goes: a file that the zygote has opened.
        capture: Option<RawFd>,
        directory: Option<PathBuf>,
    },
    /// The original, forking mutants where they are reached.
    Fork,
    /// A mutant from the start.
    Each {
        class: MutantClass,
        directory: Option<PathBuf>,
    },
    /// One mutant after another, see `batch`.
    Batch,
}

/// A test that is to be run, and who can do it.
#[derive(Clone, Copy)]
pub struct SuiteTest<'a> {
    pub suite: &'a dyn Suite,
    pub test: usize,
}

impl SuiteTest<'_> {
    pub fn once(self) -> Result<(), BodyFailure> {
        self.suite.run(self.test)
    }

    /// Runs the test and writes down how it went.
    pub fn conclude(self, board: &Board) {
        conclude(board, self.once());
    }
}

/// Runs the test as `plan` says and ends the process.
pub fn run(board: &'static Board, run: SuiteTest, plan: &ChildPlan) -> ! {
    let header = board.header();
    match plan {
        ChildPlan::Baseline { capture, directory } => {
            if let &Some(file) = capture {
                redirect(file);
            }
            set_environment(board, directory, None);
            observe::begin();
            capture::begin();
            prepare(board, Policy::Note);
            role::become_recorder();
        }
        ChildPlan::Fork => {
            prepare(board, Policy::Forking);
            role::become_original(board);
            // Without the filter the intercepted names must do.
            let _ = sandbox::enter(SharedBySandbox::History);
        }
        ChildPlan::Each { class, directory } => {
            set_environment(board, directory, Some(class.leader_id()));
            observe::begin();
            capture::begin();
            prepare(board, Policy::Note);
            landlock::enforce_list(board.path());
            limits::apply(board);
            role::become_mutant(*class);
            steps::set_limit(board.step_limit());
        }
        ChildPlan::Batch => {
            prepare(board, Policy::Note);
            batch::work(board, run);
        }
    }
    let (wall, cpu) = (sys::now(), sys::cpu_time());
    let result = run.once();
    if role::role() == Role::Recorder && role::in_charge() {
        header.wall.store(sys::now() - wall, Ordering::Relaxed);
        let cpu = sys::cpu_time() - cpu + sys::children_cpu_time();
        header.cpu.store(cpu, Ordering::Relaxed);
        header.steps.store(steps::taken(), Ordering::Relaxed);
        header.peak_heap.store(heap::peak(), Ordering::Relaxed);
        header
            .allocations
            .store(heap::allocations(), Ordering::Relaxed);
        header.fork_cost.store(fork_cost(), Ordering::Relaxed);
    }
    conclude(board, result);
    if role::role() == Role::Recorder && !observe::is_on() {
        outside_tests::end(board);
    }
    sys::exit_now(0)
}

fn prepare(board: &Board, policy: Policy) {
    let header = board.header();
    random::seed(header.seed.load(Ordering::Relaxed));
    role::take_charge(1);
    limits::measure();
    limits::apply_to_files(board);
    lasting_changes::begin();
    steps::reset();
    output::watch();
    effects::watch(policy);
}

/// Writes down how the run went.
fn conclude(board: &Board, result: Result<(), BodyFailure>) {
    if !role::in_charge() {
        // The test forked, and its child came back here. Only the test's own process concludes.
        sys::exit_now(0);
    }
    let role = role::role();
    if role == Role::Recorder {
        output::flush();
    }
    if role == Role::Original {
        for mutant in board.mutants() {
            let record = &board.records()[mutant.index()];
            if board.is_wanted(mutant) && record.result() == TestResult::NotRun && result.is_ok() {
                record.set_result(TestResult::NotInfected);
            }
        }
    }
    let limit = match role {
        Role::Mutant => board.spawned_limit(role::class().leader_id()),
        _ => None,
    };
    let failure = result.as_ref().err().cloned().unwrap_or_default();
    let outcome = match (limit, result) {
        (Some(limit), _) => limit,
        (None, Ok(())) => TestResult::Passed,
        (None, Err(_)) if failure.location.is_empty() => TestResult::failed(FailureKind::Failed),
        (None, Err(_)) => TestResult::failed(FailureKind::Panicked),
    };
    let text = (failure.message.as_str(), failure.location.as_str());
    conclude::conclude(board, outcome, text);
}

/// Sends standard output and error to a file.
fn redirect(file: RawFd) {
    let _ = sys::duplicate_onto(file, 1);
    let _ = sys::duplicate_onto(file, 2);
    sys::close(file);
}

/// What woven programs that the test starts need to know, and where temporary files go.
fn set_environment(board: &Board, directory: &Option<PathBuf>, mutant: Option<MutantId>) {
    // SAFETY: the process has one thread.
    unsafe {
        std::env::set_var(ENV_BOARD, board.path());
        if let Some(mutant) = mutant {
            std::env::set_var(ENV_MUTANT, mutant.to_string());
        }
        if let Some(directory) = directory {
            std::env::set_var("TMPDIR", directory);
        }
    }
    inherited::begin();
}

/// How long it takes to fork an empty child and to wait for it, in nanoseconds.
pub fn fork_cost() -> u64 {
    let start = sys::now();
    match fork::raw_fork() {
        0 => sys::exit_now(0),
        -1 => 0,
        pid => {
            let _ = sys::wait(pid, true);
            sys::now() - start
        }
    }
}
