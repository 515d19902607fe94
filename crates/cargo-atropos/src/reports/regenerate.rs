//! `cargo atropos report`: a report of the last run, made again from what it has kept.

use std::collections::{BTreeMap, HashMap};
use std::io::Write;
use std::path::Path;
use std::{fs, path};

use anyhow::{Result, bail};
use atropos_report::mutant::MutantInfo;
use atropos_report::outcomes::{FileRecord, MutantRecord, Outcomes};
use atropos_report::style::{self, styled};

use super::{render, replace, short};
use crate::arguments::{Options, OutputOptions, TreeOptions};
use crate::exit_code::ExitCode;
use crate::prepare::{CommandSetup, set_up};
use crate::report_arguments::ReportArguments;

/// How many files that have changed are named.
const NAMED: usize = 5;

pub fn regenerate(arguments: ReportArguments) -> Result<ExitCode> {
    let setup = set_up(Options {
        tree: TreeOptions {
            dir: arguments.dir,
            ..TreeOptions::default()
        },
        output: OutputOptions {
            output: arguments.from,
            colors: arguments.colors,
            ..OutputOptions::default()
        },
        ..Options::default()
    })?;
    let outcomes = setup.last_run("report")?;
    let CommandSetup {
        workspace,
        terminal,
        output_directory,
        ..
    } = setup;
    let root = workspace.root();
    let root = root.as_std_path();
    let texts = unchanged(&outcomes, root)?;
    let sources = |file: &str| texts.get(file).cloned();
    let format = arguments.format;
    let text = render(format, &outcomes, &sources, root);
    let path = match (&arguments.output, format.file_name()) {
        (Some(path), _) if path.as_os_str() == "-" => None,
        (Some(path), _) => Some(path::absolute(path)?),
        (None, name) => name.map(|name| output_directory.join(name)),
    };
    match path {
        Some(path) => {
            replace(&path, &text)?;
            let path = styled(style::PLACE, short(&path));
            writeln!(terminal.stdout(), "wrote {path}")?;
        }
        None => terminal.stdout().write_all(text.as_bytes())?,
    }
    Ok(ExitCode::Success)
}

/// The sources, if all of them are what they were when the run began: else mutants would be marked at wrong places.
pub fn unchanged(outcomes: &Outcomes, root: &Path) -> Result<HashMap<String, String>> {
    let kept = outcomes.files.iter();
    let hashes: HashMap<&str, &str> = kept
        .map(|kept| (kept.file.as_str(), kept.hash.as_str()))
        .collect();
    let mut texts: HashMap<String, String> = HashMap::new();
    let mut changed = Vec::new();
    for (file, infos) in by_file(outcomes) {
        let is_same = |text: &str| match hashes.get(file) {
            Some(hash) => *hash == FileRecord::of(file, text).hash,
            None => fits(text, &infos),
        };
        match fs::read_to_string(root.join(file)) {
            Ok(text) if is_same(&text) => {
                texts.insert(file.to_owned(), text);
            }
            _ => changed.push(file),
        }
    }
    let again = "run `cargo atropos` again";
    match changed.as_slice() {
        [] => Ok(texts),
        [file] => bail!(
            "{file} has changed since the run, so its mutants would be marked at wrong places; {again}"
        ),
        files => {
            let more = match files.len().saturating_sub(NAMED) {
                0 => String::new(),
                more => format!(" and {more} more"),
            };
            let named = files[..files.len().min(NAMED)].join(", ");
            bail!(
                "{named}{more} have changed since the run, so their mutants would be marked at wrong places; {again}"
            )
        }
    }
}

/// The files with their mutants.
fn by_file(outcomes: &Outcomes) -> BTreeMap<&str, Vec<&MutantInfo>> {
    let mut files: BTreeMap<&str, Vec<&MutantInfo>> = BTreeMap::new();
    for MutantRecord { info, .. } in &outcomes.mutants {
        files.entry(&info.file).or_default().push(info);
    }
    files
}

/// Whether what mutants replace stands at their places: all that can be told if the run has kept no hash.
fn fits(text: &str, infos: &[&MutantInfo]) -> bool {
    let fits =
        |info: &&MutantInfo| text.get(info.span.start..info.span.end) == Some(&info.original);
    infos.iter().all(fits)
}
