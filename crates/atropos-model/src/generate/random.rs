//! Random numbers that are the same everywhere for one seed.

use crate::model::state::mix;

#[derive(Clone, Debug)]
pub struct Random {
    state: u64,
}

impl Random {
    pub fn new(seed: u64) -> Random {
        Random { state: seed }
    }

    /// Splitmix64.
    #[allow(
        clippy::should_implement_trait,
        reason = "it never ends, so it is no iterator"
    )]
    pub fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        mix(self.state)
    }

    /// Below `bound`, which is not 0.
    pub fn below(&mut self, bound: usize) -> usize {
        ((u128::from(self.next()) * bound as u128) >> 64) as usize
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
