//! What a division into shards would cost, from what each mutant was measured to take.
//!
//! The division knows only what the archive knew: the times of tests without a mutant. What it is worth is judged by the times
//! of another run, in which every mutant was measured.

use std::collections::HashMap;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use atropos_report::outcomes::Outcomes;
use atropos_report::shards;
use serde_json::Value;

use super::{Archived, archive, shard};
use crate::process;

/// Numbers of shards for which every shard is also run.
const REAL: usize = 4;
/// Numbers of shards that are simulated in any case.
const SIMULATED: [usize; 3] = [4, 8, 16];

#[derive(clap::Args)]
pub struct SimulateOptions {
    /// The crates: directories, or `name@version`
    #[arg(required = true)]
    subjects: Vec<String>,
    /// Also run four shards, each with one process
    #[arg(long)]
    real: bool,
    /// Tell the speed of up to 1,024 workers
    #[arg(long)]
    workers: bool,
}

pub fn run(program: &Path, options: &SimulateOptions) -> Result<()> {
    for name in &options.subjects {
        let archived = archive(program, name)?;
        let recorded = Recorded::of(program, &archived)?;
        println!(
            "{name}: {} mutants; {:.1} s of tests with mutants, the longest {:.2} s; {:.1} s for every shard; archive {:.1} MB \
             in {:.0} s",
            recorded.seconds.len(),
            recorded.total(),
            recorded.seconds.iter().copied().fold(0.0, f64::max),
            recorded.fixed,
            std::fs::metadata(&archived.file)?.len() as f64 / 1e6,
            archived.made.time.as_secs_f64(),
        );
        for count in SIMULATED {
            println!(
                "  {count} shards: slowest / mean {:.3} (mutants alone {:.3})",
                recorded.imbalance(count, recorded.fixed),
                recorded.imbalance(count, 0.0)
            );
        }
        if options.real {
            real(program, &archived)?;
        }
        if options.workers {
            workers(&recorded);
        }
    }
    Ok(())
}

/// What was measured, and what the archive had expected.
struct Recorded {
    expected: Vec<u64>,
    seconds: Vec<f64>,
    /// What a shard takes that has no mutants.
    fixed: f64,
}

impl Recorded {
    fn of(program: &Path, archived: &Archived) -> Result<Recorded> {
        let place = archived.tree.with_extension("runs");
        let whole = place.join("whole");
        shard(program, &archived.file, (0, 1), &whole)?;
        let measured: HashMap<String, f64> = Outcomes::read(&whole)?
            .mutants
            .into_iter()
            .map(|record| (record.info.key, record.seconds))
            .collect();
        let contents = contents(&archived.file)?;
        let expected: Vec<u64> = serde_json::from_value(contents["costs"].clone())?;
        let keys = contents["plan"]["mutants"].as_array();
        let keys = keys.context("the archive has no mutants")?.iter();
        let seconds = keys.map(|info| {
            let key = info["key"].as_str().unwrap_or_default();
            measured.get(key).copied().unwrap_or_default()
        });
        let seconds: Vec<f64> = seconds.collect();
        // No shard is left for the last of so many.
        let many = expected.len() + 1;
        let empty = shard(
            program,
            &archived.file,
            (many - 1, many),
            &place.join("empty"),
        )?;
        Ok(Recorded {
            expected,
            seconds,
            fixed: empty.time.as_secs_f64(),
        })
    }

    fn total(&self) -> f64 {
        self.seconds.iter().sum()
    }

    fn imbalance(&self, count: usize, fixed: f64) -> f64 {
        let of = shards::divide(&self.expected, count);
        shards::imbalance(&self.seconds, &of, count, fixed)
    }

    /// The time until the last of so many shards is done.
    fn makespan(&self, count: usize) -> f64 {
        let mean = self.fixed + self.total() / count as f64;
        self.imbalance(count, self.fixed) * mean
    }
}

/// What the archive's second entry says.
fn contents(file: &Path) -> Result<Value> {
    let mut command = Command::new("tar");
    command
        .args(["--zstd", "-xOf"])
        .arg(file)
        .arg("contents.json");
    let ended = process::run(command, Duration::from_secs(60))?;
    if !ended.success() {
        bail!("the archive can't be read:\n{}", ended.stderr);
    }
    Ok(serde_json::from_str(&ended.stdout)?)
}

/// Runs every shard by itself.
fn real(program: &Path, archived: &Archived) -> Result<()> {
    let place = archived.tree.with_extension("runs");
    let mut times = Vec::new();
    for index in 0..REAL {
        let output = place.join(format!("shard-{index}"));
        let ended = shard(program, &archived.file, (index, REAL), &output)?;
        times.push(ended.time.as_secs_f64());
    }
    let mean = times.iter().sum::<f64>() / REAL as f64;
    let slowest = times.iter().copied().fold(0.0, f64::max);
    println!(
        "  {REAL} shards, run: {} s; slowest / mean {:.3}",
        times
            .iter()
            .map(|time| format!("{time:.1}"))
            .collect::<Vec<String>>()
            .join(", "),
        slowest / mean
    );
    Ok(())
}

/// How fast more and more workers are, and what keeps them from being faster.
fn workers(recorded: &Recorded) {
    let alone = recorded.makespan(1);
    println!("| workers | seconds | speed-up | of which for every shard | longest mutant |");
    println!("|---:|---:|---:|---:|---:|");
    let longest = recorded.seconds.iter().copied().fold(0.0, f64::max);
    for count in (0..=10).map(|power| 1 << power) {
        let time = recorded.makespan(count);
        println!(
            "| {count} | {time:.1} | {:.1} | {:.0} % | {:.0} % |",
            alone / time,
            100.0 * recorded.fixed / time,
            100.0 * longest / time
        );
    }
}
