//! What a program states about itself with the macros of the crate `atropos`: what holds after every step, what some schedule
//! has to reach, and how much to explore. In ordinary builds these macros are empty; in explored ones they call the functions
//! here.
//!
//! An invariant is looked at whenever a thread comes to its next operation, on that thread's stack, but outside the exploration:
//! what it does is no operation, and it sees atomics as they are. Since what lies between two changes matters to it,
//! no two operations that change something commute while there is one.

use std::panic::{AssertUnwindSafe, catch_unwind};

use atropos_search::{ExecutionEnd, ExecutionPhase, Op, OpKind, SharedObject, mix};

use crate::atomic::static_copies::StaticCopies;
use crate::control::code::Code;
use crate::control::objects::Site;
use crate::control::{Announcement, Controller, control, here, scheduler};
use crate::finding::Finding;

/// Touched by whatever changes anything, while there are invariants.
const ALL_CHANGES: SharedObject = SharedObject(7 << 60 | 1);

/// How much of a test is to be explored, as it says itself. Nothing of what it does not say.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StatedBounds {
    pub preemptions: Option<u32>,
    pub schedules: Option<u64>,
    pub seconds: Option<u64>,
}

/// What executions stated.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stated {
    /// What was reached, …
    pub reached: Vec<String>,
    /// … and what is to be.
    pub wanted: Vec<String>,
    pub bounds: StatedBounds,
}

impl Stated {
    /// Adds what another execution stated.
    pub fn add(&mut self, other: Stated) {
        add_missing(&mut self.reached, other.reached);
        add_missing(&mut self.wanted, other.wanted);
        if other.bounds != StatedBounds::default() {
            self.bounds = other.bounds;
        }
    }
}

/// Adds the names that are not there yet.
pub fn add_missing(names: &mut Vec<String>, more: Vec<String>) {
    for name in more {
        if !names.contains(&name) {
            names.push(name);
        }
    }
}

/// What always holds.
struct Invariant {
    name: &'static str,
    site: Site,
    /// Lies in the program's heap, and is forgotten with it.
    holds: Box<dyn Fn() -> bool>,
}

/// The statements of the running execution.
#[derive(Default)]
pub(crate) struct Statements {
    invariants: Vec<Invariant>,
    stated: Stated,
    is_looking: bool,
}

impl Statements {
    /// Another execution begins.
    pub fn restart(&mut self) {
        // Their memory is gone with the last execution's heap.
        self.invariants
            .drain(..)
            .for_each(|invariant| std::mem::forget(invariant.holds));
        self.stated = Stated::default();
        self.is_looking = false;
    }

    pub fn take_stated(&mut self) -> Stated {
        std::mem::take(&mut self.stated)
    }

    /// Where what invariants have taken lies: it is no leak.
    pub fn roots(&self) -> impl Iterator<Item = usize> {
        let holds = self
            .invariants
            .iter()
            .map(|invariant| &raw const *invariant.holds);
        holds.map(|place| place.cast::<u8>() as usize)
    }

    /// The operation as it is announced: if it changes something and there are invariants, it commutes with no other change.
    pub fn ordered(&self, op: Op) -> Op {
        let is_ordered = |op: &Op| op.accesses().any(|access| access.object == ALL_CHANGES);
        let changes = op.accesses().any(|access| access.kind != OpKind::Read);
        match !self.invariants.is_empty() && changes && !is_ordered(&op) {
            true => op.and(ALL_CHANGES, OpKind::Write),
            false => op,
        }
    }
}

impl Controller {
    /// Ends the execution if an invariant does not hold any more.
    #[inline]
    pub(crate) fn look_at_invariants(&mut self) {
        if !self.statements.invariants.is_empty() {
            self.look_at_each_invariant();
        }
    }

    #[cold]
    fn look_at_each_invariant(&mut self) {
        if self.statements.is_looking || std::thread::panicking() {
            return;
        }
        self.statements.is_looking = true;
        let is_broken = |invariant: &&Invariant| {
            let look = || catch_unwind(AssertUnwindSafe(|| (invariant.holds)()));
            let holds = StaticCopies::without(look);
            !holds.unwrap_or(false)
        };
        let broken = self.statements.invariants.iter().find(is_broken);
        let broken = broken.map(|invariant| (invariant.name, invariant.site));
        self.statements.is_looking = false;
        let Some((name, site)) = broken else { return };
        let thread = self.current;
        self.found(Finding::BrokenInvariant {
            name: name.to_owned(),
            site,
            thread,
            after: self.threads[thread as usize].site,
        });
        let number = name.bytes().fold(0, |hash, byte| mix(hash, byte.into()));
        let end = self.over(ExecutionEnd::Failed(number), ExecutionPhase::CutShort);
        // SAFETY: the controller is the installed one, and nothing of this thread is used again.
        unsafe { scheduler::leave(self, end) }
    }
}

/// From here to the end of the execution this holds after every step of every thread.
#[track_caller]
pub fn invariant(name: &'static str, holds: impl Fn() -> bool + 'static) {
    let Some(control) = control() else { return };
    let site = here();
    control.point(Announcement::new(Code::State, Op::universal(), site));
    let holds: Box<dyn Fn() -> bool> = control.in_program(|| Box::new(holds) as _);
    let state = control.state();
    state
        .statements
        .invariants
        .push(Invariant { name, site, holds });
    for place in 0..state.pending.len() {
        state.pending[place].op = state.statements.ordered(state.pending[place].op);
    }
}

/// A schedule came here.
pub fn reached(name: &'static str) {
    if let Some(control) = control() {
        let reached = &mut control.state().statements.stated.reached;
        add_missing(reached, vec![name.to_owned()]);
    }
}

/// Some schedule has to come to where [`reached`] is called with this name.
pub fn must_reach(name: &'static str) {
    if let Some(control) = control() {
        let wanted = &mut control.state().statements.stated.wanted;
        add_missing(wanted, vec![name.to_owned()]);
    }
}

/// The test is to be explored within these bounds.
pub fn bounds(preemptions: Option<u32>, schedules: Option<u64>, seconds: Option<u64>) {
    if let Some(control) = control() {
        control.state().statements.stated.bounds = StatedBounds {
            preemptions,
            schedules,
            seconds,
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_of_executions_add_up() {
        let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        let mut all = Stated {
            reached: names(&["a"]),
            wanted: names(&["b"]),
            bounds: StatedBounds {
                schedules: Some(5),
                ..StatedBounds::default()
            },
        };
        all.add(Stated {
            reached: names(&["a", "c"]),
            wanted: names(&["b"]),
            bounds: StatedBounds::default(),
        });
        assert_eq!(all.reached, ["a", "c"]);
        assert_eq!(all.wanted, ["b"]);
        assert_eq!(all.bounds.schedules, Some(5));
    }

    #[test]
    fn without_invariants_operations_are_as_they_were() {
        let statements = Statements::default();
        let op = Op::on(SharedObject(3), OpKind::Write);
        assert_eq!(statements.ordered(op), op);
    }
}
