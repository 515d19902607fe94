//! `explore --shard` and `explore --merge`: an exploration in parts, and the parts as one.
//!
//! Every shard explores every test, but of long tests only its own part of the schedules. What it found lies in a file. Joining is a
//! union of what the shards said, each known by its number, so order, grouping and repetition make no difference.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};
use atropos_protocol::exploration::{Explored, Request, Response};
use atropos_report::number_text::count;
use atropos_report::stable_hash::StableHash;
use serde::{Deserialize, Serialize};

use super::ListedTest;
use super::report::TestReport;
use crate::arguments::{ExploreArguments, Shard};
use crate::exit_code::ExitCode;
use crate::prepare::Prepared;
use crate::schedule_arguments::ScheduleConditions;
use crate::terminal::Terminal;

/// The name of the file in the output directory.
pub const FILE_NAME: &str = "exploration.json";
/// The version of the format.
const FORMAT: u32 = 1;

/// Has a request explore a shard, if one is wanted.
pub fn put_into(request: &mut Request, shard: Option<Shard>) {
    if let Some(shard) = shard {
        request.shard = shard.index as u64;
        request.shards = shard.count as u64;
    }
}

/// Writes down what was found, if that is a shard.
pub fn keep(
    reports: &[TestReport],
    prepared: &Prepared,
    arguments: &ExploreArguments,
) -> Result<()> {
    match arguments.shard {
        None => Ok(()),
        Some(shard) => ExploredShards::new(shard, reports, prepared, arguments)
            .write(&prepared.output_directory),
    }
}

/// What one or more shards of an exploration found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExploredShards {
    format: u32,
    /// Names sources, options and the program: shards of something else are not joined.
    of: String,
    count: usize,
    /// Those that came to their end.
    shards: BTreeSet<usize>,
    tests: Vec<TestShards>,
}

/// What they found of one test.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
struct TestShards {
    package: String,
    target: String,
    name: String,
    /// By shard, in the words of the test binary.
    explored: BTreeMap<usize, String>,
}

impl ExploredShards {
    pub fn new(
        shard: Shard,
        reports: &[TestReport],
        prepared: &Prepared,
        arguments: &ExploreArguments,
    ) -> ExploredShards {
        let test = |report: &TestReport| TestShards {
            package: report.package.clone(),
            target: report.target.clone(),
            name: report.name.clone(),
            explored: BTreeMap::from([(shard.index, line(&report.explored))]),
        };
        let mut tests: Vec<TestShards> = reports.iter().map(test).collect();
        tests.sort();
        ExploredShards {
            format: FORMAT,
            of: identity(prepared, arguments),
            count: shard.count,
            shards: BTreeSet::from([shard.index]),
            tests,
        }
    }

    pub fn write(&self, output: &Path) -> Result<()> {
        let (path, making) = (output.join(FILE_NAME), output.join("exploration.making"));
        let text = serde_json::to_string_pretty(self)? + "\n";
        let written = fs::write(&making, text).and_then(|()| fs::rename(&making, &path));
        written
            .inspect_err(|_| {
                // The first error is the one to report.
                let _ = fs::remove_file(&making);
            })
            .with_context(|| format!("can't write {}", path.display()))
    }

    /// The parts in a directory or a file.
    fn read(path: &Path) -> Result<ExploredShards> {
        let file = match path.is_dir() {
            true => path.join(FILE_NAME),
            false => path.to_owned(),
        };
        let name = file.display();
        let text = fs::read_to_string(&file).with_context(|| format!("can't read `{name}`"))?;
        let shards: ExploredShards = serde_json::from_str(&text)
            .with_context(|| format!("`{name}` holds no shards of an exploration"))?;
        if shards.format != FORMAT {
            let format = shards.format;
            bail!(
                "`{name}` was written in format {format} by another version; this one reads {FORMAT}"
            );
        }
        Ok(shards)
    }

    /// Both together.
    fn join(mut self, other: ExploredShards) -> ExploredShards {
        self.shards.extend(other.shards);
        let mut tests: BTreeMap<(String, String, String), BTreeMap<usize, String>> =
            BTreeMap::new();
        for test in self.tests.into_iter().chain(other.tests) {
            let explored = tests
                .entry((test.package, test.target, test.name))
                .or_default();
            for (shard, said) in test.explored {
                let before = explored.entry(shard).or_default();
                if weight(&said) > weight(before) {
                    *before = said;
                }
            }
        }
        let tests = tests.into_iter();
        self.tests = tests
            .map(|((package, target, name), explored)| TestShards {
                package,
                target,
                name,
                explored,
            })
            .collect();
        self
    }

    fn missing(&self) -> Vec<String> {
        let absent = (0..self.count).filter(|index| !self.shards.contains(index));
        absent
            .map(|index| format!("{index}/{}", self.count))
            .collect()
    }

    fn reports(&self) -> Vec<TestReport> {
        let report = |test: &TestShards| TestReport {
            listed_test: ListedTest {
                binary: 0,
                index: 0,
                name: test.name.clone(),
            },
            name: test.name.clone(),
            package: test.package.clone(),
            target: test.target.clone(),
            conditions: ScheduleConditions::default(),
            explored: test.joined(self.count),
        };
        self.tests.iter().map(report).collect()
    }
}

impl TestShards {
    /// What all shards together found, of so many.
    fn joined(&self, count: usize) -> Explored {
        let said: Vec<Explored> = self
            .explored
            .values()
            .filter_map(|said| parse(said))
            .collect();
        let whole = said
            .iter()
            .find(|explored| explored.complete && !explored.part);
        let all = said.len() == count && said.iter().all(|explored| explored.complete);
        let mut joined = Explored {
            complete: whole.is_some() || all,
            ..Explored::default()
        };
        for explored in &said {
            joined.executions += explored.executions;
            joined.nanoseconds += explored.nanoseconds;
            joined.threads = joined.threads.max(explored.threads);
            joined.steps = joined.steps.max(explored.steps);
            joined.found = joined.found.or_else(|| explored.found.clone());
            let uncontrolled = || explored.uncontrolled.clone();
            joined.uncontrolled = joined.uncontrolled.or_else(uncontrolled);
            joined.divergence = joined.divergence.or_else(|| explored.divergence.clone());
            for remark in &explored.remarks {
                if !joined.remarks.contains(remark) {
                    joined.remarks.push(remark.clone());
                }
            }
        }
        joined.coverage = match (whole, joined.complete) {
            (Some(whole), _) => whole.coverage.clone(),
            (None, true) => format!("all schedules, in {count} parts"),
            (None, false) => {
                let of = |explored: &Explored| explored.coverage.clone();
                let words: BTreeSet<String> = said.iter().map(of).collect();
                let words: Vec<String> = words.into_iter().collect();
                format!("{} of {count} parts: {}", said.len(), words.join("; "))
            }
        };
        joined
    }
}

fn line(explored: &Explored) -> String {
    let line = Response::Original(explored.clone()).to_line();
    line.trim_end_matches('\n').to_owned()
}

fn parse(line: &str) -> Option<Explored> {
    match Response::parse(line)? {
        Response::Original(explored) => Some(explored),
        _ => None,
    }
}

/// Of two results of one shard the one that says more counts; between those, always the same one.
fn weight(said: &str) -> (bool, bool, u64, &str) {
    let explored = parse(said).unwrap_or_default();
    (
        explored.found.is_some(),
        explored.complete,
        explored.executions,
        said,
    )
}

/// Names what is explored, and how.
fn identity(prepared: &Prepared, arguments: &ExploreArguments) -> String {
    let options = prepared.options.to_json();
    let decides = options
        .iter()
        .filter(|(name, _)| crate::option_table::decides(name));
    let mut hash = StableHash::default()
        .text(env!("CARGO_PKG_VERSION"))
        .text(&format!("{:?}", decides.collect::<Vec<_>>()))
        .text(&format!("{:?} {:?}", arguments.strategy, arguments.tests));
    for file in prepared.plan.packages.iter().flat_map(|one| &one.files) {
        hash = hash.text(file.path.as_str()).number(file.text_hash);
    }
    format!("{:016x}", hash.finish())
}

/// Joins the parts, and tells all as one.
pub fn merge(parts: &[PathBuf], arguments: &ExploreArguments) -> Result<ExitCode> {
    let terminal = Terminal::of(&arguments.output);
    let mut all: Option<ExploredShards> = None;
    for path in parts {
        let part = ExploredShards::read(path)?;
        let Some(joined) = all else {
            all = Some(part);
            continue;
        };
        if (&joined.of, joined.count) != (&part.of, part.count) {
            bail!(
                "`{}` is a shard of another exploration than `{}`: of other sources, options, or a different number of shards",
                path.display(),
                parts[0].display()
            );
        }
        for index in joined.shards.intersection(&part.shards) {
            terminal.note(format!(
                "shard {index}/{} is given more than once",
                joined.count
            ));
        }
        all = Some(joined.join(part));
    }
    let all = all.context("no part was given")?;
    if let Some(output) = &arguments.output.output {
        fs::create_dir_all(output)
            .with_context(|| format!("can't write to {}", output.display()))?;
        all.write(output)?;
    }
    let reports = all.reports();
    super::show(&reports, &arguments.output, None, terminal)?;
    let missing = all.missing();
    if missing.is_empty() {
        return Ok(super::code(&reports, !arguments.tests.is_empty()));
    }
    terminal.error(format!(
        "{} missing: {}",
        count(missing.len(), "shard"),
        missing.join(", ")
    ));
    Ok(ExitCode::NotTested)
}

#[cfg(test)]
mod tests {
    use atropos_protocol::FailureKind;
    use atropos_protocol::exploration::FoundFailure;
    use atropos_protocol::thread_trace::ThreadTrace;

    use super::*;

    fn found(title: &str) -> Option<FoundFailure> {
        Some(FoundFailure {
            kind: FailureKind::Panicked,
            title: title.to_owned(),
            text: title.to_owned(),
            location: String::new(),
            schedule: "s1:0".to_owned(),
            trace: ThreadTrace::default(),
            replayed: true,
        })
    }

    /// Shard `index` of four, with two tests.
    fn shard(index: usize, explored: [Explored; 2]) -> ExploredShards {
        let names = ["one", "other"].into_iter().zip(explored);
        let tests = names.map(|(name, explored)| TestShards {
            package: "p".to_owned(),
            target: "lib".to_owned(),
            name: name.to_owned(),
            explored: BTreeMap::from([(index, line(&explored))]),
        });
        ExploredShards {
            format: FORMAT,
            of: "x".to_owned(),
            count: 4,
            shards: BTreeSet::from([index]),
            tests: tests.collect(),
        }
    }

    fn part(executions: u64, complete: bool) -> Explored {
        Explored {
            executions,
            complete,
            part: true,
            coverage: format!("{executions} schedules"),
            ..Explored::default()
        }
    }

    fn four() -> Vec<ExploredShards> {
        let whole = Explored {
            part: false,
            coverage: "all schedules".to_owned(),
            ..part(7, true)
        };
        let shards = (0..4).map(|index| {
            let other = match index {
                3 => Explored {
                    found: found("lost"),
                    complete: false,
                    ..whole.clone()
                },
                _ => whole.clone(),
            };
            shard(index, [part(10 + index as u64, true), other])
        });
        shards.collect()
    }

    fn all(parts: Vec<ExploredShards>) -> ExploredShards {
        let joined = parts.into_iter().reduce(ExploredShards::join);
        joined.expect("there are parts")
    }

    #[test]
    fn all_parts_together_are_all_schedules_and_a_finding_of_one_is_a_finding() {
        let joined = all(four());
        assert!(joined.missing().is_empty());
        let reports = joined.reports();
        assert!(reports[0].explored.complete);
        assert_eq!(reports[0].explored.executions, 46);
        assert_eq!(reports[0].explored.coverage, "all schedules, in 4 parts");
        assert_eq!(reports[1].found().map(|found| &*found.title), Some("lost"));
    }

    #[test]
    fn a_missing_part_leaves_long_tests_open() {
        let joined = all(four().into_iter().take(3).collect());
        assert_eq!(joined.missing(), ["3/4"]);
        let reports = joined.reports();
        assert!(!reports[0].explored.complete);
        assert!(reports[0].explored.coverage.starts_with("3 of 4 parts"));
        // Each shard explores a short test as a whole.
        assert!(reports[1].explored.complete);
    }

    #[test]
    fn joining_is_associative_commutative_and_idempotent() {
        let mut random = 7u64;
        let mut next = |most: u64| {
            random = random
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            (random >> 33) % most
        };
        for _ in 0..300 {
            let mut parts = Vec::new();
            for _ in 0..3 {
                let explored = [0, 1].map(|_| Explored {
                    found: (next(4) == 0).then(|| found("lost")).flatten(),
                    part: next(2) == 0,
                    ..part(next(3), next(2) == 0)
                });
                parts.push(shard(next(4) as usize, explored));
            }
            let [a, b, c] = [0, 1, 2].map(|index| parts[index].clone());
            let left = a.clone().join(b.clone()).join(c.clone());
            assert_eq!(left, a.clone().join(b.clone().join(c.clone())));
            assert_eq!(left, c.clone().join(b.clone()).join(a.clone()));
            assert_eq!(left, left.clone().join(b).join(left.clone()));
        }
    }
}
