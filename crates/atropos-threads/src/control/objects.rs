//! The state of locks, conditions, channels and so on during one execution, and how the program's
//! values lead to it: each holds a [`Slot`] that says "number n of execution e".

use std::panic::Location;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use atropos_search::SharedObject;

use super::panic_cause::LeftBehind;
use crate::communication::History;
use crate::memory_model::Clock;

/// Part of every controlled value except atomics: leads to its state, if it has one in the running execution.
#[derive(Debug, Default)]
pub struct Slot(AtomicU64);

impl Slot {
    /// A slot that leads nowhere.
    pub const fn new() -> Slot {
        Slot(AtomicU64::new(0))
    }

    /// The number that was given in this execution, or a new one.
    pub fn number(&self, execution: u32, new: impl FnOnce() -> u32) -> u32 {
        let bits = self.0.load(Relaxed);
        if (bits >> 32) as u32 == execution {
            return bits as u32;
        }
        let number = new();
        self.0
            .store(u64::from(execution) << 32 | u64::from(number), Relaxed);
        number
    }
}

/// A source location.
pub type Site = &'static Location<'static>;

/// Number of an object in the running execution.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ControlledObjectId(pub u32);

/// What any kind of object needs to remember.
#[derive(Debug, Default)]
pub struct ObjectState {
    /// Who holds the object exclusively: thread number + 1, 0 for nobody.
    pub holder: u32,
    /// Shared holders.
    pub readers: u32,
    /// Where it was last acquired.
    pub site: Option<Site>,
    /// Threads that wait for a notification.
    pub waiters: Vec<u32>,
    /// Arrivals at a barrier, running threads of a scope.
    pub count: usize,
    /// How often a barrier has opened.
    pub generation: usize,
    /// Messages in a channel, and room for them.
    pub queued: usize,
    pub room: usize,
    pub senders: usize,
    pub receiver_gone: bool,
    /// What happens before the next acquisition.
    pub clock: Clock,
    /// What happens before the next exclusive acquisition only: what readers of a lock did, and senders who have gone. They are
    /// not ordered among themselves, so their operations commute.
    pub shared_clock: Clock,
    /// Stands for the contents in fingerprints.
    pub version: u64,
    /// Threads whose pending operation can go on or not depending on this object.
    blocked: Vec<u32>,
    /// The object is among those that changed.
    is_changed: bool,
    /// Who poisoned the lock or the initialisation, or dropped an end of the channel.
    pub undone: Option<LeftBehind>,
    /// Who did what to it.
    pub history: History,
}

/// Set in the names of parts of objects: the rest is the object's own name, but for [`OTHER_PART`].
pub const PART: u64 = 1 << 63;
pub const OTHER_PART: u64 = 1 << 59;

/// The object that a name is one of.
pub fn whole(name: SharedObject) -> SharedObject {
    match name.0 & PART {
        0 => name,
        _ => SharedObject(name.0 & !(PART | OTHER_PART)),
    }
}

/// Marks a lock that somebody outside the execution holds.
pub const OUTSIDER: u32 = u32::MAX;

/// The objects of an execution.
#[derive(Debug, Default)]
pub struct Objects {
    states: Vec<ObjectState>,
    used: usize,
    execution: u32,
    /// Objects with blocked threads that may have changed.
    changed: Vec<ControlledObjectId>,
}

impl Objects {
    /// Forgets all objects.
    pub fn restart(&mut self, execution: u32) {
        self.execution = execution;
        self.used = 0;
        self.changed.clear();
    }

    /// The object that a slot leads to, new if it has none in this execution.
    pub fn find(
        &mut self,
        slot: &Slot,
        set_up: impl FnOnce(&mut ObjectState),
    ) -> ControlledObjectId {
        let execution = self.execution;
        ControlledObjectId(slot.number(execution, || self.add(set_up).0))
    }

    /// A new object.
    pub fn add(&mut self, set_up: impl FnOnce(&mut ObjectState)) -> ControlledObjectId {
        if self.used == self.states.len() {
            self.states.push(ObjectState::default());
        }
        let state = &mut self.states[self.used];
        state.reset();
        set_up(state);
        self.used += 1;
        ControlledObjectId(self.used as u32 - 1)
    }

    /// From now on the thread's readiness depends on the object.
    pub fn block(&mut self, id: ControlledObjectId, thread: u32) {
        self.states[id.0 as usize].blocked.push(thread);
    }

    /// The thread's readiness no longer depends on the object.
    pub fn unblock(&mut self, id: ControlledObjectId, thread: u32) {
        let blocked = &mut self.states[id.0 as usize].blocked;
        if let Some(place) = blocked.iter().position(|other| *other == thread) {
            blocked.swap_remove(place);
        }
    }

    /// The thread at this place among those that the object blocks.
    pub fn blocked(&self, id: ControlledObjectId, place: usize) -> Option<u32> {
        self.states[id.0 as usize].blocked.get(place).copied()
    }

    /// An object with blocked threads that may have changed since it was last asked for.
    pub fn next_changed(&mut self) -> Option<ControlledObjectId> {
        let id = self.changed.pop()?;
        self.states[id.0 as usize].is_changed = false;
        Some(id)
    }

    /// All objects of this execution.
    pub fn iter(&self) -> impl Iterator<Item = &ObjectState> {
        self.states[..self.used].iter()
    }
}

impl ObjectState {
    fn reset(&mut self) {
        let mut waiters = std::mem::take(&mut self.waiters);
        waiters.clear();
        let mut clock = std::mem::take(&mut self.clock);
        clock.clear();
        let mut shared_clock = std::mem::take(&mut self.shared_clock);
        shared_clock.clear();
        let mut blocked = std::mem::take(&mut self.blocked);
        blocked.clear();
        let mut history = std::mem::take(&mut self.history);
        history.clear();
        *self = ObjectState {
            waiters,
            clock,
            shared_clock,
            blocked,
            history,
            ..ObjectState::default()
        };
    }
}

impl std::ops::Index<ControlledObjectId> for Objects {
    type Output = ObjectState;
    fn index(&self, id: ControlledObjectId) -> &ObjectState {
        &self.states[id.0 as usize]
    }
}

/// Who takes an object to change it says by that that those who wait for it are to be looked at again.
impl std::ops::IndexMut<ControlledObjectId> for Objects {
    fn index_mut(&mut self, id: ControlledObjectId) -> &mut ObjectState {
        let state = &mut self.states[id.0 as usize];
        if !state.blocked.is_empty() && !state.is_changed {
            state.is_changed = true;
            self.changed.push(id);
        }
        state
    }
}
