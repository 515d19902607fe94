//! Published bugs of concurrent crates (`experiments/bugs`): which of them one plain test each finds, under which strategy,
//! with and without a look at plain memory, and beside it how many of many ordinary runs fail. The repaired versions are
//! explored, too: what is found there is a false alarm, or a bug that nobody knows.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use clap::Args;
use serde::Deserialize;

use crate::{process, subject};

#[derive(Args)]
pub struct BugsOptions {
    /// Only tests with one of these texts in their names
    tests: Vec<String>,

    /// Seconds that one test may be explored for
    #[arg(long, default_value_t = 60)]
    seconds: u64,

    /// Ordinary runs of each test
    #[arg(long, default_value_t = 1000)]
    native: usize,

    /// Only the default strategy, not the others
    #[arg(long)]
    brief: bool,

    /// The `cargo-atropos` to use instead of building one
    #[arg(long)]
    program: Option<PathBuf>,
}

/// What is run on the versions with the bugs: a heading, and the arguments of `explore`.
const COLUMNS: [(&str, &[&str]); 6] = [
    ("default", &[]),
    ("races off", &["--races", "off"]),
    ("POS", &["--strategy", "pos:10000"]),
    ("PCT", &["--strategy", "pct:10000:3"]),
    ("random", &["--strategy", "random:10000"]),
    ("systematic", &["--strategy", "exhaustive"]),
];
/// After how many ordinary runs without an end a test is taken to hang, and how long one may take.
const MOST_HANGING: usize = 5;
const HANGS_AFTER: Duration = Duration::from_secs(3);

/// A test as `explore --json` tells of it.
#[derive(Deserialize)]
struct Explored {
    name: String,
    result: String,
    schedules: u64,
    seconds: f64,
}

#[derive(Deserialize)]
struct Report {
    tests: Vec<Explored>,
}

impl Explored {
    fn is_found(&self) -> bool {
        !matches!(
            self.result.as_str(),
            "passed" | "not explored" | "not deterministic"
        )
    }

    fn cell(&self) -> String {
        let seconds = self.seconds;
        match self.is_found() {
            true => format!("{} in {}, {seconds:.2} s", self.result, self.schedules),
            false => format!("– ({}, {seconds:.1} s)", self.schedules),
        }
    }
}

pub fn run(options: &BugsOptions) -> Result<()> {
    let program = match &options.program {
        Some(program) => program.clone(),
        None => subject::atropos()?,
    };
    let columns = match options.brief {
        true => &COLUMNS[..1],
        false => &COLUMNS[..],
    };
    let mut cells: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut headings = Vec::new();
    let mut found = Vec::new();
    for (heading, arguments) in columns {
        let tests = explore(&program, "bad", arguments, options)?;
        found.push(tests.iter().filter(|test| test.is_found()).count());
        headings.push(*heading);
        for test in tests {
            let cell = test.cell();
            cells.entry(test.name).or_default().push(cell);
        }
    }
    let repaired = explore(&program, "fixed", &[], options)?;
    headings.push("repaired");
    for test in &repaired {
        let row = cells.entry(test.name.clone()).or_default();
        row.push(match test.is_found() {
            true => test.cell(),
            false => "passed".to_owned(),
        });
    }
    if options.native > 0 {
        headings.push("ordinary runs that fail");
        for (name, failed) in native_runs(options)? {
            cells.entry(name).or_default().push(failed);
        }
    }
    println!("| test | {} |", headings.join(" | "));
    println!("|---{}|", "|---".repeat(headings.len()));
    for (name, row) in &cells {
        println!("| {name} | {} |", row.join(" | "));
    }
    println!("\nFound, of {}:", cells.len());
    for (heading, found) in headings.iter().zip(found) {
        println!("- {heading}: {found}");
    }
    let alarms = repaired.iter().filter(|test| test.is_found()).count();
    println!("- in repaired versions: {alarms}");
    Ok(())
}

fn tree(kind: &str) -> PathBuf {
    subject::repository().join("experiments/bugs").join(kind)
}

fn explore(
    program: &Path,
    kind: &str,
    arguments: &[&str],
    options: &BugsOptions,
) -> Result<Vec<Explored>> {
    let budget = format!("10000,{}s", options.seconds);
    let mut command = Command::new(program);
    command
        .args([
            "atropos",
            "explore",
            "--json",
            "--no-config",
            "--budget",
            &budget,
        ])
        .args(arguments)
        .arg("--output")
        .arg(subject::work_directory().join("bugs").join(kind))
        .args(&options.tests)
        .env_remove("CARGO_TARGET_DIR")
        .current_dir(tree(kind));
    let ended = process::run(command, Duration::from_secs(7200))?;
    let code = ended.status.and_then(|status| status.code());
    if !matches!(code, Some(0 | 2 | 5)) {
        bail!("exploring {kind} ended with {code:?}:\n{}", ended.stderr);
    }
    let report: Report = serde_json::from_str(&ended.stdout)
        .with_context(|| format!("what `explore --json` says of {kind}"))?;
    Ok(report.tests)
}

/// How many of many ordinary runs of each test fail, as `cargo test` builds them.
fn native_runs(options: &BugsOptions) -> Result<BTreeMap<String, String>> {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or("cargo".into()));
    command
        .args([
            "test",
            "--no-run",
            "--tests",
            "--message-format=json",
            "--target-dir",
        ])
        .arg(subject::work_directory().join("bugs/plain"))
        .current_dir(tree("bad"));
    let ended = process::run(command, Duration::from_secs(1800))?;
    if !ended.success() {
        bail!("the tests do not build:\n{}", ended.stderr);
    }
    let messages = ended.stdout.lines();
    let messages = messages.filter_map(|line| serde_json::from_str(line).ok());
    let binaries = messages
        .filter(|message: &serde_json::Value| message["profile"]["test"] == true)
        .filter_map(|message| message["executable"].as_str().map(str::to_owned));
    let mut failed = BTreeMap::new();
    for binary in binaries {
        let mut list = Command::new(&binary);
        list.args(["--list", "--format=terse"]);
        let list = process::run(list, Duration::from_secs(60))?.stdout;
        let names = list.lines().filter_map(|line| line.strip_suffix(": test"));
        for name in names.filter(|name| is_chosen(name, options)) {
            failed.insert(name.to_owned(), run_often(&binary, name, options.native)?);
        }
    }
    Ok(failed)
}

fn is_chosen(name: &str, options: &BugsOptions) -> bool {
    options.tests.is_empty()
        || options
            .tests
            .iter()
            .any(|text| name.contains(text.as_str()))
}

fn run_often(binary: &str, name: &str, times: usize) -> Result<String> {
    let (mut failed, mut hanging) = (0, 0);
    for done in 1..=times {
        let mut command = Command::new(binary);
        command.args(["--exact", name, "--test-threads=1"]);
        let ended = process::run(command, HANGS_AFTER)?;
        failed += usize::from(!ended.success());
        hanging += usize::from(ended.status.is_none());
        if hanging == MOST_HANGING {
            return Ok(format!("{failed} of {done}"));
        }
    }
    Ok(format!("{failed} of {times}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_failures_are_findings() {
        let test = |result: &str| Explored {
            name: "test".to_owned(),
            result: result.to_owned(),
            schedules: 3,
            seconds: 0.25,
        };
        assert_eq!(test("data race").cell(), "data race in 3, 0.25 s");
        assert_eq!(test("passed").cell(), "– (3, 0.2 s)");
        assert!(!test("not explored").is_found());
        assert!(test("deadlock").is_found());
    }
}
