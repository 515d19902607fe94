//! Blocks that threads take and give back.

use std::sync::Mutex;

/// Which blocks are taken.
pub struct AllocationVector {
    taken: Mutex<Vec<bool>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Misuse {
    TakenTwice(usize),
    FreedTwice(usize),
}

/// How the blocks are used at one moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    pub taken: usize,
    pub free: usize,
    /// In percent of all blocks.
    pub load: usize,
    /// Free blocks that lie side by side, at most.
    pub largest_gap: usize,
    /// How many gaps there are between blocks that are taken.
    pub gaps: usize,
}

impl AllocationVector {
    pub fn new(size: usize) -> AllocationVector {
        AllocationVector {
            taken: Mutex::new(vec![false; size]),
        }
    }

    /// The first free block, which somebody else may take before the caller does.
    pub fn free_block_index(&self) -> Option<usize> {
        let taken = self.taken.lock().unwrap();
        first_free(&taken)
    }

    pub fn mark_allocated(&self, index: usize) -> Result<(), Misuse> {
        let mut taken = self.taken.lock().unwrap();
        if taken[index] {
            return Err(Misuse::TakenTwice(index));
        }
        taken[index] = true;
        Ok(())
    }

    pub fn mark_free(&self, index: usize) -> Result<(), Misuse> {
        let mut taken = self.taken.lock().unwrap();
        if !taken[index] {
            return Err(Misuse::FreedTwice(index));
        }
        taken[index] = false;
        Ok(())
    }

    /// Finds a free block and takes it, as one step.
    pub fn take_free_block(&self) -> Option<usize> {
        let mut taken = self.taken.lock().unwrap();
        let index = first_free(&taken)?;
        taken[index] = true;
        Some(index)
    }

    pub fn usage(&self) -> Usage {
        let taken = self.taken.lock().unwrap();
        usage(&taken)
    }
}

fn first_free(taken: &[bool]) -> Option<usize> {
    let mut index = 0;
    while index < taken.len() {
        if !taken[index] {
            return Some(index);
        }
        index += 1;
    }
    None
}

fn usage(blocks: &[bool]) -> Usage {
    let mut usage = Usage::default();
    let mut gap = 0;
    for taken in blocks {
        if *taken {
            usage.taken += 1;
            gap = 0;
            continue;
        }
        gap += 1;
        if gap == 1 {
            usage.gaps += 1;
        }
        usage.largest_gap = usage.largest_gap.max(gap);
    }
    usage.free = blocks.len() - usage.taken;
    usage.load = 100 * usage.taken / blocks.len();
    usage
}
