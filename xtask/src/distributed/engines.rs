//! The examples for Slurm and GNU parallel, from an archive to one report, compared with a run of the whole archive.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};
use atropos_report::outcomes::Outcomes;
use atropos_report::verdict::Verdict;

use super::{LIMIT, archive, shard};
use crate::process;
use crate::subject;

#[derive(clap::Args)]
pub struct EnginesOptions {
    /// The crate: a directory, or `name@version`
    #[arg(default_value = SUBJECT)]
    subject: String,
}

/// It takes long enough for its shards to be worth something.
const SUBJECT: &str = "textwrap@0.16.4";

/// How many shards Slurm is given: more than nodes, so that one can be put back.
const SHARDS: usize = 8;

impl Default for EnginesOptions {
    fn default() -> EnginesOptions {
        EnginesOptions {
            subject: SUBJECT.to_owned(),
        }
    }
}

pub fn run(program: &Path, options: &EnginesOptions) -> Result<()> {
    let archived = archive(program, &options.subject)?;
    // Nobody may need the tree.
    let away = archived.tree.with_extension("away");
    let _ = std::fs::remove_dir_all(&away);
    std::fs::rename(&archived.tree, &away)?;
    let place = archived.tree.with_extension("engines");
    let _ = std::fs::remove_dir_all(&place);
    let whole = place.join("whole");
    let alone = shard(program, &archived.file, (0, 1), &whole)?
        .time
        .as_secs_f64();
    let expected = verdicts(&whole)?;
    println!(
        "{}: {} mutants, one process {alone:.1} s",
        options.subject,
        expected.len()
    );
    let mut first = None;
    for workers in [1, 2, 4] {
        let work = place.join(format!("parallel-{workers}"));
        let count = workers.to_string();
        let script = Script {
            path: "parallel/one-machine.sh",
            program,
            file: &archived.file,
            work: &work,
        };
        let seconds = script.run(&count, &[&count])?;
        same(&expected, &verdicts(&work.join("out/merged"))?)?;
        let speed = *first.get_or_insert(seconds) / seconds;
        println!("GNU parallel, {workers} workers: {seconds:.1} s, speed-up {speed:.2}");
    }
    let work = place.join("slurm");
    let script = Script {
        path: "slurm/one-machine.sh",
        program,
        file: &archived.file,
        work: &work,
    };
    let seconds = script.run(&SHARDS.to_string(), &["kill"])?;
    same(&expected, &verdicts(&work.join("merged"))?)?;
    println!(
        "Slurm, {SHARDS} shards on 4 nodes, one of them killed: {seconds:.1} s, the same verdicts"
    );
    Ok(())
}

/// An example that runs on one machine.
struct Script<'s> {
    path: &'s str,
    program: &'s Path,
    file: &'s Path,
    work: &'s Path,
}

impl Script<'_> {
    /// Runs it to its end; gives the seconds that it tells.
    fn run(&self, shards: &str, more: &[&str]) -> Result<f64> {
        let script: PathBuf = subject::repository().join("examples/distributed");
        let mut command = Command::new("bash");
        command
            .arg(script.join(self.path))
            .arg(self.program)
            .arg(self.file)
            .arg(shards)
            .arg(self.work)
            .args(more);
        let ended = process::run(command, LIMIT)?;
        let code = ended.status.and_then(|status| status.code());
        if !matches!(code, Some(0 | 2 | 3)) {
            bail!(
                "{} ended with {code:?}:\n{}{}",
                self.path,
                ended.stdout,
                ended.stderr
            );
        }
        let seconds = ended
            .stdout
            .lines()
            .find_map(|line| line.split_once("seconds: "));
        let (_, seconds) = seconds.context("the example tells no time")?;
        Ok(seconds.trim().parse()?)
    }
}

/// The verdicts of a directory, by the mutants' keys.
fn verdicts(directory: &Path) -> Result<BTreeMap<String, Option<Verdict>>> {
    let outcomes = Outcomes::read(directory)?;
    if !outcomes.complete {
        bail!("the outcomes in {} are not complete", directory.display());
    }
    let records = outcomes.mutants.into_iter();
    Ok(records
        .map(|record| (record.info.key, record.verdict))
        .collect())
}

/// Which test kills a mutant first, and so how, may depend on what ran before it.
fn same(
    expected: &BTreeMap<String, Option<Verdict>>,
    found: &BTreeMap<String, Option<Verdict>>,
) -> Result<()> {
    let sort = |verdict: &Option<Verdict>| {
        let is_killed = verdict.is_some_and(|verdict| verdict.is_killed());
        (is_killed, verdict.filter(|_| !is_killed))
    };
    if expected.len() != found.len() {
        bail!("{} mutants instead of {}", found.len(), expected.len());
    }
    for (key, verdict) in expected {
        let other = found.get(key).context("a mutant is missing")?;
        if sort(verdict) != sort(other) {
            bail!("mutant {key}: {verdict:?} alone, {other:?} in shards");
        }
    }
    Ok(())
}
