//! Forks mutants where they are reached, and waits for them.
//!
//! The parent stands still meanwhile, and hides the time that passed from its own clock (see
//! `clock`), so that the original and every later mutant run as if nobody had been forked.

use std::ffi::c_int;
use std::sync::atomic::{AtomicPtr, Ordering};

use atropos_protocol::deadlock::DEADLOCK;
use atropos_protocol::sys::{self, ChildEnd};
use atropos_protocol::{Board, FailureKind, Record, TestResult};

use crate::role::{self, MutantClass, Role};
use crate::wait::{self, WaitEnd};
use crate::{clock, conclude, effects, lasting_changes, limits, steps};

/// Which of the two processes we are after a fork.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ForkSide {
    Parent,
    Child,
}

/// libc's fork without the handlers that programs may have registered: the mutant is the same
/// program going on, not a child that the program asked for.
pub fn raw_fork() -> c_int {
    static FORK: AtomicPtr<std::ffi::c_void> = AtomicPtr::new(std::ptr::null_mut());
    let mut function = FORK.load(Ordering::Relaxed);
    if function.is_null() {
        function = sys::next_symbol(c"_Fork");
        if function.is_null() {
            function = sys::next_symbol(c"fork");
        }
        if function.is_null() {
            return -1;
        }
        FORK.store(function, Ordering::Relaxed);
    }
    // SAFETY: both symbols have this type.
    let fork: extern "C" fn() -> c_int = unsafe { std::mem::transmute(function) };
    fork()
}

/// Why a mutant can't be forked here and now, if it can't.
pub fn hazard() -> Option<&'static str> {
    if let Some(effect) = effects::against_fork() {
        return Some(effect.sentence());
    }
    if !role::on_test_thread() {
        return Some("reached on another thread than the test's");
    }
    if !role::in_charge() {
        return Some("reached in a process that the test forked");
    }
    if sys::threads() != Some(1) {
        return Some("reached while other threads run");
    }
    if effects::descriptors_open() {
        return Some("reached while the test holds a file open");
    }
    None
}

/// Notes that this way of running can't tell about `class`.
pub fn needs_own_process(board: &Board, class: MutantClass, reason: &str) {
    for record in class.records(board) {
        record.set_text(reason, "");
        record.set_result(TestResult::NeedsOwnProcess);
    }
}

/// Keeps only these members in the class that this process acts as.
pub fn narrow(board: &Board, members: u64) {
    let class = MutantClass {
        members,
        ..role::class()
    };
    role::narrow_class(class);
    if let Some(record) = board.records().get(class.leader_id().index()) {
        record.set_members(members);
    }
}

/// Marks a class as running from now on.
pub fn begin(board: &Board, class: MutantClass) {
    let now = sys::now();
    for record in class.records(board) {
        record.begin(class.leader_id(), now);
    }
    if let Some(record) = board.records().get(class.leader_id().index()) {
        record.set_members(class.members);
    }
}

/// Forks a process for `class`. The parent comes back when all is known about it.
pub fn fork(board: &Board, class: MutantClass) -> ForkSide {
    let header = board.header();
    let (depth, start) = (role::depth(), sys::now());
    let left = header
        .deadline
        .load(Ordering::Relaxed)
        .saturating_sub(start);
    begin(board, class);
    wait::start_clock(board, depth + 1);
    header.forks.fetch_add(1, Ordering::Relaxed);
    let handler = sys::default_child_signal();
    let parent = sys::pid();
    match raw_fork() {
        0 => {
            sys::restore_child_signal(&handler);
            sys::die_with_parent(parent);
            role::take_charge(depth + 1);
            let is_first = role::role() == Role::Original;
            role::become_mutant(class);
            limits::apply(board);
            if is_first {
                steps::differs_now(board);
            }
            return ForkSide::Child;
        }
        -1 => needs_own_process(board, class, "the system refused to fork"),
        pid => {
            // Who waits long looks at how the child is, which is not what the program does.
            let waited = lasting_changes::work(|| wait::wait_for(board, pid, depth, None));
            settle(board, class, waited);
        }
    }
    sys::restore_child_signal(&handler);
    let end = sys::now();
    header.depth.store(depth, Ordering::Relaxed);
    header.deadline.store(end + left, Ordering::Relaxed);
    clock::hide(end - start);
    ForkSide::Parent
}

/// Completes the records of a class whose process has ended.
pub fn settle(board: &Board, class: MutantClass, waited: WaitEnd) {
    let Some(leader) = board.records().get(class.leader_id().index()) else {
        return;
    };
    settle_record(leader, waited);
    let class = MutantClass {
        members: leader.members(),
        ..class
    };
    conclude::spread(board, class);
}

/// Completes a record by how its process ended, if that process could not do it itself.
pub fn settle_record(record: &Record, waited: WaitEnd) {
    if record.result().is_final() {
        return;
    }
    let outcome = match waited {
        WaitEnd::Ended(ChildEnd::Exited(status)) => TestResult::exited(status),
        WaitEnd::Ended(ChildEnd::Signaled(sys::SIGXCPU)) => {
            TestResult::failed(FailureKind::TimeLimit)
        }
        WaitEnd::Ended(ChildEnd::Signaled(sys::SIGSYS)) => TestResult::NeedsOwnProcess,
        WaitEnd::Ended(ChildEnd::Signaled(signal)) => TestResult::crashed(signal),
        WaitEnd::TimedOut => TestResult::failed(FailureKind::TimeLimit),
        WaitEnd::Starved => TestResult::Starved,
        WaitEnd::StoodStill => {
            record.set_text(DEADLOCK, "");
            TestResult::failed(FailureKind::Deadlock)
        }
        WaitEnd::Cancelled => TestResult::NotRun,
    };
    record.set_measures(0, sys::now().saturating_sub(record.started()));
    record.set_result(outcome);
}
