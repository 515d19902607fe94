//! report.json: a run in numbers and names.

use crate::generate::{Fault, Generated, KillMatrix, Options, Status, Table};
use crate::mutation::Fate;
use serde::Serialize;

/// Raised when a field changes its meaning.
pub const VERSION: u32 = 1;

#[derive(Debug, Serialize)]
pub struct Report {
    pub version: u32,
    pub model: String,
    pub objects: usize,
    pub statements: usize,
    pub attributes: usize,
    pub state_bytes: usize,
    pub strategy: String,
    pub seed: u64,
    pub workers: usize,
    pub seconds: f64,
    /// Different states of the original that were visited.
    pub states: usize,
    pub stopped: Option<String>,
    pub failure: Option<String>,
    pub table: Table,
    pub percent_of_total: f64,
    pub percent_of_found: f64,
    pub tests: Vec<TestReport>,
    /// Numbers of the tests that together still kill everything.
    pub reduced_suite: Vec<usize>,
    pub mutants: Vec<MutantReport>,
}

#[derive(Debug, Serialize)]
pub struct TestReport {
    pub file: String,
    pub choices: usize,
    pub moves: usize,
    /// Mutants killed while this test was made.
    pub first_kills: usize,
    pub kills: usize,
}

#[derive(Debug, Serialize)]
pub struct MutantReport {
    pub id: u32,
    pub operator: &'static str,
    pub line: usize,
    pub column: usize,
    pub start: u32,
    pub end: u32,
    pub original: String,
    pub replacement: String,
    pub status: &'static str,
    /// The killing observation, the error, or why it was not reached.
    pub detail: String,
    pub killed_by: Vec<usize>,
    pub steps: Option<u32>,
}

impl Report {
    pub fn new(
        name: &str,
        generated: &Generated,
        options: &Options,
        matrix: &KillMatrix,
        reduced: &[usize],
        failure: Option<String>,
    ) -> Report {
        let model = &generated.model;
        let table = generated.results.table(&model.mutants);
        let tests = generated
            .paths
            .iter()
            .enumerate()
            .map(|(at, path)| TestReport {
                file: test_file(at),
                choices: path.choices,
                moves: path.moves.len(),
                first_kills: generated
                    .results
                    .killed()
                    .filter(|(_, kill)| kill.test == at)
                    .count(),
                kills: matrix
                    .rows
                    .iter()
                    .filter(|(_, tests)| tests.contains(&at))
                    .count(),
            })
            .collect();
        Report {
            version: VERSION,
            model: name.to_string(),
            objects: model.objects.len(),
            statements: model.statements,
            attributes: model.attribute_count(),
            state_bytes: model.state_size(),
            strategy: format!("{:?}", options.strategy).to_lowercase(),
            seed: options.seed,
            workers: options.workers,
            seconds: generated.seconds,
            states: generated.visits.len(),
            stopped: generated.stopped.clone(),
            failure,
            percent_of_total: table.percent_of_total(),
            percent_of_found: table.percent_of_found(),
            table,
            tests,
            reduced_suite: reduced.to_vec(),
            mutants: mutants(generated, matrix),
        }
    }
}

pub fn test_file(at: usize) -> String {
    format!("test_{at:03}")
}

fn mutants(generated: &Generated, matrix: &KillMatrix) -> Vec<MutantReport> {
    let model = &generated.model;
    model
        .mutants
        .list
        .iter()
        .map(|mutant| {
            let (line, column) = model.line_column(mutant.span);
            let (status, detail, steps) =
                describe(generated, mutant.fate, generated.results.get(mutant.id));
            let row = matrix.rows.iter().find(|(id, _)| *id == mutant.id);
            MutantReport {
                id: mutant.id.0,
                operator: mutant.operator.code(),
                line,
                column,
                start: mutant.span.start,
                end: mutant.span.end,
                original: model.source(mutant.span).to_string(),
                replacement: mutant.replacement.clone(),
                status,
                detail,
                killed_by: row.map(|(_, tests)| tests.clone()).unwrap_or_default(),
                steps,
            }
        })
        .collect()
}

fn describe(
    generated: &Generated,
    fate: Fate,
    status: &Status,
) -> (&'static str, String, Option<u32>) {
    let model = &generated.model;
    match fate {
        Fate::Duplicate(of) => {
            return (
                "duplicate",
                format!("computes the same as mutant {}", of.0),
                None,
            );
        }
        Fate::Equivalent => {
            return (
                "equivalent",
                "computes the same as the original".into(),
                None,
            );
        }
        Fate::Dead => return ("dead", "in code that no object executes".into(), None),
        Fate::Open => {}
    }
    match status {
        Status::Unreached => (
            "unreached",
            "no test computed anything else with it".into(),
            None,
        ),
        Status::Skipped => (
            "skipped",
            "met, but never started for want of room".into(),
            None,
        ),
        Status::GivenUp => (
            "given up",
            "started, but showed nothing that the original can't".into(),
            None,
        ),
        Status::Killed(kill) => {
            let observation = model.observation_text(&kill.observation);
            let detail = format!(
                "{observation} after {} moves of {}",
                kill.after,
                test_file(kill.test)
            );
            ("killed", detail, Some(kill.steps))
        }
        Status::Crashed {
            fault: Fault::Diverges,
            ..
        } => ("time-out", "internal steps without end".into(), None),
        Status::Crashed {
            fault: Fault::Error(error),
            ..
        } => {
            let (line, column) = model.line_column(error.span);
            (
                "execution error",
                format!("{} at {line}:{column}", error.kind.sentence()),
                None,
            )
        }
    }
}
