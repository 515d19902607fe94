//! What the compiler wrapper tells the driver about each compile unit it handled.
//!
//! The wrapper runs in processes of its own, started by cargo; it leaves one small file per unit.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::fs;
use std::io;
use std::path::Path;

use atropos_mutants::mutant::MutantId;
use serde::{Deserialize, Serialize};

/// What tells a compile unit from all others of a build.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct UnitId {
    /// The crate's name with the hash that cargo puts behind it; the program that comes of the unit is called so.
    pub stem: String,
    /// The unit is compiled with `--test`.
    pub is_test: bool,
}

impl fmt::Display for UnitId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let test = if self.is_test { "-test" } else { "" };
        write!(f, "{}{test}", self.stem)
    }
}

/// One unit's report.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct UnitReport {
    pub package: String,
    pub unit: UnitId,
    /// Whether the unit's tests run under our harness.
    pub harness: bool,
    pub weave: WeaveResult,
    /// The mutants that this unit's program holds.
    pub built: BTreeSet<MutantId>,
    /// The mutants that rustc rejected, and what it said.
    pub unviable: BTreeMap<MutantId, String>,
    pub rounds: u32,
    pub check_seconds: f64,
    pub compile_seconds: f64,
}

/// How the weave of a unit went.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum WeaveResult {
    Woven,
    /// Compiled as the user wrote it, without any mutant, for the reason given.
    LeftAlone(String),
}

impl UnitReport {
    pub fn write(&self, directory: &Path) -> io::Result<()> {
        fs::create_dir_all(directory)?;
        let path = directory.join(format!("{}.json", self.unit));
        let making = path.with_extension("making");
        fs::write(&making, serde_json::to_vec_pretty(self)?)?;
        fs::rename(making, path)
    }

    /// The name of the crate that the unit is made of.
    pub fn crate_name(&self) -> &str {
        self.unit.stem.split('-').next().unwrap_or_default()
    }

    /// All reports below a directory.
    pub fn read_all(directory: &Path) -> io::Result<Vec<UnitReport>> {
        let mut reports = Vec::new();
        let entries = match fs::read_dir(directory) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(reports),
            entries => entries?,
        };
        for entry in entries {
            let path = entry?.path();
            if path
                .extension()
                .is_some_and(|extension| extension == "json")
            {
                reports.push(serde_json::from_slice(&fs::read(path)?)?);
            }
        }
        Ok(reports)
    }
}
