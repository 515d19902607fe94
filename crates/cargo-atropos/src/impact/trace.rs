//! What a run did, function by function, and how two runs differ.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::Ordering;

use atropos_protocol::Observations;

/// What one function did in a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FunctionBehaviour {
    calls: u64,
    returns: u64,
    early: u64,
    /// The sum of the hashes of what it returned, and a sketch of which values there were.
    returned: u64,
    sketch: u64,
    /// A hash of how often each of its blocks was executed.
    blocks: u64,
}

/// What all functions did in a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ObservedTrace {
    signs: BTreeMap<u32, FunctionBehaviour>,
}

/// The functions that differ between two runs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Difference {
    pub returns: BTreeSet<u32>,
    pub executions: BTreeSet<u32>,
}

impl ObservedTrace {
    /// Reads a run's observations. `functions` gives the function of each block.
    pub fn read(observations: &Observations, functions: &[u32]) -> ObservedTrace {
        let mut signs: BTreeMap<u32, FunctionBehaviour> = BTreeMap::new();
        for (function, tally) in (0..).zip(observations.tallies()) {
            let calls = tally.calls.load(Ordering::Relaxed);
            if calls > 0 {
                let sign = FunctionBehaviour {
                    calls,
                    returns: tally.returns.load(Ordering::Relaxed),
                    early: tally.early.load(Ordering::Relaxed),
                    returned: tally.returned.load(Ordering::Relaxed),
                    sketch: tally.sketch.load(Ordering::Relaxed),
                    blocks: 0,
                };
                signs.insert(function, sign);
            }
        }
        for (block, counter) in (0u64..).zip(observations.counters()) {
            let count = u64::from(counter.load(Ordering::Relaxed));
            let function = functions.get(block as usize);
            if let Some(function) = function.filter(|_| count > 0) {
                let sign = signs.entry(*function).or_default();
                sign.blocks = sign.blocks.wrapping_add(mix(block << 32 ^ count));
            }
        }
        ObservedTrace { signs }
    }

    /// The functions that were called.
    pub fn functions(&self) -> impl Iterator<Item = u32> {
        self.signs.keys().copied()
    }

    /// The functions that did something else in another run of the same program: nothing can be
    /// said of them.
    pub fn unsteady(&self, again: &ObservedTrace) -> BTreeSet<u32> {
        let all = self.functions().chain(again.functions());
        all.filter(|function| self.signs.get(function) != again.signs.get(function))
            .collect()
    }

    /// What another program did otherwise.
    pub fn difference(&self, other: &ObservedTrace, unsteady: &BTreeSet<u32>) -> Difference {
        let mut difference = Difference::default();
        let all: BTreeSet<u32> = self.functions().chain(other.functions()).collect();
        for function in all.difference(unsteady) {
            let sign =
                |trace: &ObservedTrace| trace.signs.get(function).copied().unwrap_or_default();
            let (before, after) = (sign(self), sign(other));
            let executed =
                |sign: FunctionBehaviour| (sign.calls, sign.returns, sign.early, sign.blocks);
            if executed(before) != executed(after) {
                difference.executions.insert(*function);
            }
            // With as many values their sum tells; else only a value never returned before does.
            let as_many = before.returns == after.returns;
            let is_new = after.sketch & !before.sketch != 0;
            if as_many && before.returned != after.returned || is_new {
                difference.returns.insert(*function);
            }
        }
        difference
    }
}

fn mix(number: u64) -> u64 {
    let number = (number ^ number >> 31).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    number ^ number >> 29
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trace(signs: &[(u32, FunctionBehaviour)]) -> ObservedTrace {
        ObservedTrace {
            signs: signs.iter().copied().collect(),
        }
    }

    const CALLED: FunctionBehaviour = FunctionBehaviour {
        calls: 2,
        returns: 2,
        early: 0,
        returned: 77,
        sketch: 3,
        blocks: 5,
    };

    #[test]
    fn counts_and_returned_values_are_compared() {
        let before = trace(&[(1, CALLED), (2, CALLED), (3, CALLED), (4, CALLED)]);
        let other_value = FunctionBehaviour {
            returned: 78,
            ..CALLED
        };
        let more_calls = FunctionBehaviour {
            calls: 3,
            returns: 3,
            returned: 90,
            ..CALLED
        };
        let new_value = FunctionBehaviour {
            sketch: 7,
            ..more_calls
        };
        let after = trace(&[
            (1, CALLED),
            (2, other_value),
            (3, more_calls),
            (4, new_value),
            (5, CALLED),
        ]);
        let difference = before.difference(&after, &BTreeSet::new());
        assert_eq!(difference.returns, BTreeSet::from([2, 4, 5]));
        assert_eq!(difference.executions, BTreeSet::from([3, 4, 5]));
        let unsteady = BTreeSet::from([2, 3]);
        let difference = before.difference(&after, &unsteady);
        assert_eq!(difference.returns, BTreeSet::from([4, 5]));
    }

    #[test]
    fn what_differs_between_two_clean_runs_is_unsteady() {
        let one = trace(&[(1, CALLED), (2, CALLED)]);
        let other = trace(&[(1, CALLED), (3, CALLED)]);
        assert_eq!(one.unsteady(&other), BTreeSet::from([2, 3]));
        assert_eq!(one.unsteady(&one), BTreeSet::new());
    }
}
