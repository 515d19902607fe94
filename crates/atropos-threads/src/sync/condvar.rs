//! `Condvar` with all its waits. Which of several waiting threads a notification wakes is a choice.

use std::fmt;
use std::sync::{self, LockResult, PoisonError};
use std::time::{Duration, Instant};

use atropos_search::{Op, OpKind, SharedObject};

use super::mutex::{Mutex, MutexGuard};
use crate::control::code::Code;
use crate::control::foreign::hidden;
use crate::control::objects::{ControlledObjectId, Site, Slot};
use crate::control::thread_state::Wait;
use crate::control::{Announcement, Control, Granted, control, here};

/// See std.
#[derive(Default)]
pub struct Condvar {
    slot: Slot,
    real: sync::Condvar,
}

/// See std.
#[derive(Debug, PartialEq, Eq, Copy, Clone)]
pub struct WaitTimeoutResult(bool);

impl WaitTimeoutResult {
    /// See std.
    #[must_use]
    pub fn timed_out(&self) -> bool {
        self.0
    }
}

impl Condvar {
    /// See std.
    #[inline]
    #[must_use]
    pub const fn new() -> Condvar {
        Condvar {
            slot: Slot::new(),
            real: sync::Condvar::new(),
        }
    }

    /// See std.
    #[track_caller]
    pub fn wait<'a, T>(&self, guard: MutexGuard<'a, T>) -> LockResult<MutexGuard<'a, T>> {
        let site = here();
        let (mutex, real) = guard.into_parts();
        match control() {
            None => MutexGuard::from_result(mutex, self.real.wait(held(real)), site),
            Some(control) => {
                self.controlled_wait(control, mutex, real, None, site);
                mutex.lock_real(site)
            }
        }
    }

    /// See std.
    #[track_caller]
    pub fn wait_while<'a, T, F: FnMut(&mut T) -> bool>(
        &self,
        mut guard: MutexGuard<'a, T>,
        mut condition: F,
    ) -> LockResult<MutexGuard<'a, T>> {
        while condition(&mut *guard) {
            guard = self.wait(guard)?;
        }
        Ok(guard)
    }

    /// See std.
    #[track_caller]
    #[deprecated(
        since = "1.6.0",
        note = "replaced by `std::sync::Condvar::wait_timeout`"
    )]
    pub fn wait_timeout_ms<'a, T>(
        &self,
        guard: MutexGuard<'a, T>,
        ms: u32,
    ) -> LockResult<(MutexGuard<'a, T>, bool)> {
        match self.wait_timeout(guard, Duration::from_millis(ms.into())) {
            Ok((guard, result)) => Ok((guard, !result.timed_out())),
            Err(poisoned) => {
                let (guard, result) = poisoned.into_inner();
                Err(PoisonError::new((guard, !result.timed_out())))
            }
        }
    }

    /// See std.
    #[track_caller]
    pub fn wait_timeout<'a, T>(
        &self,
        guard: MutexGuard<'a, T>,
        dur: Duration,
    ) -> LockResult<(MutexGuard<'a, T>, WaitTimeoutResult)> {
        let site = here();
        let (mutex, real) = guard.into_parts();
        let Some(control) = control() else {
            let (result, poisoned) = match self.real.wait_timeout(held(real), dur) {
                Ok(result) => (result, false),
                Err(error) => (error.into_inner(), true),
            };
            let (real, timed_out) = (result.0, result.1.timed_out());
            let real = if poisoned {
                Err(PoisonError::new(real))
            } else {
                Ok(real)
            };
            return with_result(MutexGuard::from_result(mutex, real, site), timed_out);
        };
        let granted = self.controlled_wait(control, mutex, real, Some(dur), site);
        with_result(mutex.lock_real(site), granted == Granted::TimedOut)
    }

    /// See std.
    #[track_caller]
    pub fn wait_timeout_while<'a, T, F: FnMut(&mut T) -> bool>(
        &self,
        mut guard: MutexGuard<'a, T>,
        dur: Duration,
        mut condition: F,
    ) -> LockResult<(MutexGuard<'a, T>, WaitTimeoutResult)> {
        let start = Instant::now();
        loop {
            if !condition(&mut *guard) {
                return Ok((guard, WaitTimeoutResult(false)));
            }
            let Some(left) = dur
                .checked_sub(start.elapsed())
                .filter(|left| !left.is_zero())
            else {
                return Ok((guard, WaitTimeoutResult(true)));
            };
            guard = self.wait_timeout(guard, left)?.0;
        }
    }

    /// See std.
    #[track_caller]
    pub fn notify_one(&self) {
        let Some(control) = control() else {
            return self.real.notify_one();
        };
        let (condition, name) = self.object(&control);
        control.point(Announcement::new(
            Code::NotifyOne,
            Op::on(name, OpKind::Write),
            here(),
        ));
        let waiting = control.state().objects[condition].waiters.len();
        if waiting > 0 {
            let chosen = control.choose(waiting as u32) as usize;
            let state = control.state();
            let thread = state.objects[condition].waiters.remove(chosen);
            notify(&control, name, thread);
        }
    }

    /// See std.
    #[track_caller]
    pub fn notify_all(&self) {
        let Some(control) = control() else {
            return self.real.notify_all();
        };
        let (condition, name) = self.object(&control);
        control.point(Announcement::new(
            Code::NotifyAll,
            Op::on(name, OpKind::Write),
            here(),
        ));
        let state = control.state();
        let mut waiters = std::mem::take(&mut state.objects[condition].waiters);
        for thread in waiters.drain(..) {
            notify(&control, name, thread);
        }
        control.state().objects[condition].waiters = waiters;
    }

    fn object(&self, control: &Control) -> (ControlledObjectId, SharedObject) {
        (control.object(&self.slot, |_| {}), control.name(self))
    }

    /// Unlocks, waits, and takes the lock again, but for the real one.
    fn controlled_wait<T>(
        &self,
        control: Control,
        mutex: &Mutex<T>,
        real: Option<sync::MutexGuard<'_, ()>>,
        timeout: Option<Duration>,
        site: Site,
    ) -> Granted {
        let (condition, name) = self.object(&control);
        let (lock, lock_name) = mutex.object(&control);
        // A guard without the lock has nothing to give back.
        let op = match real {
            Some(_) => Op::on(name, OpKind::Write).and(lock_name, OpKind::Release),
            None => Op::on(name, OpKind::Write),
        };
        control.point(Announcement::new(Code::Wait, op, site));
        if let Some(real) = real {
            hidden(|| drop(real));
            control.unlocked(lock, lock_name);
        }
        let me = control.thread();
        control.state().objects[condition].waiters.push(me);
        let spurious = control.state().settings.spurious;
        let thread = control.me();
        thread.blocking.notified = false;
        thread.blocking.woken_by = None;
        control.state().allow_spurious();
        let op = match timeout {
            None if spurious => Op::on(lock_name, OpKind::Acquire)
                .and(name, OpKind::Write)
                .revocable(),
            None => Op::on(lock_name, OpKind::Acquire),
            // When time passes depends on everything.
            Some(_) => Op::universal().and(lock_name, OpKind::Acquire).revocable(),
        };
        let deadline = timeout.map_or(u64::MAX, |timeout| {
            control.state().virtual_clock.after(timeout)
        });
        let wake = Announcement::new(Code::Wake, op, site)
            .waiting(Wait::Notification(lock))
            .until(deadline);
        let granted = control.point(wake);
        control.state().objects[condition]
            .waiters
            .retain(|thread| *thread != me);
        control.me().blocking.notified = false;
        control.woken(granted, site);
        control.state().observe(granted as u64);
        control.locked(lock, lock_name, site);
        granted
    }
}

/// The real guard of a thread outside an exploration, which always has one.
fn held(real: Option<sync::MutexGuard<'_, ()>>) -> sync::MutexGuard<'_, ()> {
    real.expect("only controlled threads have guards without locks")
}

fn notify(control: &Control, name: SharedObject, thread: u32) {
    let state = control.state();
    let by = state.me_as_act();
    let woken = &mut state.threads[thread as usize];
    woken.blocking.notified = true;
    woken.blocking.woken_by = by;
    state.wake(thread);
    state.changed(name);
}

fn with_result<G>(result: LockResult<G>, timed_out: bool) -> LockResult<(G, WaitTimeoutResult)> {
    match result {
        Ok(guard) => Ok((guard, WaitTimeoutResult(timed_out))),
        Err(poisoned) => Err(PoisonError::new((
            poisoned.into_inner(),
            WaitTimeoutResult(timed_out),
        ))),
    }
}

impl fmt::Debug for Condvar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Condvar").finish_non_exhaustive()
    }
}
