//! Builds of the tests with something added to their code: calls that capture values, or assertions.

use std::collections::BTreeSet;

use atropos_mutants::mutant::MutantId;
use atropos_weave::additions::Rejected;

pub use super::instructions::AdditionPlan;
use super::instructions::BuildPurpose;
use super::observed::build_for;
use super::{Build, BuildFailure};
use crate::build::test_binary::TestBinary;
use crate::interrupt::Interrupt;
use crate::prepare::Prepared;

/// What a build with additions gave.
pub struct BuildWithAdditions {
    pub binaries: Vec<TestBinary>,
    /// The mutants that are in it.
    pub built: BTreeSet<MutantId>,
    /// The additions that are not in it.
    pub rejected: Rejected,
}

/// Builds the tests once more, with additions and the wanted mutants only.
pub fn build_with_additions(
    prepared: &Prepared,
    interrupt: &Interrupt,
    build: &Build,
    plan: AdditionPlan,
) -> Result<BuildWithAdditions, BuildFailure> {
    let purpose = BuildPurpose::Additions(plan);
    let (built, instructions) = build_for(prepared, interrupt, build, purpose, "prove")?;
    Ok(BuildWithAdditions {
        binaries: built.binaries,
        built: built.built,
        rejected: instructions.rejected_additions()?,
    })
}
