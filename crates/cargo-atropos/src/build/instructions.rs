//! What the driver tells the compiler wrapper: where things are, and what to weave.
//!
//! Written once before cargo is started; each package has a file of its own, so that a wrapper
//! reads only what its unit needs.

use std::collections::{BTreeMap, BTreeSet};
use std::env;
use std::fs::{self, File};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use atropos_mutants::mutant::MutantId;
use atropos_weave::additions::{Addition, Rejected};
use serde::{Deserialize, Serialize};

use super::dependencies::Dependencies;
use super::runtime_library::{RuntimeLibrary, ThreadControl};
use super::rustc_call::RustcCall;
use crate::plan::{Plan, PlannedPackage};

const FILE: &str = "instructions.json";

/// How fast the tests are to run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Speed {
    /// As the user's profile has it.
    AsAsked,
    /// Lightly optimised, with all checks on: for tests that take long.
    Optimised,
}

/// What is observed.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ObservationPlan {
    /// The numbers of each package's first function and first block.
    pub first: Vec<(u32, u32)>,
    /// The mutants that are woven as well; the others are left out, which makes the build cheaper.
    pub wanted: BTreeSet<MutantId>,
}

/// What is added to the code of tests.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct AdditionPlan {
    /// By the files' paths in the plan.
    pub files: BTreeMap<String, Vec<Addition>>,
    /// The mutants that are woven as well.
    pub wanted: BTreeSet<MutantId>,
}

/// What the programs of a build are for.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum BuildPurpose {
    /// To run all mutants.
    Verdicts,
    /// To observe what functions do.
    Observation(ObservationPlan),
    /// To run tests with something added.
    Additions(AdditionPlan),
}

/// The wrapper's view of a run.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct BuildInstructions {
    pub workspace_root: PathBuf,
    /// The directory that shadows mirror: the workspace's root, or what it and all planned
    /// packages have in common.
    pub mirrored: PathBuf,
    pub runtime: RuntimeLibrary,
    /// Everything that the wrapper writes lies below it.
    pub directory: PathBuf,
    pub speed: Speed,
    /// Debug information, which mutants don't need, is left out of the workspace's crates though the profile has it.
    pub without_debug_info: bool,
    pub purpose: BuildPurpose,
    /// What the tests run is built for a named target; what runs at build time is not, and is built for itself.
    pub has_target: bool,
    /// No `const fn` is woven: a constant in a crate that is compiled without our help needs one.
    #[serde(default)]
    pub keeps_const: bool,
    /// Manifest directories of the planned packages, in the plan's order.
    packages: Vec<PathBuf>,
}

impl BuildInstructions {
    /// Writes the instructions for a plan below `directory`, where nothing of an earlier run is left.
    pub fn write(
        plan: &Plan,
        runtime: &RuntimeLibrary,
        directory: &Path,
        speed: Speed,
        dependencies: Dependencies,
        purpose: BuildPurpose,
    ) -> Result<Self> {
        let packages: Vec<PathBuf> = plan
            .packages
            .iter()
            .map(|package| package.manifest_dir.clone().into_std_path_buf())
            .collect();
        let workspace_root = plan.workspace_root.clone().into_std_path_buf();
        let instructions = BuildInstructions {
            mirrored: common_ancestor(&workspace_root, &packages),
            workspace_root,
            runtime: runtime.clone(),
            directory: directory.to_owned(),
            speed,
            without_debug_info: dependencies == Dependencies::AsUsers,
            purpose,
            // What runs at build time keeps the real std, too.
            has_target: plan.are_used_at_build_time || runtime.threads == ThreadControl::Explored,
            keeps_const: false,
            packages,
        };
        instructions.lay_out(plan)?;
        Ok(instructions)
    }

    /// The same without any `const fn`, in place of what was built by them.
    pub fn keep_const(mut self, plan: &Plan) -> Result<Self> {
        self.keeps_const = true;
        self.lay_out(plan)?;
        Ok(self)
    }

    fn lay_out(&self, plan: &Plan) -> Result<()> {
        let directory = &self.directory;
        if directory.exists() {
            fs::remove_dir_all(directory)
                .with_context(|| format!("can't clear {}", directory.display()))?;
        }
        for place in ["packages", "units", "shadows", "checks"] {
            fs::create_dir_all(directory.join(place))
                .with_context(|| format!("can't write below {}", directory.display()))?;
        }
        for (index, package) in plan.packages.iter().enumerate() {
            let bytes = serde_json::to_vec(package)?;
            fs::write(self.package_file(index), bytes)?;
        }
        // Last and at once: what a killed run left half-made is never taken for whole.
        let making = directory.join("instructions.making");
        fs::write(&making, serde_json::to_vec(self)?)?;
        fs::rename(making, directory.join(FILE))?;
        Ok(())
    }

    /// Whether an earlier run has written instructions below `directory`.
    pub fn are_in(directory: &Path) -> bool {
        directory.join(FILE).is_file()
    }

    /// Reads what [`BuildInstructions::write`] left below `directory`.
    pub fn read(directory: &Path) -> Result<BuildInstructions> {
        let path = directory.join(FILE);
        let bytes = fs::read(&path).with_context(|| format!("can't read {}", path.display()))?;
        Ok(serde_json::from_slice(&bytes)?)
    }

    fn package_file(&self, index: usize) -> PathBuf {
        self.directory.join(format!("packages/{index}.json"))
    }

    /// The planned package in a manifest directory, with its index.
    pub fn package(&self, manifest_dir: &Path) -> Result<Option<(usize, PlannedPackage)>> {
        let Some(index) = self.packages.iter().position(|dir| dir == manifest_dir) else {
            return Ok(None);
        };
        let bytes = fs::read(self.package_file(index))?;
        Ok(Some((index, serde_json::from_slice(&bytes)?)))
    }

    /// Whether a unit is part of the programs that the tests run.
    pub fn is_for(&self, call: &RustcCall) -> bool {
        !self.has_target || call.value_of("--target").is_some()
    }

    /// The flags that every unit of the programs gets, woven or not.
    pub fn flags_for_all(&self, call: &RustcCall) -> Vec<String> {
        let mut flags = self.runtime.flags_for_all();
        if self.speed == Speed::Optimised {
            flags.extend(call.optimising_flags());
        }
        if self.without_debug_info {
            // The linker leaves out what dependencies have of it.
            flags.extend(["-Cdebuginfo=0", "-Cstrip=debuginfo"].map(str::to_owned));
        }
        if self.runtime.threads == ThreadControl::Explored {
            flags.push("--cap-lints=allow".to_owned());
            // For debuggers, and to name the line from which something was done that can't be controlled. Lines of
            // dependencies are not worth the time to compile.
            if env::var_os("CARGO_PRIMARY_PACKAGE").is_some() {
                flags.extend(["-Cdebuginfo=line-tables-only", "-Cstrip=none"].map(str::to_owned));
            }
        }
        flags
    }

    /// Waits until no other unit of the package is being checked, and keeps it so until dropped.
    pub fn lock_package(&self, index: usize) -> Result<File> {
        let file = File::create(self.directory.join(format!("packages/{index}.lock")))?;
        file.lock()?;
        Ok(file)
    }

    /// Takes over the forms that rustc accepted in an earlier weave of the same plan.
    pub fn take_forms(&self, earlier: &Path) {
        for index in 0..self.packages.len() {
            let name = forms_file_name(index);
            // Without them there are a few more rounds.
            let _ = fs::copy(earlier.join(&name), self.directory.join(&name));
        }
    }

    /// Where the units of a package keep the forms that rustc accepted.
    pub fn forms_file(&self, index: usize) -> PathBuf {
        self.directory.join(forms_file_name(index))
    }

    /// Where the units of a package keep what of the observation rustc rejected.
    pub fn observe_forms_file(&self, index: usize) -> PathBuf {
        self.directory
            .join(format!("packages/{index}.observe.json"))
    }

    /// Where the units of a package keep what of the additions rustc rejected.
    pub fn rejected_additions_file(&self, index: usize) -> PathBuf {
        self.directory
            .join(format!("packages/{index}.additions.json"))
    }

    /// What rustc rejected of the additions, in all packages.
    pub fn rejected_additions(&self) -> Result<Rejected> {
        let mut all = Rejected::new();
        for index in 0..self.packages.len() {
            if let Ok(bytes) = fs::read(self.rejected_additions_file(index)) {
                all.extend(serde_json::from_slice::<Rejected>(&bytes)?);
            }
        }
        Ok(all)
    }

    pub fn units(&self) -> PathBuf {
        self.directory.join("units")
    }

    pub fn shadows(&self) -> PathBuf {
        self.directory.join("shadows")
    }

    pub fn checks(&self) -> PathBuf {
        self.directory.join("checks")
    }

    /// Where the runner records the test binaries.
    pub fn invocations(&self) -> PathBuf {
        self.directory.join("invocations")
    }
}

fn forms_file_name(index: usize) -> String {
    format!("packages/{index}.forms.json")
}

/// The deepest directory that holds the root and all packages.
fn common_ancestor(root: &Path, packages: &[PathBuf]) -> PathBuf {
    let mut ancestor = root.to_owned();
    while !packages
        .iter()
        .all(|package| package.starts_with(&ancestor))
        && ancestor.pop()
    {}
    ancestor
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_package_beside_the_workspace_widens_what_is_mirrored() {
        let check = |packages: &[&str], expected: &str| {
            let packages: Vec<PathBuf> = packages.iter().map(PathBuf::from).collect();
            let ancestor = common_ancestor(Path::new("/home/u/ws"), &packages);
            assert_eq!(ancestor, Path::new(expected));
        };
        check(&["/home/u/ws", "/home/u/ws/a"], "/home/u/ws");
        check(&["/home/u/ws/a", "/home/u/beside"], "/home/u");
    }
}
