//! Reports on disk: which files a run writes beside `outcomes.json`, and what it tells GitHub Actions.
//! What is in them is made by `atropos-report`.

mod publish;
mod regenerate;

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::{env, process};

use anyhow::{Context, Result};
use atropos_report::outcomes::{self, Outcomes};
use atropos_report::summary::{Sources, SummaryLayout, summary};
use atropos_report::{annotations, cargo_messages, gitlab, html, junit, markdown, sarif, stryker};
use clap::ValueEnum;

pub use self::publish::{Publication, publish};
pub use self::regenerate::{regenerate, unchanged};
use crate::report_arguments::{Format, ReportOptions, ReportOutput};

/// Columns of the report as a text.
const TEXT_WIDTH: usize = 100;

/// A report as text.
fn render(format: Format, outcomes: &Outcomes, sources: Sources, workspace_root: &Path) -> String {
    let prefix = || prefix(workspace_root);
    match format {
        Format::Html => html::html(outcomes, sources),
        Format::Stryker => stryker::stryker(outcomes, sources),
        Format::Sarif => sarif::sarif(outcomes, sources, &prefix()),
        Format::Junit => junit::junit(outcomes, sources),
        Format::Gitlab => gitlab::gitlab(outcomes, &prefix()),
        Format::Text => text(outcomes, sources),
        Format::Json => {
            serde_json::to_string_pretty(outcomes).expect("it was read from JSON") + "\n"
        }
        Format::Cargo => cargo_messages::cargo_messages(outcomes, sources),
        Format::Annotations => annotations::annotations(outcomes, &prefix()),
        Format::Markdown => markdown::markdown(outcomes),
    }
}

/// What a run prints, with everything and without colours.
fn text(outcomes: &Outcomes, sources: Sources) -> String {
    let layout = SummaryLayout {
        width: TEXT_WIDTH,
        height: None,
        all: true,
        top: None,
        outcomes_path: outcomes::FILE_NAME,
        reports: &[],
    };
    anstream::adapter::strip_str(&summary(outcomes, sources, layout)).to_string()
}

/// Writes what was asked for into the output directory, and takes away what an earlier run wrote there and this one
/// does not: a report beside `outcomes.json` tells of the same run. Gives the word for each and its path.
pub fn write(
    formats: &[Format],
    outcomes: &Outcomes,
    sources: Sources,
    workspace_root: &Path,
    directory: &Path,
) -> Result<Vec<(&'static str, String)>> {
    let mut written = Vec::new();
    for &format in Format::value_variants() {
        let ReportOutput::File { name, word } = format.output() else {
            continue;
        };
        let path = directory.join(name);
        if !formats.contains(&format) {
            // If it is not there, all is well; else the next run will try again.
            let _ = fs::remove_file(&path);
            continue;
        }
        replace(&path, &render(format, outcomes, sources, workspace_root))?;
        written.push((word, short(&path)));
    }
    Ok(written)
}

/// Writes a file so that a reader sees the old one or the new one, but nothing between.
fn replace(path: &Path, text: &str) -> Result<()> {
    let mut temporary = path.as_os_str().to_owned();
    temporary.push(format!(".{}.tmp", process::id()));
    let temporary = PathBuf::from(temporary);
    let written = fs::write(&temporary, text).and_then(|()| fs::rename(&temporary, path));
    written
        .inspect_err(|_| {
            // The first error is the one to report.
            let _ = fs::remove_file(&temporary);
        })
        .with_context(|| format!("can't write {}", path.display()))
}

/// A path as people would type it here.
pub fn short(path: &Path) -> String {
    let here = env::current_dir().ok();
    let below = here.and_then(|here| path.strip_prefix(here).ok());
    below.unwrap_or(path).display().to_string()
}

/// Tells GitHub Actions of survivors, if that is wanted: annotations to `log`, and a summary to where it wants one.
pub fn annotate(
    options: &ReportOptions,
    outcomes: &Outcomes,
    workspace_root: &Path,
    log: &mut dyn Write,
) -> Result<()> {
    let is_set = |name: &str| env::var_os(name).is_some_and(|value| !value.is_empty());
    if !options.is_annotated(is_set("GITHUB_ACTIONS")) {
        return Ok(());
    }
    let lines = annotations::annotations(outcomes, &prefix(workspace_root));
    // A reader that has gone changes nothing about the verdicts.
    let _ = log.write_all(lines.as_bytes());
    let _ = log.flush();
    let Some(path) = env::var_os("GITHUB_STEP_SUMMARY").filter(|path| !path.is_empty()) else {
        return Ok(());
    };
    append(Path::new(&path), &markdown::markdown(outcomes)).with_context(|| {
        let path = Path::new(&path).display();
        format!("can't add to the job's summary in {path}")
    })
}

fn append(path: &Path, text: &str) -> io::Result<()> {
    let mut file = OpenOptions::new().append(true).create(true).open(path)?;
    file.write_all(text.as_bytes())
}

/// The way from the repository's root to the workspace's, with a slash at its end if it is not empty: whoever reads SARIF
/// and annotations knows files by their paths in the repository.
fn prefix(workspace_root: &Path) -> String {
    let repository = workspace_root
        .ancestors()
        .find(|directory| directory.join(".git").exists())
        .map(Path::to_owned)
        .or_else(|| env::var_os("GITHUB_WORKSPACE").map(PathBuf::from));
    let inside = repository.and_then(|root| workspace_root.strip_prefix(root).ok());
    let names = inside.into_iter().flat_map(Path::components);
    names
        .map(|name| format!("{}/", name.as_os_str().to_string_lossy()))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_begin_at_the_repository() {
        let scratch = tempfile::tempdir().expect("a directory");
        let root = scratch.path().join("repository");
        let workspace = root.join("rust/bank");
        fs::create_dir_all(&workspace).expect("a directory");
        fs::write(root.join(".git"), "gitdir: elsewhere").expect("a file");
        assert_eq!(prefix(&workspace), "rust/bank/");
        assert_eq!(prefix(&root), "");
    }

    #[test]
    fn a_report_that_was_not_asked_for_does_not_stay() {
        let scratch = tempfile::tempdir().expect("a directory");
        let outcomes = Outcomes::new(Default::default(), Vec::new(), Vec::new());
        let write = |formats: &[Format]| {
            let root = scratch.path();
            let written = write(formats, &outcomes, &|_| None, root, root).expect("it can");
            let mut names: Vec<String> = fs::read_dir(root)
                .expect("a directory")
                .map(|entry| {
                    entry
                        .expect("a file")
                        .file_name()
                        .into_string()
                        .expect("text")
                })
                .collect();
            names.sort();
            (written.len(), names)
        };
        let all = [Format::Html, Format::Stryker, Format::Sarif];
        let (number, names) = write(&all);
        assert_eq!(number, 3);
        assert_eq!(
            names,
            ["report.html", "report.sarif", "report.stryker.json"]
        );
        assert_eq!(write(&[Format::Sarif]).1, ["report.sarif"]);
        assert_eq!(write(&[]).1, [""; 0]);
    }
}
