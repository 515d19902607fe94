//! Divides work among shards so that each has about the same, by what every piece is expected to cost.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// The shard of each piece. The dearest piece goes first, each to the shard that has least so far; whoever divides the same
/// costs gets the same shards.
pub fn divide(costs: &[u64], shards: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..costs.len()).collect();
    order.sort_by_key(|&piece| (Reverse(costs[piece]), piece));
    // By load, then by the number of pieces, then by the shard's own number.
    let empty = (0..shards.max(1)).map(|shard| Reverse((0u64, 0usize, shard)));
    let mut loads: BinaryHeap<_> = empty.collect();
    let mut of = vec![0; costs.len()];
    for piece in order {
        let Reverse((load, pieces, shard)) = loads.pop().expect("there is at least one shard");
        of[piece] = shard;
        loads.push(Reverse((load + costs[piece], pieces + 1, shard)));
    }
    of
}

/// How much longer the slowest shard takes than all of them on average, where `fixed` is what each of them takes besides its
/// pieces: 1 is best.
pub fn imbalance(costs: &[f64], of: &[usize], shards: usize, fixed: f64) -> f64 {
    let mut loads = vec![fixed; shards];
    for (cost, &shard) in costs.iter().zip(of) {
        loads[shard] += cost;
    }
    let mean = loads.iter().sum::<f64>() / shards as f64;
    let slowest = loads.iter().copied().fold(0.0, f64::max);
    if mean > 0.0 { slowest / mean } else { 1.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers that look random and are the same every time.
    fn costs(count: u64, seed: u64) -> Vec<u64> {
        let mut state = seed;
        let next = |_| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            // Most are small, some are large.
            let small = state >> 54;
            if small.is_multiple_of(37) {
                small * 40
            } else {
                small
            }
        };
        (0..count).map(next).collect()
    }

    #[test]
    fn every_piece_is_in_one_shard_and_no_shard_has_more_than_its_share_and_one_piece() {
        for shards in 1..20 {
            for seed in 0..20 {
                let costs = costs(5 + 13 * seed, seed);
                let of = divide(&costs, shards);
                assert_eq!(of.len(), costs.len());
                let mut loads = vec![0; shards];
                for (cost, &shard) in costs.iter().zip(&of) {
                    loads[shard] += cost;
                }
                let total: u64 = costs.iter().sum();
                let largest = costs.iter().copied().max().unwrap_or_default();
                let most = loads.into_iter().max().unwrap_or_default();
                assert!(most <= total / shards as u64 + largest, "{shards} {seed}");
            }
        }
    }

    #[test]
    fn pieces_without_any_cost_are_dealt_out_in_turn() {
        assert_eq!(divide(&[0; 5], 3), [0, 1, 2, 0, 1]);
        assert!(divide(&[], 3).is_empty());
    }

    #[test]
    fn the_division_depends_on_nothing_but_costs() {
        let costs = costs(500, 3);
        assert_eq!(divide(&costs, 7), divide(&costs, 7));
        let scaled: Vec<u64> = costs.iter().map(|cost| cost * 3).collect();
        assert_eq!(divide(&scaled, 7), divide(&costs, 7));
    }

    #[test]
    fn imbalance_is_the_slowest_to_the_mean() {
        let of = [0, 0, 1];
        assert_eq!(imbalance(&[1.0, 2.0, 1.0], &of, 2, 0.0), 1.5);
        assert_eq!(imbalance(&[1.0, 2.0, 1.0], &of, 2, 2.0), 1.25);
        assert_eq!(imbalance(&[], &[], 2, 0.0), 1.0);
    }
}
