//! Puts a run on disk. Tests come first: they are worth most if the disk is full.

use super::aut::aut;
use super::chart::ChartView;
use super::dot::dot;
use super::json_tests::{JsonSuite, JsonTest};
use super::page::page;
use super::plot::states_visited;
use super::report::{GenerationReport, test_file};
use super::test_case::TestCase;
use crate::cli::SuiteOptions;
use crate::generation::{self, Generated, GenerationOptions, StateGraph, Status, Workers};
use crate::loading::ModelSource;
use crate::mutation::ModelMutantId;
use crate::state_space::StateSpaceLimits;
use crate::testing::{KillMatrix, Shortcuts, reduce};
use anyhow::Context as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// How long graphviz may take for one test.
const DRAWING: Duration = Duration::from_secs(20);
const PAUSE: Duration = Duration::from_millis(5);

/// Makes room for a run's files: before anything is computed, so that a bad place costs nothing.
///
/// # Errors
/// If the directory can't be made or written to.
pub fn prepare(directory: &Path) -> anyhow::Result<()> {
    std::fs::create_dir_all(directory)
        .with_context(|| format!("can't create {}", directory.display()))?;
    remove_old(directory)?;
    let probe = directory.join(".atropos-writable");
    std::fs::write(&probe, b"")
        .and_then(|()| std::fs::remove_file(&probe))
        .with_context(|| format!("can't write to {}", directory.display()))
}

/// Writes one more test of a suite.
///
/// # Errors
/// What could not be written.
pub fn write_test(
    directory: &Path,
    suite: &mut JsonSuite,
    path: &generation::Path,
    graph: &mut StateGraph,
    workers: &mut Workers,
    limits: StateSpaceLimits,
) -> anyhow::Result<()> {
    let test = TestCase::build(graph, workers, path, limits);
    let model = workers.first().model.clone();
    let file = test_file(suite.tests.len());
    put(directory, &format!("{file}.aut"), &aut(&test, &model))?;
    put(
        directory,
        &format!("{file}.dot"),
        &dot(&test, &model, &file),
    )?;
    suite.tests.push(JsonTest::new(&file, &test, &model));
    put(
        directory,
        "tests.json",
        &serde_json::to_string_pretty(suite)?,
    )
}

/// Draws the tests where graphviz is there, and puts links to the drawings on the page; its absence is no error. Drawings
/// come last, so that they take neither time nor room from anything else.
///
/// # Errors
/// If the page can't be written anew; then the old one is there.
pub fn draw_tests(
    directory: &Path,
    report: &GenerationReport,
    generated: &Generated,
    source: &ModelSource,
) -> anyhow::Result<()> {
    let files = report.tests.iter().map(|test| test.file.as_str());
    let drawn: Vec<&str> = files.take_while(|file| draw(directory, file)).collect();
    match drawn.is_empty() {
        true => Ok(()),
        false => put_page(directory, report, generated, source, &drawn),
    }
}

fn put_page(
    directory: &Path,
    report: &GenerationReport,
    generated: &Generated,
    source: &ModelSource,
    drawn: &[&str],
) -> anyhow::Result<()> {
    let plot = states_visited(&generated.visits);
    let view = ChartView::new(source, report, generated);
    let page = page(report, source.text(), &plot, drawn, view.as_ref());
    put(directory, "index.html", &page)
}

/// Runs all mutants on the tests that were written, and sets their statuses by what is seen there.
///
/// # Errors
/// If a test can't be read back, or fails the original: then nothing counts.
pub fn check_suite(
    directory: &Path,
    generated: &mut Generated,
    workers: &mut Workers,
    limits: StateSpaceLimits,
) -> anyhow::Result<KillMatrix> {
    let texts: anyhow::Result<Vec<String>> = (0..generated.paths.len())
        .map(|test| {
            let file = directory.join(format!("{}.aut", test_file(test)));
            std::fs::read_to_string(&file).with_context(|| format!("can't read {}", file.display()))
        })
        .collect();
    confirm(&texts?, generated, workers, limits)
}

/// The same with the texts at hand.
///
/// # Errors
/// If a test fails the original.
pub fn confirm(
    texts: &[String],
    generated: &mut Generated,
    workers: &mut Workers,
    limits: StateSpaceLimits,
) -> anyhow::Result<KillMatrix> {
    let open = generated.model.mutants.open().map(|mutant| mutant.id);
    let crashed = |id: &ModelMutantId| matches!(generated.results.get(*id), Status::Crashed { .. });
    let mutants: Vec<ModelMutantId> = open.filter(|id| !crashed(id)).collect();
    let matrix = KillMatrix::compute(workers, &mutants, texts, limits, Shortcuts::Taken);
    if let Some(fault) = matrix.faults.first() {
        anyhow::bail!("the generated tests are wrong, please report this: {fault}");
    }
    generated.confirmation = matrix.confirm(&mut generated.results);
    Ok(matrix)
}

/// Writes what is known of a whole run, after its tests, and gives back the report. The model has a name and a source.
///
/// # Errors
/// What could not be written; what was written before stays.
pub fn write_report(
    directory: &Path,
    (name, source): (&str, &ModelSource),
    generated: &Generated,
    matrix: &KillMatrix,
    options: &GenerationOptions,
    failure: Option<String>,
    suite: SuiteOptions,
) -> anyhow::Result<GenerationReport> {
    let reduced = reduce(matrix);
    let chart = source.chart_file();
    if let Some(file) = chart {
        let place = directory.join("chart");
        std::fs::create_dir_all(&place)
            .with_context(|| format!("can't make {}", place.display()))?;
        put(&place, file, source.text())?;
    }
    let report = GenerationReport {
        suite,
        chart: chart.map(|file| format!("chart/{file}")),
        ..GenerationReport::new(name, generated, options, matrix, &reduced, failure)
    };
    put(
        directory,
        "report.json",
        &serde_json::to_string_pretty(&report)?,
    )?;
    put(directory, "model.ooas", source.translation())?;
    let plot = states_visited(&generated.visits);
    put(directory, "states.svg", &plot)?;
    put_page(directory, &report, generated, source, &[])?;
    Ok(report)
}

/// Tests of an earlier run must not be taken for this one's.
fn remove_old(directory: &Path) -> anyhow::Result<()> {
    for entry in std::fs::read_dir(directory)? {
        let path = entry?.path();
        let name = path
            .file_name()
            .map(|name| name.to_string_lossy().into_owned())
            .unwrap_or_default();
        let ours = name
            .strip_prefix("test_")
            .and_then(|rest| rest.split_once('.'))
            .is_some_and(|(number, ext)| {
                number.parse::<usize>().is_ok() && ["aut", "dot", "svg"].contains(&ext)
            });
        if ours {
            std::fs::remove_file(&path)
                .with_context(|| format!("can't remove {}", path.display()))?;
        }
    }
    Ok(())
}

/// Writes a file whole or not at all.
///
/// # Errors
/// If it can't be written.
pub fn put(directory: &Path, file: &str, text: &str) -> anyhow::Result<()> {
    let path = directory.join(file);
    // Half a file is worth nothing, and its room may do for another.
    let part = directory.join(format!("{file}.part"));
    std::fs::write(&part, text)
        .and_then(|()| std::fs::rename(&part, &path))
        .inspect_err(|_| {
            let _ = std::fs::remove_file(&part);
        })
        .with_context(|| format!("can't write {}", path.display()))
}

/// Whether it may be worth trying the next one.
fn draw(directory: &Path, file: &str) -> bool {
    let svg = directory.join(format!("{file}.svg"));
    let started = Command::new("dot")
        .arg("-Tsvg")
        .arg("-o")
        .arg(&svg)
        .arg(directory.join(format!("{file}.dot")))
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
    let Ok(mut dot) = started else { return false };
    let begun = Instant::now();
    let done = loop {
        match dot.try_wait() {
            Ok(Some(status)) => break status.success(),
            Ok(None) if begun.elapsed() < DRAWING => std::thread::sleep(PAUSE),
            _ => break false,
        }
    };
    if !done {
        // What is too large for graphviz, or for the disk, is not drawn by halves.
        let _ = dot.kill();
        let _ = dot.wait();
        let _ = std::fs::remove_file(&svg);
    }
    done
}
