//! Crates whose tests do what no tool expects, one file of `testdata/hostile_crates` each. All have a function `double` and a test
//! that kills its mutants; the first line of a file says how a run must end: with which exit code, and whether these mutants are
//! killed although such tests run beside theirs.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};
use atropos_report::outcomes::Outcomes;
use atropos_report::verdict::Verdict;

use crate::subject;

/// The files, by name.
pub fn all() -> Result<Vec<PathBuf>> {
    let directory = subject::repository().join("testdata/hostile_crates");
    let entries = fs::read_dir(&directory).context("can't read the hostile crates")?;
    let mut files: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    files.sort();
    Ok(files)
}

/// What the first line says: the exit code, and whether the mutants of `double` are killed.
fn expected(text: &str) -> Result<(i32, bool)> {
    let first = text.lines().next().unwrap_or_default();
    let said = first
        .strip_prefix("//! Exit code ")
        .context("the first line says no exit code")?;
    let (code, rest) = said
        .split_once([',', ':'])
        .context("the first line has no sentence")?;
    Ok((code.parse()?, rest.contains("killed")))
}

/// Runs the tool on one; an error is what is bad.
pub fn attack(program: &Path, file: &Path) -> Result<()> {
    let text = fs::read_to_string(file)?;
    let (code, killed) = expected(&text)?;
    let place = subject::place_for("attack", "hostile");
    let _ = fs::remove_dir_all(&place);
    fs::create_dir_all(place.join("src"))?;
    let manifest =
        "[package]\nname = \"hostile\"\nversion = \"0.1.0\"\nedition = \"2024\"\n[workspace]\n";
    fs::write(place.join("Cargo.toml"), manifest)?;
    fs::write(place.join("src/lib.rs"), &text)?;
    let output = Command::new("timeout")
        .args(["-s", "KILL", "300"])
        .arg(program)
        .args(["atropos", "--no-impact", "--re", "double"])
        .current_dir(&place)
        .stdin(Stdio::null())
        .output()?;
    let said = String::from_utf8_lossy(&output.stderr);
    let last = said.trim_end().lines().last().unwrap_or_default();
    if output.status.code() != Some(code) {
        bail!("{} instead of exit code {code}: {last}", output.status);
    }
    if !killed {
        return Ok(());
    }
    let outcomes = Outcomes::read(&place.join("target/atropos"))?;
    let mutants = outcomes.mutants.iter();
    let mut left = mutants.filter(|mutant| !mutant.verdict.is_some_and(Verdict::is_killed));
    match left.next() {
        Some(mutant) => bail!("{} is not killed", mutant.info.name()),
        None if outcomes.mutants.is_empty() => bail!("there are no mutants"),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_hostile_crate_says_what_is_expected() {
        let all = all().unwrap();
        assert!(all.len() >= 12);
        for file in all {
            let text = fs::read_to_string(&file).unwrap();
            assert!(expected(&text).is_ok(), "{}", file.display());
            assert!(text.contains("pub fn double("), "{}", file.display());
        }
    }
}
