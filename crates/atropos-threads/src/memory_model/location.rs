//! The history of one atomic: its stores in modification order, and who has read which.

use super::Clock;

/// Who reads.
#[derive(Clone, Copy, Debug)]
pub struct Reader<'a> {
    pub clock: &'a Clock,
    /// Whether the access is sequentially consistent itself.
    pub sequential: bool,
}

/// A store.
#[derive(Debug, Default)]
struct Store {
    serial: u32,
    thread: u32,
    /// Number of the operation in its thread; 0 for the initial value, which happened before everything.
    stamp: u32,
    value: u64,
    /// What a reader that acquires synchronises with.
    released: Clock,
    /// A read-modify-write: nothing may come between it and the store before.
    glued: bool,
}

/// The earliest time at which a thread read a store.
#[derive(Debug)]
struct Read {
    thread: u32,
    stamp: u32,
    serial: u32,
    /// How often the thread read this store since.
    again: u32,
}

/// One atomic.
#[derive(Debug, Default)]
pub struct Location {
    stores: Vec<Store>,
    reads: Vec<Read>,
    /// Sequentially consistent accesses: place in S, serial of the store read or written.
    ordered: Vec<(u32, u32)>,
    next_serial: u32,
}

impl Location {
    /// Starts anew with this value.
    pub fn reset(&mut self, value: u64) {
        self.stores.clear();
        self.reads.clear();
        self.ordered.clear();
        self.next_serial = 1;
        self.stores.push(Store {
            value,
            ..Store::default()
        });
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

    pub fn released(&self, store: usize) -> &Clock {
        &self.stores[store].released
    }

    /// Whether a new store may come right after this one.
    pub fn is_open(&self, store: usize) -> bool {
        self.stores.get(store + 1).is_none_or(|next| !next.glued)
    }

    fn position(&self, serial: u32) -> usize {
        // Stores that were dropped lie before all others.
        self.stores
            .iter()
            .rposition(|store| store.serial == serial)
            .unwrap_or(0)
    }

    /// The last store that is known by this clock: written or read by something that happened before.
    pub fn bound(&self, clock: &Clock) -> usize {
        let known = |store: &Store| clock.of(store.thread) >= store.stamp;
        let written = self.stores.iter().rposition(known).unwrap_or(0);
        let read = self
            .reads
            .iter()
            .filter(|read| clock.of(read.thread) >= read.stamp);
        read.map(|read| self.position(read.serial))
            .fold(written, usize::max)
    }

    /// The last store that a sequentially consistent access up to this place in S wrote or read.
    pub fn bound_in_order(&self, until: u32) -> usize {
        let before = self.ordered.iter().filter(|(place, _)| *place <= until);
        before
            .map(|(_, serial)| self.position(*serial))
            .max()
            .unwrap_or(0)
    }

    /// A thread reads a store; `place` is the read's place in S if it has one.
    pub fn read(&mut self, store: usize, thread: u32, stamp: u32, place: Option<u32>) {
        let serial = self.stores[store].serial;
        match self
            .reads
            .iter_mut()
            .find(|read| read.thread == thread && read.serial == serial)
        {
            Some(read) => read.again += 1,
            None => self.reads.push(Read {
                thread,
                stamp,
                serial,
                again: 0,
            }),
        }
        self.order(serial, place);
    }

    /// How often a thread has read the same store again.
    pub fn rereads(&self, store: usize, thread: u32) -> u32 {
        let serial = self.stores[store].serial;
        self.reads
            .iter()
            .find(|read| read.thread == thread && read.serial == serial)
            .map_or(0, |read| read.again)
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
        glued: bool,
        place: Option<u32>,
    ) {
        let serial = self.next_serial;
        self.next_serial += 1;
        let mut released = released.clone();
        if glued {
            released.join(&self.stores[after].released);
        }
        self.stores.insert(
            after + 1,
            Store {
                serial,
                thread,
                stamp,
                value,
                released,
                glued,
            },
        );
        self.order(serial, place);
    }

    fn order(&mut self, serial: u32, place: Option<u32>) {
        if let Some(place) = place {
            self.ordered.push((place, serial));
        }
    }

    /// Forgets the stores before this one, which nobody can read any more.
    pub fn drop_before(&mut self, oldest: usize) {
        if oldest == 0 {
            return;
        }
        self.stores.drain(..oldest);
        let stores = &self.stores;
        let alive = |serial: u32| stores.iter().any(|store| store.serial == serial);
        self.reads.retain(|read| alive(read.serial));
        self.ordered.retain(|(_, serial)| alive(*serial));
    }
}
