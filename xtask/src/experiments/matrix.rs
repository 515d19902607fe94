//! `impact-matrix.json` of a run with `--impact-matrix`: what each mutant disturbs under each test.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use anyhow::{Context as _, Result};
use serde::Deserialize;

#[derive(Deserialize)]
pub struct Matrix {
    pub invariants: usize,
    pub dropped: usize,
    pub times: Times,
    pub mutants: Vec<Row>,
}

#[derive(Deserialize)]
pub struct Times {
    pub build: f64,
    pub learn: f64,
    pub check: f64,
}

#[derive(Deserialize)]
pub struct Row {
    pub runs: Vec<Run>,
}

#[derive(Deserialize)]
pub struct Run {
    pub killed: bool,
    invariants: Vec<u32>,
    returns: Vec<u32>,
    executions: Vec<u32>,
}

/// What a mutant disturbs in some of its runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Disturbance {
    pub invariants: usize,
    pub returns: usize,
    pub executions: usize,
}

impl Disturbance {
    /// The score that survivors are ranked by.
    pub fn score(self) -> usize {
        self.invariants + self.returns + self.executions
    }
}

impl Matrix {
    pub fn read(output: &Path) -> Result<Matrix> {
        let path = output.join("impact-matrix.json");
        let text =
            fs::read_to_string(&path).with_context(|| format!("can't read {}", path.display()))?;
        Ok(serde_json::from_str(&text)?)
    }
}

impl Row {
    /// Whether any test notices the mutant.
    pub fn is_detected(&self) -> bool {
        self.runs.iter().any(|run| run.killed)
    }

    /// What it disturbs in the runs that `counts` accepts; none if there are no such runs.
    pub fn disturbance(&self, counts: impl Fn(&Run) -> bool) -> Option<Disturbance> {
        let runs: Vec<&Run> = self.runs.iter().filter(|run| counts(run)).collect();
        if runs.is_empty() {
            return None;
        }
        let different = |of: fn(&Run) -> &Vec<u32>| {
            let all: BTreeSet<u32> = runs.iter().flat_map(|run| of(run)).copied().collect();
            all.len()
        };
        Some(Disturbance {
            invariants: different(|run| &run.invariants),
            returns: different(|run| &run.returns),
            executions: different(|run| &run.executions),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_are_put_together_without_counting_twice() {
        let row: Row = serde_json::from_str(
            r#"{"id": 3, "function": 1, "runs": [
                {"test": 0, "killed": false, "invariants": [1, 2], "returns": [7], "executions": []},
                {"test": 1, "killed": false, "invariants": [2], "returns": [7, 8], "executions": [9]},
                {"test": 2, "killed": true, "invariants": [5], "returns": [], "executions": []}
            ]}"#,
        )
        .unwrap();
        assert!(row.is_detected());
        let passing = row.disturbance(|run| !run.killed).unwrap();
        assert_eq!(
            (passing.invariants, passing.returns, passing.executions),
            (2, 2, 1)
        );
        assert_eq!(row.disturbance(|_| true).unwrap().score(), 6);
        assert_eq!(row.disturbance(|_| false), None);
    }
}
