//! The last whole run, for one after which nothing has changed at all: then its verdicts are reported without a build.
//!
//! Kept only of runs in which every test and every result has evidence. What it is compared by is coarser than what single
//! results are compared by ([`super::store`]): every file of the tree, and all that the build was made of.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use atropos_report::impact::rank;
use atropos_report::mutant::MutantInfo;
use atropos_report::outcomes::{MutantRecord, Outcomes};
use atropos_report::verdict::Verdict;
use cargo_metadata::camino::Utf8Path;
use serde::{Deserialize, Serialize};

use super::build_uses::{build_script_outputs, entries};
use super::content_hash::ContentHash;
use super::source_files::walked;
use super::surroundings::{self, Variables};
use super::tree::Tree;
use crate::build::toolchain::Toolchain;
use crate::environment;
use crate::prepare::Prepared;

const FILE_NAME: &str = "last-run.json";
const VERSION: u32 = 2;
/// Says which tests are run by default; hidden files are not part of the tree.
const NEXTEST: &str = ".config/nextest.toml";
/// Options that choose among mutants, or say how they are told of, but not what becomes of them.
const INDECISIVE: &[&str] = &[
    "all",
    "annotations",
    "colors",
    "dir",
    "exclude-file",
    "exclude-re",
    "fail-on",
    "file",
    "in-diff",
    "jobs",
    "json",
    "manifest-path",
    "max-survivors",
    "message-format",
    "min-score",
    "no-reuse",
    "operators",
    "re",
    "report",
    "shard",
    "since",
    "top",
    "verbose",
];

/// Files outside the tree, and variables, that a build was made of.
type MadeOf = (
    BTreeMap<PathBuf, ContentHash>,
    BTreeMap<String, Option<String>>,
);

/// A run and what it depended on.
#[derive(Serialize, Deserialize)]
pub struct WholeRun {
    version: u32,
    inputs: ContentHash,
    /// Files of the tree that nobody has read.
    unread: BTreeSet<PathBuf>,
    /// Files outside the tree that the build was made of.
    files: BTreeMap<PathBuf, ContentHash>,
    /// Variables that the build went by, by name.
    variables: BTreeMap<String, Option<String>>,
    /// Those that tests asked for, and what they were.
    asked: Vec<u64>,
    values: ContentHash,
    outcomes: Outcomes,
}

impl WholeRun {
    /// Keeps a run's outcomes, if what its build was made of can be compared.
    pub fn keep(
        prepared: &Prepared,
        target_directory: &Path,
        (asked, unread): (&Variables, BTreeSet<PathBuf>),
        outcomes: &Outcomes,
    ) -> io::Result<()> {
        let path = prepared.output_directory.join(FILE_NAME);
        let _ = fs::remove_file(&path);
        if asked.all {
            return Ok(());
        }
        let Some((files, variables)) = made_of(prepared, target_directory)? else {
            return Ok(());
        };
        let Some(inputs) = inputs(prepared, &unread) else {
            return Ok(());
        };
        let whole = WholeRun {
            version: VERSION,
            inputs,
            unread,
            files,
            variables,
            asked: asked.asked.words().to_vec(),
            values: values(asked),
            outcomes: outcomes.clone(),
        };
        let making = path.with_extension("making");
        fs::write(&making, serde_json::to_vec(&whole)?)?;
        fs::rename(making, path)
    }

    /// The outcomes of the last run for the mutants of this one, if nothing has changed since.
    pub fn outcomes(prepared: &Prepared) -> Option<Outcomes> {
        let plan = &prepared.plan;
        if !plan.pairs.is_empty() || !plan.skipped.is_empty() || plan.mutants.is_empty() {
            return None;
        }
        let bytes = fs::read(prepared.output_directory.join(FILE_NAME)).ok()?;
        let whole: WholeRun = serde_json::from_slice(&bytes).ok()?;
        if whole.version != VERSION || !whole.holds(prepared)? {
            return None;
        }
        whole.of_plan(prepared)
    }

    fn holds(&self, prepared: &Prepared) -> Option<bool> {
        let mut now = Tree::default();
        for path in self.files.keys() {
            now.add(path.clone());
        }
        let asked = Variables {
            asked: atropos_protocol::path_set::Paths::of_words(&self.asked)?,
            all: false,
        };
        let same_variables = self.variables.iter().all(|(name, value)| {
            let now = std::env::var_os(name).map(|value| value.to_string_lossy().into_owned());
            now == *value
        });
        Some(
            same_variables
                && now.files == self.files
                && self.values == values(&asked)
                && inputs(prepared, &self.unread)? == self.inputs,
        )
    }

    /// What is said of the mutants of this run.
    fn of_plan(self, prepared: &Prepared) -> Option<Outcomes> {
        let mut known: HashMap<String, MutantRecord> = HashMap::new();
        for record in self.outcomes.mutants {
            known.insert(record.info.key.clone(), record);
        }
        let mut mutants = Vec::new();
        for info in &prepared.plan.mutants {
            let record = known.remove(&info.key)?;
            if !is_same(&record.info, info) {
                return None;
            }
            mutants.push(reused(record, info, prepared));
        }
        rank(&mut mutants);
        let mut outcomes = Outcomes::new(self.outcomes.tool, self.outcomes.tests, mutants);
        outcomes.options = prepared.options.to_json();
        outcomes.files = crate::results::files(prepared);
        let selected = prepared.plan.mutants.len();
        outcomes.selected_of = (selected < prepared.found).then_some(prepared.found);
        outcomes.warnings = prepared.warnings.clone();
        outcomes
            .warnings
            .extend(prepared.accepted.warnings(&outcomes.mutants));
        Some(outcomes)
    }
}

fn is_same(one: &MutantInfo, other: &MutantInfo) -> bool {
    one.file == other.file && one.span == other.span && one.replacement == other.replacement
}

fn reused(record: MutantRecord, info: &MutantInfo, prepared: &Prepared) -> MutantRecord {
    let accepted = prepared.accepted.reason(info);
    let (verdict, note) = match (record.verdict, accepted) {
        (Some(missed), Some(reason)) if missed.is_missed() => {
            (Some(Verdict::Accepted), Some(reason.to_owned()))
        }
        _ => (record.verdict, record.note),
    };
    let was_decided = verdict.is_some_and(|verdict| verdict.is_killed() || verdict.is_missed());
    MutantRecord {
        info: info.clone(),
        reused: was_decided || accepted.is_some(),
        verdict,
        note,
        rank: None,
        ..record
    }
}

/// All that is compared as a whole.
fn inputs(prepared: &Prepared, unread: &BTreeSet<PathBuf>) -> Option<ContentHash> {
    let plan = &prepared.plan;
    let options = &prepared.options;
    let tree = walked(plan, &prepared.output_directory);
    let root: &Utf8Path = &plan.workspace_root;
    let toolchain = Toolchain::of(root.as_std_path()).ok()?;
    let packages: Vec<&str> = plan
        .packages
        .iter()
        .map(|it| it.package_id.as_str())
        .collect();
    let mut decisive = options.to_json();
    decisive.retain(|name, _| !INDECISIVE.contains(&name.as_str()));
    let hash = ContentHash::default()
        .add(surroundings::this_program().ok()?)
        .add(options.verdict_key())
        .add(options.build.cargo_arguments().join("\n"))
        .add(options.build.test_targets().join("\n"))
        .add(format!("{decisive:?}"))
        .add(fs::read(root.join(NEXTEST)).unwrap_or_default())
        .add(packages.join("\n"))
        .add(&toolchain.description)
        .add(surroundings::variables_of_builds())
        .add(surroundings::configuration(&prepared.workspace_root).to_string());
    let files = tree.files.iter();
    let files = files.filter(|(path, _)| !unread.contains(*path));
    Some(files.fold(hash, |hash, (path, content)| {
        hash.add(path.as_os_str().as_encoded_bytes())
            .add(content.to_string())
    }))
}

/// The values of variables that tests asked for, in this program's environment.
fn values(asked: &Variables) -> ContentHash {
    let variables: BTreeMap<_, _> = std::env::vars_os().collect();
    let asked = variables
        .iter()
        .filter(|(name, _)| asked.has(&name.to_string_lossy()));
    asked.fold(ContentHash::default(), |hash, (name, value)| {
        hash.add(name.as_encoded_bytes())
            .add(value.as_encoded_bytes())
    })
}

/// What a build was made of outside the tree: files, and variables with their values as they are now. None if something that
/// a build script goes by can't be compared.
fn made_of(prepared: &Prepared, target_directory: &Path) -> io::Result<Option<MadeOf>> {
    let mut tree = Tree::default();
    let mut names = BTreeSet::new();
    let profiles = surroundings::profiles(target_directory);
    for output in build_script_outputs(prepared, &profiles) {
        if output.package.is_some() && !output.says_what {
            return Ok(None);
        }
        names.extend(output.variables);
        for path in output.files {
            if !add_file(path, prepared, &mut tree) {
                return Ok(None);
            }
        }
    }
    for profile in &profiles {
        for path in entries(&profile.join("deps")) {
            if path.extension() == Some(OsStr::new("d")) {
                let text = String::from_utf8_lossy(&fs::read(&path)?).into_owned();
                let mut lines = BTreeSet::new();
                surroundings::read_dep_info(&text, prepared, &mut tree, &mut lines);
                let of_rustc = lines.iter().filter_map(|line| line.split('=').next());
                // Cargo makes its own anew.
                let others =
                    of_rustc.filter(|name| !name.starts_with("CARGO") && *name != "OUT_DIR");
                names.extend(others.map(str::to_owned));
            }
        }
    }
    let variables = names.into_iter().filter(|name| !environment::is_ours(name));
    let variables = variables.map(|name| {
        let value = std::env::var_os(&name).map(|value| value.to_string_lossy().into_owned());
        (name, value)
    });
    Ok(Some((tree.files, variables.collect())))
}

/// Adds what a build script goes by; false if it is a directory whose contents are not compared.
fn add_file(path: PathBuf, prepared: &Prepared, tree: &mut Tree) -> bool {
    let root = &prepared.workspace_root;
    if surroundings::is_fixed(&path) || surroundings::is_walked(root, &path) {
        return true;
    }
    if path.is_dir() {
        return false;
    }
    tree.add(path);
    true
}
