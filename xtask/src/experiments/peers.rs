//! Atropos beside cargo-mutants on crates from the registry: both with one job, one after the
//! other on the same machine, each from a fresh copy and with its own build.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use clap::Args;

use crate::process;
use crate::subject;

const SUBJECTS: &[&str] = &[
    "semver@1.0.28",
    "smallvec@1.16.4",
    "textwrap@0.16.4",
    "fastrand@2.5.0",
];

#[derive(Args)]
pub struct PeersOptions {
    /// Crates as name@version or directories
    #[arg(default_values_t = SUBJECTS.iter().map(|subject| subject.to_string()))]
    subjects: Vec<String>,
    /// The cargo-atropos program; built from this tree if not given
    #[arg(long)]
    atropos: Option<PathBuf>,
    /// The cargo-mutants program; installed below target/ if not given
    #[arg(long)]
    cargo_mutants: Option<PathBuf>,
    /// Give cargo-mutants only the k-th of n parts of its mutants (it takes that long)
    #[arg(long, value_name = "K/N")]
    peer_shard: Option<String>,
}

/// One tool's figures on one crate.
struct Figures {
    mutants: usize,
    viable: usize,
    caught: usize,
    missed: usize,
    time: Duration,
    /// Time of processors: it hardly depends on what else the machine does.
    cpu: Duration,
}

impl Figures {
    fn per_viable(&self, time: Duration) -> f64 {
        time.as_secs_f64() / self.viable.max(1) as f64
    }
}

pub fn run(options: &PeersOptions) -> Result<()> {
    let atropos = match &options.atropos {
        Some(path) => path.canonicalize()?,
        None => subject::atropos()?,
    };
    let peer = match &options.cargo_mutants {
        Some(path) => path.canonicalize()?,
        None => install_peer()?,
    };
    println!(
        "| crate | tool | mutants | viable | caught | missed | wall s | per viable | ratio \
         | CPU s | per viable | ratio |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|---|");
    for name in &options.subjects {
        let base = subject::work_directory()
            .join("peers")
            .join(name.replace(['/', '@'], "-"));
        let ours = run_atropos(&atropos, &subject::copy_of(name, &base.join("ours"))?)
            .with_context(|| format!("Atropos on {name}"))?;
        let theirs_tree = subject::copy_of(name, &base.join("theirs"))?;
        let theirs = run_peer(&peer, &theirs_tree, options.peer_shard.as_deref())
            .with_context(|| format!("cargo-mutants on {name}"))?;
        print_row(name, "cargo-mutants", &theirs, &theirs);
        print_row(name, "cargo-atropos", &ours, &theirs);
    }
    Ok(())
}

fn print_row(name: &str, tool: &str, figures: &Figures, peer: &Figures) {
    let times = |time: Duration, of_peer: Duration| {
        let per_viable = figures.per_viable(time);
        let ratio = peer.per_viable(of_peer) / per_viable;
        format!("{:.1} | {per_viable:.4} | {ratio:.0}", time.as_secs_f64())
    };
    println!(
        "| {name} | {tool} | {} | {} | {} | {} | {} | {} |",
        figures.mutants,
        figures.viable,
        figures.caught,
        figures.missed,
        times(figures.time, peer.time),
        times(figures.cpu, peer.cpu),
    );
}

fn run_atropos(program: &Path, tree: &Path) -> Result<Figures> {
    let (outcomes, ended) = subject::run_atropos(program, tree, &["--jobs=1"], &[])?;
    let totals = outcomes.totals;
    Ok(Figures {
        mutants: totals.mutants,
        viable: totals.killed + totals.missed(),
        caught: totals.killed,
        missed: totals.missed(),
        time: ended.time,
        cpu: ended.cpu,
    })
}

fn run_peer(program: &Path, tree: &Path, shard: Option<&str>) -> Result<Figures> {
    let mut command = Command::new(program);
    command
        .args(["mutants", "--jobs=1", "--no-shuffle"])
        .env_remove("CARGO_TARGET_DIR")
        .current_dir(tree);
    if let Some(shard) = shard {
        command.args(["--shard", shard]);
    }
    let ended = process::run(command, Duration::from_secs(7200))?;
    let code = ended.status.and_then(|status| status.code());
    if !matches!(code, Some(0 | 2 | 3)) {
        bail!("it ended with {code:?}:\n{}{}", ended.stdout, ended.stderr);
    }
    let json = std::fs::read_to_string(tree.join("mutants.out/outcomes.json"))?;
    let outcomes: serde_json::Value = serde_json::from_str(&json)?;
    let number = |key: &str| outcomes[key].as_u64().unwrap_or(0) as usize;
    let caught = number("caught") + number("timeout");
    Ok(Figures {
        mutants: number("total_mutants"),
        viable: caught + number("missed"),
        caught,
        missed: number("missed"),
        time: ended.time,
        cpu: ended.cpu,
    })
}

fn install_peer() -> Result<PathBuf> {
    let root = subject::work_directory().join("tools");
    let program = root.join("bin/cargo-mutants");
    if !program.exists() {
        let mut command = Command::new(std::env::var_os("CARGO").unwrap_or("cargo".into()));
        command
            .args(["install", "cargo-mutants", "--version", "^27", "--root"])
            .arg(&root);
        let ended = process::run(command, Duration::from_secs(3600))?;
        if !ended.success() {
            bail!("cargo-mutants can't be installed:\n{}", ended.stderr);
        }
    }
    Ok(program)
}
