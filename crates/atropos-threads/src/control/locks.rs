//! Steps that the primitives share: taking and giving back a lock, meeting and passing on what happened before.

use atropos_search::{Op, OpKind, SharedObject};

use super::code::Code;
use super::objects::{ControlledObjectId, Site};
use super::thread_state::Wait;
use super::{Announcement, Control};
use crate::communication::SharedAccess;
use crate::memory_model::Clock;
use crate::trace::Outcome;

impl Control {
    /// Everything that happened before the object was given up happens before what the running thread does next.
    pub fn receive_clock(&self, object: ControlledObjectId) {
        let state = self.state();
        if state.model.weak {
            state.threads[state.current as usize]
                .clocks
                .clock
                .join(&state.objects[object].clock);
        }
    }

    /// As `receive_clock`; and so does what those did who gave up a share of the object.
    pub fn receive_all_clocks(&self, object: ControlledObjectId) {
        let state = self.state();
        if state.model.weak {
            let object = &state.objects[object];
            let clock = &mut state.threads[state.current as usize].clocks.clock;
            clock.join(&object.clock);
            clock.join(&object.shared_clock);
        }
    }

    /// Everything that happened before this time happens before what the running thread does next.
    pub fn join_clock(&self, clock: &Clock) {
        let state = self.state();
        if state.model.weak {
            state.threads[state.current as usize]
                .clocks
                .clock
                .join(clock);
        }
    }

    /// What the running thread did happens before what others do who receive the object's clock.
    pub fn pass_clock(&self, object: ControlledObjectId) {
        let state = self.state();
        if state.model.weak {
            let thread = &mut state.threads[state.current as usize];
            thread.clocks.clock.tick(state.current);
            state.objects[object].clock.join(&thread.clocks.clock);
        }
    }

    /// What the running thread did happens before what others do who receive all of the object's clocks.
    pub fn pass_shared_clock(&self, object: ControlledObjectId) {
        let state = self.state();
        if state.model.weak {
            let thread = &mut state.threads[state.current as usize];
            thread.clocks.clock.tick(state.current);
            let clock = &mut state.objects[object].shared_clock;
            clock.join(&thread.clocks.clock);
        }
    }

    /// Waits for a lock and takes it.
    pub fn lock(&self, code: Code, lock: ControlledObjectId, name: SharedObject, site: Site) {
        self.before_access(site);
        let op = Op::on(name, OpKind::Acquire);
        self.point(Announcement::new(code, op, site).waiting(Wait::Lock(lock)));
        self.locked(lock, name, site);
    }

    /// The running thread has the lock from now on.
    pub fn locked(&self, lock: ControlledObjectId, name: SharedObject, site: Site) {
        let state = self.state();
        state.objects[lock].holder = state.current + 1;
        state.objects[lock].site = Some(site);
        state.see_version(lock);
        state.lock_changed(name);
        self.has_lock(lock, SharedAccess::Update, site);
        self.looked_at(name);
        self.receive_all_clocks(lock);
    }

    /// Notes what others learn it.
    fn has_lock(&self, lock: ControlledObjectId, access: SharedAccess, site: Site) {
        let state = self.state();
        if let Some(act) = state.act(site) {
            state.accessed(lock, access, site);
            state.communication.lock(lock, act);
        }
    }

    /// Takes a lock if it is free.
    pub fn try_lock(
        &self,
        code: Code,
        lock: ControlledObjectId,
        name: SharedObject,
        site: Site,
    ) -> bool {
        self.before_access(site);
        self.point(Announcement::new(code, Op::on(name, OpKind::Acquire), site));
        let state = self.state();
        let free = state.objects[lock].holder == 0 && state.objects[lock].readers == 0;
        if free {
            self.locked(lock, name, site);
        } else {
            self.not_taken(code, name);
        }
        free
    }

    /// An attempt that only looked.
    pub fn not_taken(&self, code: Code, name: SharedObject) {
        let state = self.state();
        state
            .guide()
            .refine(Op::on(name, OpKind::Read).coded(code as u16));
        state.observe(0);
        state.trace.mark_outcome(state.current, Outcome::Failed);
        self.looked_at(name);
    }

    /// Announces that the running thread gives a lock back.
    pub fn about_to_unlock(&self, code: Code, name: SharedObject, kind: OpKind, site: Site) {
        self.about_to_drop(code, Op::on(name, kind), site);
    }

    /// Announces an operation that may be part of unwinding. Says whether others could go first.
    pub fn about_to_drop(&self, code: Code, op: Op, site: Site) -> bool {
        // Without a count of panics per thread nobody else may run while this one unwinds.
        let others_may_run = self.state().world.panic_count.is_some() || !std::thread::panicking();
        if others_may_run {
            self.point(Announcement::new(code, op, site));
        }
        others_may_run
    }

    /// The lock is free from now on.
    pub fn unlocked(&self, lock: ControlledObjectId, name: SharedObject) {
        self.pass_clock(lock);
        let state = self.state();
        state.objects[lock].holder = 0;
        state.communication.unlock(state.current, lock);
        state.leave_version(name, lock);
        state.lock_changed(name);
    }

    /// Waits until a lock has no writer and shares it.
    pub fn lock_shared(&self, lock: ControlledObjectId, name: SharedObject, site: Site) {
        self.before_access(site);
        let op = Op::on(name, OpKind::AcquireShared);
        self.point(Announcement::new(Code::Read, op, site).waiting(Wait::LockShared(lock)));
        self.locked_shared(lock, name, site);
    }

    /// Shares a lock if it has no writer.
    pub fn try_lock_shared(
        &self,
        lock: ControlledObjectId,
        name: SharedObject,
        site: Site,
    ) -> bool {
        self.before_access(site);
        self.point(Announcement::new(
            Code::TryRead,
            Op::on(name, OpKind::AcquireShared),
            site,
        ));
        let free = self.state().objects[lock].holder == 0;
        if free {
            self.locked_shared(lock, name, site);
        } else {
            self.not_taken(Code::TryRead, name);
        }
        free
    }

    fn locked_shared(&self, lock: ControlledObjectId, name: SharedObject, site: Site) {
        let state = self.state();
        state.objects[lock].readers += 1;
        state.objects[lock].site = Some(site);
        state.see_version(lock);
        state.lock_changed(name);
        self.has_lock(lock, SharedAccess::Read, site);
        self.looked_at(name);
        self.receive_clock(lock);
    }

    /// The running thread no longer shares the lock.
    pub fn unlocked_shared(&self, lock: ControlledObjectId, name: SharedObject) {
        self.pass_shared_clock(lock);
        let state = self.state();
        state.objects[lock].readers -= 1;
        state.communication.unlock(state.current, lock);
        state.lock_changed(name);
    }
}
