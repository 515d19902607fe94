//! Fairness.

use parking_lot::{Mutex, MutexGuard};
use std::sync::atomic::{AtomicU32, Ordering};

/// Works while somebody else waits, and lets him go first before it works again.
pub fn take_turns(lock: &Mutex, turns: &AtomicU32) -> u32 {
    let turn = lock.lock();
    lock.wait_for_waiter();
    MutexGuard::unlock_fair(turn);
    let _again = lock.lock();
    turns.load(Ordering::SeqCst)
}
