//! Finds data races with vector clocks, in the manner of FastTrack (Flanagan and Freund, PLDI 2009), on bytes.
//!
//! Memory is looked at in granules of eight bytes. A granule has a cell that lists the last accesses to it, each with the
//! bytes that it touched. A new access is compared with all of them; one that is not ordered before it and conflicts is a
//! race. An old access that is ordered before the new one, and conflicts with nothing that the new one does not
//! conflict with, is forgotten: as long as there was no race, whoever races with it races with the new one, too. So every
//! byte keeps at most one plain write, and of reads and atomic accesses at most one of each thread.
//!
//! Deviations from the paper: entries have byte masks; atomic accesses are entries, too, because an atomic and a plain access
//! to the same bytes race. `all_pairs` is the slow reference that remembers everything; a test compares the two.

use std::collections::HashMap;
use std::ptr::null_mut;

use super::number_hash::NumberHash;
use super::{AccessKind, EarlierAccess, MemoryAccess};
use crate::memory::heap::ProgramSlice;
use crate::memory_model::Clock;

const GRANULE: usize = 8;
const CELLS: usize = 512;
/// Bytes that a page of cells is for.
const PAGE: usize = GRANULE * CELLS;
/// Pages that are found without a search.
const CACHED: usize = 256;

/// The last accesses to the memory of an execution.
#[derive(Debug)]
pub struct ShadowMemory {
    /// Number of the execution; cells of others are empty.
    generation: u32,
    /// The cells of each page of memory that was ever accessed. A page is never given back or moved.
    pages: HashMap<usize, Box<Page>, NumberHash>,
    /// Pages of memory and where their cells are; for the pages used last.
    cache: Box<[(usize, *mut Page); CACHED]>,
    /// Entries of cells that have more than two.
    more: Vec<Vec<Entry>>,
    used_more: usize,
}

#[derive(Debug)]
struct Page {
    cells: [Cell; CELLS],
}

/// The accesses to a granule.
#[derive(Clone, Copy, Debug)]
struct Cell {
    generation: u32,
    /// Place in `more`, from 1; 0 for none.
    more: u32,
    entries: [Entry; 2],
}

/// An access to some bytes of a granule. Without bytes it is none.
#[derive(Clone, Copy, Debug)]
struct Entry {
    thread: u16,
    bytes: u8,
    kind: AccessKind,
    time: u32,
    index: u32,
}

const NO_ENTRY: Entry = Entry {
    thread: 0,
    bytes: 0,
    kind: AccessKind::Read,
    time: 0,
    index: 0,
};
const NO_CELL: Cell = Cell {
    generation: 0,
    more: 0,
    entries: [NO_ENTRY; 2],
};

/// What a new access is to an old one.
enum AccessRelation {
    /// Nothing more is to be done; the old one may have lost bytes to the new one.
    Peace,
    /// The thread did the same before, or what conflicts with more; whoever came between would have raced with that.
    Again,
    Race,
}

impl Entry {
    #[inline]
    fn meet(&mut self, new: &Entry, clock: &Clock) -> AccessRelation {
        let common = self.bytes & new.bytes;
        if common == 0 {
            return AccessRelation::Peace;
        }
        if self.thread == new.thread {
            if self.time == new.time && self.kind.covers(new.kind) && common == new.bytes {
                return AccessRelation::Again;
            }
        } else if clock.of(u32::from(self.thread)) < self.time {
            return match new.kind.conflicts_with(self.kind) {
                true => AccessRelation::Race,
                false => AccessRelation::Peace,
            };
        }
        if new.kind.covers(self.kind) {
            self.bytes &= !new.bytes;
        }
        AccessRelation::Peace
    }

    fn is_before(&self, thread: u16, clock: &Clock) -> bool {
        self.thread == thread || clock.of(u32::from(self.thread)) >= self.time
    }

    fn past(&self) -> EarlierAccess {
        EarlierAccess {
            thread: u32::from(self.thread),
            kind: self.kind,
            index: self.index,
        }
    }
}

impl Default for ShadowMemory {
    fn default() -> ShadowMemory {
        ShadowMemory {
            generation: 1,
            pages: HashMap::default(),
            cache: Box::new([(usize::MAX, null_mut()); CACHED]),
            more: Vec::new(),
            used_more: 0,
        }
    }
}

/// The bytes of a granule from `start` on that lie before `end`, as a mask; and where the granule begins.
#[inline]
fn bytes_in_granule(start: usize, end: usize) -> (usize, u8) {
    let granule = start & !(GRANULE - 1);
    let from = start - granule;
    let to = (end - granule).min(GRANULE);
    (granule, (0xff_u8 << from) & (0xff_u8 >> (GRANULE - to)))
}

impl ShadowMemory {
    /// Forgets everything.
    pub fn restart(&mut self) {
        self.used_more = 0;
        self.generation = self.generation.wrapping_add(1);
        if self.generation == 0 {
            self.generation = 1;
            for page in self.pages.values_mut() {
                page.cells = [NO_CELL; CELLS];
            }
        }
    }

    /// The cells of an address's page, if there are any.
    #[inline]
    fn page(&mut self, address: usize) -> Option<*mut Page> {
        let number = address / PAGE;
        let cached = self.cache[number % CACHED];
        if cached.0 == number {
            return Some(cached.1);
        }
        self.find_page(number)
    }

    #[inline(never)]
    fn find_page(&mut self, number: usize) -> Option<*mut Page> {
        let page: *mut Page = &mut **self.pages.get_mut(&number)?;
        self.cache[number % CACHED] = (number, page);
        Some(page)
    }

    #[cold]
    fn make_page(&mut self, address: usize) -> *mut Page {
        // The memory is ours, also if the program runs.
        let program = ProgramSlice::NONE.set();
        let page = Box::new(Page {
            cells: [NO_CELL; CELLS],
        });
        self.pages.insert(address / PAGE, page);
        program.set();
        self.find_page(address / PAGE)
            .expect("the page was just made")
    }

    /// The cell of a granule.
    #[inline]
    fn cell(&mut self, granule: usize) -> *mut Cell {
        let page = match self.page(granule) {
            Some(page) => page,
            None => self.make_page(granule),
        };
        // SAFETY: pages are neither moved nor given back, and the index lies in the page.
        unsafe { &raw mut (*page).cells[granule % PAGE / GRANULE] }
    }

    /// Whether the thread did the same to these bytes, or wrote them, since its last operation and after all that others did to
    /// them. Then nothing is left to be done about the access. Most accesses are so; some that are so are not recognised.
    #[inline]
    pub fn is_repeated(
        &self,
        address: usize,
        length: usize,
        kind: AccessKind,
        thread: u32,
        time: u32,
    ) -> bool {
        let end = address.saturating_add(length);
        let (granule, bytes) = bytes_in_granule(address, end);
        let (page, cells) = self.cache[address / PAGE % CACHED];
        if page != address / PAGE || end - granule > GRANULE {
            return false;
        }
        // SAFETY: as in `cell`; nobody has a reference to it.
        let cell = unsafe { &(*cells).cells[address % PAGE / GRANULE] };
        let last = &cell.entries[0];
        cell.generation == self.generation
            && last.thread == thread as u16
            && last.time == time
            && last.bytes & bytes == bytes
            && last.kind.covers(kind)
    }

    /// Takes an access in; gives an earlier one that it races with, if there is one.
    #[inline]
    pub fn access(&mut self, access: &MemoryAccess, clock: &Clock) -> Option<EarlierAccess> {
        let end = access.address.saturating_add(access.length);
        let mut start = access.address;
        while start < end {
            let (granule, bytes) = bytes_in_granule(start, end);
            let entry = Entry {
                thread: access.thread as u16,
                bytes,
                kind: access.kind,
                time: access.time,
                index: access.index,
            };
            let cell = self.cell(granule);
            // SAFETY: no other reference to the cell is in use.
            let race = self.enter(unsafe { &mut *cell }, entry, clock);
            if race.is_some() {
                return race;
            }
            start = granule + GRANULE;
        }
        None
    }

    fn enter(&mut self, cell: &mut Cell, new: Entry, clock: &Clock) -> Option<EarlierAccess> {
        if cell.generation != self.generation {
            *cell = Cell {
                generation: self.generation,
                entries: [new, NO_ENTRY],
                more: 0,
            };
            return None;
        }
        for old in &mut cell.entries {
            match old.meet(&new, clock) {
                AccessRelation::Peace => {}
                AccessRelation::Again => return None,
                AccessRelation::Race => return Some(old.past()),
            }
        }
        if cell.more != 0 {
            for old in &mut self.more[cell.more as usize - 1] {
                match old.meet(&new, clock) {
                    AccessRelation::Peace => {}
                    AccessRelation::Again => return None,
                    AccessRelation::Race => return Some(old.past()),
                }
            }
        }
        self.add(cell, new);
        None
    }

    /// Adds an entry to a cell, the newest first.
    fn add(&mut self, cell: &mut Cell, new: Entry) {
        let old = std::mem::replace(&mut cell.entries[0], new);
        if old.bytes == 0 {
            return;
        }
        if cell.entries[1].bytes == 0 {
            cell.entries[1] = old;
            return;
        }
        let older = std::mem::replace(&mut cell.entries[1], old);
        if older.bytes == 0 {
            return;
        }
        let program = ProgramSlice::NONE.set();
        if cell.more == 0 {
            if self.used_more == self.more.len() {
                self.more.push(Vec::new());
            }
            self.more[self.used_more].clear();
            self.used_more += 1;
            cell.more = self.used_more as u32;
        }
        let more = &mut self.more[cell.more as usize - 1];
        more.retain(|entry| entry.bytes != 0);
        more.push(older);
        program.set();
    }

    /// Forgets all accesses to these bytes.
    pub fn forget(&mut self, start: usize, length: usize) {
        let end = start.saturating_add(length);
        let mut granule = start & !(GRANULE - 1);
        while granule < end {
            let Some(page) = self.page(granule) else {
                granule = (granule / PAGE + 1) * PAGE;
                continue;
            };
            // SAFETY: as in `cell`; no reference to it is in use.
            unsafe { (*page).cells[granule % PAGE / GRANULE].generation = 0 };
            granule += GRANULE;
        }
    }

    /// A thread gives memory back, which is a write to all of it after which nobody may use it: gives an earlier access that
    /// it races with. The memory is as new afterwards.
    pub fn free(
        &mut self,
        start: usize,
        length: usize,
        thread: u32,
        clock: &Clock,
    ) -> Option<EarlierAccess> {
        let end = start.saturating_add(length);
        let mut at = start & !(GRANULE - 1);
        while at < end {
            let Some(page) = self.page(at) else {
                at = (at / PAGE + 1) * PAGE;
                continue;
            };
            // SAFETY: as in `cell`; no other reference to it is in use.
            let cell = unsafe { &mut (*page).cells[at % PAGE / GRANULE] };
            at += GRANULE;
            if cell.generation != self.generation {
                continue;
            }
            let more = match cell.more {
                0 => &[][..],
                more => &self.more[more as usize - 1][..],
            };
            let race = cell
                .entries
                .iter()
                .chain(more)
                .find(|old| old.bytes != 0 && !old.is_before(thread as u16, clock));
            if let Some(race) = race {
                return Some(race.past());
            }
            cell.generation = 0;
        }
        None
    }
}
