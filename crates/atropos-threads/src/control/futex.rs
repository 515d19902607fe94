//! Controlled threads that wait on a word of memory.

use std::time::Duration;

use atropos_search::{Op, OpKind, SharedObject};

use super::code::Code;
use super::thread_state::Wait;
use super::{Announcement, Granted, control, here};

/// How a wait ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FutexWaitEnd {
    Woken,
    /// The word did not hold the expected value.
    OtherValue,
    TimedOut,
}

const FUTEX_SPACE: u64 = 0x8 << 60;

/// Waits on a word until it is woken, if the word holds `expected`.
///
/// # Safety
/// The word must be readable.
pub unsafe fn wait(word: *const u32, expected: u32, timeout: Option<Duration>) -> FutexWaitEnd {
    let Some(control) = control() else {
        return FutexWaitEnd::OtherValue;
    };
    let value = control.name(word);
    // The caller is no function of ours; where the thread last was says more.
    let site = control.me().site.unwrap_or(here());
    let queue = SharedObject(value.0 | FUTEX_SPACE);
    // The look at the word and the queueing are one step.
    control.point(Announcement::new(
        Code::FutexWait,
        Op::on(value, OpKind::Read).and(queue, OpKind::Write),
        site,
    ));
    // SAFETY: the caller's promise; only this OS thread changes the word.
    if unsafe { word.read_volatile() } != expected {
        control.looked_at(value);
        return FutexWaitEnd::OtherValue;
    }
    let deadline = timeout.map_or(u64::MAX, |timeout| {
        control.state().virtual_clock.after(timeout)
    });
    let thread = control.me();
    thread.blocking.futex = word as usize;
    thread.blocking.token_of_futex = false;
    let op = match timeout {
        None => Op::on(queue, OpKind::Read),
        Some(_) => Op::universal().and(queue, OpKind::Write).revocable(),
    };
    let granted = control.point(
        Announcement::new(Code::FutexWake, op, site)
            .waiting(Wait::Futex)
            .until(deadline),
    );
    control.me().blocking.futex = 0;
    control.state().changed(queue);
    match granted {
        Granted::Yes | Granted::Spuriously => FutexWaitEnd::Woken,
        Granted::TimedOut => FutexWaitEnd::TimedOut,
    }
}

/// Wakes up to `most` threads that wait on a word; which ones is a choice. Says how many. The kernel orders memory between the two: who
/// was woken sees what the other did before.
pub fn wake(word: *const u32, most: u32) -> u32 {
    let Some(control) = control() else { return 0 };
    let queue = SharedObject(control.name(word).0 | FUTEX_SPACE);
    let site = control.me().site.unwrap_or(here());
    control.point(Announcement::new(
        Code::FutexNotify,
        Op::on(queue, OpKind::Write),
        site,
    ));
    let state = control.state();
    let clock = state.model.weak.then(|| {
        let clock = &mut state.threads[state.current as usize].clocks.clock;
        clock.tick(state.current);
        clock.clone()
    });
    let mut woken = 0;
    while woken < most {
        let state = control.state();
        let waits = |thread: u32| {
            let thread = &state.threads[thread as usize];
            thread.blocking.futex == word as usize && !thread.blocking.token_of_futex
        };
        let waiting: Vec<u32> = state
            .pending
            .iter()
            .map(|pending| pending.thread.0)
            .filter(|thread| waits(*thread))
            .collect();
        if waiting.is_empty() {
            break;
        }
        let all = most - woken >= waiting.len() as u32;
        let chosen = if all {
            waiting[0]
        } else {
            waiting[control.choose(waiting.len() as u32) as usize]
        };
        let state = control.state();
        let thread = &mut state.threads[chosen as usize];
        thread.blocking.token_of_futex = true;
        if let Some(clock) = &clock {
            thread.clocks.clock.join(clock);
        }
        state.wake(chosen);
        woken += 1;
    }
    control.state().changed(queue);
    woken
}
