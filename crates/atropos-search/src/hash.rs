//! The one hash of the crate: cheap, good enough to tell states apart, the same on every machine
//! and in every process, so that fingerprints can be compared between workers.

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasherDefault, Hasher};

use atropos_protocol::hash::WEYL_STEP;
pub use atropos_protocol::hash::spread;

/// Adds a number to a hash; the order of additions matters.
pub fn mix(hash: u64, x: u64) -> u64 {
    spread(
        hash.rotate_left(23)
            ^ x.wrapping_mul(WEYL_STEP)
                .wrapping_add(0x6A09_E667_F3BC_C909),
    )
}

/// Hashes whatever implements `Hash`, the same way everywhere; also the hasher of this crate's tables.
#[derive(Clone, Default, Debug)]
pub struct Fingerprint(u64);

impl Hasher for Fingerprint {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.write_u64(u64::from_le_bytes(word) ^ ((chunk.len() as u64) << 56));
        }
    }

    fn write_u64(&mut self, x: u64) {
        self.0 = mix(self.0, x);
    }

    fn write_u8(&mut self, x: u8) {
        self.write_u64(u64::from(x));
    }

    fn write_u32(&mut self, x: u32) {
        self.write_u64(u64::from(x));
    }

    fn write_usize(&mut self, x: usize) {
        self.write_u64(x as u64);
    }
}

pub(crate) type Table<K, V> = HashMap<K, V, BuildHasherDefault<Fingerprint>>;
pub(crate) type Set<K> = HashSet<K, BuildHasherDefault<Fingerprint>>;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn order_and_length_matter() {
        assert_ne!(mix(mix(0, 1), 2), mix(mix(0, 2), 1));
        let hash = |bytes: &[u8]| {
            let mut hasher = Fingerprint::default();
            hasher.write(bytes);
            hasher.finish()
        };
        assert_ne!(hash(b"a"), hash(b"a\0"));
        assert_ne!(hash(b""), hash(b"\0"));
    }
}
