//! The test binaries of a build, each with the environment that cargo gives it.
//!
//! Cargo is told that this program is the runner of test binaries ([`record`]); it then calls us
//! once per binary, in the working directory and with the environment that the tests expect, and
//! we write that down instead of running anything. So the tests see just what `cargo test` would
//! show them.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};
use std::process;

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};

use super::runner;
use crate::environment;

/// What we set for our own calls of cargo, and what no test should see.
const OUR_VARIABLES: &[&str] = &[
    "RUSTC_WORKSPACE_WRAPPER",
    "RUSTC_WRAPPER",
    "CARGO_INCREMENTAL",
    "CARGO_BUILD_BUILD_DIR",
    "CARGO_PROFILE_DEV_DEBUG",
    "CARGO_PROFILE_TEST_DEBUG",
    "CARGO_TARGET_DIR",
    "RUSTDOCFLAGS",
    "CARGO_ENCODED_RUSTDOCFLAGS",
];

/// How to start a program as cargo would.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Invocation {
    pub program: PathBuf,
    #[serde(default)]
    pub arguments: Vec<String>,
    pub directory: PathBuf,
    pub environment: BTreeMap<String, String>,
}

impl Invocation {
    /// The call that this process would make if it ran `program` in its own stead: its directory
    /// and environment, less what is ours.
    pub fn of_this_process(program: PathBuf, arguments: Vec<OsString>) -> Result<Invocation> {
        let text = |words: OsString| words.into_string().ok();
        Ok(Invocation {
            program,
            arguments: arguments.into_iter().filter_map(text).collect(),
            directory: std::env::current_dir()?,
            environment: std::env::vars_os()
                .filter_map(|(name, value)| Some((text(name)?, text(value)?)))
                .filter(|(name, _)| !OUR_VARIABLES.contains(&name.as_str()))
                .filter(|(name, _)| !environment::is_ours(name) && !runner::is_variable(name))
                .collect(),
        })
    }

    /// Reads all invocations recorded below a directory, in a fixed order.
    pub fn read_all(directory: &Path) -> Result<Vec<Invocation>> {
        let mut paths: Vec<PathBuf> = fs::read_dir(directory)
            .with_context(|| format!("can't read {}", directory.display()))?
            .map(|entry| Ok(entry?.path()))
            .collect::<Result<_>>()?;
        paths.sort();
        paths
            .iter()
            .filter(|path| {
                path.extension()
                    .is_some_and(|extension| extension == "json")
            })
            .map(|path| Ok(serde_json::from_slice(&fs::read(path)?)?))
            .collect()
    }
}

/// A program with tests in it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct TestBinary {
    pub invocation: Invocation,
    /// The package it belongs to.
    pub package: String,
    /// Cargo's identifier of the package.
    pub package_id: String,
    /// `lib`, `bin bank`, `test threads` …
    pub target: String,
    /// Whether its tests run under our harness; otherwise it is one big test to us.
    pub harness: bool,
}

impl TestBinary {
    /// The target's name without its kind.
    pub fn target_name(&self) -> &str {
        self.target
            .split_once(' ')
            .map_or(&self.target, |(_, name)| name)
    }

    /// The name of a library's own test binary: its file's without the hash.
    pub fn library_name(&self) -> &str {
        let stem = self.invocation.program.file_stem();
        let stem = stem.and_then(OsStr::to_str).unwrap_or_default();
        stem.rsplit_once('-').map_or(stem, |(name, _)| name)
    }
}

/// Acts as the runner of a test binary: writes down how it was called. Never returns.
pub fn record(directory: &Path, mut arguments: impl Iterator<Item = OsString>) -> ! {
    let result = (|| -> Result<()> {
        let program = PathBuf::from(arguments.next().context("no program to record")?);
        let invocation = Invocation::of_this_process(program, Vec::new())?;
        let stem = invocation
            .program
            .file_name()
            .context("a program has a name")?;
        let path = directory.join(format!("{}.json", stem.to_string_lossy()));
        fs::write(path, serde_json::to_vec(&invocation)?)?;
        Ok(())
    })();
    match result {
        Ok(()) => process::exit(0),
        Err(error) => {
            eprintln!("atropos: {error:#}");
            process::exit(1)
        }
    }
}
