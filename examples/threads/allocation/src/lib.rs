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

impl AllocationVector {
    pub fn new(size: usize) -> AllocationVector {
        AllocationVector {
            taken: Mutex::new(vec![false; size]),
        }
    }

    /// The first free block, which somebody else may take before the caller does.
    pub fn free_block_index(&self) -> Option<usize> {
        let taken = self.taken.lock().unwrap();
        taken.iter().position(|taken| !taken)
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
        let index = taken.iter().position(|taken| !taken)?;
        taken[index] = true;
        Some(index)
    }

    pub fn taken_blocks(&self) -> usize {
        self.taken
            .lock()
            .unwrap()
            .iter()
            .filter(|taken| **taken)
            .count()
    }
}
