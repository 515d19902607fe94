//! Are unviable mutants unviable? Those that the fast way gave up are applied to a copy of the
//! sources one at a time and given to `cargo check`: each that compiles alone was lost by the weave.

use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use anyhow::{Result, bail};
use atropos_report::outcomes::MutantRecord;
use atropos_report::verdict::Verdict;
use clap::Args;

use crate::process::{self, Ended};
use crate::random::Random;
use crate::subject::{self, with_mutant};

#[derive(Args)]
pub struct ViabilityOptions {
    /// A directory with a package, or name@version from the registry
    subject: String,
    /// How many unviable mutants to sample
    #[arg(long, default_value_t = 60)]
    sample: usize,
    /// Where the sample starts from
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Use this cargo-atropos instead of building one
    #[arg(long)]
    atropos: Option<PathBuf>,
    /// One more argument for both sides, such as --all-features (may be repeated)
    #[arg(long, allow_hyphen_values = true)]
    cargo_arg: Vec<String>,
}

/// Verdicts of tests are not wanted here, so that none of them runs.
const NO_TEST: [&str; 4] = ["--no-doc", "--no-impact", "--", "no test has this name"];

const CHECK_LIMIT: Duration = Duration::from_secs(1800);

/// Runs both ways and prints what was lost; an error if anything was.
pub fn run(options: &ViabilityOptions) -> Result<()> {
    let base = subject::place_for("viability", &options.subject);
    let fast_tree = subject::copy_of(&options.subject, &base.join("fast"))?;
    let slow_tree = subject::copy_of(&options.subject, &base.join("slow"))?;
    let atropos = match &options.atropos {
        Some(path) => path.canonicalize()?,
        None => subject::atropos()?,
    };
    let cargo_arguments = options.cargo_arg.iter().map(String::as_str);
    let arguments: Vec<&str> = cargo_arguments.chain(NO_TEST).collect();
    let (outcomes, _) = subject::run_atropos(&atropos, &fast_tree, &arguments, &[])?;

    let slow = Slow {
        tree: slow_tree,
        target: base.join("slow-target"),
        options,
    };
    let plain = slow.check()?;
    if !plain.success() {
        bail!("the subject does not build:\n{}", plain.stderr);
    }
    let unviable: Vec<&MutantRecord> = outcomes
        .mutants
        .iter()
        .filter(|mutant| mutant.verdict == Some(Verdict::Unviable))
        // What only exploration can make is no program of its own.
        .filter(|mutant| !mutant.info.needs_exploration)
        .collect();
    let total = unviable.len();
    let sampled = Random::new(options.seed).sample(unviable, options.sample);
    let mut lost = 0;
    for mutant in &sampled {
        if with_mutant(&slow.tree, mutant, || slow.check())?.success() {
            lost += 1;
            println!(
                "LOST: #{} {}\n    {}",
                mutant.info.id.0,
                mutant.info.name(),
                mutant.note.as_deref().unwrap_or("no reason given")
            );
        }
    }
    println!(
        "{}: {} mutants, {total} unviable, {} compared, {lost} compile alone",
        options.subject,
        outcomes.mutants.len(),
        sampled.len()
    );
    if lost > 0 {
        bail!("{lost} of {} unviable mutants compile alone", sampled.len());
    }
    Ok(())
}

/// The tree in which mutants are applied one at a time.
struct Slow<'a> {
    tree: PathBuf,
    target: PathBuf,
    options: &'a ViabilityOptions,
}

impl Slow<'_> {
    fn check(&self) -> Result<Ended> {
        let mut command = Command::new(std::env::var_os("CARGO").unwrap_or("cargo".into()));
        command
            .args(["check", "--tests", "--quiet"])
            .args(&self.options.cargo_arg)
            .current_dir(&self.tree)
            .env("CARGO_TARGET_DIR", &self.target)
            // The weave is compiled with lints capped too: a mutant that only a lint rejects counts.
            .env("RUSTFLAGS", "--cap-lints=allow");
        process::run(command, CHECK_LIMIT)
    }
}
