//! The examples of the packages, for tests that start them.
//!
//! `cargo test` builds them beside the tests; we do so only when tests fail without them, because they are many and expensive in
//! some packages and hardly any test needs them. They are ordinary programs, without a harness.

use std::fs::File;
use std::process::Stdio;

use anyhow::{Context, Result};

use super::Build;
use super::process_group::ProcessGroup;
use crate::interrupt::Interrupt;
use crate::plan::{Plan, TargetRole};

/// Whether a package of the plan has examples at all.
pub fn are_in(plan: &Plan) -> bool {
    let targets = plan.packages.iter().flat_map(|package| &package.targets);
    targets
        .into_iter()
        .any(|target| target.role == TargetRole::Example)
}

/// Builds them into the directory of a build. Whether they compile is seen by the tests that need them.
pub fn build(build: &Build, interrupt: &Interrupt) -> Result<()> {
    let mut command = build.cargo.cargo("build");
    command
        .args(["--examples", "--keep-going"])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(File::create(build.directory.join("examples.log"))?);
    let cargo = ProcessGroup::spawn(command).context("can't run cargo")?;
    cargo.wait(interrupt)?;
    Ok(())
}
