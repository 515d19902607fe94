//! Puts a run on disk. Tests come first: they are worth most if the disk is full.

use super::aut::aut;
use super::dot::dot;
use super::page::page;
use super::plot::states_visited;
use super::report::{Report, test_file};
use super::test_case::TestCase;
use crate::explore::Limits;
use crate::generate::{self, Atlas, Crew, Generated, KillMatrix, Options, reduce};
use anyhow::Context as _;
use std::path::Path;
use std::process::{Command, Stdio};

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

/// Writes one test.
///
/// # Errors
/// What could not be written.
pub fn write_test(
    directory: &Path,
    number: usize,
    path: &generate::Path,
    atlas: &mut Atlas,
    crew: &mut Crew,
    limits: Limits,
) -> anyhow::Result<()> {
    let test = TestCase::build(atlas, crew, path, limits);
    let model = crew.first().model.clone();
    let file = test_file(number);
    put(directory, &format!("{file}.aut"), &aut(&test, &model))?;
    put(
        directory,
        &format!("{file}.dot"),
        &dot(&test, &model, &file),
    )?;
    draw(directory, &file);
    Ok(())
}

/// Writes what is known of a whole run, after its tests, and gives back the report.
///
/// # Errors
/// What could not be written; what was written before stays.
pub fn write_report(
    directory: &Path,
    name: &str,
    generated: &Generated,
    crew: &mut Crew,
    options: &Options,
    failure: Option<String>,
) -> anyhow::Result<Report> {
    let matrix = KillMatrix::compute(crew, generated, options.limits);
    let reduced = reduce(&matrix);
    let report = Report::new(name, generated, options, &matrix, &reduced, failure);
    put(
        directory,
        "report.json",
        &serde_json::to_string_pretty(&report)?,
    )?;
    let plot = states_visited(&generated.visits);
    put(directory, "states.svg", &plot)?;
    let text = &generated.model.text;
    put(directory, "index.html", &page(&report, text, &plot))?;
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

fn put(directory: &Path, file: &str, text: &str) -> anyhow::Result<()> {
    let path = directory.join(file);
    std::fs::write(&path, text).with_context(|| format!("can't write {}", path.display()))
}

/// SVG where graphviz is there; its absence is no error.
fn draw(directory: &Path, file: &str) {
    let svg = directory.join(format!("{file}.svg"));
    let done = Command::new("dot")
        .arg("-Tsvg")
        .arg("-o")
        .arg(&svg)
        .arg(directory.join(format!("{file}.dot")))
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    let _ = done;
}
