//! A lock that is either unlocked for whoever comes first, or handed to one who waits.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex as Inner};

#[derive(Default)]
pub struct Mutex {
    state: Inner<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    is_locked: bool,
    /// The numbers of those who wait, and the next one.
    waiting: VecDeque<u32>,
    next: u32,
    /// It stays locked for this one of them.
    handed: Option<u32>,
}

pub struct MutexGuard<'a> {
    mutex: &'a Mutex,
}

impl Mutex {
    pub fn lock(&self) -> MutexGuard<'_> {
        let mut state = self.state.lock().unwrap();
        if state.is_locked {
            let mine = state.next;
            state.next += 1;
            state.waiting.push_back(mine);
            self.changed.notify_all();
            while state.is_locked && state.handed != Some(mine) {
                state = self.changed.wait(state).unwrap();
            }
            state.waiting.retain(|number| *number != mine);
            state.handed = None;
        }
        state.is_locked = true;
        self.changed.notify_all();
        MutexGuard { mutex: self }
    }

    /// Waits until somebody waits for the lock.
    pub fn wait_for_waiter(&self) {
        let mut state = self.state.lock().unwrap();
        while state.waiting.is_empty() {
            state = self.changed.wait(state).unwrap();
        }
    }

    /// Waits until somebody has the lock.
    pub fn wait_for_holder(&self) {
        let mut state = self.state.lock().unwrap();
        while !state.is_locked {
            state = self.changed.wait(state).unwrap();
        }
    }

    fn release(&self, fairly: bool) {
        let mut state = self.state.lock().unwrap();
        match state.waiting.front().copied().filter(|_| fairly) {
            Some(first) => state.handed = Some(first),
            None => state.is_locked = false,
        }
        self.changed.notify_all();
    }
}

impl MutexGuard<'_> {
    pub fn unlock_fair(guard: Self) {
        guard.mutex.release(true);
        std::mem::forget(guard);
    }
}

impl Drop for MutexGuard<'_> {
    fn drop(&mut self) {
        self.mutex.release(false);
    }
}
