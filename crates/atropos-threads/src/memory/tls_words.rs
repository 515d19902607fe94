//! The words of the running OS thread's block of thread-local variables, in which std keeps what it tells nobody.

use std::ops::Range;

/// The words; for the OS thread that the block belongs to.
#[derive(Debug)]
pub struct TlsWords {
    start: *mut usize,
    count: usize,
}

impl TlsWords {
    /// The words of a block at these addresses, which must be the running thread's; none of an empty one.
    pub fn of(block: &Range<usize>) -> TlsWords {
        let start = block.start as *mut usize;
        let count = match start.is_null() {
            true => 0,
            false => block.len() / size_of::<usize>(),
        };
        TlsWords { start, count }
    }

    pub fn count(&self) -> usize {
        self.count
    }

    /// Where a word is.
    pub fn place(&self, i: usize) -> *mut usize {
        assert!(i < self.count);
        self.start.wrapping_add(i)
    }

    pub fn get(&self, i: usize) -> usize {
        // SAFETY: within the thread's own block, which is mapped and at least word-aligned; volatile because
        // the variables change behind the compiler's back.
        unsafe { self.place(i).read_volatile() }
    }

    /// Sets a word that was seen to be one that may be set.
    pub fn set(&self, i: usize, word: usize) {
        // SAFETY: as above.
        unsafe { self.place(i).write_volatile(word) }
    }

    /// All words as they are now.
    pub fn all(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.count).map(|i| self.get(i))
    }
}
