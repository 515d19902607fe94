//! Random numbers that are the same everywhere for one seed.

use atropos_protocol::hash::{WEYL_STEP, spread};

/// SplitMix64.
#[derive(Clone, Debug)]
pub struct SplitMix64 {
    state: u64,
}

impl SplitMix64 {
    pub fn new(seed: u64) -> SplitMix64 {
        SplitMix64 { state: seed }
    }

    #[allow(
        clippy::should_implement_trait,
        reason = "it never ends, so it is no iterator"
    )]
    pub fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(WEYL_STEP);
        spread(self.state)
    }

    /// Below `bound`, which is not 0.
    pub fn below(&mut self, bound: usize) -> usize {
        ((u128::from(self.next()) * bound as u128) >> 64) as usize
    }

    /// One of the items, by the remainder of a division: synthetic models are what they are by it.
    pub fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.remainder(items.len())]
    }

    /// The remainder of the next number by `bound`, which is not 0.
    pub fn remainder(&mut self, bound: usize) -> usize {
        (self.next() % bound as u64) as usize
    }

    /// An index, each as likely as its weight; 0 if all weights are 0.
    pub fn weighted(&mut self, weights: &[u64]) -> usize {
        let total: u64 = weights.iter().sum();
        if total == 0 {
            return 0;
        }
        let mut rest = ((u128::from(self.next()) * u128::from(total)) >> 64) as u64;
        for (at, weight) in weights.iter().enumerate() {
            if rest < *weight {
                return at;
            }
            rest -= weight;
        }
        weights.len() - 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_gives_one_sequence_and_another_seed_another() {
        let take = |seed| -> Vec<usize> {
            let mut random = SplitMix64::new(seed);
            (0..8).map(|_| random.below(100)).collect()
        };
        assert_eq!(take(7), take(7));
        assert_ne!(take(7), take(8));
    }
}
