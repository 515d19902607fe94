//! A small seeded generator (SplitMix64), so that samples can be drawn again.

use atropos_protocol::hash::{WEYL_STEP, spread};

/// The generator's state.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Random {
        Random(seed)
    }

    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(WEYL_STEP);
        spread(self.0)
    }

    /// Draws `count` different items, in their original order.
    pub fn sample<T>(&mut self, mut items: Vec<T>, count: usize) -> Vec<T> {
        while items.len() > count {
            let index = (self.next() % items.len() as u64) as usize;
            items.remove(index);
        }
        items
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sample_is_the_same_for_the_same_seed() {
        let draw = |seed| Random::new(seed).sample((0..100).collect::<Vec<_>>(), 10);
        assert_eq!(draw(7), draw(7));
        assert_ne!(draw(7), draw(8));
        assert_eq!(draw(7).len(), 10);
        assert!(draw(7).is_sorted());
    }
}
