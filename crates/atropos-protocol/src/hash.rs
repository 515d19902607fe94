//! Two hashes that give the same on every machine and in every version: one of texts, one of numbers.

/// What an empty text hashes to.
pub const FNV_1A: u64 = 0xcbf2_9ce4_8422_2325;

/// What a sequence of numbers is made of, to be spread: odd, and with no pattern in its bits.
pub const WEYL_STEP: u64 = 0x9e37_79b9_7f4a_7c15;

/// Goes on with a 64-bit FNV-1a hash, which begins with [`FNV_1A`].
#[must_use]
pub fn fnv_1a(hash: u64, bytes: &[u8]) -> u64 {
    bytes.iter().fold(hash, |hash, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3)
    })
}

/// Spreads the bits of a number: the finaliser of SplitMix64, which is this of a multiple of [`WEYL_STEP`].
#[must_use]
pub fn spread(mut number: u64) -> u64 {
    number = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    number = (number ^ (number >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    number ^ (number >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_published_test_vectors_of_fnv_1a_hold() {
        assert_eq!(fnv_1a(FNV_1A, b""), FNV_1A);
        assert_eq!(fnv_1a(FNV_1A, b"a"), 0xaf63_dc4c_8601_ec8c);
        assert_eq!(fnv_1a(FNV_1A, b"foobar"), 0x8594_4171_f739_67e8);
    }

    #[test]
    fn the_first_numbers_of_splitmix64_are_the_published_ones() {
        let seed = 1_234_567_u64;
        let number = |place: u64| spread(seed.wrapping_add(WEYL_STEP.wrapping_mul(place)));
        assert_eq!(number(1), 6_457_827_717_110_365_317);
        assert_eq!(number(2), 3_203_168_211_198_807_973);
    }
}
