//! `explore` on the test suites of crates from the registry, as they are published: how many tests it explores under all schedules,
//! under a part of them, or not at all and why; and what fails.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use clap::Args;
use serde_json::Value;

use crate::process;
use crate::subject;

/// Crates that are about threads or used by many of them, in the newest version.
const SUBJECTS: &[&str] = &[
    "arc-swap",
    "async-broadcast",
    "async-channel",
    "async-executor",
    "async-lock",
    "async-oneshot",
    "atomic-waker",
    "atomic_refcell",
    "boxcar",
    "bus",
    "concurrent-queue",
    "crossbeam-channel",
    "crossbeam-deque",
    "crossbeam-epoch",
    "crossbeam-queue",
    "crossbeam-skiplist",
    "crossbeam-utils",
    "dashmap",
    "event-listener",
    "flume",
    "flurry",
    "futures-channel",
    "futures-util",
    "kanal",
    "lock_api",
    "loole",
    "moka",
    "once_cell",
    "oneshot",
    "papaya",
    "parking",
    "parking_lot",
    "piper",
    "pollster",
    "postage",
    "quick_cache",
    "rayon",
    "rayon-core",
    "ringbuf",
    "scc",
    "sharded-slab",
    "sled",
    "slotmap",
    "spin",
    "thingbuf",
    "thread_local",
    "threadpool",
    "tokio",
    "tokio-util",
    "triomphe",
    "try-lock",
    "waitgroup",
    "want",
    "watch",
];

#[derive(Args)]
pub struct SuitesOptions {
    /// Crates as name, name@version or directories
    #[arg(default_values_t = SUBJECTS.iter().map(|subject| subject.to_string()))]
    subjects: Vec<String>,
    /// The cargo-atropos program; built from this tree if not given
    #[arg(long)]
    atropos: Option<PathBuf>,
    /// What `explore --budget` gets
    #[arg(long, default_value = "3s")]
    budget: String,
    /// Seconds for a crate, its build included
    #[arg(long, default_value_t = 900)]
    seconds: u64,
    /// Where to keep each crate's report
    #[arg(long)]
    reports: Option<PathBuf>,
}

/// What became of the tests of one crate, or of all.
#[derive(Debug, Default, PartialEq, Eq)]
struct Suite {
    tests: usize,
    all: usize,
    part: usize,
    failing: usize,
    /// Why tests are not explored, and how many for each reason.
    not_explored: BTreeMap<String, usize>,
    findings: Vec<String>,
}

impl Suite {
    /// From what `explore --json` prints.
    fn of(report: &Value) -> Result<Suite> {
        let tests = report["tests"].as_array().context("no list of tests")?;
        let mut suite = Suite {
            tests: tests.len(),
            ..Suite::default()
        };
        for test in tests {
            let name = test["name"].as_str().unwrap_or_default();
            if let Some(why) = test["uncontrolled"].as_str() {
                *suite.not_explored.entry(reason(why)).or_default() += 1;
            } else if test["found"].is_object() {
                suite.failing += 1;
                let title = test["found"]["title"].as_str().unwrap_or_default();
                let schedule = test["found"]["schedule"].as_str().unwrap_or_default();
                let first = title.lines().next().unwrap_or_default();
                suite.findings.push(format!("{name}: {first} ({schedule})"));
            } else if test["all_schedules"] == true {
                suite.all += 1;
            } else {
                suite.part += 1;
            }
        }
        Ok(suite)
    }

    fn add(&mut self, other: &Suite) {
        self.tests += other.tests;
        self.all += other.all;
        self.part += other.part;
        self.failing += other.failing;
        for (why, count) in &other.not_explored {
            *self.not_explored.entry(why.clone()).or_default() += count;
        }
    }

    fn row(&self, name: &str, seconds: f64) -> String {
        let not_explored: usize = self.not_explored.values().sum();
        let Suite {
            tests,
            all,
            part,
            failing,
            ..
        } = self;
        format!("| {name} | {tests} | {all} | {part} | {not_explored} | {failing} | {seconds:.0} |")
    }
}

/// A reason without the place and the numbers that differ from test to test.
fn reason(why: &str) -> String {
    let why = why.strip_prefix("not under control: ").unwrap_or(why);
    let why = why.split(" at ").next().unwrap_or(why);
    let is_number = |word: &str| word.bytes().all(|byte| byte.is_ascii_digit());
    let words = why
        .split(' ')
        .map(|word| if is_number(word) { "N" } else { word });
    words.collect::<Vec<_>>().join(" ")
}

pub fn run(options: &SuitesOptions) -> Result<()> {
    let atropos = match &options.atropos {
        Some(path) => path.canonicalize()?,
        None => subject::atropos()?,
    };
    println!("| crate | tests | all schedules | in part | not explored | failing | s |");
    println!("|---|---|---|---|---|---|---|");
    let mut whole = Suite::default();
    let mut findings: Vec<String> = Vec::new();
    let mut seconds = 0.0;
    let mut crates = 0;
    for name in &options.subjects {
        let place = subject::place_for("suites", name);
        let explored = subject::copy_of(name, &place).and_then(|tree| {
            let (suite, time) = explore(&atropos, &tree, options, name)?;
            Ok((suite, time, version(&tree)?))
        });
        match explored {
            Ok((suite, time, version)) => {
                println!("{}", suite.row(&format!("{name} {version}"), time));
                findings.extend(
                    suite
                        .findings
                        .iter()
                        .map(|finding| format!("{name}: {finding}")),
                );
                whole.add(&suite);
                seconds += time;
                crates += 1;
            }
            // One crate that can't be built is no reason to leave out the others.
            Err(error) => println!("| {name} | {} |", one_line(&format!("{error:#}"))),
        }
    }
    println!("{}", whole.row(&format!("all {crates}"), seconds));
    println!("\nnot explored:");
    for (why, count) in &whole.not_explored {
        println!("  {count:5} {why}");
    }
    println!("\nfailing, to be examined by hand:");
    for finding in findings {
        println!("  {finding}");
    }
    Ok(())
}

/// Explores a crate's tests; also says how many seconds it took.
fn explore(
    program: &Path,
    tree: &Path,
    options: &SuitesOptions,
    name: &str,
) -> Result<(Suite, f64)> {
    let mut command = Command::new(program);
    command
        .args(["atropos", "explore", "--json", "--budget", &options.budget])
        .env_remove("CARGO_TARGET_DIR")
        .current_dir(tree);
    let ended = process::run(command, Duration::from_secs(options.seconds))?;
    let code = ended.status.and_then(|status| status.code());
    if !matches!(code, Some(0 | 2)) {
        let said = ended
            .stderr
            .lines()
            .rev()
            .find(|line| line.starts_with("error"));
        match code {
            None => bail!("no end within {} s", options.seconds),
            Some(code) => bail!("it ended with {code}: {}", said.unwrap_or_default()),
        }
    }
    if let Some(directory) = &options.reports {
        std::fs::create_dir_all(directory)?;
        let file = directory.join(format!("{}.json", name.replace(['/', '@'], "-")));
        std::fs::write(&file, &ended.stdout)
            .with_context(|| format!("can't write {}", file.display()))?;
    }
    if ended.stdout.trim().is_empty() {
        // It has no tests.
        return Ok((Suite::default(), ended.time.as_secs_f64()));
    }
    let report = serde_json::from_str(&ended.stdout)?;
    Ok((Suite::of(&report)?, ended.time.as_secs_f64()))
}

/// The version of the package in a tree.
fn version(tree: &Path) -> Result<String> {
    let manifest: toml::Table = std::fs::read_to_string(tree.join("Cargo.toml"))?.parse()?;
    let version = manifest
        .get("package")
        .and_then(|package| package.get("version"));
    Ok(version
        .and_then(toml::Value::as_str)
        .unwrap_or_default()
        .to_owned())
}

fn one_line(text: &str) -> String {
    text.lines().next().unwrap_or_default().replace('|', "/")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_report_is_counted() {
        let report = json!({ "tests": [
            { "name": "a", "all_schedules": true, "found": null, "uncontrolled": null },
            { "name": "b", "all_schedules": false, "found": null, "uncontrolled": null },
            { "name": "c", "all_schedules": false, "found": null,
              "uncontrolled": "not under control: a file is written at src/a.rs:3:4" },
            { "name": "d", "all_schedules": false, "uncontrolled": null,
              "found": { "title": "deadlock", "schedule": "s1:0*2,1" } },
        ]});
        let suite = Suite::of(&report).unwrap();
        assert_eq!(suite.row("x", 2.4), "| x | 4 | 1 | 1 | 1 | 1 | 2 |");
        assert_eq!(suite.findings, ["d: deadlock (s1:0*2,1)"]);
        assert_eq!(suite.not_explored["a file is written"], 1);
        let mut twice = Suite::default();
        twice.add(&suite);
        twice.add(&suite);
        assert_eq!(
            (twice.tests, twice.not_explored["a file is written"]),
            (8, 2)
        );
    }

    #[test]
    fn reasons_don_t_depend_on_places_and_numbers() {
        assert_eq!(
            reason("not under control: it takes more than 1000000 scheduling points"),
            "it takes more than N scheduling points"
        );
    }
}
