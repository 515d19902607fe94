//! The history of one atomic: its stores in modification order, and who has read which.

use super::Clock;
use crate::communication::ThreadAct;

/// Who reads.
#[derive(Clone, Copy, Debug)]
pub struct Reader<'a> {
    pub clock: &'a Clock,
    /// Whether the access is sequentially consistent itself.
    pub sequential: bool,
}

/// A store, who has read it, and how it stands in S.
#[derive(Debug)]
struct Store {
    thread: u32,
    /// Number of the operation in its thread; 0 for the initial value, which happened before everything.
    stamp: u32,
    value: u64,
    /// What a reader that acquires synchronises with.
    released: Clock,
    /// Who wrote it, if that is recorded.
    author: Option<ThreadAct>,
    /// The event of the trace that wrote it, if one is kept.
    event: Option<u32>,
    /// A read-modify-write: nothing may come between it and the store before.
    glued: bool,
    reads: Vec<Read>,
    /// The first place in S of a sequentially consistent access that wrote or read it; `u32::MAX` if none did.
    first_in_order: u32,
}

/// The earliest time at which a thread read a store.
#[derive(Debug)]
struct Read {
    thread: u32,
    stamp: u32,
    /// How often the thread read this store although there was a later one.
    stale: u32,
}

impl Store {
    fn new() -> Store {
        Store {
            thread: 0,
            stamp: 0,
            value: 0,
            released: Clock::default(),
            author: None,
            event: None,
            glued: false,
            reads: Vec::new(),
            first_in_order: u32::MAX,
        }
    }

    /// Whether something that happened before this clock wrote or read the store.
    fn is_known(&self, clock: &Clock) -> bool {
        clock.of(self.thread) >= self.stamp
            || self
                .reads
                .iter()
                .any(|read| clock.of(read.thread) >= read.stamp)
    }

    fn put_in_order(&mut self, place: Option<u32>) {
        if let Some(place) = place {
            self.first_in_order = self.first_in_order.min(place);
        }
    }
}

/// Histories shorter than this are not worth shortening.
const SHORT: usize = 32;

/// One atomic.
#[derive(Debug, Default)]
pub struct Location {
    stores: Vec<Store>,
    /// Stores that are not used now; they keep their memory.
    spare: Vec<Store>,
    /// How long the history may get before somebody looks what can be forgotten.
    long: usize,
}

impl Location {
    /// Starts anew with this value.
    pub fn reset(&mut self, value: u64) {
        self.spare.append(&mut self.stores);
        self.long = SHORT;
        let first = self.new_store();
        self.stores.push(Store { value, ..first });
    }

    /// The number of stores that are remembered.
    pub fn len(&self) -> usize {
        self.stores.len()
    }

    /// The last value in modification order: what memory holds.
    pub fn latest(&self) -> u64 {
        self.stores.last().expect("a location has a value").value
    }

    pub fn value(&self, store: usize) -> u64 {
        self.stores[store].value
    }

    pub fn author(&self, store: usize) -> Option<ThreadAct> {
        self.stores[store].author
    }

    /// The event of the trace that wrote the store.
    pub fn event(&self, store: usize) -> Option<usize> {
        self.stores[store].event.map(|event| event as usize)
    }

    /// The store was written by that event of the trace.
    pub fn set_event(&mut self, store: usize, event: usize) {
        self.stores[store].event = u32::try_from(event).ok();
    }

    pub fn released(&self, store: usize) -> &Clock {
        &self.stores[store].released
    }

    /// Whether a new store may come right after this one.
    pub fn is_open(&self, store: usize) -> bool {
        self.stores.get(store + 1).is_none_or(|next| !next.glued)
    }

    /// The last store that is known by this clock: written or read by something that happened before.
    pub fn bound(&self, clock: &Clock) -> usize {
        let known = |store: &Store| store.is_known(clock);
        self.stores.iter().rposition(known).unwrap_or(0)
    }

    /// The last store that a sequentially consistent access up to this place in S wrote or read.
    pub fn bound_in_order(&self, until: u32) -> usize {
        let is_before =
            |store: &Store| store.first_in_order != u32::MAX && store.first_in_order <= until;
        self.stores.iter().rposition(is_before).unwrap_or(0)
    }

    /// A thread reads a store; `place` is the read's place in S if it has one.
    pub fn read(&mut self, store: usize, thread: u32, stamp: u32, place: Option<u32>) {
        let stale = u32::from(store + 1 < self.stores.len());
        let store = &mut self.stores[store];
        match store.reads.iter_mut().find(|read| read.thread == thread) {
            Some(read) => read.stale += stale,
            None => store.reads.push(Read {
                thread,
                stamp,
                stale,
            }),
        }
        store.put_in_order(place);
    }

    /// How often a thread has read a store that was out of date.
    pub fn stale_reads(&self, store: usize, thread: u32) -> u32 {
        let reads = &self.stores[store].reads;
        let read = reads.iter().find(|read| read.thread == thread);
        read.map_or(0, |read| read.stale)
    }

    /// A thread writes; the store comes right after store number `after`.
    #[expect(clippy::too_many_arguments, reason = "a store has these parts")]
    pub fn write(
        &mut self,
        after: usize,
        value: u64,
        thread: u32,
        stamp: u32,
        released: &Clock,
        author: Option<ThreadAct>,
        glued: bool,
        place: Option<u32>,
    ) {
        let mut store = self.new_store();
        (store.thread, store.stamp, store.value) = (thread, stamp, value);
        store.glued = glued;
        store.released.copy(released);
        if glued {
            store.released.join(&self.stores[after].released);
        }
        store.author = author;
        store.put_in_order(place);
        self.stores.insert(after + 1, store);
    }

    fn new_store(&mut self) -> Store {
        let Some(mut store) = self.spare.pop() else {
            return Store::new();
        };
        store.reads.clear();
        store.released.clear();
        Store {
            reads: store.reads,
            released: store.released,
            ..Store::new()
        }
    }

    /// Whether it is time to look what can be forgotten. Not at every write, so that looking costs little per write.
    pub fn is_long(&self) -> bool {
        self.stores.len() >= self.long
    }

    /// Forgets the stores before this one, which nobody can read any more, and so many of the rest that at most
    /// `most` are left.
    pub fn drop_before(&mut self, oldest: usize, most: usize) {
        let oldest = oldest.max(self.stores.len().saturating_sub(most));
        self.spare.extend(self.stores.drain(..oldest));
        self.long = SHORT
            .max(2 * self.stores.len())
            .min(SHORT.max(most + most / 2));
    }
}
