//! The step counter: the measure of a run that does not depend on the machine.
//!
//! Counting from several threads at once may lose a few steps; the limit is a multiple of what
//! the original needs, so that does not matter, and an endless loop still gets there.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use atropos_protocol::Board;

use crate::role::{self, Role};
use crate::{plain, verdict};

/// How many steps a process in plain mode takes before it tells the board again.
const REPORT: u64 = 4096;

#[repr(C, align(64))]
struct Steps {
    taken: AtomicU64,
    /// At this number something is to be done.
    stop: AtomicU64,
}

/// The mutant of this process has differed from the original, and its limit starts from there.
static DIFFERED: AtomicBool = AtomicBool::new(false);

static STEPS: Steps = Steps {
    taken: AtomicU64::new(0),
    stop: AtomicU64::new(u64::MAX),
};

#[inline(always)]
pub fn count() {
    let taken = STEPS.taken.load(Ordering::Relaxed) + 1;
    STEPS.taken.store(taken, Ordering::Relaxed);
    if taken >= STEPS.stop.load(Ordering::Relaxed) {
        stop();
    }
}

pub fn taken() -> u64 {
    STEPS.taken.load(Ordering::Relaxed)
}

/// Begins to count at 0.
pub fn reset() {
    STEPS.taken.store(0, Ordering::Relaxed);
}

/// A mutant is stopped when it has taken this many.
pub fn set_limit(limit: Option<u64>) {
    DIFFERED.store(false, Ordering::Relaxed);
    STEPS
        .stop
        .store(limit.unwrap_or(u64::MAX), Ordering::Relaxed);
}

/// Whether [`differs_now`] was called in this run.
pub fn has_differed() -> bool {
    DIFFERED.load(Ordering::Relaxed)
}

/// Here the mutant first differs from the original. So far it has taken the original's steps; from
/// here on it may take a multiple of what the original still takes. A test with a long way to the
/// mutant would otherwise let an endless one go on for a multiple of that way.
pub fn differs_now(board: &Board) {
    set_limit(board.step_limit_from(taken()));
    DIFFERED.store(true, Ordering::Relaxed);
}

/// A recorder in plain mode tells the board now and then how far it got.
pub fn report_often() {
    STEPS.stop.store(taken() + REPORT, Ordering::Relaxed);
}

#[cold]
fn stop() {
    match role::role() {
        Role::Mutant => verdict::step_limit(),
        Role::Recorder => {
            plain::report_steps();
            report_often();
        }
        Role::Bystander | Role::Original => set_limit(None),
    }
}
