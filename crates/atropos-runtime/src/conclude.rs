//! Gives the verdict on what this process runs, and ends it.
//!
//! Everything here must work in the middle of anything: inside an allocation, in a signal
//! handler, on any thread. So nothing allocates, and the process ends by system call.

use std::sync::atomic::{AtomicI32, Ordering};

use atropos_protocol::std_sources::is_of_std;
use atropos_protocol::{Board, FailureKind, Record, TestResult, sys};
use atropos_values::MutantId;

use crate::role::{self, MutantClass, Role};
use crate::{entered, output, steps, without_harness};

/// The thread that ends the run.
static ENDING: AtomicI32 = AtomicI32::new(0);

/// The first thread to end the run does it; others wait to be ended.
fn claim() {
    let relaxed = Ordering::Relaxed;
    let thread = sys::thread_id();
    match ENDING.compare_exchange(0, thread, relaxed, relaxed) {
        Ok(_) => {}
        // A fault while we were at it.
        Err(owner) if owner == thread => sys::exit_now(1),
        Err(_) => loop {
            std::thread::yield_now();
        },
    }
}

/// Copies the leader's record to the other members.
pub fn spread(board: &Board, class: MutantClass) {
    let mut records = class.records(board);
    let Some(leader) = records.next() else { return };
    for record in records {
        record.copy_from(leader);
    }
    entered::spread(board, class);
}

/// The record that speaks for what this process runs: the class's leader's, or the original's.
pub fn own_record(board: &Board) -> Option<&Record> {
    board.records().get(own_id().index())
}

fn own_id() -> MutantId {
    match role::role() {
        Role::Mutant => role::class().leader_id(),
        _ => MutantId::ORIGINAL,
    }
}

/// As `give`, unless another thread has ended the run already.
pub fn conclude(board: &Board, outcome: TestResult, text: (&str, &str)) {
    claim();
    give(board, outcome, Some(text));
}

/// Writes down the outcome of what this process runs.
fn give(board: &Board, outcome: TestResult, text: Option<(&str, &str)>) {
    let Some(record) = own_record(board) else {
        return;
    };
    if let Some((message, location)) = text {
        record.set_text(message, location);
    }
    record.set_measures(steps::taken(), sys::now().saturating_sub(record.started()));
    entered::write_down(board, own_id());
    record.set_result(outcome);
    if role::role() == Role::Mutant {
        spread(board, role::class());
    }
}

/// Ends the run at once with this outcome.
pub fn stop(outcome: TestResult, message: &str) -> ! {
    if without_harness::is_plain() {
        without_harness::stop(outcome);
    }
    if role::in_charge() {
        claim();
        output::flush();
        if let Some(board) = role::board() {
            give(board, outcome, Some((message, "")));
        }
    } else if let Some(board) = role::board() {
        // A process that the test forked itself: the test's process must be told of it.
        without_harness::note_limit(board, outcome);
    }
    sys::exit_now(1)
}

#[cold]
pub fn step_limit() {
    stop(TestResult::failed(FailureKind::StepLimit), "")
}

#[cold]
pub fn memory_limit() -> ! {
    stop(TestResult::failed(FailureKind::MemoryLimit), "")
}

#[cold]
pub fn file_limit() -> ! {
    stop(TestResult::failed(FailureKind::FileLimit), "")
}

/// The process is dying of a signal; what was last panicked about stays to be read.
#[cold]
pub fn crash(signal: i32) -> ! {
    if role::in_charge() {
        claim();
        output::flush();
        if let Some(board) = role::board() {
            give(board, TestResult::crashed(signal), None);
        }
    }
    sys::exit_now(128 + signal)
}

/// This way of running can't tell: the mutant needs a process of its own.
#[cold]
pub fn needs_own_process(reason: &str) -> ! {
    stop(TestResult::NeedsOwnProcess, reason)
}

/// A panic was noticed; if the process dies of it, this is what there is to say.
///
/// The standard library panics once more to say that a panic can't be unwound; the message before
/// that one says more.
pub fn note_panic(message: &str, location: &str) {
    if role::role() == Role::Bystander || without_harness::is_plain() || !role::in_charge() {
        return;
    }
    if role::role() == Role::Recorder {
        output::flush();
    }
    let echo = message.starts_with("panic in a ") && is_of_std(location);
    match role::board().and_then(own_record) {
        Some(record) if !echo || record.message.is_empty() => record.set_text(message, location),
        _ => {}
    }
}
