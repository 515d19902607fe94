//! Counts the threads and processes that this process starts: a mutant that starts them without end would leave nobody
//! else any.

use atropos_protocol::FailureKind;
use std::sync::atomic::{AtomicU64, Ordering};

use atropos_protocol::TestResult;

use crate::conclude;
use crate::role::{self, Role};

static STARTED: AtomicU64 = AtomicU64::new(0);

/// One more is about to be started.
pub fn count() {
    let started = STARTED.fetch_add(1, Ordering::Relaxed) + 1;
    let Some(board) = role::board() else { return };
    match role::role() {
        Role::Recorder => {
            let most = &board.header().spawns;
            most.fetch_max(started, Ordering::Relaxed);
        }
        Role::Mutant if board.spawn_limit().is_some_and(|limit| started > limit) => {
            conclude::stop(TestResult::failed(FailureKind::SpawnLimit), "");
        }
        _ => {}
    }
}
