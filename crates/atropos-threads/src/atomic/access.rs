//! Accesses of controlled threads to atomics: a scheduling point each, then either the memory itself
//! (sequentially consistent exploration) or the memory model's choice of what is read and where it is written.

use std::sync::atomic::Ordering;

use atropos_search::{Op, OpKind, SharedObject};

use crate::communication::{LastWriter, SharedAccess};
use crate::control::code::Code;
use crate::control::objects::Site;
use crate::control::{Announcement, Control, TOTAL_ORDER};
use crate::memory_model::ordering::{acquires, is_sequential, releases};
use crate::memory_model::{Location, Reader};
use crate::races::AccessKind;
use crate::trace::Values;

/// The real atomic behind one of ours, as 64 bits.
pub trait Word {
    /// What memory holds.
    fn get(&self) -> u64;
    /// Changes what memory holds.
    fn set(&self, bits: u64);
}

/// Reads of one stale value that a thread may make before it must see a newer one: loops end.
const STALE_READS: u32 = 8;
const STALE_READS_WHILE_SPINNING: u32 = 2;

/// A value, and who wrote it as far as the memory model has an opinion of its own on that.
#[derive(Clone, Copy, Debug)]
struct Seen {
    value: u64,
    writer: Option<LastWriter>,
}

impl Seen {
    /// A store of the memory model.
    fn of(history: &Location, store: usize) -> Seen {
        Seen {
            value: history.value(store),
            writer: Some(LastWriter(history.author(store))),
        }
    }

    /// What memory holds.
    fn in_memory(word: &dyn Word) -> Seen {
        Seen {
            value: word.get(),
            writer: None,
        }
    }
}

/// A compare-exchange as asked for.
#[derive(Clone, Copy, Debug)]
pub struct Exchange {
    pub expected: u64,
    pub new: u64,
    pub success: Ordering,
    pub failure: Ordering,
    /// May fail although the value is as expected.
    pub weak: bool,
}

impl Control {
    fn announce_access(
        &self,
        code: Code,
        name: SharedObject,
        kind: OpKind,
        ordering: Ordering,
        site: Site,
    ) {
        self.before_access(site);
        let mut op = Op::on(name, kind);
        if self.state().model.weak && is_sequential(ordering) {
            op = op.and(TOTAL_ORDER, OpKind::Read);
        }
        self.point(Announcement::new(code, op, site));
    }

    /// A load.
    pub fn atomic_load(&self, word: &dyn Word, ordering: Ordering, site: Site) -> u64 {
        if let Some(value) = self.at_unlocked_hold(word, site, &|_| None) {
            return value;
        }
        let address = std::ptr::from_ref(word).cast::<u8>();
        if self.reads_the_same(address as usize) {
            // What is there now was read and noted before; others may change it when this thread lets them go first.
            let value = word.get();
            self.after_read(site);
            return value;
        }
        let name = self.name(address);
        let again = self.looks_again(name);
        match again {
            true => self.has_read_again(address as usize),
            false => self.announce_access(Code::Load, name, OpKind::Read, ordering, site),
        }
        let Seen { value, writer } = match self.state().model.weak {
            true => self.weak_load(address as usize, word, ordering, again),
            false => Seen::in_memory(word),
        };
        self.accessed(word, SharedAccess::Read, writer, site);
        let state = self.state();
        state.observe(value);
        state.trace.tell(state.current, Values::One(value));
        self.after_read(site);
        value
    }

    /// A store.
    pub fn atomic_store(&self, word: &dyn Word, value: u64, ordering: Ordering, site: Site) {
        if self
            .at_unlocked_hold(word, site, &|_| Some(value))
            .is_some()
        {
            return;
        }
        let address = std::ptr::from_ref(word).cast::<u8>();
        let name = self.name(address);
        self.announce_access(Code::Store, name, OpKind::Write, ordering, site);
        self.state().contents_changed(name, word.get(), value);
        match self.state().model.weak {
            true => self.weak_store(address as usize, word, value, ordering),
            false => word.set(value),
        }
        self.accessed(word, SharedAccess::Write, None, site);
        let state = self.state();
        state.trace.tell(state.current, Values::One(value));
        state.changed(name);
    }

    /// A read-modify-write that always writes. Returns the old value.
    pub fn atomic_modify(
        &self,
        word: &dyn Word,
        ordering: Ordering,
        site: Site,
        change: &dyn Fn(u64) -> u64,
    ) -> u64 {
        if let Some(old) = self.at_unlocked_hold(word, site, &|old| Some(change(old))) {
            return old;
        }
        let address = std::ptr::from_ref(word).cast::<u8>();
        let name = self.name(address);
        self.announce_access(Code::Modify, name, OpKind::Write, ordering, site);
        let (seen, new) = match self.state().model.weak {
            true => self.weak_modify(address as usize, word, ordering, change),
            false => {
                let seen = Seen::in_memory(word);
                let new = change(seen.value);
                word.set(new);
                (seen, new)
            }
        };
        let old = seen.value;
        self.accessed(word, SharedAccess::Update, seen.writer, site);
        let state = self.state();
        state.observe(old);
        state.trace.tell(state.current, Values::Change(old, new));
        state.contents_changed(name, old, new);
        if old == new {
            // A lock that is taken by `swap` and was taken already: as good as a read.
            self.looked_at(name);
            self.after_read(site);
        } else {
            state.changed(name);
        }
        self.fence_by_own_variable(address as usize, word, ordering, site);
        old
    }

    /// A compare-exchange: the old value, and whether it was exchanged.
    pub fn atomic_exchange(
        &self,
        word: &dyn Word,
        exchange: Exchange,
        site: Site,
    ) -> Result<u64, u64> {
        let exchanged = |old: u64| (old == exchange.expected).then_some(exchange.new);
        if let Some(old) = self.at_unlocked_hold(word, site, &exchanged) {
            return exchanged(old).map_or(Err(old), |_| Ok(old));
        }
        let address = std::ptr::from_ref(word).cast::<u8>();
        let name = self.name(address);
        self.announce_access(
            Code::CompareExchange,
            name,
            OpKind::Write,
            exchange.success,
            site,
        );
        let result = match self.state().model.weak {
            true => self.weak_exchange(address as usize, word, exchange),
            false => match Seen::in_memory(word) {
                seen if seen.value == exchange.expected => Ok(seen),
                seen => Err(seen),
            },
        };
        let result = match result {
            Ok(seen) if exchange.weak && self.state().settings.spurious && self.choose(2) == 1 => {
                Err(seen)
            }
            result => result,
        };
        let (access, writer) = match result {
            Ok(seen) => (SharedAccess::Update, seen.writer),
            Err(seen) => (SharedAccess::Read, seen.writer),
        };
        self.accessed(word, access, writer, site);
        let result = result.map(|seen| seen.value).map_err(|seen| seen.value);
        let state = self.state();
        match result {
            Ok(old) => {
                if state.model.weak {
                    self.weak_exchanged(address as usize, word, exchange);
                } else {
                    word.set(exchange.new);
                }
                let state = self.state();
                state.observe(old);
                let change = Values::Change(old, exchange.new);
                state.trace.tell(state.current, change);
                state.contents_changed(name, old, exchange.new);
                state.changed(name);
                self.fence_by_own_variable(address as usize, word, exchange.success, site);
            }
            Err(old) => {
                state.guide().refine(
                    refined(name, state.model.weak, exchange.failure)
                        .coded(Code::CompareExchange as u16),
                );
                state.observe(old ^ 1 << 63);
                state.trace.tell(state.current, Values::Kept(old));
                self.looked_at(name);
                self.after_read(site);
            }
        }
        result
    }

    /// Notes what others learn an access.
    #[inline]
    fn accessed(
        &self,
        word: &dyn Word,
        access: SharedAccess,
        writer: Option<LastWriter>,
        site: Site,
    ) {
        let address = std::ptr::from_ref(word).cast::<u8>();
        let kind = match access {
            SharedAccess::Read => AccessKind::AtomicRead,
            SharedAccess::Write | SharedAccess::Update => AccessKind::AtomicWrite,
        };
        self.atomic_access(address as usize, size_of_val(word), kind);
        self.state()
            .accessed_atomic(address as usize, access, writer, site);
    }

    /// A fence.
    pub fn atomic_fence(&self, ordering: Ordering, site: Site) {
        if !self.state().model.weak {
            return;
        }
        if is_sequential(ordering) {
            self.point(Announcement::new(
                Code::Fence,
                Op::on(TOTAL_ORDER, OpKind::Write),
                site,
            ));
        }
        let state = self.state();
        state.note_cells();
        let thread = &mut state.threads[state.current as usize];
        thread.clocks.clock.tick(state.current);
        if acquires(ordering) {
            let read = std::mem::take(&mut thread.clocks.acquire_fence);
            thread.clocks.clock.join(&read);
            thread.clocks.acquire_fence = read;
        }
        if is_sequential(ordering) {
            state.model.fence(&mut thread.clocks.clock);
        }
        if releases(ordering) {
            thread.clocks.release_fence.copy(&thread.clocks.clock);
        }
    }

    /// All threads fence memory at once, as the kernel's `membarrier` makes them do.
    pub fn fence_of_all(&self, site: Site) {
        self.point(Announcement::new(Code::Fence, Op::universal(), site));
        self.state().model.settle();
    }

    /// Code for x86 fences memory by a read-modify-write of a new variable on its own stack (event-listener 2, concurrent-queue
    /// 1), because there every such instruction is a fence. Nobody else can know of the variable, so it has no other end.
    #[inline]
    fn fence_by_own_variable(
        &self,
        address: usize,
        word: &dyn Word,
        ordering: Ordering,
        site: Site,
    ) {
        let state = self.state();
        if !cfg!(target_arch = "x86_64")
            || !is_sequential(ordering)
            || !state.model.weak
            || state.world.stacks.owner(address) != Some(state.current)
        {
            return;
        }
        let location = state.model.location(address, word.get());
        // What it was made with, and this.
        if state.model.at(location).len() == 2 {
            self.atomic_fence(ordering, site);
        }
    }

    /// Whether the running thread's last access was a sequentially consistent read-modify-write.
    pub fn has_just_modified(&self) -> bool {
        let state = self.state();
        state.threads[state.current as usize]
            .clocks
            .has_just_modified
    }

    fn just_modified(&self, ordering: Option<Ordering>) {
        let state = self.state();
        state.threads[state.current as usize]
            .clocks
            .has_just_modified = ordering.is_some_and(is_sequential);
    }

    /// An access of the running thread begins; gives the location.
    fn begin_access(&self, address: usize, word: &dyn Word) -> usize {
        let state = self.state();
        state.note_cells();
        let me = state.current;
        state.threads[me as usize].clocks.clock.tick(me);
        state.model.location(address, word.get())
    }

    /// The oldest store that the running thread can read.
    fn oldest(&self, location: usize, ordering: Ordering) -> usize {
        let state = self.state();
        let reader = Reader {
            clock: &state.threads[state.current as usize].clocks.clock,
            sequential: is_sequential(ordering),
        };
        state.model.bound(location, &reader)
    }

    /// Chooses the store that the running thread writes right after.
    fn choose_open(&self, location: usize, ordering: Ordering) -> usize {
        let bound = self.oldest(location, ordering);
        let history = self.state().model.at(location);
        let open = (bound..history.len())
            .rev()
            .filter(|&store| history.is_open(store));
        let nth = self.choose(open.clone().count() as u32);
        open.clone()
            .nth(nth as usize)
            .expect("the end is always open")
    }

    fn weak_load(&self, address: usize, word: &dyn Word, ordering: Ordering, again: bool) -> Seen {
        self.just_modified(None);
        let location = self.begin_access(address, word);
        let bound = self.oldest(location, ordering);
        let state = self.state();
        let me = &state.threads[state.current as usize];
        let newest = state.model.at(location).len() - 1;
        let limit = if me.activity.spin.yields > 0 {
            STALE_READS_WHILE_SPINNING
        } else {
            STALE_READS
        };
        let stale = state.model.at(location).stale_reads(bound, state.current) >= limit;
        let store = match again || stale {
            true => newest,
            false => newest - self.choose((newest - bound + 1) as u32) as usize,
        };
        self.read(location, store, ordering)
    }

    /// The running thread reads a store.
    fn read(&self, location: usize, store: usize, ordering: Ordering) -> Seen {
        let state = self.state();
        let place = is_sequential(ordering).then(|| state.model.next_in_order());
        let me = &mut state.threads[state.current as usize];
        let history = state.model.at(location);
        if state.settings.record {
            let newest = history.len() - 1;
            if store < newest {
                state.trace.mark_late(state.current, history.event(newest));
            }
            state.trace.mark_read(state.current, history.event(store));
        }
        history.read(
            store,
            state.current,
            me.clocks.clock.of(state.current),
            place,
        );
        let target = if acquires(ordering) {
            &mut me.clocks.clock
        } else {
            &mut me.clocks.acquire_fence
        };
        target.join(history.released(store));
        Seen::of(history, store)
    }

    fn weak_store(&self, address: usize, word: &dyn Word, value: u64, ordering: Ordering) {
        self.just_modified(None);
        let location = self.begin_access(address, word);
        let after = self.choose_open(location, ordering);
        self.write(location, after, word, value, ordering, false);
    }

    /// The running thread writes right after a store.
    fn write(
        &self,
        location: usize,
        after: usize,
        word: &dyn Word,
        value: u64,
        ordering: Ordering,
        glued: bool,
    ) {
        let state = self.state();
        let place = is_sequential(ordering).then(|| state.model.next_in_order());
        let author = state.me_as_act();
        let me = &state.threads[state.current as usize];
        let released = if releases(ordering) {
            &me.clocks.clock
        } else {
            &me.clocks.release_fence
        };
        let history = state.model.at(location);
        if after + 1 < history.len() {
            state.trace.mark_late(state.current, None);
        }
        history.write(
            after,
            value,
            state.current,
            me.clocks.clock.of(state.current),
            released,
            author,
            glued,
            place,
        );
        if state.settings.record && !state.trace.events.is_empty() {
            history.set_event(after + 1, state.trace.events.len() - 1);
        }
        word.set(history.latest());
        let threads = &state.threads;
        let live = state
            .pending
            .iter()
            .map(|pending| &threads[pending.thread.index()].clocks.clock);
        state.model.shorten(location, live);
    }

    fn weak_modify(
        &self,
        address: usize,
        word: &dyn Word,
        ordering: Ordering,
        change: &dyn Fn(u64) -> u64,
    ) -> (Seen, u64) {
        self.just_modified(Some(ordering));
        let location = self.begin_access(address, word);
        let store = self.choose_open(location, ordering);
        let old = self.read(location, store, ordering);
        let new = change(old.value);
        self.write(location, store, word, new, ordering, true);
        (old, new)
    }

    /// Chooses the store that a compare-exchange reads. On success the write is still to come; see `weak_exchanged`.
    fn weak_exchange(
        &self,
        address: usize,
        word: &dyn Word,
        exchange: Exchange,
    ) -> Result<Seen, Seen> {
        self.just_modified(Some(exchange.success));
        let location = self.begin_access(address, word);
        let may_succeed = self.oldest(location, exchange.success);
        let may_fail = self.oldest(location, exchange.failure);
        let state = self.state();
        let history = state.model.at(location);
        let fits = |store: &usize| match history.value(*store) == exchange.expected {
            true => *store >= may_succeed && history.is_open(*store),
            false => *store >= may_fail,
        };
        let newest = history.len() - 1;
        let stale = history.stale_reads(may_fail, state.current) >= STALE_READS;
        let fitting = (may_succeed.min(may_fail)..=newest).rev().filter(fits);
        let nth = if stale {
            0
        } else {
            self.choose(fitting.clone().count() as u32)
        };
        let store = fitting
            .clone()
            .nth(nth as usize)
            .expect("the last store is always readable");
        if history.value(store) == exchange.expected {
            let seen = Seen::of(history, store);
            state.model.chosen = Some(store);
            Ok(seen)
        } else {
            Err(self.read(location, store, exchange.failure))
        }
    }

    fn weak_exchanged(&self, address: usize, word: &dyn Word, exchange: Exchange) {
        let state = self.state();
        let location = state.model.location(address, word.get());
        let store = state
            .model
            .chosen
            .take()
            .expect("a compare-exchange that succeeds has chosen a store");
        self.read(location, store, exchange.success);
        self.write(location, store, word, exchange.new, exchange.success, true);
    }
}

fn refined(name: SharedObject, weak: bool, failure: Ordering) -> Op {
    match weak && is_sequential(failure) {
        true => Op::on(name, OpKind::Read).and(TOTAL_ORDER, OpKind::Read),
        false => Op::on(name, OpKind::Read),
    }
}
