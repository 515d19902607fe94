//! The heap of an execution. Each controlled thread allocates from a slice of its own, so that
//! addresses don't depend on how threads interleave (they serve as names of objects), and the whole heap
//! is emptied at once when an execution ends, however it ends: an abandoned execution leaks nothing.
//!
//! A block freed by another thread than the one that got it is not used again before the execution
//! ends, because reuse would make addresses depend on the interleaving. Nor are the first blocks that a thread frees: a
//! thread that still uses one by mistake finds what it left there. A block that is freed twice ends the execution.
//!
//! While the runtime itself runs, allocation goes to the system's heap as usual; see [`ProgramSlice`].

use std::cell::Cell;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use super::addressable::{self, Unusable};
use super::stacks::MOST_THREADS;
use super::system;

const SLICE: usize = 1 << 30;
const REGION: usize = SLICE * MOST_THREADS;
const HEADER: usize = 16;
const SMALL: usize = 1024;
const SMALL_CLASSES: usize = SMALL / 16;
const CLASSES: usize = SMALL_CLASSES + 32;
/// What one thread may take at most; more is taken for a program that has lost its way.
pub const MOST: usize = SLICE / 2;
/// Memory that no machine has.
const NOBODY_HAS: usize = 1 << 40;
/// A slice that is smaller than this does not use anything again.
const FRESH: usize = 256 << 10;
/// Set in the class of a block that was given back.
const FREED: u32 = 1 << 31;
/// Slices that grew beyond this give their memory back when they are emptied.
const KEEP: usize = 4 << 20;

thread_local! {
    /// The slice that the program under control allocates from; null while anything else runs.
    static SLICE_IN_USE: Cell<*mut Slice> = const { Cell::new(null_mut()) };
}

/// One thread's part of the heap.
#[derive(Debug)]
struct Slice {
    start: usize,
    next: usize,
    open: usize,
    /// How large it may grow.
    most: usize,
    free: [*mut u8; CLASSES],
}

#[repr(C)]
struct Header {
    class: u32,
    /// Distance from the start of the block to what the program got.
    back: u32,
    size: usize,
}

/// The heap of an exploration.
#[derive(Debug)]
pub struct Heap {
    base: usize,
    slices: Box<[Slice]>,
    /// Slices below this number have been used in this execution.
    used: usize,
}

impl Heap {
    /// Reserves the heap's address space, at a fixed address if that is free.
    pub fn reserve() -> Heap {
        let base = system::reserve(system::HEAP_AT, REGION);
        addressable::reserve(REGION);
        let slice = |number| {
            let start = base + number * SLICE;
            Slice {
                start,
                next: start,
                open: start,
                most: MOST,
                free: [null_mut(); CLASSES],
            }
        };
        Heap {
            base,
            slices: (0..MOST_THREADS).map(slice).collect(),
            used: 0,
        }
    }

    /// The program goes on as thread number `thread`: what it allocates comes from that thread's slice.
    #[inline]
    pub fn serve(&mut self, thread: usize) -> ProgramSlice {
        self.used = self.used.max(thread + 1);
        ProgramSlice(&raw mut self.slices[thread])
    }

    /// The most that one thread has taken in this execution.
    pub fn taken(&self) -> usize {
        let slices = self.slices[..self.used].iter();
        slices
            .map(|slice| slice.next - slice.start)
            .max()
            .unwrap_or(0)
    }

    /// From now on each thread may take so much.
    pub fn limit_to(&mut self, bytes: usize) {
        for slice in &mut self.slices {
            slice.most = bytes.min(MOST);
        }
    }

    /// Where the heap lies.
    pub fn base(&self) -> usize {
        self.base
    }

    /// Forgets everything that was allocated. What was written there goes, too: a program that uses memory before it has
    /// written anything there finds the same in every execution and every process.
    pub fn empty(&mut self) {
        for slice in &mut self.slices[..self.used] {
            let taken = slice.next - slice.start;
            if taken > KEEP {
                system::give_back(slice.start + KEEP, slice.open - slice.start - KEEP);
            }
            if slice.next != slice.start {
                if addressable::is_used() {
                    // SAFETY: what was taken was opened.
                    unsafe { addressable::clear(slice.start - self.base, taken) };
                }
                // SAFETY: the program had all of this, and nobody uses it any more.
                unsafe { std::ptr::write_bytes(slice.start as *mut u8, 0, taken.min(KEEP)) };
                slice.next = slice.start;
                slice.free = [null_mut(); CLASSES];
            }
        }
        self.used = 0;
    }

    /// Whether the program has these bytes, by their offset.
    #[inline]
    pub fn check(&self, offset: usize, length: usize) -> Result<(), Unusable> {
        let slice = &self.slices[offset / SLICE];
        if self.base + offset + length > slice.next {
            return Err(Unusable::OutOfBounds);
        }
        // SAFETY: what was taken of the slice was opened.
        unsafe { addressable::check(offset, length) }
    }

    /// Where in the heap an address lies, if it does.
    #[inline]
    pub fn offset(&self, address: usize) -> Option<usize> {
        address
            .checked_sub(self.base)
            .filter(|offset| *offset < REGION)
    }
}

impl Drop for Heap {
    fn drop(&mut self) {
        for slice in &self.slices {
            if slice.open != slice.start {
                system::give_back(slice.start, slice.open - slice.start);
            }
        }
    }
}

/// Says whose code runs on this OS thread: the program's (allocating from a slice) or the runtime's.
#[derive(Clone, Copy, Debug)]
pub struct ProgramSlice(*mut Slice);

impl ProgramSlice {
    /// Nobody's: the runtime's own, or the world outside explorations.
    pub const NONE: ProgramSlice = ProgramSlice(null_mut());

    /// Sets who runs; returns who ran.
    #[inline]
    pub fn set(self) -> ProgramSlice {
        ProgramSlice(SLICE_IN_USE.replace(self.0))
    }
}

/// Whether the program under control is running on this OS thread.
#[inline]
pub fn program_runs() -> bool {
    !SLICE_IN_USE.get().is_null()
}

fn class_of(size: usize) -> usize {
    match size {
        0..=SMALL => size.div_ceil(16).max(1) - 1,
        _ => SMALL_CLASSES + (size - 1).ilog2() as usize - 10,
    }
}

fn room_of(class: usize) -> usize {
    match class {
        0..SMALL_CLASSES => (class + 1) * 16,
        _ => 1 << (class - SMALL_CLASSES + 11),
    }
}

/// Memory from the running program's slice; null if there is none left.
///
/// # Safety
/// Only while [`program_runs`].
pub unsafe fn allocate(size: usize, align: usize) -> *mut u8 {
    let extra = if align > 16 { align } else { 0 };
    let need = match size.checked_add(extra) {
        Some(need) if size < MOST => need,
        // More than a machine has is refused, as it would be; less would be given, but there is no room for it here.
        need => {
            if need.is_some_and(|need| need < NOBODY_HAS) {
                crate::control::limits::too_much_memory(MOST);
            }
            return null_mut();
        }
    };
    let class = class_of(need);
    // SAFETY: the pointer is set by `serve` to a slice that lives as long as the exploration, and only this OS thread uses it.
    let slice = unsafe { &mut *SLICE_IN_USE.get() };
    let block = match slice.free[class] {
        block if block.is_null() => match slice.fresh(HEADER + room_of(class)) {
            Some(block) => block,
            None => {
                crate::control::limits::too_much_memory(slice.most);
                return null_mut();
            }
        },
        block => {
            // SAFETY: a free block starts with the link to the next one, behind its header.
            slice.free[class] = unsafe { block.add(HEADER).cast::<*mut u8>().read() };
            block
        }
    };
    let pointer = (block as usize + HEADER).next_multiple_of(align.max(16)) as *mut u8;
    let header = Header {
        class: class as u32,
        back: (pointer as usize - block as usize) as u32,
        size,
    };
    // SAFETY: the class leaves room for the header, the alignment and the size.
    unsafe { pointer.cast::<Header>().sub(1).write(header) };
    if addressable::is_on() {
        // SAFETY: the block was opened with its slice.
        unsafe { addressable::give(pointer as usize - BASE.load(Relaxed), size) };
    }
    pointer
}

impl Slice {
    fn fresh(&mut self, room: usize) -> Option<*mut u8> {
        let block = self.next;
        let next = block + room.next_multiple_of(16);
        if next > self.start + self.most {
            return None;
        }
        if next > self.open {
            let grown = (next - self.start)
                .next_power_of_two()
                .clamp(1 << 20, SLICE);
            system::open(self.open, self.start + grown - self.open);
            addressable::open(
                self.open - BASE.load(Relaxed),
                self.start + grown - self.open,
            );
            self.open = self.start + grown;
        }
        self.next = next;
        Some(block as *mut u8)
    }
}

/// Whether a pointer comes from [`allocate`].
#[inline]
pub fn owns(pointer: *const u8) -> bool {
    // Two explorations in one process can't overlap, but the second may find the fixed place taken
    // by the first one's reservation; that one is never unmapped, so this test would miss the second.
    // `Heap::reserve` is therefore called once per process; see `ExplorationMemory`.
    let base = BASE.load(Relaxed);
    base != 0 && (pointer as usize).wrapping_sub(base) < REGION
}

/// Where the process's one heap lies; 0 before the first exploration.
pub static BASE: AtomicUsize = AtomicUsize::new(0);

/// Takes a block back.
///
/// # Safety
/// `pointer` must come from [`allocate`] in this execution and not be in use.
pub unsafe fn release(pointer: *mut u8) {
    let slice = SLICE_IN_USE.get();
    if slice.is_null() {
        return;
    }
    // SAFETY: as in `allocate`; the header is in front of every block.
    unsafe {
        let slice = &mut *slice;
        let header = &mut *pointer.cast::<Header>().sub(1);
        if header.class & FREED != 0 {
            return crate::control::limits::freed_twice();
        }
        let (class, back) = (header.class as usize, header.back as usize);
        if addressable::is_on() {
            addressable::take(pointer as usize - BASE.load(Relaxed), header.size);
        }
        header.class |= FREED;
        let is_own = (pointer as usize).wrapping_sub(slice.start) < SLICE;
        if is_own && slice.next - slice.start >= FRESH {
            let block = pointer.sub(back);
            block.add(HEADER).cast::<*mut u8>().write(slice.free[class]);
            slice.free[class] = block;
        }
    }
}

/// The size asked for when the block was allocated.
///
/// # Safety
/// `pointer` must come from [`allocate`].
pub unsafe fn size_of_block(pointer: *const u8) -> usize {
    // SAFETY: the header is in front of every block.
    unsafe { pointer.cast::<Header>().sub(1).read().size }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_size_fits_its_class_and_classes_waste_at_most_half() {
        for size in (0..5000).chain([1 << 20, (1 << 20) + 1, 1 << 29]) {
            let room = room_of(class_of(size));
            assert!(room >= size, "{size} in {room}");
            assert!(size <= 16 || room < 2 * size + 16, "{size} in {room}");
        }
    }
}
