//! A hash by which two contents are taken to be the same: FNV-1a with 128 bits, the same on every machine.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

const OFFSET: u128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d;
const PRIME: u128 = 0x0000_0000_0100_0000_0000_0000_0000_013b;

/// Feeds on pieces; each is closed off by its length.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct ContentHash(u128);

impl Default for ContentHash {
    fn default() -> ContentHash {
        ContentHash(OFFSET)
    }
}

impl ContentHash {
    #[must_use]
    pub fn add(self, piece: impl AsRef<[u8]>) -> ContentHash {
        let piece = piece.as_ref();
        self.bytes(piece).bytes(&(piece.len() as u64).to_le_bytes())
    }

    #[must_use]
    pub fn number(self, number: u64) -> ContentHash {
        self.bytes(&number.to_le_bytes())
    }

    fn bytes(self, bytes: &[u8]) -> ContentHash {
        let step = |hash: u128, byte: &u8| (hash ^ u128::from(*byte)).wrapping_mul(PRIME);
        ContentHash(bytes.iter().fold(self.0, step))
    }
}

impl fmt::Display for ContentHash {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{:032x}", self.0)
    }
}

impl From<ContentHash> for String {
    fn from(hash: ContentHash) -> String {
        hash.to_string()
    }
}

impl TryFrom<String> for ContentHash {
    type Error = String;

    fn try_from(text: String) -> Result<ContentHash, String> {
        text.parse()
    }
}

impl FromStr for ContentHash {
    type Err = String;

    fn from_str(text: &str) -> Result<ContentHash, String> {
        let number = u128::from_str_radix(text, 16);
        number
            .map(ContentHash)
            .map_err(|_| format!("`{text}` is no hash"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_published_test_vectors_of_fnv_1a_hold() {
        for (input, expected) in [
            ("", "6c62272e07bb014262b821756295c58d"),
            ("a", "d228cb696f1a8caf78912b704e4a8964"),
        ] {
            let hash = ContentHash::default().bytes(input.as_bytes());
            assert_eq!(hash.to_string(), expected);
            assert_eq!(expected.parse(), Ok(hash));
        }
        let pieces = |one: &str, other: &str| ContentHash::default().add(one).add(other);
        assert_ne!(pieces("ab", "c"), pieces("a", "bc"));
    }
}
