//! The doctests of a build as programs of their own.
//!
//! rustdoc compiles doctests, runs them and throws them away. It is told that this program runs
//! them ([`keep`]); so each is kept and can be run again for every mutant that needs it, without
//! compiling anything twice. Only the documentation is read from the user's sources; what a
//! doctest links is the woven library.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{self, Command, Stdio};

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};

use super::test_binary::Invocation;
use super::{Build, CargoSetting};
use crate::execute::PlainTest;
use crate::plan::PlannedPackage;

/// The environment variable that makes this program a keeper of doctests: the directory to keep
/// them in.
pub const KEEP_VARIABLE: &str = "ATROPOS_KEEP_DOCTESTS";

/// The variable for flags that may have spaces in them, and what parts them.
const ENCODED_FLAGS: &str = "CARGO_ENCODED_RUSTDOCFLAGS";
const SEPARATOR: &str = "\u{1f}";

/// A kept doctest.
#[derive(Serialize, Deserialize)]
struct Kept {
    invocation: Invocation,
    succeeds: bool,
}

/// Compiles the doctests of one package and keeps them below `directory`.
pub fn build(build: &Build, package: &PlannedPackage, directory: &Path) -> Result<Vec<PlainTest>> {
    if directory.exists() {
        fs::remove_dir_all(directory)?;
    }
    fs::create_dir_all(directory)?;
    let this = std::env::current_exe()?;
    let mut flags = rustdoc_flags();
    flags.extend([
        format!("-Ldependency={}", build.runtime.directory.display()),
        "--test-runtool".to_owned(),
        this.display().to_string(),
        "--cap-lints=allow".to_owned(),
    ]);
    let setting = CargoSetting {
        packages: vec![package.package_id.clone()],
        ..build.cargo.clone()
    };
    let output = setting
        .cargo_test()?
        .args(["--doc", "--", "--test-threads=1"])
        .env(ENCODED_FLAGS, flags.join(SEPARATOR))
        .env(KEEP_VARIABLE, directory)
        .stdin(Stdio::null())
        .output()
        .context("can't run cargo")?;
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    fs::write(directory.join("rustdoc.log"), &output.stdout)?;
    fs::write(directory.join("cargo.log"), &output.stderr)?;
    let names = names(&said);
    let kept = read_kept(directory)?;
    let tests = kept.into_iter().enumerate().map(|(index, kept)| PlainTest {
        package: package.name.clone(),
        target: "doc".to_owned(),
        name: names
            .as_ref()
            .and_then(|names| names.get(index).cloned())
            .unwrap_or_else(|| format!("doctest {}", index + 1)),
        invocation: kept.invocation,
        succeeds: kept.succeeds,
    });
    let tests: Vec<PlainTest> = tests.collect();
    let same = names.is_none_or(|names| names.len() == tests.len());
    Ok(if same { tests } else { numbered(tests) })
}

/// The flags that the user's environment has for rustdoc.
fn rustdoc_flags() -> Vec<String> {
    let split = |flags: String, separator: &str| {
        let flags = flags.split(separator).filter(|flag| !flag.is_empty());
        flags.map(str::to_owned).collect()
    };
    match (std::env::var(ENCODED_FLAGS), std::env::var("RUSTDOCFLAGS")) {
        (Ok(flags), _) => split(flags, SEPARATOR),
        (_, Ok(flags)) => split(flags, " "),
        _ => Vec::new(),
    }
}

/// The names cannot be told apart, so each gets a number.
fn numbered(tests: Vec<PlainTest>) -> Vec<PlainTest> {
    let numbered = tests.into_iter().enumerate();
    numbered
        .map(|(index, test)| PlainTest {
            name: format!("doctest {}", index + 1),
            ..test
        })
        .collect()
}

/// The names of the doctests that were run, in their order, as rustdoc prints them.
fn names(said: &str) -> Option<Vec<String>> {
    let lines = said.lines().filter_map(|line| line.strip_prefix("test "));
    let names: Vec<String> = lines
        .filter_map(|line| line.split_once(" ... "))
        .filter(|(name, result)| !name.contains(" - compile") && !result.starts_with("ignored"))
        .map(|(name, _)| name.trim().to_owned())
        .collect();
    (!names.is_empty()).then_some(names)
}

fn read_kept(directory: &Path) -> Result<Vec<Kept>> {
    let mut numbers: Vec<u32> = fs::read_dir(directory)?
        .filter_map(|entry| {
            let name = entry.ok()?.file_name().into_string().ok()?;
            name.strip_suffix(".json")?.parse().ok()
        })
        .collect();
    numbers.sort_unstable();
    numbers
        .into_iter()
        .map(|number| {
            let bytes = fs::read(directory.join(format!("{number}.json")))?;
            Ok(serde_json::from_slice(&bytes)?)
        })
        .collect()
}

/// Acts as the tool that runs a doctest: keeps a copy of the program, then runs it. Never returns.
pub fn keep(directory: &Path, mut arguments: impl Iterator<Item = OsString>) -> ! {
    let Some(program) = arguments.next().map(PathBuf::from) else {
        process::exit(1);
    };
    let arguments: Vec<OsString> = arguments.collect();
    let copy = copy_program(directory, &program);
    let status = Command::new(&program)
        .args(&arguments)
        .env_remove(KEEP_VARIABLE)
        .status();
    let code = match &status {
        Ok(status) => status.code().unwrap_or(101),
        Err(_) => 101,
    };
    if let Ok((number, copy)) = copy
        && let Ok(invocation) = Invocation::of_this_process(copy, arguments, KEEP_VARIABLE)
    {
        let kept = Kept {
            invocation,
            succeeds: code == 0,
        };
        let json = serde_json::to_vec(&kept).expect("plain data");
        let _ = fs::write(directory.join(format!("{number}.json")), json);
    }
    process::exit(code)
}

/// Copies the program under the next free number.
fn copy_program(directory: &Path, program: &Path) -> Result<(u32, PathBuf)> {
    let mut number = 1;
    loop {
        let place = directory.join(format!("{number}"));
        match fs::create_dir(&place) {
            Ok(()) => {
                let copy = place.join("doctest");
                fs::copy(program, &copy)?;
                return Ok((number, copy));
            }
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => number += 1,
            Err(error) => return Err(error.into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_doctests_that_run_have_names() {
        let said = "\nrunning 4 tests\n\
            test src/lib.rs - add (line 3) ... ok\n\
            test src/lib.rs - no (line 9) - compile fail ... ok\n\
            test src/lib.rs - later (line 12) - compile ... ok\n\
            test src/lib.rs - skip (line 20) ... ignored\n\
            \ntest result: ok. 4 passed; 0 failed\n";
        assert_eq!(names(said).unwrap(), ["src/lib.rs - add (line 3)"]);
        assert_eq!(names("running 0 tests"), None);
    }
}
