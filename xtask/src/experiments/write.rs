//! What `cargo atropos write` makes of the survivors of real crates: how many it kills with how many assertions, at what cost,
//! and whether what it writes passes in many plain runs of the original.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Result, bail};
use atropos_report::outcomes::MutantRecord;
use atropos_report::verdict::Verdict;
use clap::Args;
use serde::Deserialize;

use crate::{process, subject};

/// Crates with mature tests.
const SUBJECTS: &[&str] = &[
    "heck@0.5.0",
    "shlex@1.3.0",
    "roman@0.1.6",
    "itoa@1.0.18",
    "strsim@0.11.1",
    "fixedbitset@0.5.7",
    "slab@0.4.12",
    "hex@0.4.3",
    "textwrap@0.16.4",
    "percent-encoding@2.3.2",
];

#[derive(Args)]
pub struct WriteOptions {
    /// The crates: `name@version` or directories
    subjects: Vec<String>,
    /// How often the tests with what was written must pass
    #[arg(long, default_value_t = 20)]
    repeats: usize,
    /// The cargo-atropos program; built for speed if not given
    #[arg(long)]
    atropos: Option<PathBuf>,
}

/// One piece of the patch, as `write --json` gives it.
#[derive(Deserialize)]
struct WrittenHunk {
    kills: Vec<u32>,
    diff: String,
}

pub fn run(options: &WriteOptions) -> Result<()> {
    let program = match &options.atropos {
        Some(program) => program.clone(),
        None => subject::atropos()?,
    };
    let subjects: Vec<&str> = match options.subjects.is_empty() {
        true => SUBJECTS.to_vec(),
        false => options.subjects.iter().map(String::as_str).collect(),
    };
    println!(
        "| crate | survivors that tests infect | of them killed | missed in all | of them killed | assertions | failing in {} runs | \
         run, s | write, s |",
        options.repeats
    );
    println!("|---|---|---|---|---|---|---|---|---|");
    for subject in subjects {
        match row(&program, subject, options.repeats) {
            Ok(row) => println!("{row}"),
            Err(error) => println!("| {subject} | {error:#} | | | | | | | |"),
        }
    }
    Ok(())
}

fn row(program: &Path, subject: &str, repeats: usize) -> Result<String> {
    let tree = subject::copy_of(subject, &subject::place_for("write", subject))?;
    let (outcomes, ran) = subject::run_atropos(program, &tree, &["--no-impact", "--no-doc"], &[])?;
    let is =
        |record: &&MutantRecord, wanted: fn(Verdict) -> bool| record.verdict.is_some_and(wanted);
    let survived = outcomes
        .mutants
        .iter()
        .filter(|record| is(record, |verdict| verdict == Verdict::Survived));
    let survived: Vec<u32> = survived.map(|record| record.info.id.0).collect();
    let missed = outcomes
        .mutants
        .iter()
        .filter(|record| is(record, Verdict::is_missed))
        .count();
    let written = write(program, &tree, &["--json"])?;
    let hunks: Vec<WrittenHunk> = match written.stdout.trim() {
        "" => Vec::new(),
        json => serde_json::from_str(json)?,
    };
    let mut killed: Vec<u32> = hunks.iter().flat_map(|hunk| hunk.kills.clone()).collect();
    killed.sort_unstable();
    killed.dedup();
    let is_assertion = |line: &&str| line.starts_with('+') && line.contains("assert");
    let assertions: usize = hunks
        .iter()
        .map(|hunk| hunk.diff.lines().filter(is_assertion).count())
        .sum();
    let mut failing = 0;
    if !hunks.is_empty() {
        write(program, &tree, &["--apply"])?;
        for _ in 0..repeats {
            failing += usize::from(!tests_pass(&tree)?);
        }
    }
    Ok(format!(
        "| {subject} | {} | {} | {missed} | {} | {assertions} | {failing} | {:.1} | {:.1} |",
        survived.len(),
        killed.iter().filter(|id| survived.contains(id)).count(),
        killed.len(),
        ran.time.as_secs_f64(),
        written.time.as_secs_f64()
    ))
}

fn write(program: &Path, tree: &Path, arguments: &[&str]) -> Result<process::Ended> {
    let mut command = Command::new(program);
    command
        .args(["atropos", "write", "--output"])
        .arg(tree.join("target/atropos"))
        .args(arguments)
        .env_remove("CARGO_TARGET_DIR")
        .current_dir(tree);
    let ended = process::run(command, Duration::from_secs(3600))?;
    let code = ended.status.and_then(|status| status.code());
    if !matches!(code, Some(0 | 2)) {
        bail!(
            "cargo atropos write ended with {code:?}: {}",
            ended.stderr.lines().last().unwrap_or_default()
        );
    }
    Ok(ended)
}

fn tests_pass(tree: &Path) -> Result<bool> {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or("cargo".into()));
    command
        .args([
            "test",
            "--quiet",
            "--lib",
            "--bins",
            "--tests",
            "--target-dir",
            "target/plain",
        ])
        .env_remove("CARGO_TARGET_DIR")
        .current_dir(tree);
    Ok(process::run(command, Duration::from_secs(1800))?.success())
}
