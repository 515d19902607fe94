//! Whether the tests that are generated from models do what their reports claim: every kill is seen when the written test
//! is run against the mutant, and no test fails the original. On the bundled models and on random ones.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use clap::Args;

use crate::process;

#[derive(Args)]
pub struct ModelClaimsOptions {
    /// How many random models
    #[arg(long, default_value_t = 200)]
    models: u64,
    /// The first one's seed
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Fail if fewer mutants were checked
    #[arg(long, default_value_t = 10_000)]
    at_least: u64,
}

/// For one command; none comes near it.
const LIMIT: Duration = Duration::from_secs(120);

pub fn run(options: &ModelClaimsOptions) -> Result<()> {
    let tool = build()?;
    let place = tempfile::tempdir()?;
    let mut counts = Counts::default();
    for model in bundled()? {
        check(&tool, &model, place.path(), &["--depth", "60"], &mut counts)?;
    }
    for seed in options.seed..options.seed + options.models {
        let model = place.path().join(format!("random_{seed}.ooas"));
        let mut synthesize = Command::new(&tool);
        synthesize.args(["atropos", "model", "synthesize", "random", "--seed"]);
        synthesize.arg(seed.to_string()).arg("--out").arg(&model);
        ensure!(
            process::run(synthesize, LIMIT)?.success(),
            "no model {seed}"
        );
        let small = ["--tests", "2", "--depth", "6", "--max-internal", "500"];
        check(&tool, &model, place.path(), &small, &mut counts)?;
        fs::remove_file(&model)?;
    }
    println!(
        "{} models, {} of which fail by themselves; {} mutants, {} killed ({} more were not counted, because no written test \
         showed it): every claim was checked; reports that are wrong: {}",
        counts.models,
        counts.failing,
        counts.mutants,
        counts.killed,
        counts.unconfirmed,
        counts.wrong
    );
    ensure!(counts.wrong == 0, "claims were wrong");
    ensure!(counts.mutants >= options.at_least, "too few mutants");
    Ok(())
}

#[derive(Default)]
struct Counts {
    models: u64,
    failing: u64,
    mutants: u64,
    killed: u64,
    unconfirmed: u64,
    wrong: u64,
}

fn build() -> Result<PathBuf> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut build = Command::new(cargo);
    build.args(["build", "--quiet", "-p", "cargo-atropos"]);
    let built = build.status().context("can't run cargo")?;
    ensure!(built.success(), "cargo-atropos does not build");
    let exe = std::env::current_exe()?;
    Ok(exe.with_file_name("cargo-atropos"))
}

fn bundled() -> Result<Vec<PathBuf>> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/models");
    let mut models: Vec<PathBuf> = fs::read_dir(directory)?
        .map(|entry| Ok(entry?.path()))
        .collect::<Result<_>>()?;
    models.retain(|path| path.extension().is_some_and(|extension| extension != "md"));
    models.sort();
    Ok(models)
}

/// Generates tests and checks what is claimed of them, in the slow way.
fn check(tool: &Path, model: &Path, place: &Path, how: &[&str], counts: &mut Counts) -> Result<()> {
    let out = place.join("tests");
    let mut generate = Command::new(tool);
    generate.args(["atropos", "model", "generate"]).arg(model);
    generate.args(how).arg("--out").arg(&out);
    let generated = process::run(generate, LIMIT)?;
    counts.models += 1;
    counts.failing += u64::from(!generated.success());
    let report = fs::read_to_string(out.join("report.json"))
        .with_context(|| format!("{}: {}", model.display(), generated.stderr))?;
    let report: serde_json::Value = serde_json::from_str(&report)?;
    let number = |name: &str| report["table"][name].as_u64().unwrap_or(0);
    counts.mutants += number("total");
    counts.killed += number("killed");
    let mut check = Command::new(tool);
    check.args(["atropos", "model", "check-tests", "--slow"]);
    check.arg(&out);
    let checked = process::run(check, LIMIT)?;
    let unconfirmed = report["unconfirmed"].as_u64().unwrap_or(0);
    counts.unconfirmed += unconfirmed;
    if !checked.success() {
        counts.wrong += 1;
        println!("{}:\n{}{}", model.display(), checked.stdout, checked.stderr);
    }
    fs::remove_dir_all(&out)?;
    Ok(())
}
