//! What threads tell each other, over all executions of an exploration: who read what whom had written, who came between
//! two accesses of another thread to the same thing, which lock was taken while which was held, whose notification
//! woke whom, and which uses of plain memory nothing has ordered.
//!
//! Everything is named by source places, not by threads or addresses, so that two explorations can be compared: that of
//! a mutant with that of the original.
//!
//! The interleavings of three accesses are those that no serial order explains (Lu et al., AVIO, ASPLOS 2006). A
//! critical region counts as one access that reads and writes, made where the lock is taken.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use atropos_protocol::communication::InteractionKind;

use crate::cell_accesses::{Cells, KnownMemory};
use crate::control::code::Code;
use crate::control::objects::{ControlledObjectId, Site};
use crate::memory_model::Clock;
use crate::trace::is_ours;
use crate::unsafe_cell;

/// What a thread did somewhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ThreadAct {
    pub thread: u32,
    pub code: Code,
    pub site: Site,
}

/// How an act touches shared data.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SharedAccess {
    Read,
    Write,
    /// Both, with nothing in between.
    Update,
}

impl SharedAccess {
    fn reads(self) -> bool {
        self != SharedAccess::Write
    }

    fn writes(self) -> bool {
        self != SharedAccess::Read
    }
}

/// One piece of communication, with the threads between which it was first seen.
#[derive(Clone, Debug)]
pub struct Fact {
    pub kind: InteractionKind,
    pub acts: Vec<ThreadAct>,
}

/// What tells two pieces of communication apart: the kind, and how and where each act was.
pub type FactKey = (
    InteractionKind,
    Vec<(Option<SharedAccess>, &'static str, u32, u32)>,
);

/// Different pieces of communication.
pub type Facts = BTreeMap<FactKey, Fact>;

/// What one execution has done to one thing.
#[derive(Debug, Default)]
pub struct History {
    last_write: Option<ThreadAct>,
    threads: Vec<LastAccess>,
}

/// The last access of a thread, and those of others since then.
#[derive(Debug)]
struct LastAccess {
    act: ThreadAct,
    access: SharedAccess,
    read_since: Option<ThreadAct>,
    written_since: Option<(ThreadAct, SharedAccess)>,
}

impl History {
    /// As new, but keeps its memory.
    pub fn clear(&mut self) {
        self.last_write = None;
        self.threads.clear();
    }
}

/// The record of an exploration.
#[derive(Debug, Default)]
pub struct CommunicationLog {
    is_on: bool,
    facts: Facts,
    /// What need not be looked at again, by the addresses of its sites.
    seen: HashSet<(InteractionKind, [Option<SharedAccess>; 3], [usize; 3])>,
    /// The atomics of the running execution, by their addresses.
    atomics: BTreeMap<usize, History>,
    cells: Cells,
    /// The locks that threads hold.
    held: Vec<(u32, ControlledObjectId, ThreadAct)>,
}

impl CommunicationLog {
    /// Begins a new record, or ends all recording; gives what was recorded before.
    pub fn begin(&mut self, is_on: bool) -> Facts {
        self.is_on = is_on;
        self.seen.clear();
        std::mem::take(&mut self.facts)
    }

    #[inline]
    pub fn is_on(&self) -> bool {
        self.is_on
    }

    /// A new execution begins.
    pub fn restart(&mut self) {
        self.atomics.clear();
        self.cells.clear();
        self.held.clear();
    }

    /// The program gave this memory back.
    pub fn forget(&mut self, start: usize, length: usize) {
        let end = start.saturating_add(length);
        while let Some((&address, _)) = self.atomics.range(start..end).next() {
            self.atomics.remove(&address);
        }
        self.cells.forget(start, end);
    }

    /// Whether the thread has cells whose contents it may change.
    #[inline]
    pub fn has_cells(&self, thread: u32) -> bool {
        self.cells.has_any(thread)
    }

    /// What a thread has done to cells since its last operation, `uses` among it; its clock has gone on since then. Memory
    /// that `can_be_read` is looked at.
    pub fn cells(
        &mut self,
        uses: &[unsafe_cell::Use],
        thread: u32,
        clock: &Clock,
        can_be_read: &dyn Fn(usize) -> bool,
    ) {
        let memory = KnownMemory {
            can_be_read,
            holds_atomics: &|start, end| self.atomics.range(start..end).next().is_some(),
        };
        let unordered = self.cells.go_on(uses, thread, clock, &memory);
        for both in unordered {
            self.add(InteractionKind::Unordered, &both);
        }
    }

    /// An access to an atomic, which reads what `writer` wrote if the memory model has its own opinion on that.
    pub fn atomic(
        &mut self,
        address: usize,
        act: ThreadAct,
        access: SharedAccess,
        writer: Option<LastWriter>,
    ) {
        let mut history = self.atomics.remove(&address).unwrap_or_default();
        self.access(&mut history, act, access, writer);
        self.atomics.insert(address, history);
    }

    /// An access to something with a history.
    pub fn access(
        &mut self,
        history: &mut History,
        act: ThreadAct,
        access: SharedAccess,
        writer: Option<LastWriter>,
    ) {
        if access.reads() {
            let writer = writer.map_or(history.last_write, |LastWriter(writer)| writer);
            self.flow(writer, act);
        }
        if access.writes() {
            history.last_write = Some(act);
        }
        let mut own = None;
        for (index, recent) in history.threads.iter_mut().enumerate() {
            if recent.act.thread == act.thread {
                own = Some(index);
            } else if access.writes() {
                recent.written_since = Some((act, access));
            } else {
                recent.read_since = Some(act);
            }
        }
        let now = LastAccess {
            act,
            access,
            read_since: None,
            written_since: None,
        };
        let Some(own) = own else {
            history.threads.push(now);
            return;
        };
        let before = std::mem::replace(&mut history.threads[own], now);
        let first = (before.act, before.access);
        if let Some((other, how)) = before.written_since
            && (access.reads() || before.access.reads())
        {
            self.between(first, (other, how), (act, access));
        }
        if let Some(other) = before.read_since
            && access.writes()
            && before.access.writes()
        {
            self.between(first, (other, SharedAccess::Read), (act, access));
        }
    }

    /// A thread reads what somebody wrote, or what was there from the start.
    pub fn flow(&mut self, writer: Option<ThreadAct>, reader: ThreadAct) {
        match writer {
            // What a thread tells itself is no communication.
            Some(writer) if writer.thread == reader.thread => {}
            Some(writer) => self.add(InteractionKind::Flow, &[(writer, None), (reader, None)]),
            None => self.add(InteractionKind::Flow, &[(reader, None)]),
        }
    }

    fn between(
        &mut self,
        first: (ThreadAct, SharedAccess),
        other: (ThreadAct, SharedAccess),
        last: (ThreadAct, SharedAccess),
    ) {
        let known = |(act, access)| (act, Some(access));
        self.add(
            InteractionKind::Between,
            &[known(first), known(other), known(last)],
        );
    }

    /// A thread has a lock from now on.
    pub fn lock(&mut self, lock: ControlledObjectId, act: ThreadAct) {
        for index in 0..self.held.len() {
            let (thread, other, held) = self.held[index];
            if thread == act.thread && other != lock {
                self.add(InteractionKind::LockOrder, &[(held, None), (act, None)]);
            }
        }
        self.held.push((act.thread, lock, act));
    }

    /// It no longer has it.
    pub fn unlock(&mut self, thread: u32, lock: ControlledObjectId) {
        let is_it =
            |held: &(u32, ControlledObjectId, ThreadAct)| (held.0, held.1) == (thread, lock);
        if let Some(place) = self.held.iter().rposition(is_it) {
            self.held.remove(place);
        }
    }

    /// One thread woke another.
    pub fn wake_up(&mut self, by: ThreadAct, woken: ThreadAct) {
        self.add(InteractionKind::WakeUp, &[(by, None), (woken, None)]);
    }

    fn add(&mut self, kind: InteractionKind, acts: &[(ThreadAct, Option<SharedAccess>)]) {
        let mut quick = (kind, [None; 3], [0; 3]);
        for (index, (act, access)) in acts.iter().enumerate() {
            quick.1[index] = *access;
            quick.2[index] = std::ptr::from_ref(act.site).addr();
        }
        if !self.seen.insert(quick) || acts.iter().any(|(act, _)| is_ours(act.site.file())) {
            return;
        }
        let place = |(act, access): &(ThreadAct, Option<SharedAccess>)| {
            let (file, line, column) = place_of(act.site);
            (*access, file, line, column)
        };
        self.facts
            .entry((kind, acts.iter().map(place).collect()))
            .or_insert_with(|| Fact {
                kind,
                acts: acts.iter().map(|(act, _)| *act).collect(),
            });
    }
}

pub(crate) fn place_of(site: Site) -> (&'static str, u32, u32) {
    (site.file(), site.line(), site.column())
}

/// Who wrote what is read, if anybody has since the start.
#[derive(Clone, Copy, Debug)]
pub struct LastWriter(pub Option<ThreadAct>);

/// What there is in one record and not in another, in the order of sorts and places.
pub fn unseen(facts: Facts, known: &BTreeSet<FactKey>) -> Vec<Fact> {
    let new = facts.into_iter().filter(|(key, _)| !known.contains(key));
    new.map(|(_, fact)| fact).collect()
}

#[cfg(test)]
mod tests {
    use std::panic::Location;

    use super::*;

    #[track_caller]
    fn act(thread: u32, code: Code) -> ThreadAct {
        ThreadAct {
            thread,
            code,
            site: Location::caller(),
        }
    }

    fn sorts(communication: &mut CommunicationLog) -> Vec<(InteractionKind, Vec<u32>)> {
        let facts = communication.begin(true).into_values();
        let threads = |fact: &Fact| fact.acts.iter().map(|act| act.thread).collect();
        facts.map(|fact| (fact.kind, threads(&fact))).collect()
    }

    #[test]
    fn a_write_between_read_and_write_is_told_and_one_after_them_is_not() {
        let mut communication = CommunicationLog::default();
        communication.begin(true);
        let (read, write) = (act(1, Code::Load), act(1, Code::Store));
        let other = act(2, Code::Store);
        communication.atomic(8, read, SharedAccess::Read, None);
        communication.atomic(8, write, SharedAccess::Write, None);
        communication.atomic(8, other, SharedAccess::Write, None);
        assert_eq!(
            sorts(&mut communication),
            [(InteractionKind::Flow, vec![1])]
        );
        communication.restart();
        communication.atomic(8, read, SharedAccess::Read, None);
        communication.atomic(8, other, SharedAccess::Write, None);
        communication.atomic(8, write, SharedAccess::Write, None);
        assert_eq!(
            sorts(&mut communication),
            [
                (InteractionKind::Flow, vec![1]),
                (InteractionKind::Between, vec![1, 2, 1])
            ]
        );
    }

    #[test]
    fn blind_writes_commute_with_a_serial_order() {
        let mut communication = CommunicationLog::default();
        communication.begin(true);
        let (one, other) = (act(1, Code::Store), act(2, Code::Store));
        for act in [one, other, one] {
            communication.atomic(8, act, SharedAccess::Write, None);
        }
        assert_eq!(sorts(&mut communication), []);
    }

    #[test]
    fn freed_memory_has_no_past() {
        let mut communication = CommunicationLog::default();
        communication.begin(true);
        communication.atomic(8, act(1, Code::Store), SharedAccess::Write, None);
        communication.forget(0, 16);
        communication.atomic(8, act(2, Code::Load), SharedAccess::Read, None);
        assert_eq!(
            sorts(&mut communication),
            [(InteractionKind::Flow, vec![2])]
        );
    }

    #[test]
    fn locks_have_an_order_while_both_are_held() {
        let mut communication = CommunicationLog::default();
        communication.begin(true);
        let (first, second) = (act(1, Code::Lock), act(1, Code::Lock));
        communication.lock(ControlledObjectId(1), first);
        communication.lock(ControlledObjectId(2), second);
        assert_eq!(
            sorts(&mut communication),
            [(InteractionKind::LockOrder, vec![1, 1])]
        );
        communication.unlock(1, ControlledObjectId(1));
        communication.unlock(1, ControlledObjectId(2));
        communication.lock(ControlledObjectId(2), second);
        assert_eq!(sorts(&mut communication), []);
    }

    #[test]
    fn the_same_lines_in_other_threads_are_nothing_new() {
        let mut communication = CommunicationLog::default();
        communication.begin(true);
        let at = |thread| act(thread, Code::NotifyOne);
        communication.wake_up(at(1), at(2));
        let known: BTreeSet<FactKey> = communication.begin(true).into_keys().collect();
        communication.wake_up(at(3), at(1));
        assert_eq!(unseen(communication.begin(true), &known).len(), 0);
        communication.wake_up(at(3), act(1, Code::Wake));
        assert_eq!(unseen(communication.begin(true), &known).len(), 1);
    }
}
