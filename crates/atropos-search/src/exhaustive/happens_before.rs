//! The happens-before order of one execution, in vector clocks, and the races in it: pairs of steps
//! that conflict, that nothing between them orders, and whose second could have come first.
//!
//! Locks get the care that blocking needs: a lock operation can't come before the release that
//! freed the lock, but it can come before the acquisition which that release belongs to, and this is
//! the pair to reverse although the release lies between the two.

use crate::choice::Thread;
use crate::hash::Table;
use crate::op::{Op, OpKind, Reversal, reversal};

use super::wakeup::Step;

/// Number of a step in the execution.
pub(super) type EventId = u32;

/// A step that happened.
#[derive(Clone, Copy, Debug)]
struct Event {
    thread: Thread,
    seq: u32,
}

/// A step that happened, to be entered into the order.
#[derive(Clone, Copy)]
pub(super) struct Entry<'a> {
    pub step: &'a Step,
    /// The dense numbers of the operation's objects.
    pub objects: &'a [u32; 4],
}

/// Tells whether a thread was ready when a step was chosen.
pub(super) type ReadyAt<'a> = &'a dyn Fn(EventId, Thread) -> bool;

/// Whether a race is known to be reversible, not just worth a try.
#[derive(Clone, Copy, Debug)]
pub(super) struct SurelyReversible(pub bool);

/// The order of the current execution. Survives from one execution to the next as far as they agree.
#[derive(Clone, Debug, Default)]
pub(super) struct HappensBefore {
    events: Vec<Event>,
    /// One clock per event, `stride` entries each: how many steps of each thread come no later.
    clocks: Vec<u32>,
    stride: usize,
    /// The last event of each thread.
    last: Vec<Option<EventId>>,
    /// Who touched each object, in order.
    histories: Vec<Vec<(EventId, OpKind)>>,
    touched: Vec<u32>,
    /// The steps that conflict with everything.
    universal: Vec<EventId>,
    dense: Table<u64, u32>,
    found: Vec<(EventId, SurelyReversible)>,
    races: Vec<(EventId, SurelyReversible)>,
    base: Vec<u32>,
    clock: Vec<u32>,
}

impl HappensBefore {
    /// The small number of an object; the same as long as the search lasts.
    pub(super) fn dense(&mut self, op: &Op) -> [u32; 4] {
        let mut numbers = [0; 4];
        for (i, access) in op.accesses().enumerate() {
            let next = self.dense.len() as u32;
            numbers[i] = *self.dense.entry(access.object.0).or_insert(next);
        }
        numbers
    }

    pub(super) fn len(&self) -> usize {
        self.events.len()
    }

    /// Forgets the events from `len` on, and all that is known of objects: the caller enters the
    /// events that stay again with [`HappensBefore::keep`].
    pub(super) fn rewind(&mut self, len: usize) {
        self.events.truncate(len);
        self.clocks.truncate(len * self.stride);
        for object in self.touched.drain(..) {
            self.histories[object as usize].clear();
        }
        self.universal.clear();
        self.last.fill(None);
    }

    /// Enters an event whose clock is still known.
    pub(super) fn keep(&mut self, id: EventId, entry: Entry<'_>) {
        self.note(id, entry);
    }

    fn note(&mut self, id: EventId, Entry { step, objects }: Entry<'_>) {
        self.last[step.thread.index()] = Some(id);
        if step.op.is_universal() {
            self.universal.push(id);
            return;
        }
        for (i, access) in step.op.accesses().enumerate() {
            let object = objects[i] as usize;
            if self.histories.len() <= object {
                self.histories.resize_with(object + 1, Vec::new);
            }
            if self.histories[object].is_empty() {
                self.touched.push(object as u32);
            }
            self.histories[object].push((id, access.kind));
        }
    }

    /// Makes room for this many threads.
    pub(super) fn widen(&mut self, threads: usize) {
        if threads <= self.stride {
            return;
        }
        let stride = threads.next_multiple_of(8);
        let mut clocks = vec![0; self.events.len() * stride];
        for i in 0..self.events.len() {
            clocks[i * stride..][..self.stride]
                .copy_from_slice(&self.clocks[i * self.stride..][..self.stride]);
        }
        self.clocks = clocks;
        self.stride = stride;
        self.last.resize(stride, None);
        self.base.resize(stride, 0);
        self.clock.resize(stride, 0);
    }

    fn clock_of(&self, id: EventId) -> &[u32] {
        &self.clocks[id as usize * self.stride..][..self.stride]
    }

    /// Whether the event is no later than the clock.
    fn within(&self, id: EventId, clock: &[u32]) -> bool {
        let event = self.events[id as usize];
        clock[event.thread.index()] > event.seq
    }

    /// Whether the first event happens before the second.
    pub(super) fn before(&self, first: EventId, second: EventId) -> bool {
        self.within(first, self.clock_of(second))
    }

    /// Enters an event at the end and returns the events that it races with.
    pub(super) fn add(
        &mut self,
        entry: Entry<'_>,
        ready_at: ReadyAt<'_>,
    ) -> &[(EventId, SurelyReversible)] {
        self.find_races(entry, ready_at);
        let mut clock = std::mem::take(&mut self.clock);
        clock.copy_from_slice(&self.base);
        self.join_conflicts(entry, &mut clock);
        let step = entry.step;
        let id = self.events.len() as EventId;
        clock[step.thread.index()] = step.seq + 1;
        self.events.push(Event {
            thread: step.thread,
            seq: step.seq,
        });
        self.clocks.extend_from_slice(&clock);
        self.clock = clock;
        self.note(id, entry);
        &self.races
    }

    /// The events that a step would race with which did not happen, because its thread is blocked
    /// or the execution ended before.
    pub(super) fn races_of_unborn(
        &mut self,
        entry: Entry<'_>,
        ready_at: ReadyAt<'_>,
    ) -> &[(EventId, SurelyReversible)] {
        self.find_races(entry, ready_at);
        &self.races
    }

    /// Fills `races`, and `base` with all that must come before the step in any order.
    fn find_races(&mut self, entry: Entry<'_>, ready_at: ReadyAt<'_>) {
        let mut base = std::mem::take(&mut self.base);
        let mut found = std::mem::take(&mut self.found);
        found.clear();
        let since = self.fill_base(entry, &mut base);
        let op = &entry.step.op;
        if op.is_universal() {
            let all = (0..self.events.len() as EventId).rev();
            let unordered = all.filter(|&id| !self.within(id, &base));
            // A timer could have come earlier only where it was ready: where others went off.
            let is_ready = |&id: &EventId| !op.is_when_idle() || ready_at(id, entry.step.thread);
            let sure = SurelyReversible(op.is_when_idle() || !op.is_blocking());
            found.extend(unordered.filter(is_ready).map(|id| (id, sure)));
        } else {
            let judge = |id: EventId, first: OpKind, second: OpKind| {
                let op = &entry.step.op;
                let pending = since.is_none_or(|since| id > since);
                match reversal(first, second, op) {
                    Reversal::Unknown if pending && ready_at(id, entry.step.thread) => {
                        Reversal::Possible
                    }
                    // With several objects, what blocks may be another one, freed in between.
                    Reversal::Unknown if pending && op.len() == 1 => Reversal::Impossible,
                    other => other,
                }
            };
            self.search_histories(entry, &base, &judge, &mut found);
        }
        self.keep_immediate(&found);
        self.base = base;
        self.found = found;
    }

    /// Looks back through what happened to the step's objects.
    fn search_histories(
        &self,
        entry: Entry<'_>,
        base: &[u32],
        judge: &dyn Fn(EventId, OpKind, OpKind) -> Reversal,
        found: &mut Vec<(EventId, SurelyReversible)>,
    ) {
        for (i, access) in entry.step.op.accesses().enumerate() {
            for &(id, kind) in self.history(entry.objects[i]).iter().rev() {
                if !kind.conflicts(access.kind) {
                    continue;
                }
                let mut settled = true;
                if !self.within(id, base) {
                    let reversal = judge(id, kind, access.kind);
                    settled = reversal == Reversal::Possible;
                    if reversal != Reversal::Impossible {
                        found.push((id, SurelyReversible(settled)));
                    }
                }
                // All that conflicts and is older happens before this one.
                if settled && kind.is_exclusive() {
                    break;
                }
            }
        }
        if let Some(&id) = self.universal.last()
            && !self.within(id, base)
        {
            found.push((id, SurelyReversible(!entry.step.op.is_blocking())));
        }
        found.sort_unstable_by_key(|&(id, SurelyReversible(sure))| std::cmp::Reverse((id, sure)));
        found.dedup_by_key(|&mut (id, _)| id);
    }

    fn history(&self, object: u32) -> &[(EventId, OpKind)] {
        self.histories
            .get(object as usize)
            .map_or(&[], Vec::as_slice)
    }

    /// Keeps what does not happen before a later sure race: that one is to be reversed first.
    fn keep_immediate(&mut self, found: &[(EventId, SurelyReversible)]) {
        let mut races = std::mem::take(&mut self.races);
        races.clear();
        for (i, &(id, this)) in found.iter().enumerate() {
            if found[..i]
                .iter()
                .all(|&(later, SurelyReversible(sure))| !sure || !self.before(id, later))
            {
                races.push((id, this));
            }
        }
        self.races = races;
    }

    /// The clock of what must come before the step: its thread's past, who woke it, the signals
    /// that it waited for. Returns since when the thread has been about to take the step.
    fn fill_base(&self, Entry { step, objects }: Entry<'_>, base: &mut [u32]) -> Option<EventId> {
        let last = self.last[step.thread.index()];
        match last {
            Some(last) => base.copy_from_slice(self.clock_of(last)),
            None => base.fill(0),
        }
        let waker = step.waker.and_then(|waker| self.find(waker));
        if let Some(waker) = waker {
            join(base, self.clock_of(waker));
        }
        for (i, access) in step.op.accesses().enumerate() {
            if access.kind != OpKind::Await {
                continue;
            }
            for &(id, kind) in self.history(objects[i]) {
                if matches!(kind, OpKind::Signal | OpKind::Leave) {
                    join(base, self.clock_of(id));
                }
            }
        }
        last.max(waker)
    }

    fn find(&self, (thread, seq): (Thread, u32)) -> Option<EventId> {
        let found = self
            .events
            .iter()
            .rposition(|event| event.thread == thread && event.seq == seq);
        found.map(|id| id as EventId)
    }

    fn join_conflicts(&self, Entry { step, objects }: Entry<'_>, clock: &mut [u32]) {
        if step.op.is_universal() {
            for last in self.last.iter().flatten() {
                join(clock, self.clock_of(*last));
            }
            return;
        }
        for (i, access) in step.op.accesses().enumerate() {
            for &(id, kind) in self.history(objects[i]).iter().rev() {
                if kind.conflicts(access.kind) {
                    join(clock, self.clock_of(id));
                    if kind.is_exclusive() {
                        break;
                    }
                }
            }
        }
        if let Some(&id) = self.universal.last() {
            join(clock, self.clock_of(id));
        }
    }
}

fn join(clock: &mut [u32], other: &[u32]) {
    for (mine, theirs) in clock.iter_mut().zip(other) {
        *mine = (*mine).max(*theirs);
    }
}
