//! A hash for addresses and numbers of pages, which one multiplication spreads well enough.

use std::hash::{BuildHasher, Hasher};

/// Makes hashers of numbers.
#[derive(Clone, Copy, Debug, Default)]
pub struct NumberHash;

/// A hasher for numbers.
#[derive(Debug, Default)]
pub struct NumberHasher(u64);

impl BuildHasher for NumberHash {
    type Hasher = NumberHasher;

    fn build_hasher(&self) -> NumberHasher {
        NumberHasher::default()
    }
}

impl Hasher for NumberHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = atropos_search::mix(self.0, u64::from(*byte));
        }
    }

    fn write_usize(&mut self, number: usize) {
        self.0 = (number as u64)
            .wrapping_mul(0x9e37_79b9_7f4a_7c15)
            .rotate_left(32);
    }
}
