//! Who can go on. That is not found out anew at every step: a thread is looked at again only when something that its wait
//! depends on may have changed, which is the object that it waits for, its own flags, or the clock.

use super::Controller;
use super::objects::ControlledObjectId;
use super::thread_state::{Rounds, Spin, Wait};
use crate::options::Time;

/// Scheduling points without time passing after which sleepers wake, if time may be hurried: more than most work takes that
/// somebody sleeps for.
const NO_TIME: u64 = 10_000;
/// And in overtime, where all that is asked is whether there is an end.
const NO_TIME_IN_OVERTIME: u64 = 100;

/// What may have changed since it was last found out who can go on.
#[derive(Debug, Default)]
pub(crate) struct Readiness {
    /// Threads to look at again.
    stale: Vec<u32>,
    /// Threads whose wait ends by itself at some time.
    timed: Vec<u32>,
    /// Threads that wait for descriptors, which may be ready at any time.
    outside: Vec<u32>,
    /// What the clock showed when they were last looked at.
    seen: u64,
    /// How many of the live threads are ready.
    ready: usize,
    /// How often a thread was looked at in this execution.
    looks: u64,
}

impl Readiness {
    /// Nobody is there.
    pub fn restart(&mut self) {
        self.stale.clear();
        self.timed.clear();
        self.outside.clear();
        (self.seen, self.ready, self.looks) = (0, 0, 0);
    }

    /// How often a thread was looked at in this execution.
    pub fn looks(&self) -> u64 {
        self.looks
    }

    /// Something changed that is this thread's own.
    pub fn look_again_at(&mut self, thread: u32) {
        self.stale.push(thread);
    }

    /// A thread that can begin was added to the live ones.
    pub fn add(&mut self) {
        self.ready += 1;
    }

    /// Threads that wait for descriptors.
    pub fn waiting_outside(&self) -> Vec<u32> {
        self.outside.clone()
    }

    /// The wait of this thread ends earlier than it did, or by itself at all.
    pub fn is_timed(&mut self, thread: u32, was_endless: bool) {
        if was_endless {
            self.timed.push(thread);
        }
        self.stale.push(thread);
    }

    fn count(&mut self, was: bool, is: bool) {
        self.ready = self.ready + usize::from(is) - usize::from(was);
    }
}

impl Wait {
    /// The object whose state the wait depends on.
    fn object(self) -> Option<ControlledObjectId> {
        match self {
            Wait::Lock(object)
            | Wait::LockShared(object)
            | Wait::Notification(object)
            | Wait::Barrier {
                barrier: object, ..
            }
            | Wait::Message(object)
            | Wait::Room(object)
            | Wait::Taken {
                channel: object, ..
            } => Some(object),
            Wait::Nothing
            | Wait::Join(_)
            | Wait::Token
            | Wait::Futex
            | Wait::External
            | Wait::Time
            | Wait::Change => None,
        }
    }
}

impl Controller {
    /// The running thread has announced what it waits for.
    pub(super) fn begin_wait(&mut self) {
        let me = self.current;
        let thread = &mut self.threads[me as usize];
        if !matches!(thread.blocking.wait, Wait::Lock(_) | Wait::LockShared(_)) {
            (
                thread.activity.clock_reads_without_wait,
                thread.activity.time_by_looks,
            ) = (0, 0);
            // Who really waits between two looks does not spin.
            if thread.blocking.wait != Wait::Change {
                (thread.activity.spin, thread.activity.rounds) =
                    (Spin::default(), Rounds::default());
            }
        }
        if let Some(object) = thread.blocking.wait.object() {
            self.objects.block(object, me);
        }
        if thread.blocking.deadline != u64::MAX {
            self.readiness.timed.push(me);
        }
        if thread.blocking.wait == Wait::External {
            self.readiness.outside.push(me);
        }
        self.readiness.look_again_at(me);
    }

    /// The running thread waits no longer.
    pub(super) fn end_wait(&mut self) {
        let me = self.current;
        let thread = &self.threads[me as usize];
        if let Some(object) = thread.blocking.wait.object() {
            self.objects.unblock(object, me);
        }
        if thread.blocking.deadline != u64::MAX {
            self.readiness.timed.retain(|other| *other != me);
        }
        if thread.blocking.wait == Wait::External {
            self.readiness.outside.retain(|other| *other != me);
        }
    }

    /// The thread has ended: those who join it can go on.
    pub(super) fn let_joiners_go(&mut self, thread: u32) {
        for pending in &self.pending {
            if self.threads[pending.thread.index()].blocking.wait == Wait::Join(thread) {
                self.readiness.look_again_at(pending.thread.0);
            }
        }
    }

    /// Takes a thread out of the live ones.
    pub(super) fn remove_pending(&mut self, thread: u32) {
        let place = self.place_of(thread);
        let pending = self.pending.remove(place);
        self.readiness.count(pending.ready, false);
    }

    /// Brings the readiness of all live threads up to date; says whether any is ready.
    pub(super) fn is_anybody_ready(&mut self) -> bool {
        while let Some(thread) = self.readiness.stale.pop() {
            self.look_at(thread);
        }
        while let Some(object) = self.objects.next_changed() {
            let mut at = 0;
            while let Some(thread) = self.objects.blocked(object, at) {
                self.look_at(thread);
                at += 1;
            }
        }
        for at in 0..self.readiness.outside.len() {
            self.look_at(self.readiness.outside[at]);
        }
        if self.readiness.seen != self.virtual_clock.now {
            self.readiness.seen = self.virtual_clock.now;
            for at in 0..self.readiness.timed.len() {
                self.look_at(self.readiness.timed[at]);
            }
        }
        debug_assert!(self.nobody_was_missed());
        self.readiness.ready > 0
    }

    fn look_at(&mut self, thread: u32) {
        self.readiness.looks += 1;
        let is_ready = self.can_go_on(thread);
        let place = self.place_of(thread);
        let pending = self.pending.get_mut(place);
        if let Some(pending) = pending.filter(|pending| pending.thread.0 == thread) {
            let was_ready = std::mem::replace(&mut pending.ready, is_ready);
            self.readiness.count(was_ready, is_ready);
        }
    }

    fn can_go_on(&self, thread: u32) -> bool {
        let thread = &self.threads[thread as usize];
        let adversarial = self.settings.time == Time::Adversarial;
        thread.is_granted(&self.objects, &self.threads)
            || ((thread.blocking.deadline <= self.virtual_clock.now
                || (adversarial && thread.blocking.deadline != u64::MAX)
                || thread.blocking.may_wake_spuriously)
                && thread.may_give_up(&self.objects))
    }

    /// Whether looking at everybody would find the same. For tests: it takes as long as the threads are many.
    fn nobody_was_missed(&self) -> bool {
        const FEW: usize = 64;
        let is_right =
            |pending: &atropos_search::Pending| pending.ready == self.can_go_on(pending.thread.0);
        self.pending.len() > FEW || self.pending.iter().all(is_right)
    }

    /// Nothing can run now: moves the clock to the next deadline. All threads are at rest, so what they did before is the same
    /// in every order of it, and all of it can be seen when somebody wakes.
    pub(super) fn let_time_pass(&mut self) -> bool {
        let timed = self.readiness.timed.iter();
        let next = timed
            .map(|thread| &self.threads[*thread as usize])
            .filter(|thread| thread.may_give_up(&self.objects))
            .map(|thread| thread.blocking.deadline)
            .min();
        match next {
            Some(next) if next > self.virtual_clock.now => {
                self.virtual_clock.pass(next, self.steps);
                self.model.settle();
                true
            }
            _ => false,
        }
    }

    /// Nothing else can happen: a thread that waits for descriptors which others than this process could make ready goes on,
    /// to say so. Says whether there is one.
    pub(super) fn let_waiter_outside_go(&mut self) -> bool {
        let waiting = self.readiness.outside.iter().copied();
        let foreign = waiting
            .filter(|thread| !self.threads[*thread as usize].blocking.files.are_its_own())
            .min();
        if let Some(thread) = foreign {
            self.threads[thread as usize].blocking.waits_alone = true;
        }
        foreign.is_some()
    }

    /// Whether threads have made so many scheduling points with no time passing that it should.
    #[inline]
    pub(super) fn is_time_overdue(&self) -> bool {
        let most_steps = match self.is_in_overtime() {
            true => NO_TIME_IN_OVERTIME,
            false if self.settings.hurry => NO_TIME,
            false => return false,
        };
        self.steps > self.virtual_clock.passed_at + most_steps
    }

    /// Threads run on and on: moves the clock to the next deadline all the same, if a thread sleeps until then. One that
    /// waits for something with a time limit is not told that it took too long, except in overtime.
    #[cold]
    pub(super) fn hurry_time(&mut self) {
        let any = self.is_in_overtime();
        let timed = self.readiness.timed.iter();
        let next = timed
            .map(|thread| &self.threads[*thread as usize])
            .min_by_key(|thread| thread.blocking.deadline);
        match next {
            Some(next)
                if (any || next.blocking.wait == Wait::Time)
                    && next.blocking.deadline > self.virtual_clock.now =>
            {
                self.virtual_clock.pass(next.blocking.deadline, self.steps);
                self.virtual_clock.was_hurried = true;
            }
            _ => {}
        }
    }
}
