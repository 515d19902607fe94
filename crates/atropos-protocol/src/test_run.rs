//! One run of one test, of a mutant or of the original: how it ended, and how that lies in shared memory.
//!
//! A [`Record`] is the shared form: written by whichever process learns the result, read by the
//! driver at any time. A [`TestRun`] is the owned copy that the driver passes along.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use atropos_values::MutantId;

use crate::effect::Effects;
use crate::failure_kind::FailureKind;
use crate::text::SharedText;

/// How a test ended with a mutant (or the original) in place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TestResult {
    /// Nothing was run or noted yet.
    NotRun,
    /// A process is at it; left behind only if everything that could have noted more was killed.
    Running,
    /// The test passed.
    Passed,
    /// The test failed.
    Failed {
        kind: FailureKind,
        /// With what status the process exited, or which signal ended it ([`STACK_OVERFLOW`] instead of the signal of an
        /// overflow); 0 for other kinds.
        status: i32,
    },
    /// More time than the limit, but others had the processors for much of it.
    Starved,
    /// Nothing can be said this way: the mutant needs a process of its own from the test's start.
    NeedsOwnProcess,
    /// The test ended and the mutant never differed from the original.
    NotInfected,
    /// Stopped before it changed a file that had been there before all tests, which the original leaves alone, or sent a
    /// signal to a process that is not the test's own.
    Harm,
}

/// The status of a crash by an overflow of the stack of the test's thread.
pub const STACK_OVERFLOW: i32 = -1;

/// The code of the first kind of failure in a record.
const FIRST_FAILURE: u32 = 16;

impl TestResult {
    /// A failure without a status.
    pub const fn failed(kind: FailureKind) -> TestResult {
        TestResult::Failed { kind, status: 0 }
    }

    /// The process ended in the middle of the test, with this status.
    pub const fn exited(status: i32) -> TestResult {
        let kind = FailureKind::Exited;
        TestResult::Failed { kind, status }
    }

    /// The process was ended by this signal.
    pub const fn crashed(signal: i32) -> TestResult {
        TestResult::Failed {
            kind: FailureKind::Crashed,
            status: signal,
        }
    }

    fn encode(self) -> (u32, i32) {
        match self {
            TestResult::NotRun => (0, 0),
            TestResult::Running => (1, 0),
            TestResult::Passed => (2, 0),
            TestResult::NeedsOwnProcess => (3, 0),
            TestResult::NotInfected => (4, 0),
            TestResult::Harm => (5, 0),
            TestResult::Starved => (6, 0),
            TestResult::Failed { kind, status } => (FIRST_FAILURE + kind as u32, status),
        }
    }

    pub(crate) fn code(self) -> u32 {
        self.encode().0
    }

    pub(crate) fn decode(code: u32, status: i32) -> TestResult {
        match code {
            1 => TestResult::Running,
            2 => TestResult::Passed,
            3 => TestResult::NeedsOwnProcess,
            4 => TestResult::NotInfected,
            5 => TestResult::Harm,
            6 => TestResult::Starved,
            FIRST_FAILURE.. => FailureKind::from_index((code - FIRST_FAILURE) as usize).map_or(
                TestResult::NotRun,
                |kind| TestResult::Failed { kind, status },
            ),
            _ => TestResult::NotRun,
        }
    }

    /// How the test noticed the mutant, if it did.
    pub fn failure(self) -> Option<FailureKind> {
        match self {
            TestResult::Failed { kind, .. } => Some(kind),
            _ => None,
        }
    }

    /// A clock ended it, and nothing else.
    pub fn is_of_the_clock(self) -> bool {
        self == TestResult::Starved || self.failure() == Some(FailureKind::TimeLimit)
    }

    /// Nothing will be added to it by the command that is running.
    pub fn is_final(self) -> bool {
        !matches!(self, TestResult::NotRun | TestResult::Running)
    }
}

/// The owned form of a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TestRun {
    pub result: TestResult,
    /// The panic's message, or why there is no other result; may be cut.
    pub message: String,
    /// `file:line:column` of the panic, if known.
    pub location: String,
    /// Steps of the whole test, those before the mutant was reached included.
    pub steps: u64,
    /// Time from the start of the mutant's process (or its turn in a worker) to its end.
    pub nanoseconds: u64,
    /// The mutant whose run this was: itself, or one that behaved the same.
    pub leader: MutantId,
    /// It changed files that other runs may have used, and perhaps it used theirs.
    pub changes_files: bool,
    /// What the run depended on, if it was seen to its end.
    pub evidence: Option<RunEvidence>,
}

/// What a run depended on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RunEvidence {
    /// The functions that it entered, those before its mutant was reached included.
    pub entered: Vec<u32>,
    /// What it did, and what was done before its mutant was reached.
    pub effects: Effects,
}

/// The shared form.
#[repr(C, align(64))]
pub struct Record {
    code: AtomicU32,
    status: AtomicU32,
    leader: AtomicU32,
    steps: AtomicU64,
    nanoseconds: AtomicU64,
    /// For a leader: which mutants of its point run in its process, one bit each from the first.
    members: AtomicU64,
    /// When its process started, on the monotonic clock.
    started: AtomicU64,
    pub message: SharedText<27>,
    pub location: SharedText<14>,
}

impl Record {
    pub fn result(&self) -> TestResult {
        TestResult::decode(
            self.code.load(Ordering::Acquire),
            self.status.load(Ordering::Relaxed) as i32,
        )
    }

    /// Publishes the result; all else of the record must have been set before.
    pub fn set_result(&self, result: TestResult) {
        let (code, status) = result.encode();
        self.status.store(status as u32, Ordering::Relaxed);
        self.code.store(code, Ordering::Release);
    }

    pub fn leader(&self) -> MutantId {
        MutantId(self.leader.load(Ordering::Relaxed))
    }

    pub fn members(&self) -> u64 {
        self.members.load(Ordering::Relaxed)
    }

    pub fn set_members(&self, members: u64) {
        self.members.store(members, Ordering::Relaxed);
    }

    pub fn set_leader(&self, leader: MutantId) {
        self.leader.store(leader.0, Ordering::Relaxed);
    }

    pub fn started(&self) -> u64 {
        self.started.load(Ordering::Relaxed)
    }

    pub fn steps(&self) -> u64 {
        self.steps.load(Ordering::Relaxed)
    }

    /// A run begins: clears what an earlier one left.
    pub fn begin(&self, leader: MutantId, now: u64) {
        self.set_leader(leader);
        self.started.store(now, Ordering::Relaxed);
        self.steps.store(0, Ordering::Relaxed);
        self.nanoseconds.store(0, Ordering::Relaxed);
        self.set_text("", "");
        self.set_result(TestResult::Running);
    }

    pub fn set_measures(&self, steps: u64, nanoseconds: u64) {
        self.steps.store(steps, Ordering::Relaxed);
        self.nanoseconds.store(nanoseconds, Ordering::Relaxed);
    }

    /// Stores both texts, each cut to what fits. Allocates nothing.
    pub fn set_text(&self, message: &str, location: &str) {
        self.message.set(message);
        self.location.set(location);
    }

    /// Copies all but the leader's own bookkeeping from `other`, the result last.
    pub fn copy_from(&self, other: &Record) {
        self.message.copy_from(&other.message);
        self.location.copy_from(&other.location);
        for (to, from) in [
            (&self.steps, &other.steps),
            (&self.nanoseconds, &other.nanoseconds),
        ] {
            to.store(from.load(Ordering::Relaxed), Ordering::Relaxed);
        }
        self.set_leader(other.leader());
        self.set_result(other.result());
    }

    pub fn read(&self) -> TestRun {
        TestRun {
            result: self.result(),
            message: self.message.get(),
            location: self.location.get(),
            steps: self.steps(),
            nanoseconds: self.nanoseconds.load(Ordering::Relaxed),
            leader: self.leader(),
            changes_files: false,
            evidence: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record() -> Box<Record> {
        // SAFETY: atomics may be zero.
        unsafe { Box::new(std::mem::zeroed()) }
    }

    #[test]
    fn every_result_survives_the_board() {
        let record = record();
        let failures = FailureKind::GENERAL.map(TestResult::failed);
        let others = [
            TestResult::NotRun,
            TestResult::Running,
            TestResult::Passed,
            TestResult::exited(3),
            TestResult::crashed(11),
            TestResult::crashed(STACK_OVERFLOW),
            TestResult::Starved,
            TestResult::Harm,
            TestResult::NeedsOwnProcess,
            TestResult::NotInfected,
        ];
        for result in failures.into_iter().chain(others) {
            record.set_result(result);
            assert_eq!(record.result(), result);
        }
    }

    #[test]
    fn a_new_run_forgets_the_old_text() {
        let record = record();
        record.set_text("old", "old:1:1");
        record.set_measures(5, 6);
        record.begin(MutantId(7), 100);
        let run = record.read();
        assert_eq!(run.result, TestResult::Running);
        assert_eq!(
            (run.message.as_str(), run.steps, run.leader),
            ("", 0, MutantId(7))
        );
    }
}
