//! A small generator of pseudo-random numbers, so that a seed gives the same text everywhere.

/// SplitMix64.
#[derive(Clone, Debug)]
pub struct Random {
    state: u64,
}

impl Random {
    /// The sequence of a seed.
    pub fn new(seed: u64) -> Self {
        Random { state: seed }
    }

    /// The next number.
    pub fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// A number below `bound`, which must not be 0.
    pub fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound as u64) as usize
    }

    /// One of the items.
    pub fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len())]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_gives_one_sequence_and_another_seed_another() {
        let take = |seed| -> Vec<usize> {
            let mut random = Random::new(seed);
            (0..8).map(|_| random.below(100)).collect()
        };
        assert_eq!(take(7), take(7));
        assert_ne!(take(7), take(8));
    }
}
