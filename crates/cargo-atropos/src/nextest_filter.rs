//! Which tests nextest leaves out by default: the `default-filter` of `.config/nextest.toml` in the workspace's root.
//!
//! A team that leaves slow or fragile tests out of its daily runs in this way does not want them for every mutant either.
//! What a filter means is nextest's to say, so nextest is asked, about the test binaries that are built already. Programs
//! without a harness may do anything when they are asked for their tests, so they are not asked, and are never left out.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::build::Build;
use crate::build::test_binary::TestBinary;
use crate::build::toolchain;
use crate::prepare::Prepared;

/// Where nextest looks, from the workspace's root.
const FILE: &str = ".config/nextest.toml";

/// The tests that are not run.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct DefaultFilter {
    /// By the programs that they are in.
    left_out: BTreeMap<PathBuf, Tests>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum Tests {
    All,
    Named(BTreeSet<String>),
}

impl DefaultFilter {
    /// Asks nextest about the tests of a build; tells the user the result of it.
    pub fn of(prepared: &Prepared, build: &Build, scratch: &Path) -> DefaultFilter {
        let root = &prepared.workspace_root;
        let config = fs::read_to_string(root.join(FILE)).unwrap_or_default();
        if prepared.options.execute.ignore_default_filter || !config.contains("default-filter") {
            return DefaultFilter::default();
        }
        let options = &prepared.options.build;
        let is_offline = options.offline || options.frozen;
        match left_out(root, &build.binaries, is_offline, scratch) {
            Ok(left_out) => {
                if !left_out.is_empty() {
                    prepared.terminal.note(format!(
                        "tests that the default filter of {FILE} leaves out are not run; `--ignore-default-filter` runs all"
                    ));
                }
                DefaultFilter { left_out }
            }
            Err(error) => {
                prepared.terminal.warn(format!(
                    "all tests are run, because nextest can't say which of them the default filter of {FILE} leaves out: {error:#}"
                ));
                DefaultFilter::default()
            }
        }
    }

    /// Whether nextest would run a test without being told of it.
    pub fn takes(&self, binary: &TestBinary, test: &str) -> bool {
        match self.left_out.get(&path(binary)) {
            None => true,
            Some(Tests::All) => false,
            Some(Tests::Named(names)) => !names.contains(test),
        }
    }

    /// Names what is left out: verdicts of a run with another filter don't hold.
    pub fn key(&self) -> String {
        match self.left_out.is_empty() {
            true => String::new(),
            false => format!("{:?}", self.left_out),
        }
    }
}

fn left_out(
    root: &Path,
    binaries: &[TestBinary],
    is_offline: bool,
    scratch: &Path,
) -> Result<BTreeMap<PathBuf, Tests>> {
    let harnessed = binaries.iter().filter(|binary| binary.harness);
    let described: Map<String, Value> = harnessed.map(description).collect();
    let of_build = json!({
        "rust-build-meta": {
            "target-directory": root.join("target"),
            "base-output-directories": [],
            "non-test-binaries": {},
            "linked-paths": [],
        },
        "rust-binaries": described,
    });
    let file = scratch.join("binaries-for-nextest");
    fs::write(&file, of_build.to_string())?;
    let mut command = toolchain::cargo(root);
    command.args(["nextest", "list", "--message-format=json"]);
    command.arg("--binaries-metadata").arg(&file);
    if is_offline {
        // It takes no option of cargo's beside that one.
        command.env("CARGO_NET_OFFLINE", "true");
    }
    let output = command.output().context("can't run cargo")?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        bail!("cargo nextest list: {}", said.trim());
    }
    let list = serde_json::from_slice(&output.stdout)?;
    Ok(by_program(&list))
}

fn path(binary: &TestBinary) -> PathBuf {
    binary.invocation.directory.join(&binary.invocation.program)
}

/// A test binary, under its name, as nextest describes those that it has built.
fn description(binary: &TestBinary) -> (String, Value) {
    let package = &binary.package;
    let (kind, name, id) = match binary.target.split_once(' ') {
        Some(("test", name)) => ("test", name, format!("{package}::{name}")),
        Some((kind, name)) => (kind, name, format!("{package}::{kind}/{name}")),
        None => ("lib", binary.library_name(), package.clone()),
    };
    let description = json!({
        "binary-id": id,
        "binary-name": name,
        "package-id": binary.package_id,
        "kind": kind,
        "binary-path": path(binary),
        "build-platform": "target",
    });
    (id, description)
}

/// The tests that a list of nextest's says are left out by the default filter; there are other reasons.
fn by_program(list: &Value) -> BTreeMap<PathBuf, Tests> {
    let is_left_out = |case: &Value| case["filter-match"]["reason"] == "default-filter";
    let suites = list["rust-suites"].as_object().into_iter().flatten();
    let left_out = suites.filter_map(|(_, suite)| {
        let program = PathBuf::from(suite["binary-path"].as_str()?);
        if suite["status"] == "skipped-default-filter" {
            return Some((program, Tests::All));
        }
        let cases = suite["testcases"].as_object().into_iter().flatten();
        let names: BTreeSet<String> = cases
            .filter(|(_, case)| is_left_out(case))
            .map(|(name, _)| name.clone())
            .collect();
        (!names.is_empty()).then_some((program, Tests::Named(names)))
    });
    left_out.collect()
}
