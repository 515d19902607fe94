//! Who goes next: announces operations to the guide and switches to the thread that it chooses.

use atropos_search::{ExecutionEnd, ExecutionPhase, Limit, Op, OpKind, SchedulingPoint, mix};

use super::code::Code;
use super::objects::whole;
use super::thread_state::Wait;
use super::{Announcement, Controller, Granted, end_of};
use crate::atomic::foreign_locks::UnlockedHold;
use crate::finding::{Finding, WaitingThread};
use crate::memory::context::{self, SavedContext};
use crate::memory::heap::ProgramSlice;
use crate::options::Time;
use crate::trace::{Outcome, TraceEvent};

/// Steps that threads may still take when the test itself is over: they may run for ever.
const AFTERMATH: u64 = 1000;

/// Announces an operation of the running thread; returns when it is chosen.
///
/// # Safety
/// `controller` must be the installed one and the caller a controlled thread.
pub unsafe fn take_turn(controller: *mut Controller, announcement: Announcement) -> Granted {
    // SAFETY: references to the controller end before each switch.
    unsafe {
        let me = (*controller).current;
        (*controller).look_at_invariants();
        (*controller).announce(announcement);
        let next = match (*controller).choose_next() {
            Ok(next) => next,
            Err(end) => leave(controller, end),
        };
        if next != me {
            hand_over(controller, next);
        }
        (*controller).granted(announcement)
    }
}

/// Ends the running thread. Its last step makes the end known to those who wait for it.
///
/// # Safety
/// As for [`take_turn`]; nothing on the thread's stack is used again.
pub unsafe fn finish(controller: *mut Controller) -> ! {
    // SAFETY: as in `take_turn`.
    unsafe {
        let me = (*controller).current;
        let op = Op::on(end_of(me), OpKind::Signal);
        let site = (&(*controller).threads)[me as usize]
            .site
            .unwrap_or(super::here());
        take_turn(controller, Announcement::new(Code::Finish, op, site));
        (*controller).retire(me);
        let next = match (*controller).choose_next() {
            Ok(next) => next,
            Err(end) => leave(controller, end),
        };
        hand_over(controller, next);
        unreachable!("a finished thread is never chosen")
    }
}

/// The first function on every stack.
pub unsafe extern "C" fn enter(thread: usize) -> ! {
    let controller = super::installed();
    // SAFETY: the controller is installed while controlled threads run.
    let (body, program) = unsafe {
        let controller = &mut *controller;
        controller.record_begin(thread as u32);
        let body = controller.bodies[thread]
            .take()
            .expect("a thread starts once");
        (body, controller.threads[thread].program)
    };
    program.set();
    body();
    crate::thread::local::run_destructors();
    ProgramSlice::NONE.set();
    // SAFETY: as above; the body is gone.
    unsafe { finish(controller) }
}

/// Switches from the running thread to another.
unsafe fn hand_over(controller: *mut Controller, next: u32) {
    // SAFETY: both contexts belong to live threads of this execution; the count of panics goes with its thread.
    unsafe {
        let from = (*controller).current as usize;
        (*controller).current = next;
        let threads = (*controller).threads.as_mut_ptr();
        let to = threads.add(next as usize);
        if let Some(count) = (*controller).world.panic_count {
            (*threads.add(from)).ending.panics = count.replace((*to).ending.panics);
        }
        (*threads.add(from))
            .unlocked_holds
            .iter_mut()
            .for_each(UnlockedHold::hide);
        let save = &raw mut (*threads.add(from)).context;
        // A thread may start others while this one waits, which moves the table: nothing is written through `save` after the switch.
        context::switch(save, (*to).context);
        let threads = &mut (*controller).threads;
        threads[from]
            .unlocked_holds
            .iter_mut()
            .for_each(UnlockedHold::show);
    }
}

/// Ends the execution: back to where it was started, permanently.
///
/// # Safety
/// As for [`take_turn`]; nothing on the thread's stack is used again.
pub(crate) unsafe fn leave(controller: *mut Controller, end: ExecutionEnd) -> ! {
    // SAFETY: the outside context waits in `begin`.
    unsafe {
        (*controller).end = end;
        if let Some(count) = (*controller).world.panic_count {
            count.replace(0);
        }
        let outside = (*controller).outside;
        let mut nowhere = SavedContext::NONE;
        context::switch(&raw mut nowhere, outside);
        unreachable!("an execution that ended does not go on")
    }
}

/// Runs the threads that were started until the execution ends.
///
/// # Safety
/// `controller` must be installed, with thread 0 started.
pub unsafe fn run(controller: *mut Controller) -> ExecutionEnd {
    // SAFETY: the contexts are those of this execution.
    unsafe {
        let first = match (*controller).choose_next() {
            Ok(next) => next,
            Err(end) => return end,
        };
        (*controller).current = first;
        let to = (&(*controller).threads)[first as usize].context;
        context::switch(&raw mut (*controller).outside, to);
        (*controller).end
    }
}

impl Controller {
    fn announce(&mut self, announcement: Announcement) {
        self.note_cells();
        let me = self.current;
        let thread = &mut self.threads[me as usize];
        thread.blocking.wait = announcement.wait;
        thread.blocking.deadline = announcement.deadline;
        thread.code = announcement.code;
        thread.site = Some(announcement.site);
        thread.activity.clock_reads = 0;
        thread.ending.panic_cause = None;
        let place = self.place_of(me);
        let op = self.statements.ordered(announcement.op);
        self.pending[place].op = op.coded(announcement.code as u16);
        // Who waits for nothing is ready, as it was when it was chosen.
        if announcement.wait != Wait::Nothing {
            self.begin_wait();
        }
    }

    pub(super) fn place_of(&self, thread: u32) -> usize {
        match self.pending.get(thread as usize) {
            Some(pending) if pending.thread.0 == thread => thread as usize,
            _ => self
                .pending
                .partition_point(|pending| pending.thread.0 < thread),
        }
    }

    /// Asks the guide for the next thread.
    fn choose_next(&mut self) -> Result<u32, ExecutionEnd> {
        self.steps += 1;
        if self.steps > self.step_limit {
            self.too_long()?;
        }
        if self.is_time_overdue() {
            self.hurry_time();
        }
        loop {
            if self.is_anybody_ready() {
                break;
            }
            // Whoever waits for the time or spins when the test is over may do so for ever.
            let is_over = self.threads[0].ending.finished;
            let goes_on = !is_over
                && (self.let_time_pass() || self.let_spinners_go() || self.let_waiter_outside_go());
            if !goes_on {
                return Err(self.nobody_ready());
            }
            if self.is_hopeless() {
                self.found(Finding::Livelock {
                    waiting: self.who_waits(),
                });
                return Err(self.over(ExecutionEnd::Limit(Limit::Rounds), ExecutionPhase::CutShort));
            }
        }
        if self.settings.record {
            self.record_waiting();
        }
        let fingerprint = self.fingerprints.then(|| self.fingerprint());
        let point = SchedulingPoint {
            threads: &self.pending,
            fingerprint,
            phase: ExecutionPhase::Running,
        };
        match self.guide().choose(&point) {
            Some(thread) if point.is_ready(thread) => Ok(thread.0),
            Some(thread) => {
                self.found(Finding::NotReady {
                    thread: thread.0,
                    step: self.steps,
                });
                Err(ExecutionEnd::Stopped)
            }
            None => Err(ExecutionEnd::Stopped),
        }
    }

    /// The execution takes more steps than it may, which ends it unless it goes into overtime.
    #[cold]
    fn too_long(&mut self) -> Result<(), ExecutionEnd> {
        if self.threads[0].ending.finished {
            return Err(self.left_behind(ExecutionPhase::CutShort));
        }
        self.found(Finding::StepLimit {
            steps: self.step_limit,
            waiting: self.who_waits(),
        });
        let end = self.over(ExecutionEnd::Limit(Limit::Points), ExecutionPhase::CutShort);
        match self.goes_into_overtime(Limit::Points) {
            true => Ok(()),
            false => Err(end),
        }
    }

    /// The test is over. Threads that it left behind change nothing about how it ended.
    fn left_behind(&mut self, phase: ExecutionPhase) -> ExecutionEnd {
        let waiting = self.who_waits();
        if !waiting.is_empty() {
            self.found(Finding::LeftBehind { waiting });
        }
        self.over(ExecutionEnd::Passed(0), phase)
    }

    fn nobody_ready(&mut self) -> ExecutionEnd {
        let stuck = self
            .pending
            .iter()
            .any(|pending| !self.threads[pending.thread.index()].ending.finished);
        if !stuck || self.threads[0].ending.finished {
            return self.left_behind(ExecutionPhase::Finished);
        }
        if self.settings.record {
            self.record_blocked();
        }
        let waiting = self.who_waits();
        let digest = waiting.iter().fold(0, |hash, waiting| {
            mix(hash, u64::from(waiting.thread) << 16 | waiting.code as u64)
        });
        let kind = match waiting.iter().any(|waiting| waiting.code == Code::Wake) {
            true => Finding::LostWakeUp { waiting },
            false => Finding::Deadlock {
                waiting,
                tasks: Vec::new(),
            },
        };
        self.found(kind);
        self.over(ExecutionEnd::Deadlock(digest), ExecutionPhase::Finished)
    }

    /// Shows the guide the last state.
    pub(crate) fn over(&mut self, end: ExecutionEnd, phase: ExecutionPhase) -> ExecutionEnd {
        let fingerprint = self.fingerprints.then(|| self.fingerprint());
        let point = SchedulingPoint {
            threads: &self.pending,
            fingerprint,
            phase,
        };
        let _ = self.guide().choose(&point);
        end
    }

    /// The thread was chosen: what it waited for has come, or its time.
    fn granted(&mut self, announcement: Announcement) -> Granted {
        let me = self.current as usize;
        let thread = &self.threads[me];
        let granted = if matches!(announcement.wait, Wait::Nothing)
            || thread.is_granted(&self.objects, &self.threads)
        {
            Granted::Yes
        } else if thread.blocking.deadline <= self.virtual_clock.now
            || (self.settings.time == Time::Adversarial && thread.blocking.deadline != u64::MAX)
        {
            self.virtual_clock.now = self.virtual_clock.now.max(thread.blocking.deadline);
            Granted::TimedOut
        } else {
            Granted::Spuriously
        };
        if announcement.wait != Wait::Nothing {
            self.end_wait();
        }
        let thread = &mut self.threads[me];
        thread.blocking.wait = Wait::Nothing;
        thread.blocking.deadline = u64::MAX;
        thread.blocking.may_wake_spuriously = false;
        thread.blocking.spurious_left -= u32::from(granted == Granted::Spuriously);
        if self.fingerprints {
            let name = announcement
                .op
                .accesses()
                .next()
                .map_or(0, |access| access.object.0);
            thread.history = mix(
                thread.history,
                name ^ (announcement.code as u64) << 48 ^ (granted as u64) << 40,
            );
        }
        if self.settings.record {
            self.record_granted(announcement, granted);
        }
        granted
    }

    fn record_granted(&mut self, announcement: Announcement, granted: Granted) {
        let Announcement { code, site, op, .. } = announcement;
        let mut objects = op.accesses().map(|access| whole(access.object));
        let object = objects.next().unwrap_or_default();
        let event = TraceEvent::new(self.current, code, object, Some(site));
        let blocking = &mut self.threads[self.current as usize].blocking;
        self.trace.push(TraceEvent {
            other: match code {
                Code::Wait => objects.next().unwrap_or_default(),
                _ => Default::default(),
            },
            waited: std::mem::take(&mut blocking.had_to_wait),
            outcome: match granted {
                // Whoever sleeps waits for just that.
                Granted::TimedOut if code != Code::Sleep => Outcome::TimedOut,
                Granted::Spuriously => Outcome::Spurious,
                Granted::Yes | Granted::TimedOut => Outcome::Usual,
            },
            ..event
        });
    }

    /// Notes who can't go on now.
    fn record_waiting(&mut self) {
        for pending in &self.pending {
            let blocking = &mut self.threads[pending.thread.index()].blocking;
            blocking.had_to_wait |= !pending.ready;
        }
    }

    /// What threads wait for that never comes.
    fn record_blocked(&mut self) {
        for place in 0..self.pending.len() {
            let pending = &self.pending[place];
            let thread = &self.threads[pending.thread.index()];
            let object = pending.op.accesses().next();
            let object = object.map_or_else(Default::default, |access| whole(access.object));
            let event = TraceEvent::new(pending.thread.0, thread.code, object, thread.site);
            self.trace.push(TraceEvent {
                waited: true,
                outcome: Outcome::Never,
                ..event
            });
        }
    }

    fn record_begin(&mut self, thread: u32) {
        if self.settings.record
            && let Some(name) = &self.threads[thread as usize].name
        {
            self.trace.names.push((thread, name.clone()));
        }
        let state = &mut self.threads[thread as usize];
        state.history = mix(state.history, Code::Begin as u64);
        let site = self.threads[thread as usize].site;
        self.record(TraceEvent::new(
            thread,
            Code::Begin,
            Default::default(),
            site,
        ));
    }

    /// Takes a finished thread out of the live ones.
    fn retire(&mut self, thread: u32) {
        // What it did last happens before its end.
        self.threads[thread as usize].clocks.clock.tick(thread);
        self.remove_pending(thread);
        self.let_joiners_go(thread);
        self.changed(end_of(thread));
        if thread == 0 {
            self.step_limit = self.step_limit.min(self.steps + AFTERMATH);
        }
        let state = &mut self.threads[thread as usize];
        state.ending.finished = true;
        if self.fingerprints {
            // The result is what the thread's history made it, until somebody takes it.
            let history = state.history;
            self.contents = self.contents.wrapping_add(mix(end_of(thread).0, history));
        }
    }

    fn fingerprint(&self) -> u64 {
        let thread = |pending: &atropos_search::Pending| {
            let state = &self.threads[pending.thread.index()];
            let flags = u64::from(state.blocking.notified) | u64::from(state.blocking.token) << 1;
            mix(
                mix(state.history, u64::from(pending.thread.0)),
                flags | u64::from(pending.op.code) << 2,
            )
        };
        let threads = self
            .pending
            .iter()
            .map(thread)
            .fold(0_u64, u64::wrapping_add);
        mix(threads.wrapping_add(self.contents), self.virtual_clock.now)
    }

    /// All live threads and what they wait for, for a finding.
    pub(crate) fn who_waits(&self) -> Vec<WaitingThread> {
        let waiting = |pending: &atropos_search::Pending| {
            let state = &self.threads[pending.thread.index()];
            let object = pending.op.accesses().next();
            let object = object.map(|access| whole(access.object));
            let (holder, held_since) = match state.blocking.wait {
                Wait::Lock(lock) | Wait::LockShared(lock) => {
                    let lock = &self.objects[lock];
                    (lock.holder.checked_sub(1), lock.site)
                }
                Wait::Join(thread) => (Some(thread), None),
                _ => (None, None),
            };
            let senders = match state.blocking.wait {
                Wait::Message(channel) => Some(self.objects[channel].senders),
                _ => None,
            };
            let holder_has_ended = holder
                .and_then(|holder| self.threads.get(holder as usize))
                .is_some_and(|holder| holder.ending.finished);
            WaitingThread {
                thread: pending.thread.0,
                name: state.name.clone(),
                code: state.code,
                object,
                site: state.site,
                ready: pending.ready,
                holder,
                held_since,
                holder_has_ended,
                senders,
            }
        };
        self.pending.iter().map(waiting).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_fit_into_operations() {
        assert_eq!(
            Op::local().coded(Code::Fence as u16).code,
            Code::Fence as u16
        );
        assert!(matches!(Wait::default(), Wait::Nothing));
    }
}
