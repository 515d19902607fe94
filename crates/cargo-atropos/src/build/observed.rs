//! A second build, beside the first, whose programs observe what functions do.
//!
//! Cargo takes the compiler wrapper's path for a part of what is built with it, but only for the
//! workspace's own crates. So this program is called by another name here: dependencies are shared
//! with the first build, and neither build makes the other one out of date.

use std::collections::BTreeSet;
use std::fs;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use atropos_mutants::mutant::MutantId;
use serde::{Deserialize, Serialize};

use super::dependencies::Dependencies;
pub use super::instructions::ObservationPlan;
use super::instructions::{BuildInstructions, BuildPurpose};
use super::units::UnitReport;
use super::{
    Build, BuildFailure, CargoSetting, Speed, call_cargo, collect_binaries, forget_others,
};
use crate::build::test_binary::TestBinary;
use crate::interrupt::Interrupt;
use crate::prepare::Prepared;

/// What the second build gave.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ObservedBuild {
    pub binaries: Vec<TestBinary>,
    /// The mutants that are in it.
    pub built: BTreeSet<MutantId>,
}

/// Builds the tests of some targets, named as arguments of cargo, once more, with observation and the wanted mutants only.
pub fn build_observed(
    prepared: &Prepared,
    interrupt: &Interrupt,
    build: &Build,
    observation: ObservationPlan,
    test_targets: Vec<String>,
) -> Result<ObservedBuild, BuildFailure> {
    let purpose = BuildPurpose::Observation(observation);
    let mut build = build.clone();
    build.cargo.test_targets = test_targets;
    let (build, _) = build_for(prepared, interrupt, &build, purpose, "observe")?;
    Ok(build)
}

/// Builds the tests of a plan for another purpose than the first build's. What belongs to it is named after `verb`, which ends in `e`.
pub(super) fn build_for(
    prepared: &Prepared,
    interrupt: &Interrupt,
    build: &Build,
    purpose: BuildPurpose,
    verb: &str,
) -> Result<(ObservedBuild, BuildInstructions), BuildFailure> {
    let output = &prepared.output_directory;
    let mut hasher = DefaultHasher::new();
    (&build.directory, &purpose).hash(&mut hasher);
    let directory = output.join(format!("{verb}d-{:016x}", hasher.finish()));
    let dependencies = build.cargo.dependencies;
    let speed = match build.may_be_faster || dependencies == Dependencies::AsAsked {
        true => Speed::AsAsked,
        false => Speed::Optimised,
    };
    let instructions = if BuildInstructions::are_in(&directory) {
        BuildInstructions::read(&directory)?
    } else {
        let instructions = BuildInstructions::write(
            &prepared.plan,
            &build.runtime,
            &directory,
            speed,
            dependencies,
            purpose,
        )?;
        instructions.take_forms(&build.directory);
        instructions
    };
    forget_others(output, &format!("{verb}d-"), &directory);
    let cargo = CargoSetting {
        instructions: directory,
        wrapper: another_name(output, &format!("{verb}r"))?,
        ..build.cargo.clone()
    };
    let messages = call_cargo(&cargo, &build.toolchain, &instructions, interrupt)?;
    let reports = UnitReport::read_all(&instructions.units()).context("can't read the units")?;
    let built = ObservedBuild {
        binaries: collect_binaries(&prepared.plan, &instructions, &messages, &reports)?,
        built: reports
            .iter()
            .flat_map(|report| &report.built)
            .copied()
            .collect(),
    };
    Ok((built, instructions))
}

/// This program by another name.
fn another_name(output: &Path, name: &str) -> Result<PathBuf> {
    let this = std::env::current_exe().context("can't find this program's own file")?;
    let name = output.join(name);
    if fs::read_link(&name).is_ok_and(|target| target == this) {
        return Ok(name);
    }
    let _ = fs::remove_file(&name);
    symlink(&this, &name).with_context(|| format!("can't write {}", name.display()))?;
    Ok(name)
}
