//! What became of one mutant under one test, and how that lies in shared memory.
//!
//! A [`Record`] is the shared form: written by whichever process learns the outcome, read by the
//! driver at any time. A [`Verdict`] is the owned copy that the driver passes along.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use crate::text::Text;

/// How a test ended with a mutant (or the original) in place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Nothing was run or noted yet.
    None,
    /// A process is at it; left behind only if everything that could have noted more was killed.
    Running,
    /// The test passed.
    Passed,
    /// The test failed: it panicked, returned an error, or did not panic as it should.
    Failed,
    /// The process ended in the middle of the test, with this status.
    Exited(i32),
    /// The process was ended by this signal.
    Crashed(i32),
    /// The stack of the test's thread overflowed.
    StackOverflow,
    /// More steps than the limit.
    StepLimit,
    /// More live heap than the limit.
    MemoryLimit,
    /// A file of more bytes than the limit.
    FileLimit,
    /// More threads and processes started than the limit.
    SpawnLimit,
    /// All threads wait for each other.
    Deadlock,
    /// More time than the limit, without reaching another limit.
    TimeLimit,
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

impl Outcome {
    fn encode(self) -> (u32, i32) {
        match self {
            Outcome::None => (0, 0),
            Outcome::Running => (1, 0),
            Outcome::Passed => (2, 0),
            Outcome::Failed => (3, 0),
            Outcome::Exited(status) => (4, status),
            Outcome::Crashed(signal) => (5, signal),
            Outcome::StackOverflow => (6, 0),
            Outcome::StepLimit => (7, 0),
            Outcome::MemoryLimit => (8, 0),
            Outcome::TimeLimit => (9, 0),
            Outcome::NeedsOwnProcess => (10, 0),
            Outcome::NotInfected => (11, 0),
            Outcome::Harm => (12, 0),
            Outcome::Deadlock => (13, 0),
            Outcome::FileLimit => (14, 0),
            Outcome::SpawnLimit => (15, 0),
            Outcome::Starved => (16, 0),
        }
    }

    pub(crate) fn code(self) -> u32 {
        self.encode().0
    }

    pub(crate) fn decode(code: u32, detail: i32) -> Outcome {
        match code {
            1 => Outcome::Running,
            2 => Outcome::Passed,
            3 => Outcome::Failed,
            4 => Outcome::Exited(detail),
            5 => Outcome::Crashed(detail),
            6 => Outcome::StackOverflow,
            7 => Outcome::StepLimit,
            8 => Outcome::MemoryLimit,
            9 => Outcome::TimeLimit,
            10 => Outcome::NeedsOwnProcess,
            11 => Outcome::NotInfected,
            12 => Outcome::Harm,
            13 => Outcome::Deadlock,
            14 => Outcome::FileLimit,
            15 => Outcome::SpawnLimit,
            16 => Outcome::Starved,
            _ => Outcome::None,
        }
    }

    /// The test noticed the mutant.
    pub fn is_kill(self) -> bool {
        matches!(
            self,
            Outcome::Failed
                | Outcome::Exited(_)
                | Outcome::Crashed(_)
                | Outcome::StackOverflow
                | Outcome::StepLimit
                | Outcome::MemoryLimit
                | Outcome::FileLimit
                | Outcome::SpawnLimit
                | Outcome::Deadlock
                | Outcome::TimeLimit
        )
    }

    /// A clock ended it, and nothing else.
    pub fn is_of_the_clock(self) -> bool {
        matches!(self, Outcome::TimeLimit | Outcome::Starved)
    }

    /// Nothing will be added to it by the command that is running.
    pub fn is_final(self) -> bool {
        !matches!(self, Outcome::None | Outcome::Running)
    }
}

/// The owned form of a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdict {
    pub outcome: Outcome,
    /// The panic's message, or why there is no other outcome; may be cut.
    pub message: String,
    /// `file:line:column` of the panic, if known.
    pub location: String,
    /// Steps of the whole test, those before the mutant was met included.
    pub steps: u64,
    /// Time from the start of the mutant's process (or its turn in a worker) to its end.
    pub nanoseconds: u64,
    /// The mutant whose run this verdict comes from: itself, or one that behaved the same.
    pub leader: u32,
}

/// The shared form.
#[repr(C, align(64))]
pub struct Record {
    code: AtomicU32,
    detail: AtomicU32,
    leader: AtomicU32,
    steps: AtomicU64,
    nanoseconds: AtomicU64,
    /// For a leader: which mutants of its point run in its process, one bit each from the first.
    members: AtomicU64,
    /// When its process started, on the monotonic clock.
    started: AtomicU64,
    pub message: Text<27>,
    pub location: Text<14>,
}

impl Record {
    pub fn outcome(&self) -> Outcome {
        Outcome::decode(
            self.code.load(Ordering::Acquire),
            self.detail.load(Ordering::Relaxed) as i32,
        )
    }

    /// Publishes the outcome; all else of the record must have been set before.
    pub fn set_outcome(&self, outcome: Outcome) {
        let (code, detail) = outcome.encode();
        self.detail.store(detail as u32, Ordering::Relaxed);
        self.code.store(code, Ordering::Release);
    }

    pub fn leader(&self) -> u32 {
        self.leader.load(Ordering::Relaxed)
    }

    pub fn members(&self) -> u64 {
        self.members.load(Ordering::Relaxed)
    }

    pub fn set_members(&self, members: u64) {
        self.members.store(members, Ordering::Relaxed);
    }

    pub fn set_leader(&self, leader: u32) {
        self.leader.store(leader, Ordering::Relaxed);
    }

    pub fn started(&self) -> u64 {
        self.started.load(Ordering::Relaxed)
    }

    pub fn steps(&self) -> u64 {
        self.steps.load(Ordering::Relaxed)
    }

    /// A run begins: clears what an earlier one left.
    pub fn begin(&self, leader: u32, now: u64) {
        self.set_leader(leader);
        self.started.store(now, Ordering::Relaxed);
        self.steps.store(0, Ordering::Relaxed);
        self.nanoseconds.store(0, Ordering::Relaxed);
        self.set_text("", "");
        self.set_outcome(Outcome::Running);
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

    /// Copies all but the leader's own bookkeeping from `other`, the outcome last.
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
        self.set_outcome(other.outcome());
    }

    pub fn read(&self) -> Verdict {
        let outcome = self.outcome();
        Verdict {
            outcome,
            message: self.message.get(),
            location: self.location.get(),
            steps: self.steps(),
            nanoseconds: self.nanoseconds.load(Ordering::Relaxed),
            leader: self.leader(),
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
    fn every_outcome_survives_the_board() {
        let record = record();
        for outcome in [
            Outcome::None,
            Outcome::Running,
            Outcome::Passed,
            Outcome::Failed,
            Outcome::Exited(3),
            Outcome::Crashed(11),
            Outcome::StackOverflow,
            Outcome::StepLimit,
            Outcome::MemoryLimit,
            Outcome::FileLimit,
            Outcome::SpawnLimit,
            Outcome::Deadlock,
            Outcome::TimeLimit,
            Outcome::Starved,
            Outcome::Harm,
            Outcome::NeedsOwnProcess,
            Outcome::NotInfected,
        ] {
            record.set_outcome(outcome);
            assert_eq!(record.outcome(), outcome);
        }
    }

    #[test]
    fn a_new_run_forgets_the_old_text() {
        let record = record();
        record.set_text("old", "old:1:1");
        record.set_measures(5, 6);
        record.begin(7, 100);
        let verdict = record.read();
        assert_eq!(verdict.outcome, Outcome::Running);
        assert_eq!(
            (verdict.message.as_str(), verdict.steps, verdict.leader),
            ("", 0, 7)
        );
    }
}
