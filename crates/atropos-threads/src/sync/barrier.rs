//! `Barrier`.

use std::fmt;
use std::sync;

use atropos_search::{Op, OpKind};

use crate::control::code::Code;
use crate::control::objects::{Site, Slot};
use crate::control::thread_state::Wait;
use crate::control::{Announcement, Control, control, here};

/// See std.
pub struct Barrier {
    slot: Slot,
    threads: usize,
    real: sync::Barrier,
}

/// See std.
pub struct BarrierWaitResult(bool);

impl Barrier {
    /// See std.
    #[inline]
    #[must_use]
    pub const fn new(n: usize) -> Barrier {
        Barrier {
            slot: Slot::new(),
            threads: n,
            real: sync::Barrier::new(n),
        }
    }

    /// See std.
    #[track_caller]
    pub fn wait(&self) -> BarrierWaitResult {
        match control() {
            None => BarrierWaitResult(self.real.wait().is_leader()),
            Some(control) => BarrierWaitResult(self.controlled_wait(&control, here())),
        }
    }

    /// Whether the caller is the last to arrive.
    fn controlled_wait(&self, control: &Control, site: Site) -> bool {
        let barrier = control.object(&self.slot, |_| {});
        let name = control.name(self);
        control.point(Announcement::new(
            Code::Arrive,
            Op::on(name, OpKind::Write),
            site,
        ));
        control.pass_clock(barrier);
        let me = control.thread();
        let state = control.state();
        state.changed(name);
        state.leave_version(name, barrier);
        let object = &mut state.objects[barrier];
        object.count += 1;
        let leads = object.count >= self.threads;
        if leads {
            object.count = 0;
            object.generation += 1;
            for thread in std::mem::take(&mut object.waiters) {
                state.wake(thread);
            }
        } else {
            object.waiters.push(me);
            let generation = object.generation;
            let op = Op::on(name, OpKind::Read);
            control.point(
                Announcement::new(Code::Leave, op, site).waiting(Wait::Barrier {
                    barrier,
                    generation,
                }),
            );
        }
        control.receive_clock(barrier);
        control.state().observe(leads.into());
        leads
    }
}

impl BarrierWaitResult {
    /// See std.
    #[must_use]
    pub fn is_leader(&self) -> bool {
        self.0
    }
}

impl fmt::Debug for Barrier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Barrier").finish_non_exhaustive()
    }
}

impl fmt::Debug for BarrierWaitResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BarrierWaitResult")
            .field("is_leader", &self.is_leader())
            .finish()
    }
}
