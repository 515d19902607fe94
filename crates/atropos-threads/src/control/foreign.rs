//! Atomic operations that are not the facade's: those of std's generic code that is compiled into the program, the counters of
//! `Arc` above all. They are told by instrumented code, so only where memory is watched.
//!
//! What such an operation orders must not depend on an order that is not searched, else one order hides a data race that
//! another has. So operations on the execution's heap are scheduling points. A count has two names: what the owners do to it,
//! and what those see who look at it.
//!
//! - An owner that is dropped and not the last one commutes with the others. Whoever drops the last one comes after all.
//! - Whoever looks at the count, or changes it by a compare-exchange (`upgrade`, `try_unwrap`, `get_mut`), commutes with no drop.
//! - A new owner changes nothing for the others, who have one themselves. It is no scheduling point, and orders nothing. Only
//!   who asks for the number of owners could tell; see `limits.md`.
//! - The last owner of all is no scheduling point if what the others did happened before in any case.

use atropos_search::{Op, OpKind, SharedObject};

use super::code::Code;
use super::objects::PART;
use super::{Controller, control, here};
use crate::memory::heap;
use crate::races::{ForeignOperation, Intent, OrderingNumber};

/// Bytes of a count.
const WORD: usize = size_of::<usize>();

/// The names of a count.
#[derive(Clone, Copy, Debug)]
pub struct CountNames {
    owners: SharedObject,
    looks: SharedObject,
}

impl CountNames {
    fn op(self, code: Code, of_owners: OpKind, of_looks: OpKind) -> Op {
        let op = Op::on(self.owners, of_owners).and(self.looks, of_looks);
        op.coded(code as u16)
    }
}

/// The running thread is about to perform an atomic operation that is not the facade's. Others may go first.
pub fn about_to(address: usize, length: usize, intent: Intent, ordering: OrderingNumber) {
    if !heap::program_runs() {
        return;
    }
    let Some(control) = control() else { return };
    let state = control.state();
    state.races.announced = None;
    if !state.races.is_watched || state.races.is_hidden {
        return;
    }
    state.check_if_on(address, length, intent);
    if state.races.is_alone || state.world.heap.offset(address).is_none() {
        return;
    }
    let owners = state.name_of(address);
    let names = CountNames {
        owners,
        looks: SharedObject(owners.0 | PART),
    };
    let (code, op) = match intent {
        Intent::Load => (Code::Count, Op::on(names.looks, OpKind::Read)),
        Intent::Add if !ordering.acquires() && !ordering.releases() => return,
        Intent::Subtract(1) if length == WORD && state.is_last_owner(address) => return,
        // Whether it is the last one is known when it is done.
        Intent::Subtract(_) => (
            Code::DropOwner,
            names.op(Code::DropOwner, OpKind::Write, OpKind::Leave),
        ),
        Intent::Add | Intent::Store | Intent::Change => (
            Code::ChangeCount,
            names.op(Code::ChangeCount, OpKind::Write, OpKind::Write),
        ),
    };
    let site = control.me().site.unwrap_or_else(here);
    let looks_again = intent == Intent::Load && control.looks_again(names.looks);
    if !looks_again && control.about_to_drop(code, op, site) {
        let state = control.state();
        state.races.announced = Some(names);
        // Another thread may have given the memory back.
        state.check_if_on(address, length, intent);
    }
}

/// The running thread has performed an atomic operation that is not the facade's.
pub fn performed(
    address: usize,
    length: usize,
    operation: ForeignOperation,
    ordering: OrderingNumber,
) {
    if !heap::program_runs() {
        return;
    }
    let Some(control) = control() else { return };
    let state = control.state();
    if !state.races.is_watched || state.races.is_hidden || state.races.is_alone {
        return;
    }
    let announced = state.races.announced.take();
    let operation = match operation {
        // What lies elsewhere counts no owners.
        ForeignOperation::Count if state.world.heap.offset(address).is_none() => {
            ForeignOperation::Modify
        }
        operation => operation,
    };
    let me = state.current;
    let clocks = &mut state.threads[me as usize].clocks;
    let is_counted = state
        .races
        .foreign
        .perform(address, operation, ordering, me, clocks);
    if state.races.is_on {
        state.compare(address, length, operation.kind(), is_counted);
    }
    let Some(names) = announced else { return };
    match operation {
        ForeignOperation::Load => {
            let site = control.me().site.unwrap_or_else(here);
            control.looked_at(names.looks);
            control.after_read(site);
        }
        ForeignOperation::Count => {
            let op = names.op(Code::DropOwner, OpKind::Leave, OpKind::Leave);
            state.guide().refine(op);
            state.changed(names.looks);
        }
        ForeignOperation::Store | ForeignOperation::Modify => state.changed(names.looks),
    }
}

/// The running thread fences memory by another fence than the facade's.
pub fn fence(ordering: OrderingNumber) {
    if !heap::program_runs() {
        return;
    }
    let Some(control) = control() else { return };
    let state = control.state();
    if !state.races.is_watched {
        return;
    }
    let me = state.current;
    let clocks = &mut state.threads[me as usize].clocks;
    if ordering.acquires() {
        let read = std::mem::take(&mut clocks.acquire_fence);
        clocks.clock.join(&read);
        clocks.acquire_fence = read;
    }
    if ordering.releases() {
        clocks.clock.tick(me);
        clocks.release_fence.copy(&clocks.clock);
    }
}

/// Runs a piece of the facade's that is compiled into the program, so that what it does to memory is told as if it were the
/// program's. It must have no scheduling point.
pub fn hidden<R>(piece: impl FnOnce() -> R) -> R {
    let hide = |is_hidden| match control() {
        Some(control) => std::mem::replace(&mut control.state().races.is_hidden, is_hidden),
        None => false,
    };
    let was_hidden = hide(true);
    let result = piece();
    hide(was_hidden);
    result
}

impl Controller {
    fn check_if_on(&mut self, address: usize, length: usize, intent: Intent) {
        if self.races.is_on {
            self.check_memory(address, length, intent.kind());
        }
    }

    /// Whether a count of owners is one, nobody else can come to it, and all that others did to it happened before.
    fn is_last_owner(&mut self, address: usize) -> bool {
        let place = address as *const usize;
        // A count of strong owners begins its block, and that of the weak ones follows: if it is one, nobody can upgrade.
        let is_strong = address.is_multiple_of(2 * WORD);
        // SAFETY: the program is about to access the place, and blocks of the heap are multiples of two words.
        let is_one = unsafe { place.read() == 1 && (!is_strong || place.add(1).read() == 1) };
        let clock = &self.threads[self.current as usize].clocks.clock;
        is_one && self.races.foreign.happened_before(address, clock)
    }
}
