//! Archives and their shards, measured: [`simulate`] divides crates by recorded costs, [`engines`] runs the examples for Slurm
//! and GNU parallel from end to end.

mod engines;
mod simulate;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Result, bail};
use clap::{Args, Subcommand};

use crate::process::{self, Ended};
use crate::subject;

#[derive(Args)]
pub struct DistributedOptions {
    /// This `cargo-atropos` instead of the one of this tree, built for speed
    #[arg(long, global = true)]
    program: Option<PathBuf>,
    #[command(subcommand)]
    what: Option<What>,
}

#[derive(Subcommand)]
enum What {
    /// Run the examples for Slurm and GNU parallel on this machine (needs root, slurm-wlm, munge, parallel, rsync, sshd)
    Engines(engines::EnginesOptions),
    /// Record what each mutant takes, and tell how even shards would be, and how fast up to 1,024 workers
    Simulate(simulate::SimulateOptions),
}

pub fn run(options: DistributedOptions) -> Result<()> {
    let program = match options.program {
        Some(program) => program.canonicalize()?,
        None => subject::atropos()?,
    };
    match options.what {
        None => engines::run(&program, &engines::EnginesOptions::default()),
        Some(What::Engines(options)) => engines::run(&program, &options),
        Some(What::Simulate(options)) => simulate::run(&program, &options),
    }
}

/// No subject takes longer.
const LIMIT: Duration = Duration::from_secs(3600);

/// A subject and its archive.
struct Archived {
    tree: PathBuf,
    file: PathBuf,
    /// What packing took.
    made: Ended,
}

fn archive(program: &Path, name: &str) -> Result<Archived> {
    let place = subject::place_for("distributed", name);
    let tree = subject::copy_of(name, &place)?;
    let file = place.with_extension("tar.zst");
    let mut command = Command::new(program);
    command
        .args(["atropos", "archive", "--no-config", "-o"])
        .arg(&file)
        .env_remove("CARGO_TARGET_DIR")
        .current_dir(&tree);
    let made = process::run(command, LIMIT)?;
    if !made.success() {
        bail!("{name} can't be archived:\n{}", made.stderr);
    }
    Ok(Archived { tree, file, made })
}

/// Runs one shard of an archive with one process, where there is neither cargo nor rustc.
fn shard(
    program: &Path,
    file: &Path,
    (index, count): (usize, usize),
    output: &Path,
) -> Result<Ended> {
    let mut command = Command::new(program);
    command
        .args(["run", "--jobs", "1", "--archive"])
        .arg(file)
        .args(["--shard", &format!("{index}/{count}"), "-o"])
        .arg(output)
        .env("PATH", "/usr/bin:/bin")
        .current_dir("/");
    let ended = process::run(command, LIMIT)?;
    let code = ended.status.and_then(|status| status.code());
    // An empty shard has nothing that was tested.
    if !matches!(code, Some(0 | 2 | 3 | 5)) {
        bail!(
            "shard {index}/{count} ended with {code:?}:\n{}",
            ended.stderr
        );
    }
    Ok(ended)
}
