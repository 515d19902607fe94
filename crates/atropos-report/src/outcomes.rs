//! `outcomes.json`: everything that a run found, for programs and for later runs. The schema is
//! described in `docs/src/reference/outcomes.md`; whatever is changed here is changed there.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::{fmt, fs, io};

use atropos_mutants::mutant::MutantId;
use serde::{Deserialize, Serialize};

use crate::communication::CommunicationRecord;
use crate::impact::Impact;
use crate::mutant::MutantInfo;
use crate::stable_hash::StableHash;
use crate::verdict::Verdict;
use atropos_protocol::FailureKind;

/// Raised when a reader of the old form would misread the new one; added fields do not raise it.
pub const SCHEMA_VERSION: u32 = 1;

/// The name of the file within the output directory.
pub const FILE_NAME: &str = "outcomes.json";
/// Who has found a verdict that is reused.
pub const REUSED: &str = "an earlier run; nothing has changed that it rests on";

/// The result of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Outcomes {
    pub schema_version: u32,
    pub tool: Tool,
    /// Whether the run went to its end. If not, mutants without verdict were not tested yet.
    pub complete: bool,
    /// The options that differ from the defaults, by their long names.
    pub options: BTreeMap<String, serde_json::Value>,
    pub totals: Totals,
    /// How many mutants were found, where filters left only some of them to this run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub selected_of: Option<usize>,
    pub timings: Timings,
    /// The tests that were run, each found by its place in this list.
    pub tests: Vec<TestRecord>,
    pub mutants: Vec<MutantRecord>,
    /// The tests whose thread schedules were explored.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub explorations: Vec<TestExploration>,
    /// The tests that fail under some schedule without any mutant.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub findings: Vec<FailingOriginal>,
    /// What keeps a part of the verdicts from being had, each in a sentence.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
    /// The files that mutants are in, as they were.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<FileRecord>,
    /// The runs that these outcomes were joined from; empty for those of a single run.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<PartRecord>,
}

/// One of the runs that outcomes were joined from. Ordered by all but its times, which its digest stands for.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct PartRecord {
    /// As `--shard` names it; none if the run was not one of several shards.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shard: Option<String>,
    /// A hash of the run's other options: shards of one number belong together if they agree here.
    pub selection: String,
    /// A hash of all that the run found.
    pub digest: String,
    /// Whether the run went to its end.
    pub complete: bool,
    pub timings: Timings,
}

impl PartRecord {
    fn key(&self) -> (&Option<String>, &str, &str) {
        (&self.shard, &self.selection, &self.digest)
    }
}

impl PartialEq for PartRecord {
    fn eq(&self, other: &PartRecord) -> bool {
        self.key() == other.key()
    }
}

impl Eq for PartRecord {}

impl PartialOrd for PartRecord {
    fn partial_cmp(&self, other: &PartRecord) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for PartRecord {
    fn cmp(&self, other: &PartRecord) -> Ordering {
        self.key().cmp(&other.key())
    }
}

/// Who wrote the file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tool {
    pub name: String,
    pub version: String,
    /// What `rustc --version` says.
    pub toolchain: String,
    /// The target triple that the tests were built for.
    pub target: String,
}

impl fmt::Display for Tool {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Tool {
            name,
            version,
            toolchain,
            target,
        } = self;
        write!(formatter, "{name} {version} with {toolchain} for {target}")
    }
}

/// A test, as it ran without any mutant.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TestRecord {
    pub name: String,
    pub package: String,
    /// The target that holds it: `lib`, `bin bank`, `test transfer`, `doc`.
    pub target: String,
    pub seconds: f64,
}

/// A mutant and what became of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MutantRecord {
    #[serde(flatten)]
    pub info: MutantInfo,
    /// Two fields, `verdict` and (of the killed) `how`; none if an interrupted run did not come to it.
    #[serde(flatten)]
    pub verdict: Option<Verdict>,
    /// The verdicts of runs that disagree, where this record was joined from theirs: then it is undecided.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub disagreement: Vec<Verdict>,
    /// The tests that execute its place, as places in `tests`.
    pub reached_by: Vec<usize>,
    /// The tests that noticed it: the first alone, or all with `--kill-matrix`.
    pub killed_by: Vec<Kill>,
    /// How long testing it took, in seconds.
    #[serde(rename = "time")]
    pub seconds: f64,
    /// All that decided on it was said in earlier runs, and still holds.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub reused: bool,
    /// Why, where the verdict alone does not say it: rustc's words for `unviable`, the predicate
    /// for `not built`, the reason for `skipped`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// The tests whose thread schedules were explored with it, without noticing it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub explored_by: Vec<Exploration>,
    /// Its place among those that no test noticed, the most disturbing first; none if impact was
    /// not measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rank: Option<usize>,
    /// What it disturbs, if that was measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub impact: Option<Impact>,
}

/// A test that fails under some schedule of its threads, without any mutant.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FailingOriginal {
    /// The test's place in `tests`.
    pub test: usize,
    /// What was found, in a few words: `deadlock`.
    pub title: String,
    /// All of it: threads, places, what each waits for.
    pub message: String,
    /// `file:line:column` of the panic.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub location: Option<String>,
    /// Under which schedule; none if the process died of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub schedule: Option<String>,
    /// What the threads did under that schedule.
    pub trace: String,
    /// The mutants about which the test therefore decides nothing.
    pub undecided: Vec<MutantId>,
}

impl FailingOriginal {
    /// Where people look first: at the panic, or where a thread waits without success. A thread that only waits for another one to
    /// end does so at the end of a block, where there is nothing to see.
    pub fn place(&self) -> Option<(&str, u32)> {
        let is_cause = |line: &&str| !line.contains(" joins at ");
        let causes = self.message.lines().filter(is_cause);
        let told = self.location.as_deref().into_iter().chain(causes);
        let anywhere = [self.message.as_str(), &self.trace].into_iter();
        told.chain(anywhere).find_map(first_place)
    }
}

/// The first `path.rs:line` in a text.
fn first_place(text: &str) -> Option<(&str, u32)> {
    let (before, after) = text.split_once(".rs:")?;
    let is_path = |letter: char| letter.is_alphanumeric() || "/_-.".contains(letter);
    let start = before
        .char_indices()
        .rev()
        .take_while(|(_, letter)| is_path(*letter))
        .last()
        .map(|(at, _)| at);
    let digits = after.find(|letter: char| !letter.is_ascii_digit());
    let line = after[..digits.unwrap_or(after.len())].parse().ok();
    match (start, line.filter(|line| *line > 0)) {
        (Some(start), Some(line)) => Some((&text[start..before.len() + 3], line)),
        _ => first_place(after),
    }
}

/// A source file, so that a later reader can tell whether it has changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileRecord {
    /// As mutants name it.
    pub file: String,
    /// See [`FileRecord::of`].
    pub hash: String,
}

impl FileRecord {
    pub fn of(file: &str, text: &str) -> FileRecord {
        let hash = StableHash::default().text(text).finish();
        FileRecord {
            file: file.to_owned(),
            hash: format!("{hash:016x}"),
        }
    }
}

/// What the exploration of one test's schedules took.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TestExploration {
    /// The test's place in `tests`.
    pub test: usize,
    /// What was covered of the original, in words.
    pub coverage: String,
    pub original: ExplorationSize,
    /// All its mutants together.
    pub mutants: ExplorationSize,
    /// Those among them that it did not kill.
    #[serde(default)]
    pub survivors: ExplorationSize,
    /// How many mutants were explored, and how many killed.
    pub explored: u64,
    pub killed: u64,
}

/// How much was explored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ExplorationSize {
    pub schedules: u64,
    pub states: u64,
    pub transitions: u64,
    /// The transitions among these on paths where the mutant had not acted yet.
    #[serde(default)]
    pub before: u64,
    /// The transitions among the latter that only lead to where the mutant was started: they were repeated.
    #[serde(default)]
    pub ways: u64,
    pub seconds: f64,
    /// The most memory that a process had, in KiB.
    pub memory: u64,
}

/// What was explored of a test's schedules with a mutant.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Exploration {
    /// The test's place in `tests`.
    pub test: usize,
    /// What was covered, in words.
    pub coverage: String,
    /// How many schedules were run.
    pub schedules: u64,
    /// What threads told each other that those of the original never did: in the report, this is part of `impact`.
    #[serde(skip)]
    pub unseen: Vec<CommunicationRecord>,
}

/// A test that noticed a mutant, and how.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Kill {
    /// The test's place in `tests`.
    pub test: usize,
    #[serde(with = "crate::serde_words::failure_kind")]
    pub how: FailureKind,
    /// The panic's message or other words of the test.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// `file:line:column` of the panic.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub location: Option<String>,
    /// The thread schedule under which it did, if schedules were explored; `replay` runs it again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub schedule: Option<String>,
    /// What the threads did under that schedule.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trace: Option<String>,
}

/// How many mutants there are of each kind.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Totals {
    pub mutants: usize,
    pub killed: usize,
    /// How the killed were killed; ways that did not occur are left out.
    #[serde(with = "crate::serde_words::by_failure_kind")]
    pub killed_how: BTreeMap<FailureKind, usize>,
    pub survived: usize,
    pub uninfected: usize,
    pub unreached: usize,
    pub unviable: usize,
    pub not_built: usize,
    pub skipped: usize,
    #[serde(default)]
    pub undecided: usize,
    #[serde(default)]
    pub accepted: usize,
    /// Without a verdict: the run was interrupted before it came to them.
    pub untested: usize,
}

/// How long the stages of a run took, in seconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Timings {
    /// Reading the sources and finding mutants.
    pub find: f64,
    /// Weaving and checking with rustc, with every rollback.
    pub check: f64,
    /// Building the test binaries.
    pub build: f64,
    /// Running the tests without a mutant.
    pub baseline: f64,
    /// Running the mutants.
    pub run: f64,
    /// Measuring what survivors disturb.
    #[serde(default)]
    pub impact: f64,
    /// The processor's time of all tests once, as they are observed; 0 if they were not.
    #[serde(default)]
    pub observed: f64,
    /// From start to end.
    pub total: f64,
}

impl Totals {
    pub fn count(verdicts: impl IntoIterator<Item = Option<Verdict>>) -> Totals {
        let mut totals = Totals::default();
        for verdict in verdicts {
            totals.add(verdict);
        }
        totals
    }

    pub fn add(&mut self, verdict: Option<Verdict>) {
        self.mutants += 1;
        *match verdict {
            Some(Verdict::Killed(how)) => {
                *self.killed_how.entry(how).or_default() += 1;
                &mut self.killed
            }
            Some(Verdict::Survived) => &mut self.survived,
            Some(Verdict::Uninfected) => &mut self.uninfected,
            Some(Verdict::Unreached) => &mut self.unreached,
            Some(Verdict::Undecided) => &mut self.undecided,
            Some(Verdict::Unviable) => &mut self.unviable,
            Some(Verdict::NotBuilt) => &mut self.not_built,
            Some(Verdict::Skipped) => &mut self.skipped,
            Some(Verdict::Accepted) => &mut self.accepted,
            None => &mut self.untested,
        } += 1;
    }

    /// How many have this verdict; the way in which the killed were killed does not matter.
    pub fn of(&self, verdict: Verdict) -> usize {
        match verdict {
            Verdict::Killed(_) => self.killed,
            Verdict::Survived => self.survived,
            Verdict::Uninfected => self.uninfected,
            Verdict::Unreached => self.unreached,
            Verdict::Undecided => self.undecided,
            Verdict::Unviable => self.unviable,
            Verdict::NotBuilt => self.not_built,
            Verdict::Skipped => self.skipped,
            Verdict::Accepted => self.accepted,
        }
    }

    /// Viable mutants that no test noticed.
    pub fn missed(&self) -> usize {
        self.survived + self.uninfected + self.unreached
    }

    /// Killed only by a limit on time or steps.
    pub fn cut_off(&self) -> usize {
        let cut_off = self.killed_how.iter().filter(|(how, _)| how.is_cut_off());
        cut_off.map(|(_, count)| count).sum()
    }

    /// The part of the viable mutants that tests killed, from 0 to 1; none without such mutants.
    pub fn score(&self) -> Option<f64> {
        ratio(self.killed, self.killed + self.missed())
    }

    /// How the killed were killed that no assertion noticed, but the look at plain memory: only with `--races on`.
    pub fn killed_by_memory(&self) -> impl Iterator<Item = (FailureKind, usize)> {
        let ways = self.killed_how.iter().map(|(how, number)| (*how, *number));
        ways.filter(|(how, number)| how.is_of_memory() && *number > 0)
    }

    /// The score if data races and memory errors were no failures; none if there are no such kills.
    pub fn score_without_memory(&self) -> Option<f64> {
        let number: usize = self.killed_by_memory().map(|(_, number)| number).sum();
        (number > 0).then(|| ratio(self.killed - number, self.killed + self.missed()))?
    }

    /// The same for the mutants in code that tests reach.
    pub fn score_of_reached(&self) -> Option<f64> {
        ratio(self.killed, self.killed + self.survived + self.uninfected)
    }
}

fn ratio(part: usize, whole: usize) -> Option<f64> {
    (whole > 0).then(|| part as f64 / whole as f64)
}

/// Why an `outcomes.json` can't be used.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    #[error("there is no `{0}`")]
    Missing(String),
    #[error("can't read `{path}`: {error}")]
    Io { path: String, error: io::Error },
    #[error("`{path}` is not an outcomes file: {error}")]
    Malformed {
        path: String,
        error: serde_json::Error,
    },
    #[error("`{path}` has schema version {found}, but this Atropos reads version {SCHEMA_VERSION}")]
    Version { path: String, found: u32 },
}

impl Outcomes {
    /// The score of all mutants, or of some of them. None of a run that was interrupted: what is killed is known long
    /// before what survives, so it would say too much. None of a run that skipped what an earlier one has killed: it would
    /// say too little.
    pub fn score_of(&self, totals: &Totals) -> Option<f64> {
        let is_whole = self.complete && self.totals.skipped == 0;
        totals.score().filter(|_| is_whole)
    }

    /// Puts the totals together with the mutants they count.
    pub fn new(tool: Tool, tests: Vec<TestRecord>, mutants: Vec<MutantRecord>) -> Outcomes {
        Outcomes {
            schema_version: SCHEMA_VERSION,
            tool,
            complete: mutants.iter().all(|mutant| mutant.verdict.is_some()),
            options: BTreeMap::new(),
            totals: Totals::count(mutants.iter().map(|mutant| mutant.verdict)),
            selected_of: None,
            timings: Timings::default(),
            tests,
            mutants,
            explorations: Vec::new(),
            findings: Vec::new(),
            warnings: Vec::new(),
            files: Vec::new(),
            parts: Vec::new(),
        }
    }

    /// Writes the file into a directory, so that a reader sees the old one or the new one, but
    /// nothing between.
    pub fn write(&self, directory: &Path) -> io::Result<()> {
        let path = directory.join(FILE_NAME);
        let mut json = serde_json::to_string_pretty(self)?;
        json.push('\n');
        let mut temporary = path.as_os_str().to_owned();
        temporary.push(format!(".{}.tmp", std::process::id()));
        fs::write(&temporary, json)?;
        fs::rename(&temporary, &path).inspect_err(|_| {
            // The first error is the one to report.
            let _ = fs::remove_file(&temporary);
        })
    }

    /// Reads the file in a directory.
    pub fn read(directory: &Path) -> Result<Outcomes, ReadError> {
        Outcomes::read_file(directory.join(FILE_NAME))
    }

    /// Reads a file, whatever its name.
    pub fn read_file(path: PathBuf) -> Result<Outcomes, ReadError> {
        let name = || path.display().to_string();
        let json = fs::read(&path).map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => ReadError::Missing(name()),
            _ => ReadError::Io {
                path: name(),
                error,
            },
        })?;
        let malformed = |error| ReadError::Malformed {
            path: name(),
            error,
        };
        let version: Version = serde_json::from_slice(&json).map_err(malformed)?;
        if version.schema_version != SCHEMA_VERSION {
            return Err(ReadError::Version {
                path: name(),
                found: version.schema_version,
            });
        }
        serde_json::from_slice(&json).map_err(malformed)
    }
}

/// The one field that every version has.
#[derive(Deserialize)]
struct Version {
    schema_version: u32,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_place_in_a_text_is_found() {
        for (text, expected) in [
            ("tests/wrong.rs:16:5", Some(("tests/wrong.rs", 16))),
            ("thread 0 waits (src/a-b.rs:8)", Some(("src/a-b.rs", 8))),
            (".rs:x or ä/ö.rs:3", Some(("ä/ö.rs", 3))),
            ("a.rs:0, b.rs:1", Some(("b.rs", 1))),
            ("a.rs:99999999999", None),
            ("nothing", None),
        ] {
            assert_eq!(first_place(text), expected, "{text}");
        }
    }
}
