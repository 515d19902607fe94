//! Who calls whom: how far functions are from each other and from the tests.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// The calls that were seen in any test.
#[derive(Clone, Debug, Default)]
pub struct Calls {
    /// In both directions.
    neighbours: BTreeMap<u32, BTreeSet<u32>>,
    /// How many calls each function is below the tests; those that a test calls are at 1.
    depths: BTreeMap<u32, usize>,
}

impl Calls {
    /// From pairs of caller and callee, where a caller is a function's number plus 1, or 0 for a
    /// test.
    pub fn of(pairs: &BTreeSet<(u32, u32)>) -> Calls {
        let mut neighbours: BTreeMap<u32, BTreeSet<u32>> = BTreeMap::new();
        let mut below: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        let mut called_by_tests = BTreeSet::new();
        for &(caller, callee) in pairs {
            match caller.checked_sub(1) {
                None => {
                    called_by_tests.insert(callee);
                }
                Some(caller) => {
                    neighbours.entry(caller).or_default().insert(callee);
                    neighbours.entry(callee).or_default().insert(caller);
                    below.entry(caller).or_default().push(callee);
                }
            }
        }
        let next = |function: u32| below.get(&function).into_iter().flatten().copied();
        let depths = walk(called_by_tests, next)
            .into_iter()
            .map(|(function, distance)| (function, distance + 1))
            .collect();
        Calls { neighbours, depths }
    }

    /// How many calls all functions are away from one, up or down.
    pub fn distances(&self, from: u32) -> BTreeMap<u32, usize> {
        let next = |function: u32| {
            self.neighbours
                .get(&function)
                .into_iter()
                .flatten()
                .copied()
        };
        walk([from], next)
    }

    /// How many calls a function is below the tests.
    pub fn depth(&self, function: u32) -> Option<usize> {
        self.depths.get(&function).copied()
    }
}

/// Breadth first.
fn walk<N: Iterator<Item = u32>>(
    from: impl IntoIterator<Item = u32>,
    next: impl Fn(u32) -> N,
) -> BTreeMap<u32, usize> {
    let mut distances: BTreeMap<u32, usize> = from.into_iter().map(|start| (start, 0)).collect();
    let mut open: VecDeque<u32> = distances.keys().copied().collect();
    while let Some(function) = open.pop_front() {
        let distance = distances[&function] + 1;
        for other in next(function) {
            distances.entry(other).or_insert_with(|| {
                open.push_back(other);
                distance
            });
        }
    }
    distances
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_go_up_and_down_and_depths_only_down() {
        // A test calls 0; 0 calls 1 and 2; 2 calls 3.
        let pairs = BTreeSet::from([(0, 0), (1, 1), (1, 2), (3, 3)]);
        let calls = Calls::of(&pairs);
        let distances = calls.distances(3);
        assert_eq!(distances, BTreeMap::from([(3, 0), (2, 1), (0, 2), (1, 3)]));
        assert_eq!(calls.depth(0), Some(1));
        assert_eq!(calls.depth(3), Some(3));
        assert_eq!(calls.depth(9), None);
        assert_eq!(calls.distances(9), BTreeMap::from([(9, 0)]));
    }
}
