//! The outcomes in the format of Stryker's reports (mutation-testing-report-schema, version 2), which
//! many viewers and dashboards read. How verdicts are mapped is described in `docs/src/reference/report-formats.md`; whatever is
//! changed here is changed there. Scores come out the same there and here.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use serde_json::Value;

use crate::by_file::{FileView, by_file};
use crate::lines::Lines;
use crate::outcomes::{MutantRecord, Outcomes, Timings};
use crate::region::{Region, Units, region};
use crate::summary::Sources;
use crate::verdict::Verdict;
use atropos_protocol::FailureKind;

/// The name of the file within the output directory.
pub const FILE_NAME: &str = "report.stryker.json";

/// Scores from here on are good, and those below are bad, to viewers.
const THRESHOLDS: Thresholds = Thresholds { high: 80, low: 60 };

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Report<'o> {
    schema_version: &'static str,
    thresholds: Thresholds,
    config: &'o BTreeMap<String, Value>,
    framework: Framework<'o>,
    performance: Performance,
    files: BTreeMap<&'o str, File<'o>>,
    test_files: BTreeMap<String, TestFile<'o>>,
}

#[derive(Serialize)]
struct Thresholds {
    high: u8,
    low: u8,
}

#[derive(Serialize)]
struct Framework<'o> {
    name: &'static str,
    version: &'o str,
    dependencies: BTreeMap<&'static str, &'o str>,
}

/// In milliseconds.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Performance {
    setup: f64,
    initial_run: f64,
    mutation: f64,
}

#[derive(Serialize)]
struct File<'o> {
    language: &'static str,
    source: String,
    mutants: Vec<StrykerMutant<'o>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct StrykerMutant<'o> {
    id: String,
    mutator_name: &'static str,
    description: String,
    replacement: &'o str,
    location: Location,
    status: Status,
    #[serde(skip_serializing_if = "Option::is_none")]
    status_reason: Option<String>,
    covered_by: Vec<String>,
    killed_by: Vec<String>,
    duration: f64,
}

#[derive(Serialize)]
struct Location {
    start: Position,
    end: Position,
}

#[derive(Serialize)]
struct Position {
    line: u32,
    column: u32,
}

#[derive(Serialize)]
struct TestFile<'o> {
    tests: Vec<Test<'o>>,
}

#[derive(Serialize)]
struct Test<'o> {
    id: String,
    name: &'o str,
}

/// What became of a mutant, in the other format's words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
enum Status {
    Killed,
    Survived,
    NoCoverage,
    Timeout,
    CompileError,
    RuntimeError,
    Ignored,
    Pending,
}

impl Status {
    fn of(record: &MutantRecord) -> Status {
        match record.verdict {
            Some(Verdict::Killed(FailureKind::StepLimit | FailureKind::TimeLimit)) => {
                Status::Timeout
            }
            Some(Verdict::Killed(_)) => Status::Killed,
            Some(Verdict::Survived | Verdict::Uninfected) => Status::Survived,
            Some(Verdict::Unreached) => Status::NoCoverage,
            Some(Verdict::Unviable) => Status::CompileError,
            Some(Verdict::NotBuilt | Verdict::Skipped | Verdict::Accepted) => Status::Ignored,
            Some(Verdict::Undecided) => Status::RuntimeError,
            None => Status::Pending,
        }
    }
}

/// The whole file as JSON.
pub fn stryker(outcomes: &Outcomes, sources: Sources) -> String {
    let mut ids = BTreeSet::new();
    let files = by_file(outcomes, sources)
        .into_iter()
        .map(|view| (view.file, file(view, &mut ids)))
        .collect();
    let report = Report {
        schema_version: "2",
        thresholds: THRESHOLDS,
        config: &outcomes.options,
        framework: Framework {
            name: "Atropos",
            version: &outcomes.tool.version,
            dependencies: BTreeMap::from([("rustc", outcomes.tool.toolchain.as_str())]),
        },
        performance: performance(&outcomes.timings),
        files,
        test_files: test_files(outcomes),
    };
    let json = serde_json::to_string(&report);
    json.expect("texts, numbers and lists are JSON") + "\n"
}

fn performance(timings: &Timings) -> Performance {
    Performance {
        setup: milliseconds(timings.find + timings.check + timings.build),
        initial_run: milliseconds(timings.baseline),
        mutation: milliseconds(timings.run),
    }
}

fn milliseconds(seconds: f64) -> f64 {
    (seconds * 1e6).round() / 1e3
}

fn file<'o>(view: FileView<'o>, ids: &mut BTreeSet<String>) -> File<'o> {
    let lines = view.text.as_deref().map(Lines::of);
    let mutants = view
        .records
        .iter()
        .map(|record| {
            let fitting = lines.as_ref().filter(|_| view.text_of(record).is_some());
            mutant(record, fitting, ids)
        })
        .collect();
    File {
        language: "rust",
        source: view.text.unwrap_or_default(),
        mutants,
    }
}

fn mutant<'o>(
    record: &'o MutantRecord,
    lines: Option<&Lines>,
    ids: &mut BTreeSet<String>,
) -> StrykerMutant<'o> {
    let info = &record.info;
    let Region { start, end } = region(info, lines, Units::Utf16);
    let position = |(line, column)| Position { line, column };
    let names = |tests: &[usize]| tests.iter().map(usize::to_string).collect();
    let killers: Vec<usize> = record.killed_by.iter().map(|kill| kill.test).collect();
    StrykerMutant {
        id: unique(info.key.clone(), info.id.0, ids),
        mutator_name: info.operator.code(),
        description: format!("{} (mutant {})", info.edit_and_operator(), info.id.0),
        replacement: &info.replacement,
        location: Location {
            start: position(start),
            end: position(end),
        },
        status: Status::of(record),
        status_reason: reason(record),
        covered_by: names(&record.reached_by),
        killed_by: names(&killers),
        duration: milliseconds(record.seconds),
    }
}

/// The key, which is the same in another run; if that is taken, the number with it.
fn unique(key: String, number: u32, ids: &mut BTreeSet<String>) -> String {
    let id = match key.is_empty() || ids.contains(&key) {
        true => format!("{key}#{number}"),
        false => key,
    };
    ids.insert(id.clone());
    id
}

/// Why it has its status, in words.
fn reason(record: &MutantRecord) -> Option<String> {
    if let Some(note) = &record.note {
        return Some(note.clone());
    }
    match record.verdict? {
        Verdict::Killed(how) => Some(killed(record, how)),
        Verdict::Survived => {
            let impact = record.impact.as_ref()?;
            let written = impact.suggestion.as_ref().map(|suggestion| {
                let code = suggestion.code.trim_end();
                let code = if code.is_empty() {
                    ""
                } else {
                    &format!("\n{code}")
                };
                format!("\n{}{code}", suggestion.words)
            });
            Some(impact.reason() + &written.unwrap_or_default())
        }
        verdict => Some(verdict.explanation().to_owned()),
    }
}

fn killed(record: &MutantRecord, how: FailureKind) -> String {
    let Some(kill) = record.killed_by.first() else {
        return how.to_string();
    };
    let mut text = kill.how.to_string();
    if let Some(location) = &kill.location {
        text += &format!(" at {location}");
    }
    if let Some(message) = &kill.message {
        text += &format!(": {message}");
    }
    if let Some(schedule) = &kill.schedule {
        text += &format!("\nschedule {schedule}");
    }
    text
}

/// The tests under the package and target that hold them; their files are not known.
fn test_files(outcomes: &Outcomes) -> BTreeMap<String, TestFile<'_>> {
    let mut files: BTreeMap<String, TestFile> = BTreeMap::new();
    for (index, test) in outcomes.tests.iter().enumerate() {
        let holder = format!("{} {}", test.package, test.target);
        let file = files
            .entry(holder)
            .or_insert_with(|| TestFile { tests: Vec::new() });
        file.tests.push(Test {
            id: index.to_string(),
            name: &test.name,
        });
    }
    files
}
