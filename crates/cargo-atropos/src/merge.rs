//! `cargo atropos merge`: the outcomes of several runs over the same sources, as the shards of one, joined into one.
//! How they are joined is told in `atropos_report::merge`.

use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use atropos_report::merge::{ARCHIVE, Merged, Part, merge};
use atropos_report::number_text::count;
use atropos_report::outcomes::Outcomes;
use clap::Args;
use serde_json::Value;

use crate::archive;
use crate::arguments::{Colors, Options, OutputOptions, TreeOptions};
use crate::exit_code::ExitCode;
use crate::gate::{GateOptions, Judgement};
use crate::option_table::decides;
use crate::prepare::{CommandSetup, set_up};
use crate::report_arguments::ReportOptions;
use crate::reports::{Publication, publish, unchanged};
use crate::run::not_tested;
use crate::source::SourceTexts;
use crate::terminal::Terminal;

pub const MERGE_EXAMPLES: &str = "\
The parts are output directories of runs, or their outcomes.json under any name. What is given
twice counts once. Parts of other sources, of another version of the tool, or with options that
other verdicts come from are refused. If verdicts disagree, as those of a test that passes by
chance do, the mutant is undecided, and its note says why.

Examples:
  cargo atropos merge shard-*/                     all shards, into target/atropos
  cargo atropos merge a.json b.json -o joined      files, into another directory
  cargo atropos merge shard-*/ --min-score 80      with a gate of its own
  cargo-atropos merge --archive run.tar.zst s-*    where there is no tree and no cargo

Exit codes:
  as for a run, judged over all parts; 5 if a shard is missing";

#[derive(Args, Clone, Debug)]
pub struct MergeArguments {
    /// Output directories of runs, or their outcomes.json
    #[arg(required = true, value_name = "PART")]
    pub parts: Vec<PathBuf>,

    /// Work on the package or workspace in this directory instead of the current one
    #[arg(short, long, value_name = "DIR")]
    pub dir: Option<PathBuf>,

    /// Take sources and options from the archive that the parts are shards of: no tree and no cargo are needed
    #[arg(long, value_name = "FILE", conflicts_with = "dir")]
    pub archive: Option<PathBuf>,

    /// Write the joined outcomes and reports to this directory [default: target/atropos]
    #[arg(short, long, value_name = "DIR")]
    pub output: Option<PathBuf>,

    /// Print everything instead of one screen
    #[arg(long)]
    pub all: bool,

    /// Colour the output
    #[arg(long, value_name = "WHEN", value_enum)]
    pub colors: Option<Colors>,

    #[command(flatten)]
    pub gate: GateOptions,

    #[command(flatten)]
    pub reports: ReportOptions,
}

pub fn join(arguments: MergeArguments) -> Result<ExitCode> {
    arguments.reports.formats()?;
    let parts: Vec<Part> = arguments
        .parts
        .iter()
        .map(|path| read(path))
        .collect::<Result<_>>()?;
    let options = Options {
        tree: TreeOptions {
            dir: arguments.dir,
            ..TreeOptions::default()
        },
        output: OutputOptions {
            output: arguments.output,
            colors: arguments.colors,
            all: arguments.all,
            ..OutputOptions::default()
        },
        gate: arguments.gate,
        reports: arguments.reports,
        ..Options::default()
    };
    let place = match &arguments.archive {
        None => Place::of_tree(options)?,
        Some(archive) => Place::of_archive(options, archive, &parts)?,
    };
    let Place {
        options,
        terminal,
        output_directory,
        root,
        archived,
    } = place;
    let Merged {
        outcomes,
        notes,
        missing,
    } = merge(parts, &decides)?;
    for note in notes {
        terminal.note(note);
    }
    let root = root.as_path();
    let texts = match archived {
        None => unchanged(&outcomes, root)?,
        Some(texts) => texts,
    };
    let sources = |file: &str| texts.get(file).cloned();
    publish(&Publication {
        outcomes: &outcomes,
        sources: &sources,
        options: &options,
        workspace_root: root,
        directory: &output_directory,
        terminal,
    })?;
    let judgement = missing_shards(&missing)
        .or_else(|| nothing_tested(&outcomes))
        .unwrap_or_else(|| options.gate.judge(&outcomes));
    Ok(judgement.told(terminal))
}

/// Where parts are joined.
struct Place {
    options: Options,
    terminal: Terminal,
    output_directory: PathBuf,
    root: PathBuf,
    /// The sources, where they come from an archive.
    archived: Option<SourceTexts>,
}

impl Place {
    fn of_tree(options: Options) -> Result<Place> {
        let CommandSetup {
            workspace,
            options,
            terminal,
            output_directory,
        } = set_up(options)?;
        Ok(Place {
            options,
            terminal,
            output_directory,
            root: workspace.root().into(),
            archived: None,
        })
    }

    fn of_archive(mut options: Options, file: &Path, parts: &[Part]) -> Result<Place> {
        let sources = archive::sources(file, &mut options)?;
        let is_of_it = |part: &&Part| {
            let id = part.outcomes.options.get(ARCHIVE);
            id.and_then(Value::as_str) == Some(&sources.id)
        };
        if let Some(foreign) = parts.iter().find(|part| !is_of_it(part)) {
            bail!(
                "`{}` is no shard of the archive `{}`",
                foreign.name,
                file.display()
            );
        }
        let output = options.output.output.as_deref();
        let output = std::path::absolute(output.unwrap_or(Path::new("atropos")))?;
        Ok(Place {
            terminal: Terminal::of(&options.output),
            options,
            output_directory: output,
            root: sources.root,
            archived: Some(sources.texts),
        })
    }
}

/// The outcomes in a directory, or in a file.
fn read(path: &Path) -> Result<Part> {
    let outcomes = match path.is_dir() {
        true => Outcomes::read(path)?,
        false => Outcomes::read_file(path.to_owned())?,
    };
    let name = path.display().to_string();
    Ok(Part { name, outcomes })
}

/// Shards don't say by themselves that nothing was tested.
fn nothing_tested(outcomes: &Outcomes) -> Option<Judgement> {
    let has_mutants = !outcomes.mutants.is_empty();
    let why = not_tested(&outcomes.totals, &[]).filter(|_| has_mutants)?;
    Some(Judgement::failed(ExitCode::NotTested, why))
}

/// A gate can't be judged by a part.
fn missing_shards(missing: &[String]) -> Option<Judgement> {
    (!missing.is_empty()).then(|| {
        let why = format!(
            "{} missing: {}",
            count(missing.len(), "shard"),
            missing.join(", ")
        );
        Judgement::failed(ExitCode::NotTested, why)
    })
}
