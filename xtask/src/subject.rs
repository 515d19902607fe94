//! Crates to try Atropos on: a directory, or `name@version` from the package registry, or `name` for its newest version.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, bail};

use atropos_report::outcomes::{MutantRecord, Outcomes};

use crate::process::{self, Ended};

/// The repository's root.
pub fn repository() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().expect("xtask lies in the repository").into()
}

/// Where chores keep what they fetch and make.
pub fn work_directory() -> PathBuf {
    repository().join("target/xtask")
}

/// Where a chore keeps its copies of a subject.
pub fn place_for(chore: &str, subject: &str) -> PathBuf {
    let name: String = subject
        .chars()
        .map(|c| if c.is_alphanumeric() { c } else { '-' })
        .collect();
    work_directory().join(chore).join(name.trim_matches('-'))
}

/// Does something in a tree while one mutant is applied to it, and puts the original back.
pub fn with_mutant<T>(
    tree: &Path,
    mutant: &MutantRecord,
    act: impl FnOnce() -> Result<T>,
) -> Result<T> {
    let path = tree.join(&mutant.info.file);
    let original =
        fs::read_to_string(&path).with_context(|| format!("can't read {}", path.display()))?;
    let span = mutant.info.span;
    let mutated = format!(
        "{}{}{}",
        &original[..span.start],
        mutant.info.replacement,
        &original[span.end..]
    );
    fs::write(&path, mutated)?;
    let result = act();
    fs::write(&path, original)?;
    result
}

/// The `cargo-atropos` of this tree, built for speed.
pub fn atropos() -> Result<PathBuf> {
    let cargo = std::env::var_os("CARGO").unwrap_or("cargo".into());
    let mut command = Command::new(cargo);
    command
        .args(["build", "--release", "--package", "cargo-atropos"])
        .current_dir(repository());
    let ended = process::run(command, Duration::from_secs(1800))?;
    if !ended.success() {
        bail!("cargo-atropos does not build:\n{}", ended.stderr);
    }
    let target = std::env::var_os("CARGO_TARGET_DIR")
        .map_or_else(|| repository().join("target"), PathBuf::from);
    Ok(target.join("release/cargo-atropos"))
}

/// Runs Atropos in a tree to its end; gives what it found and how long it took.
pub fn run_atropos(
    program: &Path,
    tree: &Path,
    arguments: &[&str],
    variables: &[(&str, String)],
) -> Result<(Outcomes, Ended)> {
    let output = tree.join("target/atropos");
    let mut command = Command::new(program);
    command
        .args(["atropos", "--no-config", "--no-reuse", "--output"])
        .arg(&output)
        .args(arguments)
        .envs(variables.iter().map(|(name, value)| (name, value)))
        .env_remove("CARGO_TARGET_DIR")
        .current_dir(tree);
    let ended = process::run(command, Duration::from_secs(7200))?;
    let code = ended.status.and_then(|status| status.code());
    if !matches!(code, Some(0 | 2 | 3)) {
        bail!(
            "cargo atropos ended with {code:?}:\n{}{}",
            ended.stdout,
            ended.stderr
        );
    }
    Ok((Outcomes::read(&output)?, ended))
}

/// What the tests of a tree cost as `cargo test` builds them, doctests apart: the processor's time of all their programs,
/// the least of several runs.
pub fn plain_tests(tree: &Path) -> Result<Duration> {
    const RUNS: usize = 5;
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or("cargo".into()));
    command
        .args(["test", "--no-run", "--lib", "--bins", "--tests"])
        .args(["--message-format=json", "--target-dir", "target/plain"])
        .env_remove("CARGO_TARGET_DIR")
        .current_dir(tree);
    let ended = process::run(command, Duration::from_secs(1800))?;
    if !ended.success() {
        bail!("the tests do not build:\n{}", ended.stderr);
    }
    let messages = ended.stdout.lines();
    let messages = messages.filter_map(|line| serde_json::from_str(line).ok());
    let programs: Vec<String> = messages
        .filter(|message: &serde_json::Value| message["profile"]["test"] == true)
        .filter_map(|message| message["executable"].as_str().map(str::to_owned))
        .collect();
    let mut least = Duration::MAX;
    for _ in 0..RUNS {
        let mut all = Duration::ZERO;
        for program in &programs {
            let mut command = Command::new(program);
            command
                .args(["--quiet", "--test-threads=1"])
                .env("CARGO_MANIFEST_DIR", tree)
                // Pictures of stacks are not what tests do.
                .env_remove("RUST_BACKTRACE")
                .current_dir(tree);
            all += process::run(command, Duration::from_secs(600))?.cpu;
        }
        least = least.min(all);
    }
    Ok(least)
}

/// A fresh copy of a subject below `place`.
pub fn copy_of(subject: &str, place: &Path) -> Result<PathBuf> {
    let source = if Path::new(subject).is_dir() {
        PathBuf::from(subject).canonicalize()?
    } else {
        fetch(subject)?
    };
    if place.exists() {
        fs::remove_dir_all(place)?;
    }
    copy_tree(&source, place)?;
    Ok(place.to_owned())
}

/// Has cargo fetch a crate's sources, and finds them.
fn fetch(subject: &str) -> Result<PathBuf> {
    let is_name = |name: &str| {
        name.bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte))
    };
    let (name, version) = match subject.split_once('@') {
        Some((name, version)) if is_name(name) => (name, format!("={version}")),
        None if is_name(subject) => (subject, "*".to_owned()),
        _ => bail!("`{subject}` is neither a directory nor a crate's name or name@version"),
    };
    let directory = subject.replace('@', "-");
    let project = work_directory().join(format!("fetch/{directory}"));
    fs::create_dir_all(project.join("src"))?;
    fs::write(project.join("src/lib.rs"), "")?;
    fs::write(
        project.join("Cargo.toml"),
        format!(
            "[package]\nname = \"fetch\"\nversion = \"0.0.0\"\nedition = \"2021\"\n\n\
             [workspace]\n\n[dependencies.subject]\npackage = \"{name}\"\nversion = \"{version}\"\n"
        ),
    )?;
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or("cargo".into()));
    command
        .args(["metadata", "--format-version=1"])
        .current_dir(&project);
    let ended = process::run(command, Duration::from_secs(600))?;
    if !ended.success() {
        bail!("can't fetch {subject}:\n{}", ended.stderr);
    }
    let metadata: serde_json::Value = serde_json::from_str(&ended.stdout)?;
    // Its only dependency: others may depend on other versions of it.
    let list = |value: &serde_json::Value| value.as_array().cloned().unwrap_or_default();
    let root = &metadata["resolve"]["root"];
    let nodes = list(&metadata["resolve"]["nodes"]);
    let node = nodes.iter().find(|node| node["id"] == *root);
    let id = node.map(|node| node["deps"][0]["pkg"].clone());
    let packages = list(&metadata["packages"]);
    let package = packages
        .iter()
        .find(|package| Some(&package["id"]) == id.as_ref())
        .with_context(|| format!("{subject} was not fetched"))?;
    let manifest = package["manifest_path"].as_str().context("no manifest")?;
    Ok(Path::new(manifest).parent().context("no directory")?.into())
}

fn copy_tree(from: &Path, to: &Path) -> Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            if entry.file_name() != "target" && entry.file_name() != ".git" {
                copy_tree(&entry.path(), &target)?;
            }
        } else {
            fs::copy(entry.path(), &target)?;
        }
    }
    Ok(())
}
