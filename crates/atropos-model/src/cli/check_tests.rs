//! `model check-tests`: runs written tests against the original and its mutants, and compares that with what the report
//! claims.

use super::generate::{SuiteOptions, load_suite};
use crate::generation::{EngineKind, GenerationOptions, Workers};
use crate::mutation::ModelMutantId;
use crate::state_space::{Reduction, StateSpaceLimits};
use crate::testing::{KillMatrix, RunResult, Shortcuts, after};
use anyhow::{Context as _, bail};
use clap::Args;
use serde::Deserialize;
use std::io::Write;
use std::path::{Path, PathBuf};

#[derive(Debug, Args)]
pub struct CheckTestsArgs {
    /// What `model generate` has written: tests (.aut), report.json and the model
    pub directory: PathBuf,
    /// Run every mutant from the start with all orders of internal steps, by the reference interpreter: slow, and
    /// obviously right.
    #[arg(long)]
    pub slow: bool,
    /// States without a visible step that are gone through; as many as for the generation if not given.
    #[arg(long)]
    pub max_internal: Option<usize>,
}

/// What is read of report.json.
#[derive(Deserialize)]
pub(super) struct Claims {
    pub chart: Option<String>,
    pub suite: SuiteOptions,
    pub tests: Vec<ClaimedTest>,
    pub mutants: Vec<ClaimedMutant>,
}

/// The statuses of mutants that were run on the tests.
pub(super) const COUNTED: [&str; 6] = [
    "killed",
    "given up",
    "skipped",
    "unreached",
    "unchecked",
    "time-out",
];

impl Claims {
    pub fn read(directory: &Path) -> anyhow::Result<Claims> {
        let report = directory.join("report.json");
        serde_json::from_str(&read(&report)?).with_context(|| {
            format!(
                "{} is no report of this version; generate the tests again",
                report.display()
            )
        })
    }
}

#[derive(Deserialize)]
pub(super) struct ClaimedTest {
    pub file: String,
}

#[derive(Deserialize)]
pub(super) struct ClaimedMutant {
    pub id: u32,
    pub status: String,
    killed_by: Vec<usize>,
}

pub(super) fn check_tests(args: &CheckTestsArgs, out: &mut dyn Write) -> anyhow::Result<bool> {
    let directory = &args.directory;
    let claims = Claims::read(directory)?;
    // Mutants of a chart are edits of the chart, not of what it was translated to.
    let model = claims.chart.as_deref().unwrap_or("model.ooas");
    let Some(loaded) = load_suite(&directory.join(model), &claims.suite)? else {
        return Ok(false);
    };
    let texts: anyhow::Result<Vec<String>> = claims
        .tests
        .iter()
        .map(|test| read(&directory.join(format!("{}.aut", test.file))))
        .collect();
    let options = GenerationOptions {
        engine: match args.slow {
            true => EngineKind::Interpreter,
            false => EngineKind::Jit,
        },
        reduction: match args.slow {
            true => Reduction::Full,
            false => Reduction::PartialOrder,
        },
        limits: StateSpaceLimits {
            closure: args.max_internal.unwrap_or(claims.suite.max_internal),
        },
        ..GenerationOptions::default()
    };
    let mut workers = Workers::new(&loaded.model, &options)?;
    let most = loaded.model.mutants.list.len() as u32;
    if let Some(unknown) = claims.mutants.iter().find(|m| m.id == 0 || m.id > most) {
        bail!(
            "report.json speaks of mutant {}, which {model} does not have",
            unknown.id
        );
    }
    let claimed = claims.mutants.iter();
    let run: Vec<&ClaimedMutant> = claimed
        .filter(|mutant| COUNTED.contains(&mutant.status.as_str()))
        .collect();
    let ids: Vec<ModelMutantId> = run.iter().map(|mutant| ModelMutantId(mutant.id)).collect();
    let shortcuts = match args.slow {
        true => Shortcuts::Never,
        false => Shortcuts::Taken,
    };
    let matrix = KillMatrix::compute(&mut workers, &ids, &texts?, options.limits, shortcuts);
    compare(&matrix, &run, &claims.tests, out)
}

pub(super) fn read(file: &Path) -> anyhow::Result<String> {
    std::fs::read_to_string(file).with_context(|| format!("can't read {}", file.display()))
}

/// Tells each claim that does not hold; `false` if there is one.
fn compare(
    matrix: &KillMatrix,
    claimed: &[&ClaimedMutant],
    tests: &[ClaimedTest],
    out: &mut dyn Write,
) -> anyhow::Result<bool> {
    for fault in &matrix.faults {
        writeln!(out, "{fault}")?;
    }
    if !matrix.faults.is_empty() {
        return Ok(false);
    }
    let (mut kills, mut wrong, mut undecided) = (0, 0, 0);
    for (row, mutant) in matrix.rows.iter().zip(claimed) {
        kills += usize::from(mutant.status == "killed");
        let differs = |(at, run): (usize, &RunResult)| {
            let claimed = mutant.killed_by.contains(&at);
            run.failure.is_some() != claimed && !(claimed && run.limit_reached)
        };
        undecided += usize::from(row.runs.iter().any(|run| run.limit_reached));
        if !row.runs.iter().enumerate().any(differs) {
            continue;
        }
        wrong += 1;
        for (at, run) in row.runs.iter().enumerate() {
            let file = &tests[at].file;
            match (&run.failure, mutant.killed_by.contains(&at)) {
                (None, true) if !run.limit_reached => writeln!(
                    out,
                    "mutant {}: the report says that {file} kills it, but it passes",
                    mutant.id
                )?,
                (Some(failure), false) => writeln!(
                    out,
                    "mutant {}: {file} kills it, which the report does not say: it shows {} {}",
                    mutant.id,
                    failure.observation,
                    after(&failure.trace)
                )?,
                _ => {}
            }
        }
    }
    let tests = super::count(tests.len(), "test passes", "tests pass");
    writeln!(
        out,
        "{tests} on the original; of {kills} claimed kills and {} other mutants {wrong} are not as the report says",
        matrix.rows.len() - kills
    )?;
    if undecided > 0 {
        writeln!(
            out,
            "{undecided} went through too many states on some test to be decided there (--max-internal allows more)"
        )?;
    }
    Ok(wrong == 0)
}
