//! report.json: a run in numbers and names.

use crate::cli::SuiteOptions;
use crate::generation::{
    Generated, GenerationOptions, ProgressPoint, SpecStateId, Status, StatusTable,
};
use crate::model::Model;
use crate::mutation::{InitialStatus, ModelMutant, ModelMutantId};
use crate::testing::{KillMatrix, MutantRow};
use serde::Serialize;
use std::collections::HashMap;

/// Raised when a field changes its meaning.
pub const VERSION: u32 = 2;

#[derive(Debug, Serialize)]
pub struct GenerationReport {
    pub version: u32,
    pub model: String,
    /// The chart that the model was translated from, beside this report: `chart/car_alarm.puml`.
    pub chart: Option<String>,
    pub objects: usize,
    pub statements: usize,
    /// Attributes of all objects.
    pub attributes: usize,
    /// Attributes as they are declared in classes.
    pub declarations: usize,
    pub state_bytes: usize,
    /// Input actions.
    pub controllables: usize,
    /// States that the original goes through by itself at the start.
    pub initial_steps: usize,
    pub strategy: String,
    pub seed: u64,
    pub workers: usize,
    pub seconds: f64,
    /// Processor time of the generation, of all threads.
    pub cpu_seconds: f64,
    /// Of `seconds`, those in which only one worker could have work.
    pub single_seconds: f64,
    /// The most memory that the process had; 0 where the system does not tell.
    pub peak_bytes: u64,
    /// Different states of the original that were visited.
    pub states: usize,
    /// Which mutants there are.
    pub suite: SuiteOptions,
    /// Kills that were seen while tests were made, but that no written test shows.
    pub unconfirmed: usize,
    pub stopped: Option<String>,
    pub failure: Option<String>,
    pub table: StatusTable,
    pub percent_of_total: f64,
    pub percent_of_found: f64,
    /// How many mutants were killed when.
    pub timeline: Vec<ProgressPoint>,
    pub tests: Vec<TestCaseReport>,
    /// Numbers of the tests that together still kill everything.
    pub reduced_suite: Vec<usize>,
    pub mutants: Vec<MutantReport>,
}

#[derive(Debug, Serialize)]
pub struct TestCaseReport {
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
    /// Codes; several where mutants act together.
    pub operator: String,
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

impl GenerationReport {
    pub fn new(
        name: &str,
        generated: &Generated,
        options: &GenerationOptions,
        matrix: &KillMatrix,
        reduced: &[usize],
        failure: Option<String>,
    ) -> GenerationReport {
        let model = &generated.model;
        let table = generated.results.table(&model.mutants);
        let tests = generated
            .paths
            .iter()
            .enumerate()
            .map(|(at, path)| TestCaseReport {
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
                    .filter(|row| row.runs[at].failure.is_some())
                    .count(),
            })
            .collect();
        GenerationReport {
            version: VERSION,
            chart: None,
            model: name.to_string(),
            objects: model.objects.len(),
            statements: model.statements,
            attributes: model.attribute_count(),
            declarations: model.classes.iter().map(|c| c.attributes.len()).sum(),
            state_bytes: model.state_size(),
            controllables: model.controllables(),
            initial_steps: generated.graph.states.first().map_or(0, |p| p.explored),
            strategy: format!("{:?}", options.strategy).to_lowercase(),
            seed: options.seed,
            workers: options.workers,
            seconds: generated.seconds,
            cpu_seconds: generated.cpu_seconds,
            single_seconds: generated.single_seconds,
            peak_bytes: peak_bytes(),
            states: generated.visits.len(),
            suite: SuiteOptions::default(),
            unconfirmed: generated.confirmation.unconfirmed.len(),
            stopped: generated.stopped.clone(),
            failure,
            percent_of_total: table.percent_of_total(),
            percent_of_found: table.percent_of_found(),
            table,
            timeline: generated.timeline.clone(),
            tests,
            reduced_suite: reduced.to_vec(),
            mutants: mutants(generated, matrix),
        }
    }
}

/// The high-water mark of resident memory, as Linux tells it.
fn peak_bytes() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kibibytes = line.and_then(|line| line.trim().strip_suffix("kB")?.trim().parse().ok());
    kibibytes.map_or(0, |kibibytes: u64| kibibytes * 1024)
}

pub fn test_file(at: usize) -> String {
    format!("test_{at:03}")
}

fn mutants(generated: &Generated, matrix: &KillMatrix) -> Vec<MutantReport> {
    let model = &generated.model;
    let missed = missed(generated);
    model
        .mutants
        .list
        .iter()
        .map(|mutant| {
            let (line, column) = model.mutant_place(mutant.span);
            let (status, mut detail, steps) =
                describe(generated, mutant.status, generated.results.get(mutant.id));
            if let ("unreached", Some(why)) = (status, missed.get(&mutant.id)) {
                detail.clone_from(why);
            }
            let parts: Vec<&ModelMutant> = model
                .mutants
                .parts(mutant.id)
                .iter()
                .map(|id| model.mutants.get(*id))
                .collect();
            let row = matrix.row(mutant.id);
            MutantReport {
                id: mutant.id.0,
                operator: joined(&parts, "+", |part| part.operator.code().to_string()),
                line,
                column,
                start: mutant.span.start,
                end: mutant.span.end,
                original: mutant.original.clone(),
                replacement: replacement(model, &parts),
                status,
                detail,
                killed_by: row.map(MutantRow::killers).unwrap_or_default(),
                steps,
            }
        })
        .collect()
}

fn joined(parts: &[&ModelMutant], by: &str, text: impl Fn(&ModelMutant) -> String) -> String {
    let texts: Vec<String> = parts.iter().map(|part| text(part)).collect();
    texts.join(by)
}

/// What stands there instead; of mutants that act together, what stands in the other states too.
fn replacement(model: &Model, parts: &[&ModelMutant]) -> String {
    let others = joined(&parts[1..], "", |part| {
        let (line, column) = model.mutant_place(part.span);
        format!("; {line}:{column} {} → {}", part.original, part.replacement)
    });
    format!("{}{others}", parts[0].replacement)
}

/// Mutants that a move would have reached which no test took, with that move.
fn missed(generated: &Generated) -> HashMap<ModelMutantId, String> {
    let mut visited: HashMap<SpecStateId, (usize, usize)> = HashMap::new();
    for (test, path) in generated.paths.iter().enumerate() {
        for (after, place) in path.states.iter().enumerate() {
            visited.entry(*place).or_insert((test, after));
        }
    }
    let mut states: Vec<_> = visited.into_iter().collect();
    states.sort_by_key(|(_, at)| *at);
    let mut missed = HashMap::new();
    for (place, (test, after)) in states {
        for transition in generated.graph.state(place).transitions() {
            for mutant in transition.infected.iter() {
                missed.entry(*mutant).or_insert_with(|| {
                    let step = transition.step.text(&generated.model);
                    let test = test_file(test);
                    format!(
                        "{step} after {after} moves of {test} would meet it, but no test takes it"
                    )
                });
            }
        }
    }
    missed
}

fn describe(
    generated: &Generated,
    initial: InitialStatus,
    status: &Status,
) -> (&'static str, String, Option<u32>) {
    let model = &generated.model;
    match initial {
        InitialStatus::Duplicate(of) => {
            return (
                "duplicate",
                format!("computes the same as mutant {}", of.0),
                None,
            );
        }
        InitialStatus::Equivalent => {
            return (
                "equivalent",
                "computes the same as the original".into(),
                None,
            );
        }
        InitialStatus::Dead => return ("dead", "in code that no object executes".into(), None),
        InitialStatus::Open => {}
    }
    match status {
        Status::Unreached => (
            "unreached",
            "in no state that a test came to does it compute anything else".into(),
            None,
        ),
        Status::Skipped => (
            "skipped",
            "reached, but never started for want of room".into(),
            None,
        ),
        Status::GivenUp => (
            "given up",
            "started, but showed nothing that the original can't".into(),
            None,
        ),
        Status::Killed(kill) => {
            let detail = format!(
                "{} after {} moves of {}",
                kill.observation,
                kill.after,
                test_file(kill.test)
            );
            ("killed", detail, kill.steps)
        }
        Status::Unchecked(kill) => (
            "unchecked",
            format!(
                "showed {} after {} moves of {}, but the written test was not run for want of time",
                kill.observation,
                kill.after,
                test_file(kill.test)
            ),
            kill.steps,
        ),
        Status::TimedOut => (
            "time-out",
            "goes through too many states without a visible step".into(),
            None,
        ),
        Status::Crashed { error, .. } => {
            let (line, column) = model.line_column(error.span);
            (
                "execution error",
                format!("{} at {line}:{column}", error.kind.sentence()),
                None,
            )
        }
    }
}
