//! Stacks for controlled threads: one region of address space, one slot per thread number, so that
//! a thread's stack lies at the same place in every execution. The lowest page of a slot is never
//! mapped writable: an overflow faults there.

use super::system;

/// Room for one stack, guard included. Slots are address space, not memory.
const SLOT: usize = 256 << 20;
/// Most threads that one execution can have.
pub const MOST_THREADS: usize = 4096;
const GUARD: usize = 64 << 10;
const DEFAULT: usize = 2 << 20;
/// Frames of woven code are several times those of the original, so a thread gets more than it asks for.
const FACTOR: usize = 16;

/// The region with all stacks.
#[derive(Debug)]
pub struct Stacks {
    base: usize,
    /// What threads get that ask for nothing, as std has it.
    usual: usize,
    /// Per slot: bytes below the slot's end that are writable.
    open: Vec<usize>,
}

impl Stacks {
    /// Reserves the region, at a fixed address if that is free.
    pub fn reserve() -> Stacks {
        Stacks {
            base: system::reserve(system::STACKS_AT, SLOT * MOST_THREADS),
            usual: std::env::var("RUST_MIN_STACK")
                .ok()
                .and_then(|text| text.parse().ok())
                .unwrap_or(DEFAULT),
            open: Vec::new(),
        }
    }

    /// The top of the stack of thread number `thread`, with at least `size` bytes below it (or
    /// what is usual, if that is more).
    pub fn top(&mut self, thread: usize, size: usize) -> *mut u8 {
        assert!(
            thread < MOST_THREADS,
            "more than {MOST_THREADS} threads in one execution"
        );
        let size = size.max(self.usual).saturating_mul(FACTOR);
        let size = size.min(SLOT - GUARD).next_multiple_of(4096);
        if self.open.len() <= thread {
            self.open.resize(thread + 1, 0);
        }
        let end = self.base + SLOT * (thread + 1);
        if self.open[thread] < size {
            system::open(end - size, size);
            self.open[thread] = size;
        }
        end as *mut u8
    }

    /// Whose stack an address lies on, if it does on one.
    pub fn owner(&self, address: usize) -> Option<u32> {
        self.offset(address).map(|offset| (offset / SLOT) as u32)
    }

    /// Where in the region an address lies, if it does.
    pub fn offset(&self, address: usize) -> Option<usize> {
        address
            .checked_sub(self.base)
            .filter(|offset| *offset < SLOT * MOST_THREADS)
    }
}
