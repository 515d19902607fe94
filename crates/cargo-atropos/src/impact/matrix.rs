//! `impact-matrix.json`: what every mutant disturbs under every test, for experiments.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use anyhow::{Context as _, Result};
use serde::Serialize;

use atropos_values::MutantId;

use super::learning::ObservedOriginal;
use super::measuring::ObservedMutantRun;

/// More than for users, but not without end.
pub const TESTS_PER_MUTANT: usize = 20;

/// How long the steps took, in seconds.
#[derive(Serialize)]
pub struct Times {
    pub build: f64,
    /// Running all tests twice, and learning.
    pub learn: f64,
    /// Running the mutants, and checking.
    pub check: f64,
}

#[derive(Serialize)]
struct Matrix {
    invariants: usize,
    dropped: usize,
    times: Times,
    mutants: Vec<Row>,
}

#[derive(Serialize)]
struct Row {
    id: MutantId,
    /// The number of its function.
    function: Option<u32>,
    runs: Vec<Run>,
}

/// Invariants and functions by numbers that mean the same in all rows.
#[derive(Serialize)]
struct Run {
    test: usize,
    killed: bool,
    invariants: Vec<u32>,
    returns: Vec<u32>,
    executions: Vec<u32>,
}

/// Writes the file into a directory.
pub fn write(
    directory: &Path,
    original: &ObservedOriginal,
    runs: &BTreeMap<MutantId, Vec<ObservedMutantRun>>,
    functions: &BTreeMap<MutantId, u32>,
    times: Times,
) -> Result<()> {
    let mut numbers = BTreeMap::new();
    let mut number = |function, invariant| {
        let next = numbers.len() as u32;
        *numbers.entry((function, invariant)).or_insert(next)
    };
    let mut mutants = Vec::new();
    for (mutant, runs) in runs {
        let runs = runs.iter().map(|run| Run {
            test: run.test,
            killed: run.is_killed,
            invariants: run
                .broken
                .iter()
                .map(|(function, broken)| number(*function, broken.invariant))
                .collect(),
            returns: run.difference.returns.iter().copied().collect(),
            executions: run.difference.executions.iter().copied().collect(),
        });
        mutants.push(Row {
            id: *mutant,
            function: functions.get(mutant).copied(),
            runs: runs.collect(),
        });
    }
    let matrix = Matrix {
        invariants: original.learned.len(),
        dropped: original.dropped,
        times,
        mutants,
    };
    let path = directory.join("impact-matrix.json");
    fs::write(&path, serde_json::to_vec(&matrix)?)
        .with_context(|| format!("can't write {}", path.display()))
}
