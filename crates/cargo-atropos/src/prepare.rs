//! Everything that comes before the build: options and config file, packages and their files,
//! mutants found and selected. `run` and `list` share it; commands about the last run find it here.

use std::mem;
use std::path::{Component, Path, PathBuf};

use anyhow::{Result, anyhow, bail};
use atropos_mutants::OperatorSelection;
use atropos_mutants::mutant::MutantId;
use atropos_report::mutant::MutantInfo;
use atropos_report::outcomes::{Outcomes, ReadError};

use crate::accepted::Accepted;
use crate::archive::{self, Archived};
use crate::arguments::{Options, TreeOptions};
use crate::build::{UserBuild, without_parents};
use crate::config;
use crate::packages::Workspace;
use crate::plan::{Decision, Plan};
use crate::progress::{Progress, RunPhase};
use crate::second_order;
use crate::selection::{Selected, ThreadTreatment, select};
use crate::source::{SourceTexts, discover};
use crate::terminal::Terminal;

/// A run that is ready to start.
#[derive(Debug)]
pub struct Prepared {
    /// Those of the command line, completed by the config file.
    pub options: Options,
    pub terminal: Terminal,
    pub plan: Plan,
    /// What the source files held when their mutants were found.
    pub texts: SourceTexts,
    /// How many mutants were found, before any filter.
    pub found: usize,
    /// The survivors that need not be killed.
    pub accepted: Accepted,
    /// What was found amiss on the way; the user has been told.
    pub warnings: Vec<String>,
    /// Where outcomes, log and build go (absolute). It need not be there yet.
    pub output_directory: PathBuf,
    pub workspace_root: PathBuf,
    /// Where the user's own cargo builds.
    pub user_build: UserBuild,
    /// What comes from an archive and need not be built.
    pub archived: Option<Archived>,
}

impl Prepared {
    /// Whether a mutant of the plan is tested by this run; of an archive it may be a part.
    pub fn takes(&self, mutant: MutantId) -> bool {
        let archived = self.archived.as_ref();
        archived.is_none_or(|archived| archived.takes(mutant))
    }
}

/// Reads, finds, selects and numbers; says on standard error what the user should know.
pub fn prepare(options: Options) -> Result<Prepared> {
    if options.execute.archive.is_some() {
        return archive::prepared(options);
    }
    let CommandSetup {
        workspace,
        options,
        terminal,
        output_directory,
    } = set_up(options)?;
    let accepted = Accepted::read(workspace.root().as_std_path())?;
    let progress = Progress::start(terminal);
    progress.phase(RunPhase::Finding, 0);
    let mut discovery = discover(&workspace, &options.tree, &options.operators())?;
    drop(progress);
    let warnings = mem::take(&mut discovery.warnings);
    for warning in &warnings {
        terminal.warn(warning);
    }
    if !discovery.left_alone.is_empty() {
        terminal.note(format!("left alone: {}", discovery.left_alone.join(", ")));
    }
    let threads = match options.exploration.is_off() {
        true => ThreadTreatment::AsTheyAre,
        false => ThreadTreatment::Explored,
    };
    let Selected {
        mut plan,
        texts,
        notes,
        found,
    } = select(discovery, &options.select, threads, &output_directory)?;
    // What runs write would be taken for source.
    let mut packages = plan.packages.iter();
    if let Some(package) = packages.find(|p| p.manifest_dir.starts_with(&output_directory)) {
        bail!(
            "the output directory, {}, holds the package {}; name one with nothing else in it",
            output_directory.display(),
            package.name
        );
    }
    if options.select.order == Some(2) && threads == ThreadTreatment::Explored {
        second_order::add(&mut plan);
    }
    for note in notes {
        terminal.note(note);
    }
    Ok(Prepared {
        options,
        terminal,
        plan,
        texts,
        found,
        accepted,
        warnings,
        output_directory,
        workspace_root: workspace.root().as_std_path().to_owned(),
        user_build: workspace.user_build(),
        archived: None,
    })
}

/// Where the command works.
pub struct CommandSetup {
    pub workspace: Workspace,
    pub options: Options,
    pub terminal: Terminal,
    pub output_directory: PathBuf,
}

/// Finds the workspace and completes the options by its config file.
pub fn set_up(mut options: Options) -> Result<CommandSetup> {
    if let Some(manifest) = &options.tree.manifest_path {
        options.tree.dir = Some(directory_of(manifest)?);
    }
    let workspace = Workspace::around(options.tree.dir.as_deref())?;
    config::complete(&mut options, workspace.root().as_std_path())?;
    // As for cargo.
    options.execute.no_doc |= options.build.chooses_targets();
    let output_directory = match &options.output.output {
        Some(directory) => std::path::absolute(directory)?,
        None => workspace.target_directory().join("atropos").into(),
    };
    let output_directory = straight(output_directory);
    Ok(CommandSetup {
        terminal: Terminal::of(&options.output),
        workspace,
        options,
        output_directory,
    })
}

impl CommandSetup {
    /// What the last run left, for a command that is `to` do something with it.
    pub fn last_run(&self, to: &str) -> Result<Outcomes> {
        Outcomes::read(&self.output_directory).map_err(|error| match error {
            ReadError::Missing(path) => {
                anyhow!("there is no run to {to} (no `{path}`); start one with `cargo atropos`")
            }
            error => anyhow!(error),
        })
    }
}

/// Every mutant of every package of the workspace, by any operator.
pub fn discovered(setup: &CommandSetup) -> Result<Vec<MutantInfo>> {
    let tree = TreeOptions {
        workspace: true,
        ..setup.options.tree.clone()
    };
    let all = OperatorSelection::parse(&["all"]).expect("it is the word for all of them");
    let mut discovery = discover(&setup.workspace, &tree, &all)?;
    let texts = mem::take(&mut discovery.texts);
    Ok(Plan::make(discovery, &texts, |_| Decision::Take).mutants)
}

/// The directory of a manifest, as cargo takes it.
fn directory_of(manifest: &Path) -> Result<PathBuf> {
    if manifest.file_name().is_none_or(|name| name != "Cargo.toml") || !manifest.is_file() {
        bail!(
            "`--manifest-path {}` is not a path to a Cargo.toml",
            manifest.display()
        );
    }
    let manifest = std::path::absolute(manifest)?;
    let directory = manifest.parent().expect("a file has a directory");
    Ok(directory.to_owned())
}

/// The same place without `..` on the way, so that it has one name for us, cargo and rustc.
pub fn straight(path: PathBuf) -> PathBuf {
    let has_parents = path.components().any(|part| part == Component::ParentDir);
    if !has_parents {
        return path;
    }
    // What does not exist yet can't be a link.
    let existing = path
        .ancestors()
        .find_map(|start| Some((start, start.canonicalize().ok()?)));
    let real = existing.and_then(|(start, real)| Some(real.join(path.strip_prefix(start).ok()?)));
    without_parents(&real.unwrap_or(path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_way_through_parents_and_links_gets_one_name() {
        let scratch = tempfile::tempdir().expect("a directory");
        let root = scratch.path().canonicalize().expect("it exists");
        std::fs::create_dir_all(root.join("deep/inner")).expect("a directory");
        std::os::unix::fs::symlink(root.join("deep/inner"), root.join("link")).expect("a link");
        let straightened = |path: &str| straight(root.join(path));
        assert_eq!(straightened("deep/../target/new"), root.join("target/new"));
        // The parent of a link is that of the place it leads to.
        assert_eq!(straightened("link/../target"), root.join("deep/target"));
        // Nothing to mend, so the user's own words stay.
        assert_eq!(straightened("link/target"), root.join("link/target"));
    }
}
