//! The slow, right way: each sampled mutant is applied to a copy of the sources, compiled and
//! tested alone, and the result is compared with the verdict of the fast way.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Result, bail};
use atropos_report::outcomes::{MutantRecord, Outcomes};
use atropos_report::verdict::Verdict;
use clap::Args;

use crate::process::{self, Ended};
use crate::random::Random;
use crate::subject::{self, with_mutant};

#[derive(Args)]
pub struct CrosscheckOptions {
    /// A directory with a package, or name@version from the registry
    subject: String,
    /// How many mutants to sample
    #[arg(long, default_value_t = 100)]
    sample: usize,
    /// Where the sample starts from
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Use this cargo-atropos instead of building one
    #[arg(long)]
    atropos: Option<PathBuf>,
    /// Keep documentation tests out on both sides
    #[arg(long)]
    no_doc: bool,
    /// One more argument for both sides, such as --all-features (may be repeated)
    #[arg(long, allow_hyphen_values = true)]
    cargo_arg: Vec<String>,
}

const BUILD_LIMIT: Duration = Duration::from_secs(3600);

/// What compiling and testing a mutant alone gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Alone {
    Unviable,
    Passes,
    Fails,
    TimesOut,
}

/// Runs both ways and prints the differences; an error if there are any.
pub fn run(options: &CrosscheckOptions) -> Result<()> {
    let base = subject::place_for("crosscheck", &options.subject);
    let fast_tree = subject::copy_of(&options.subject, &base.join("fast"))?;
    let slow_tree = subject::copy_of(&options.subject, &base.join("slow"))?;
    let atropos = match &options.atropos {
        Some(path) => path.canonicalize()?,
        None => subject::atropos()?,
    };
    let outcomes = run_fast(&atropos, &fast_tree, options)?;
    let slow = Slow {
        tree: slow_tree,
        target: base.join("slow-target"),
        options,
        limit: Duration::from_secs(3600),
    };
    let slow = slow.measured()?;

    // Mutants in code that is not built would be "passes" alone, whatever they change.
    let candidates: Vec<&MutantRecord> = outcomes
        .mutants
        .iter()
        // What only exploration can make is no program of its own.
        .filter(|mutant| !mutant.info.needs_exploration)
        .filter(|mutant| {
            !matches!(
                mutant.verdict,
                None | Some(
                    Verdict::NotBuilt | Verdict::Skipped | Verdict::Accepted | Verdict::Undecided
                )
            )
        })
        .collect();
    let sampled = Random::new(options.seed).sample(candidates, options.sample);
    let mut table: BTreeMap<(&str, Alone), usize> = BTreeMap::new();
    let mut differences = Vec::new();
    for (number, mutant) in sampled.iter().enumerate() {
        let verdict = mutant.verdict.expect("filtered");
        let alone = with_mutant(&slow.tree, mutant, || slow.compile_and_test())?;
        *table.entry((verdict.word(), alone)).or_default() += 1;
        eprintln!(
            "{:>3}/{} {:<9} {:<9} {}",
            number + 1,
            sampled.len(),
            verdict.word(),
            format!("{alone:?}").to_lowercase(),
            mutant.info.name()
        );
        if !agree(verdict, alone) {
            differences.push((*mutant, verdict, alone));
        }
    }
    println!(
        "{}: {} mutants, seed {}",
        options.subject,
        sampled.len(),
        options.seed
    );
    for ((verdict, alone), count) in &table {
        println!("  {count:>4}  {verdict} by the fast way, alone: {alone:?}");
    }
    differences
        .iter()
        .for_each(|difference| print_difference(difference, &outcomes));
    if differences.is_empty() {
        println!("no difference");
        Ok(())
    } else {
        bail!("{} of {} verdicts differ", differences.len(), sampled.len())
    }
}

/// A mutant, what the fast way says of it, and what became of it alone.
type Difference<'o> = (&'o MutantRecord, Verdict, Alone);

fn print_difference((mutant, verdict, alone): &Difference<'_>, outcomes: &Outcomes) {
    println!(
        "DIFFERENT: {verdict} by the fast way, alone: {alone:?}: #{} {}",
        mutant.info.id.0,
        mutant.info.name()
    );
    for kill in &mutant.killed_by {
        let test = &outcomes.tests[kill.test];
        println!(
            "    killed by {} {}: {:?}",
            test.target, test.name, kill.message
        );
    }
}

/// Whether the two ways say the same. A mutant that the weave lost (unviable to it, but it
/// compiles alone) is no wrong verdict, but it is counted as a difference, because it is a loss.
fn agree(verdict: Verdict, alone: Alone) -> bool {
    match verdict {
        Verdict::Killed(_) => matches!(alone, Alone::Fails | Alone::TimesOut),
        Verdict::Survived | Verdict::Uninfected | Verdict::Unreached => alone == Alone::Passes,
        Verdict::Unviable => alone == Alone::Unviable,
        Verdict::NotBuilt | Verdict::Skipped | Verdict::Accepted | Verdict::Undecided => true,
    }
}

fn run_fast(atropos: &Path, tree: &Path, options: &CrosscheckOptions) -> Result<Outcomes> {
    let mut arguments: Vec<&str> = options.cargo_arg.iter().map(String::as_str).collect();
    if options.no_doc {
        arguments.push("--no-doc");
    }
    let (outcomes, ended) = subject::run_atropos(atropos, tree, &arguments, &[])?;
    println!("{}", ended.stdout);
    Ok(outcomes)
}

/// The tree in which mutants are applied one at a time.
struct Slow<'a> {
    tree: PathBuf,
    target: PathBuf,
    options: &'a CrosscheckOptions,
    limit: Duration,
}

impl Slow<'_> {
    /// Checks that the tests pass without a mutant, and takes the time limit from that.
    fn measured(self) -> Result<Self> {
        let build = self.cargo(&["--no-run"])?;
        if !build.success() {
            bail!("the subject does not build:\n{}", build.stderr);
        }
        let test = self.cargo(&["--no-fail-fast"])?;
        if !test.success() {
            bail!("the subject's tests fail:\n{}{}", test.stdout, test.stderr);
        }
        let limit = test.time * 5 + Duration::from_secs(10);
        Ok(Slow { limit, ..self })
    }

    fn cargo(&self, arguments: &[&str]) -> Result<Ended> {
        let mut command = Command::new(std::env::var_os("CARGO").unwrap_or("cargo".into()));
        command
            .arg("test")
            .args(&self.options.cargo_arg)
            .args(arguments)
            .current_dir(&self.tree)
            .env("CARGO_TARGET_DIR", &self.target)
            // The weave is compiled with lints capped too: a mutant that only a lint rejects counts.
            .env("RUSTFLAGS", "--cap-lints=allow")
            .env("CARGO_PROFILE_DEV_DEBUG", "0");
        if self.options.no_doc || arguments.contains(&"--no-run") {
            command.arg("--tests");
        }
        // Only tests can be endless.
        let limit = if arguments.contains(&"--no-run") {
            BUILD_LIMIT
        } else {
            self.limit
        };
        process::run(command, limit)
    }

    fn compile_and_test(&self) -> Result<Alone> {
        if !self.cargo(&["--no-run"])?.success() {
            return Ok(Alone::Unviable);
        }
        let ended = self.cargo(&[])?;
        Ok(match ended.status {
            None => Alone::TimesOut,
            Some(status) if status.success() => Alone::Passes,
            Some(_) => Alone::Fails,
        })
    }
}
