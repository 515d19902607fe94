//! Compiles programs and runs them under a `Client`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use atropos_protocol::{Baseline, Client, Limits, MutantsRun, RunMode, TestResult, TestRun};
use atropos_values::{MutantId, NumberedPoint, Numbering, PointId};

/// The lists of the tool itself.
#[allow(dead_code)]
#[path = "../../../cargo-atropos/runtime_crates.rs"]
mod runtime_crates;

/// How many functions the programs may say to be entered.
pub const FUNCTIONS: u32 = 100;
pub const SILENCE_LIMIT: Duration = Duration::from_secs(20);

/// A directory of this test process alone. What compiled programs need outlives the process; the
/// next one removes it.
pub fn fresh_directory() -> PathBuf {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    let path = Path::new(env!("CARGO_TARGET_TMPDIR"))
        .join(format!("driving-{}-{count}", std::process::id()));
    let _ = std::fs::remove_dir_all(&path);
    std::fs::create_dir_all(&path).unwrap();
    path
}

/// Removes the directories of test processes that are gone.
fn remove_leftovers() {
    for entry in std::fs::read_dir(env!("CARGO_TARGET_TMPDIR"))
        .unwrap()
        .flatten()
    {
        let name = entry.file_name().into_string().unwrap_or_default();
        let process = name
            .strip_prefix("driving-")
            .and_then(|rest| rest.split('-').next());
        if process.is_some_and(|id| !Path::new("/proc").join(id).exists()) {
            let _ = std::fs::remove_dir_all(entry.path());
        }
    }
}

fn run_rustc(arguments: &[&str], log: &str) {
    let output = Command::new("rustc")
        .args(arguments)
        .args(["--edition", "2024", "--cap-lints", "allow"])
        .output()
        .unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{log}:\n{errors}");
}

/// The directory of the compiled crates, made once.
fn runtime() -> &'static Path {
    static DIRECTORY: OnceLock<PathBuf> = OnceLock::new();
    DIRECTORY.get_or_init(|| {
        remove_leftovers();
        let directory = fresh_directory();
        let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
        let out = directory.to_str().unwrap();
        let search = format!("dependency={out}");
        for (package, name, uses) in runtime_crates::FORKED {
            let source = crates.join(package).join("src/lib.rs");
            let externs: Vec<String> = uses
                .iter()
                .map(|name| format!("--extern={name}={out}/lib{name}.rlib"))
                .collect();
            let mut arguments = vec![
                source.to_str().unwrap(),
                "--crate-name",
                name,
                "--crate-type",
                "rlib",
                "-O",
                "--out-dir",
                out,
                "-L",
                &search,
            ];
            arguments.extend(externs.iter().map(String::as_str));
            run_rustc(&arguments, name);
        }
        directory
    })
}

/// What kind of program to compile.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// With the harness.
    Test,
    /// An ordinary program.
    Bin,
}

/// Compiles a program from its text.
pub fn compile(source: &str, kind: Kind) -> PathBuf {
    let runtime = runtime().to_str().unwrap();
    let directory = fresh_directory();
    let (input, output) = (directory.join("program.rs"), directory.join("program"));
    std::fs::write(&input, source).unwrap();
    let runtime_crate = format!("--extern=atropos_runtime={runtime}/libatropos_runtime.rlib");
    let test_crate = format!("--extern=test={runtime}/libtest.rlib");
    let search = format!("dependency={runtime}");
    let mut arguments = vec![
        input.to_str().unwrap(),
        "-o",
        output.to_str().unwrap(),
        "-L",
        &search,
        &runtime_crate,
    ];
    if kind == Kind::Test {
        arguments.extend(["--test", &test_crate]);
    }
    run_rustc(&arguments, "program");
    output
}

/// A zygote with what it needs around it.
pub struct Driver {
    pub client: Client,
    pub scratch: Scratch,
}

/// A directory that goes with its owner.
pub struct Scratch(PathBuf);

impl std::ops::Deref for Scratch {
    type Target = Path;

    fn deref(&self) -> &Path {
        &self.0
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// So many mutants, at points that are given as pairs of first mutant and size.
pub fn numbered(mutants: u32, points: &[(u32, u16)]) -> Numbering {
    let point = |&(first, size): &(u32, u16)| NumberedPoint::new(MutantId(first), size);
    Numbering {
        mutants,
        points: points.iter().map(point).collect(),
        functions: 0,
    }
}

/// The numbers that stand in the programs' texts.
pub fn mutants<const N: usize>(numbers: [u32; N]) -> [MutantId; N] {
    numbers.map(MutantId)
}

/// The points that begin with these mutants.
pub fn points<const N: usize>(numbers: [u32; N]) -> [PointId; N] {
    numbers.map(PointId)
}

impl Driver {
    /// `points` are pairs of first mutant and size.
    pub fn start(program: &Path, points: &[(u32, u16)]) -> Driver {
        Driver::start_command(Command::new(program), points)
    }

    pub fn start_command(command: Command, points: &[(u32, u16)]) -> Driver {
        let scratch = Scratch(fresh_directory());
        let mutants = points
            .iter()
            .map(|&(first, size)| first + u32::from(size) - 1)
            .max()
            .unwrap_or(0);
        let numbering = numbered(mutants, points).with_functions(FUNCTIONS);
        let client = Client::start(command, &scratch, &numbering, SILENCE_LIMIT).unwrap();
        Driver { client, scratch }
    }

    pub fn index(&self, test: &str) -> usize {
        let tests = self.client.tests();
        tests
            .iter()
            .position(|candidate| candidate.name == test)
            .unwrap_or_else(|| panic!("no test {test} in {tests:?}"))
    }

    pub fn baseline(&mut self, test: &str) -> Baseline {
        let index = self.index(test);
        let capture = self.scratch.join("captured");
        let limits = Limits::only_time(Duration::from_secs(10));
        self.client.baseline(index, &limits, &capture).unwrap()
    }

    pub fn captured(&self) -> String {
        std::fs::read_to_string(self.scratch.join("captured")).unwrap()
    }

    /// Runs mutants under small limits.
    pub fn run(&mut self, way: RunMode, test: &str, wanted: &[u32]) -> BTreeMap<u32, TestRun> {
        self.run_with(way, test, wanted, &limits()).0
    }

    pub fn run_with(
        &mut self,
        way: RunMode,
        test: &str,
        wanted: &[u32],
        limits: &Limits,
    ) -> (BTreeMap<u32, TestRun>, MutantsRun) {
        let index = self.index(test);
        let wanted: Vec<MutantId> = wanted.iter().copied().map(MutantId).collect();
        let mut test_runs = BTreeMap::new();
        let run = self
            .client
            .run(way, index, &wanted, limits, &mut |mutant, test_run| {
                let before = test_runs.insert(mutant.0, test_run);
                assert_eq!(before, None, "mutant {mutant} was reported twice");
            })
            .unwrap();
        (test_runs, run)
    }

    pub fn outcomes(
        &mut self,
        way: RunMode,
        test: &str,
        wanted: &[u32],
    ) -> BTreeMap<u32, TestResult> {
        outcomes(&self.run(way, test, wanted))
    }
}

pub fn outcomes(test_runs: &BTreeMap<u32, TestRun>) -> BTreeMap<u32, TestResult> {
    test_runs
        .iter()
        .map(|(&mutant, test_run)| (mutant, test_run.result))
        .collect()
}

pub fn limits() -> Limits {
    Limits {
        steps: 20_000,
        step_factor: 1.0,
        heap: 64 << 20,
        time: Duration::from_secs(10),
        address_space: 1 << 30,
        file_size: 1 << 20,
        spawns: 20,
    }
}
