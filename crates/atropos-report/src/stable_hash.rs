//! A hash that is the same on every machine and in every version: 64-bit FNV-1a. For keys on disk;
//! the standard library's hashers promise nothing beyond one process.

use atropos_protocol::hash::{FNV_1A, fnv_1a};

/// Feeds on texts; each is closed off, so that `"ab", "c"` and `"a", "bc"` differ.
#[derive(Clone, Copy, Debug)]
pub struct StableHash(u64);

impl Default for StableHash {
    fn default() -> StableHash {
        StableHash(FNV_1A)
    }
}

impl StableHash {
    #[must_use]
    pub fn text(self, text: &str) -> StableHash {
        self.bytes(text.as_bytes())
            .bytes(&(text.len() as u64).to_le_bytes())
    }

    #[must_use]
    pub fn number(self, number: u64) -> StableHash {
        self.bytes(&number.to_le_bytes())
    }

    pub fn finish(self) -> u64 {
        self.0
    }

    fn bytes(self, bytes: &[u8]) -> StableHash {
        StableHash(fnv_1a(self.0, bytes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_published_test_vectors_of_fnv_1a_hold() {
        for (input, expected) in [
            ("", 0xcbf2_9ce4_8422_2325),
            ("a", 0xaf63_dc4c_8601_ec8c),
            ("foobar", 0x8594_4171_f739_67e8),
        ] {
            assert_eq!(
                StableHash::default().bytes(input.as_bytes()).finish(),
                expected
            );
        }
    }

    #[test]
    fn where_one_text_ends_and_the_next_begins_matters() {
        let hash = |left: &str, right: &str| StableHash::default().text(left).text(right).finish();
        assert_ne!(hash("ab", "c"), hash("a", "bc"));
    }
}
