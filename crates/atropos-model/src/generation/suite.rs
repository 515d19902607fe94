//! Which test kills which mutant, and the smallest suite (greedily) that still kills all.

use super::generator::Generated;
use super::replay::{Replayed, replay};
use super::workers::Workers;
use crate::mutation::MutantId;
use crate::state_space::Limits;

/// Killed mutants and the tests that kill them.
#[derive(Clone, Debug, Default)]
pub struct KillMatrix {
    pub rows: Vec<(MutantId, Vec<usize>)>,
}

impl KillMatrix {
    /// Runs every killed mutant against every test from the start. Where the end comes first, the test that killed it
    /// stands alone.
    pub fn compute(workers: &mut Workers, generated: &Generated, limits: Limits) -> KillMatrix {
        let killed: Vec<(MutantId, usize)> = generated
            .results
            .killed()
            .map(|(id, kill)| (id, kill.test))
            .collect();
        let rows = workers.map(&killed, |explorer, (id, killer)| {
            let mut tests = Vec::new();
            for (at, path) in generated.paths.iter().enumerate() {
                match replay(explorer, *id, &generated.graph, path, limits) {
                    Replayed::Killed { .. } => tests.push(at),
                    Replayed::Halted => return (*id, vec![*killer]),
                    _ => {}
                }
            }
            (*id, tests)
        });
        KillMatrix { rows }
    }
}

/// The tests to keep, in order.
pub fn reduce(matrix: &KillMatrix) -> Vec<usize> {
    let mut left: Vec<&Vec<usize>> = matrix
        .rows
        .iter()
        .map(|(_, tests)| tests)
        .filter(|tests| !tests.is_empty())
        .collect();
    let mut kept = Vec::new();
    while !left.is_empty() {
        let tests = left
            .iter()
            .flat_map(|tests| tests.iter().copied())
            .max()
            .unwrap_or(0);
        let count = |test: usize| left.iter().filter(|tests| tests.contains(&test)).count();
        let best = (0..=tests)
            .max_by_key(|test| (count(*test), std::cmp::Reverse(*test)))
            .unwrap_or(0);
        kept.push(best);
        left.retain(|tests| !tests.contains(&best));
    }
    kept.sort_unstable();
    kept
}
