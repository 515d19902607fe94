//! Survivors that the team has accepted, each with a reason: the file `atropos-accepted.toml` in the workspace's root,
//! which is committed, and `cargo atropos accept`, which writes it.

use std::collections::{BTreeMap, HashSet};
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use atropos_report::mutant::MutantInfo;
use atropos_report::outcomes::{MutantRecord, Outcomes};
use atropos_report::verdict::Verdict;
use clap::Args;
use serde::Deserialize;

use crate::arguments::{Options, OutputOptions, TreeOptions};
use crate::exit_code::ExitCode;
use crate::named_mutants::named_mutants;
use crate::prepare::{CommandSetup, discovered, set_up};
use crate::terminal::Terminal;

/// The name of the file within the workspace's root.
pub const FILE_NAME: &str = "atropos-accepted.toml";

/// What a new file begins with.
const HEADER: &str = "\
# Mutants that no test needs to notice, with the reasons. `cargo atropos accept` adds to this file,
# and `cargo atropos accept --expired` lists what can go. Commit it.
";

pub const ACCEPT_EXAMPLES: &str = "\
The entries are written to atropos-accepted.toml in the workspace's root, which you commit. Runs report these mutants as
accepted, with the reason, and count them neither in the score nor for the exit code.

Examples:
  cargo atropos accept 17 --reason 'only the log message differs'
  cargo atropos accept src/cache.rs:41 --reason 'the capacity is a hint'
                                        every mutant of that line that no test notices
  cargo atropos accept --expired        entries that match nothing any more, or that a test kills

Exit codes:
  0  the entries were written, or were there already; with --expired: all entries are still needed
  1  wrong usage, there is no run to look at, or no such mutant
  2  with --expired: some entries are no longer needed";

/// `cargo atropos accept`
#[derive(Args, Clone, Debug)]
pub struct AcceptArguments {
    /// The mutant's number or key in the last run, or FILE:LINE or FILE:LINE:COLUMN
    #[arg(value_name = "MUTANT", required_unless_present = "expired")]
    pub mutant: Option<String>,

    /// Why it need not be killed
    #[arg(long, value_name = "TEXT", required_unless_present = "expired")]
    pub reason: Option<String>,

    /// List the entries that no longer match a mutant, or that a test now kills
    #[arg(long, conflicts_with_all = ["mutant", "reason"])]
    pub expired: bool,

    /// Work on the package or workspace in this directory
    #[arg(short, long, value_name = "DIR")]
    pub dir: Option<PathBuf>,

    #[command(flatten)]
    pub output: OutputOptions,
}

/// One accepted mutant.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AcceptedEntry {
    /// As `outcomes.json` has it: the same for the same change, also when lines above it move.
    pub key: String,
    /// For people: where it was, and what it changes.
    pub file: String,
    pub change: String,
    pub reason: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    accepted: Vec<AcceptedEntry>,
}

/// All accepted mutants, by their keys.
#[derive(Clone, Debug, Default)]
pub struct Accepted {
    entries: BTreeMap<String, AcceptedEntry>,
}

impl Accepted {
    /// Reads the file of a workspace; without one nothing is accepted.
    pub fn read(workspace_root: &Path) -> Result<Accepted> {
        let path = workspace_root.join(FILE_NAME);
        let text = match fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Accepted::default()),
            Err(error) => return Err(error).with_context(|| format!("can't read {FILE_NAME}")),
        };
        Accepted::parse(&text)
    }

    pub fn parse(text: &str) -> Result<Accepted> {
        let file: File = toml::from_str(text).map_err(|error| {
            anyhow::anyhow!(
                "{FILE_NAME} can't be used: {}",
                error.to_string().trim_end()
            )
        })?;
        let mut entries = BTreeMap::new();
        for entry in file.accepted {
            if entry.reason.trim().is_empty() {
                bail!(
                    "{FILE_NAME}: the entry for `{}` has no reason",
                    entry.change
                );
            }
            entries.insert(entry.key.clone(), entry);
        }
        Ok(Accepted { entries })
    }

    /// Why a mutant that no test notices is accepted, if it is.
    pub fn reason(&self, info: &MutantInfo) -> Option<&str> {
        let entry = self.entries.get(&info.key)?;
        Some(&entry.reason)
    }

    /// What a run has to say about entries that are no longer needed: those of its mutants that a test kills.
    pub fn warnings(&self, outcomes: &[MutantRecord]) -> Vec<String> {
        let killed = outcomes.iter().filter(|record| self.is_killed(record));
        let sentence = |record: &MutantRecord| {
            let name = record.info.name();
            format!("{name}: is accepted in {FILE_NAME}, but a test kills it now")
        };
        killed.map(sentence).collect()
    }

    fn is_killed(&self, record: &MutantRecord) -> bool {
        record.verdict.is_some_and(Verdict::is_killed)
            && self.entries.contains_key(&record.info.key)
    }
}

/// The text of an entry.
fn written(info: &MutantInfo, reason: &str) -> String {
    let quoted = |text: &str| toml::Value::String(text.to_owned()).to_string();
    format!(
        "\n[[accepted]]\nkey = {}\nfile = {}\nchange = {}\nreason = {}\n",
        quoted(&info.key),
        quoted(&info.file),
        quoted(&info.edit_and_operator()),
        quoted(reason)
    )
}

/// Accepts mutants of the last run, or lists the entries that are no longer needed.
pub fn accept(arguments: AcceptArguments) -> Result<ExitCode> {
    let options = Options {
        tree: TreeOptions {
            dir: arguments.dir,
            ..TreeOptions::default()
        },
        output: arguments.output,
        ..Options::default()
    };
    let setup = set_up(options)?;
    let (Some(mutant), Some(reason)) = (arguments.mutant, arguments.reason) else {
        return expired(setup);
    };
    if reason.trim().is_empty() {
        bail!("a reason is needed: why need no test notice this change?");
    }
    let outcomes = setup.last_run("accept a mutant of")?;
    let records = meant(&outcomes, &mutant)?;
    let root = setup.workspace.root().as_std_path().to_owned();
    let before = Accepted::read(&root)?;
    for record in &records {
        if let Some(reason) = before.reason(&record.info) {
            let name = record.info.name();
            setup
                .terminal
                .note(format!("{name} is accepted already: {reason}"));
        }
    }
    for record in add(&root, &records, reason.trim())? {
        writeln!(setup.terminal.stdout(), "accepted: {}", record.info.name())?;
    }
    Ok(ExitCode::Success)
}

/// Adds entries for these mutants to the file of a workspace, but for those that have one. Gives those that were added.
pub fn add<'r>(
    workspace_root: &Path,
    records: &[&'r MutantRecord],
    reason: &str,
) -> Result<Vec<&'r MutantRecord>> {
    let accepted = Accepted::read(workspace_root)?;
    let path = workspace_root.join(FILE_NAME);
    let mut text = match fs::read_to_string(&path) {
        Ok(text) => text,
        Err(_) => HEADER.to_owned(),
    };
    let is_new = |record: &&&MutantRecord| accepted.reason(&record.info).is_none();
    let new: Vec<&MutantRecord> = records.iter().filter(is_new).copied().collect();
    for record in &new {
        text += &written(&record.info, reason);
    }
    Accepted::parse(&text).context("nothing was written")?;
    fs::write(&path, text).with_context(|| format!("can't write {}", path.display()))?;
    Ok(new)
}

/// The mutants of the last run that a word on the command line means, all of which no test notices.
fn meant<'o>(outcomes: &'o Outcomes, mutant: &str) -> Result<Vec<&'o MutantRecord>> {
    let records = named_mutants(outcomes, mutant)?;
    let is_open = |record: &&MutantRecord| {
        let verdict = record.verdict;
        verdict.is_some_and(|verdict| verdict.is_missed() || verdict == Verdict::Accepted)
    };
    let open: Vec<&MutantRecord> = records.iter().copied().filter(is_open).collect();
    match (open.is_empty(), records[0].verdict) {
        (false, _) => Ok(open),
        (true, Some(verdict)) => bail!(
            "`{}` is {verdict}, so there is nothing to accept",
            records[0].info.name()
        ),
        (true, None) => bail!(
            "`{}` is undecided, so there is nothing to accept",
            records[0].info.name()
        ),
    }
}

/// Lists entries that match no mutant any more, and those that the last run has seen killed.
fn expired(setup: CommandSetup) -> Result<ExitCode> {
    let terminal = setup.terminal;
    let accepted = Accepted::read(setup.workspace.root().as_std_path())?;
    let killed: HashSet<String> = match setup.last_run("look at") {
        Ok(outcomes) => outcomes
            .mutants
            .iter()
            .filter(|record| accepted.is_killed(record))
            .map(|record| record.info.key.clone())
            .collect(),
        // Without a run it is not known what tests kill.
        Err(_) => HashSet::new(),
    };
    let found = discovered(&setup)?;
    let found: HashSet<&str> = found.iter().map(|info| info.key.as_str()).collect();
    let mut number = 0;
    for entry in accepted.entries.values() {
        let why = match (
            found.contains(entry.key.as_str()),
            killed.contains(&entry.key),
        ) {
            (false, _) => "matches no mutant any more",
            (true, true) => "is killed by a test",
            (true, false) => continue,
        };
        number += 1;
        tell(terminal, entry, why)?;
    }
    match number {
        0 => Ok(ExitCode::Success),
        _ => {
            terminal.error(format!(
                "exit code 2: {number} of {} entries can go",
                accepted.entries.len()
            ));
            Ok(ExitCode::Survivors)
        }
    }
}

fn tell(terminal: Terminal, entry: &AcceptedEntry, why: &str) -> io::Result<()> {
    let AcceptedEntry {
        key, file, change, ..
    } = entry;
    writeln!(terminal.stdout(), "{file}: {change} (key {key}): {why}")
}

#[cfg(test)]
mod tests {
    use atropos_mutants::{MutantId, Operator, Span};

    use super::*;

    fn info() -> MutantInfo {
        MutantInfo {
            id: MutantId(1),
            key: "0123".into(),
            package: "p".into(),
            file: "src/lib.rs".into(),
            line: 1,
            column: 1,
            span: Span::new(0, 1),
            function: "f".into(),
            operator: Operator::Aor,
            original: "+".into(),
            replacement: "-".into(),
            summary: "replace + with -".into(),
            needs_exploration: false,
        }
    }

    #[test]
    fn an_entry_that_is_written_can_be_read_whatever_its_texts() {
        for reason in ["plain", "\"quoted\" and 'both'", "two\nlines", "\\ and é"] {
            let info = info();
            let accepted = Accepted::parse(&written(&info, reason)).unwrap();
            assert_eq!(accepted.reason(&info), Some(reason));
        }
    }

    #[test]
    fn a_broken_file_is_refused_with_its_line() {
        let said = |text: &str| format!("{:#}", Accepted::parse(text).unwrap_err());
        let unknown = "[[accepted]]\nkey = 'a'\nfile = 'b'\nchange = 'c'\nreasn = 'd'\n";
        assert!(said(unknown).contains("line 5"), "{}", said(unknown));
        let empty = "[[accepted]]\nkey = 'a'\nfile = 'b'\nchange = 'c'\nreason = ' '\n";
        assert!(said(empty).contains("has no reason"), "{}", said(empty));
        assert!(Accepted::parse("").unwrap().entries.is_empty());
    }
}
