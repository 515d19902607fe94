//! From a plan to test binaries that hold all its mutants: one call of cargo.
//!
//! Flow: [`runtime_library`] compiles what woven programs link; [`instructions`] tells the
//! [`wrapper`] what to weave; cargo builds; [`test_binary`] records how it would run the results;
//! [`units`] tells which mutants were built.

mod adding_unit;
pub mod additions;
mod cargo_config;
mod cargo_messages;
mod compiler;
mod dependencies;
pub mod doctests;
pub mod examples;
mod hung_compilers;
pub mod instructions;
mod merged_doctests;
pub mod observed;
mod observing_unit;
mod process_group;
mod runner;
mod runtime_library;
mod rustc_call;
pub mod shadow_tree;
pub mod test_binary;
mod test_environment;
pub mod toolchain;
mod unit_cfg;
mod units;
mod user_cache;
pub mod wrapper;

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::fs::{self, File};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow};
use atropos_mutants::mutant::MutantId;
use atropos_weave::rollback::needed_const_function;
use serde::{Deserialize, Serialize};

use self::cargo_messages::CargoMessages;
pub use self::compiler::CompilerEnded;
pub use self::dependencies::UserBuild;
use self::dependencies::{Dependencies, names_lto};
pub use self::instructions::Speed;
use self::instructions::{BuildInstructions, BuildPurpose};
use self::process_group::ProcessGroup;
pub use self::runtime_library::embedded_runtime;
use self::runtime_library::{RuntimeLibrary, RuntimeRejected, ThreadControl};
pub use self::shadow_tree::without_parents;
use self::test_binary::{Invocation, TestBinary};
use self::toolchain::Toolchain;
use self::units::{UnitReport, WeaveResult};
use crate::arguments::BuildOptions;
use crate::environment;
use crate::interrupt::Interrupt;
use crate::log;
use crate::plan::Plan;
use crate::prepare::Prepared;

/// What a build gave.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Build {
    pub binaries: Vec<TestBinary>,
    /// The mutants that are in at least one program.
    pub built: BTreeSet<MutantId>,
    /// The mutants that rustc rejected everywhere, and what it said.
    pub unviable: BTreeMap<MutantId, String>,
    /// Packages and crates that were compiled without mutants.
    pub left_alone: Vec<CompiledWithoutMutants>,
    /// Time that cargo took in all, and the part of it that the checks of the weave took.
    pub time: Duration,
    pub check_time: Duration,
    /// What rustc took for the woven crates alone.
    pub compile_time: Duration,
    /// Whether optimisation is left to be tried: the user has not chosen a profile.
    pub may_be_faster: bool,
    /// Names this build: mutants' numbers mean something only for it.
    pub key: String,
    /// Names what cargo made: it changes with everything that is compiled in.
    pub artifacts: String,
    pub toolchain: Toolchain,
    pub runtime: RuntimeLibrary,
    /// How cargo was called, for later calls that must find the same build fresh.
    pub cargo: CargoSetting,
    /// What the build writes lies below it.
    pub directory: PathBuf,
}

/// What was compiled without mutants, and why.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct CompiledWithoutMutants {
    pub package: String,
    /// None: all crates of the package.
    pub crate_name: Option<String>,
    pub reason: String,
}

/// Why there is no build.
pub enum BuildFailure {
    /// The user's code does not compile, with what rustc said.
    DoesNotCompile(String),
    Interrupted,
    Internal(anyhow::Error),
}

impl From<anyhow::Error> for BuildFailure {
    fn from(error: anyhow::Error) -> BuildFailure {
        BuildFailure::Internal(error)
    }
}

/// The line that says most of why a build failed: that of a full disk, which shows in many ways, or the first error.
pub fn headline(said: &str) -> &str {
    let line = |found: fn(&str) -> bool| said.lines().find(|line| found(line));
    line(|line| line.contains("No space left on device"))
        .or_else(|| line(|line| line.starts_with("error")))
        .map_or("cargo fails", str::trim)
}

/// How cargo is called for a plan.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct CargoSetting {
    pub manifest_directory: PathBuf,
    pub target_directory: PathBuf,
    pub instructions: PathBuf,
    pub packages: Vec<String>,
    /// Names the packages that are planned, whichever this call is about.
    pub planned: String,
    pub arguments: Vec<String>,
    /// The targets whose tests are built.
    pub test_targets: Vec<String>,
    pub dependencies: Dependencies,
    pub threads: ThreadControl,
    /// Variables that keep tests from writing into the user's tree.
    pub test_environment: Vec<(String, String)>,
    /// This program under the name by which cargo shall know it as compiler wrapper: what is built
    /// through one name lies beside what is built through another.
    pub wrapper: PathBuf,
}

impl CargoSetting {
    /// Which of cargo's compiler wrappers we are: std is replaced for every crate, mutants are woven into those of the
    /// workspace.
    fn wrapper_variable(&self) -> &'static str {
        match self.threads {
            ThreadControl::Real => "RUSTC_WORKSPACE_WRAPPER",
            ThreadControl::Explored => "RUSTC_WRAPPER",
        }
    }

    /// A command of cargo with the wrapper in rustc's place.
    fn cargo(&self, subcommand: &str) -> Command {
        let mut command = self.plain_cargo(subcommand);
        command
            .env(self.wrapper_variable(), &self.wrapper)
            .env(environment::WRAP, &self.instructions)
            .env(environment::PLANNED, &self.planned);
        // A wrapper of the user's would be called on us, and may know compilers by their names.
        if let Some(wrapper) = cargo_config::rustc_wrapper(&self.manifest_directory) {
            command
                .env("RUSTC_WRAPPER", &self.wrapper)
                .env(environment::USER_WRAPPER, wrapper);
        }
        if let Some(log) = log::for_wrappers() {
            command.env(environment::LOG, log);
        }
        command
    }

    /// The same command of cargo for the user's code as it is.
    fn plain_cargo(&self, subcommand: &str) -> Command {
        let mut command = toolchain::cargo(&self.manifest_directory);
        command
            .arg(subcommand)
            .env("CARGO_TARGET_DIR", &self.target_directory)
            .env("CARGO_BUILD_BUILD_DIR", &self.target_directory)
            .env("CARGO_TERM_QUIET", "false")
            .envs(
                self.test_environment
                    .iter()
                    .map(|(name, value)| (name, value)),
            );
        if self.dependencies == Dependencies::Lean {
            command
                .env("CARGO_INCREMENTAL", "0")
                .env("CARGO_PROFILE_DEV_DEBUG", "0")
                .env("CARGO_PROFILE_TEST_DEBUG", "0");
        }
        for package in &self.packages {
            command.args(["--package", package]);
        }
        command.args(&self.arguments);
        command
    }
}

/// Cargo and rustdoc call this program again, as compiler wrapper, as runner of test binaries
/// and of doctests; variables that [`build`] sets tell which. Returns if this is no such call.
pub fn play_other_roles() {
    let role = |variable: &str| std::env::var_os(variable).map(PathBuf::from);
    let mut arguments = std::env::args_os().skip(1).peekable();
    // A program that a test starts inherits the variables; it is not called on a program of ours.
    let Some(first) = arguments.peek().map(PathBuf::from) else {
        return;
    };
    if let Some(directory) = role(environment::KEEP_DOCTESTS)
        && first.ends_with("rust_out")
    {
        doctests::keep(&directory, arguments);
    }
    if let Some(rustdoc) = role(environment::MERGE_DOCTESTS)
        && first.as_os_str().as_encoded_bytes().starts_with(b"-")
    {
        merged_doctests::call(&rustdoc, arguments);
    }
    let more = std::env::args_os().nth(2);
    if let Some(directory) = role(environment::WRAP)
        && is_compiler(&first, more.as_deref())
    {
        wrapper::main(&directory, arguments);
    }
    if let Some(directory) = role(environment::RECORD)
        && first.is_file()
    {
        test_binary::record(&directory, arguments);
    }
}

/// Whether this program is called on a compiler, whatever its name: cargo gives it options, and test binaries none, or that of a
/// cargo that is to be quiet. Or on itself as another wrapper.
fn is_compiler(program: &Path, argument: Option<&OsStr>) -> bool {
    program.file_stem().is_some_and(|stem| stem == "rustc")
        || argument.is_some_and(|argument| {
            argument.as_encoded_bytes().starts_with(b"-") && argument != "--quiet"
        })
        || is_this_program(program)
}

/// Whether a path, also through a link, leads to this program.
fn is_this_program(path: &Path) -> bool {
    let this = std::env::current_exe();
    this.is_ok_and(|this| fs::canonicalize(path).is_ok_and(|path| path == this))
}

/// Builds all mutants of a plan, at the speed asked for or faster: a plan that was once worth
/// optimising stays so.
pub fn build(
    prepared: &Prepared,
    interrupt: &Interrupt,
    speed: Speed,
) -> Result<Build, BuildFailure> {
    let start = Instant::now();
    let (plan, options) = (&prepared.plan, &prepared.options.build);
    let output = &prepared.output_directory;
    let toolchain = Toolchain::of(plan.workspace_root.as_std_path())?;
    let cache = user_cache::user_cache().unwrap_or_else(|| output.clone());
    let of_speed = |speed| RuntimeLibrary::within(&cache, &toolchain, ThreadControl::Real, speed);
    let target_directory = output.join("build");
    let user_build = &prepared.user_build;
    let dependencies = user_build.decide(options, &toolchain.host, &target_directory);
    let arguments = cargo_arguments(plan, options);
    let key = build_key(plan, options, &of_speed(Speed::AsAsked), dependencies)?;
    let as_asked = output.join(format!("weave-{key}"));
    let optimised = output.join(format!("weave-{key}-optimised"));
    let speed = match BuildInstructions::are_in(&optimised) {
        true => Speed::Optimised,
        false => speed,
    };
    let runtime = of_speed(speed);
    let directory = match speed {
        Speed::AsAsked => &as_asked,
        Speed::Optimised => &optimised,
    };
    let instructions = if BuildInstructions::are_in(directory) {
        BuildInstructions::read(directory)?
    } else {
        let instructions = BuildInstructions::write(
            plan,
            &runtime,
            directory,
            speed,
            dependencies,
            BuildPurpose::Verdicts,
        )?;
        if speed == Speed::Optimised {
            instructions.take_forms(&as_asked);
        }
        instructions
    };
    forget_others(output, "weave-", directory);
    user_build.bring(options, &toolchain.host, &target_directory, interrupt);
    let to_build = ToBuild {
        start,
        plan,
        target_directory,
        arguments,
        test_targets: options.test_targets(),
        dependencies,
        toolchain,
        runtime,
        instructions,
        key,
    };
    to_build.build(interrupt)
}

/// Builds the tests of a plan, with all its mutants, on a std whose threads can be explored. Forms that rustc accepted
/// in an earlier build of the plan save rounds.
pub fn build_explored(
    plan: &Plan,
    options: &BuildOptions,
    output: &Path,
    interrupt: &Interrupt,
    watches_memory: bool,
    earlier: Option<&Build>,
) -> Result<Build, BuildFailure> {
    let start = Instant::now();
    let toolchain = Toolchain::of(plan.workspace_root.as_std_path())?;
    let cache = user_cache::user_cache().unwrap_or_else(|| output.to_owned());
    let runtime = RuntimeLibrary::within(
        &cache,
        &toolchain,
        ThreadControl::Explored,
        Speed::Optimised,
    )
    .watching_memory(watches_memory);
    // All of them are compiled here, against another std.
    let dependencies = match options.profile {
        Some(_) => Dependencies::AsAsked,
        None => Dependencies::Lean,
    };
    let key = build_key(plan, options, &runtime, dependencies)?;
    let directory = output.join(format!("explored-weave-{key}"));
    let instructions = if BuildInstructions::are_in(&directory) {
        BuildInstructions::read(&directory)?
    } else {
        // A test runs thousands of times: optimisation pays.
        let speed = Speed::Optimised;
        let instructions = BuildInstructions::write(
            plan,
            &runtime,
            &directory,
            speed,
            dependencies,
            BuildPurpose::Verdicts,
        )?;
        if let Some(earlier) = earlier {
            instructions.take_forms(&earlier.directory);
        }
        instructions
    };
    forget_others(output, "explored-weave-", &directory);
    // Cargo does not notice that the std below has changed, so each has a target directory of its own.
    let mut hasher = DefaultHasher::new();
    runtime.directory.hash(&mut hasher);
    runtime.watches_memory.hash(&mut hasher);
    let target_directory = output.join(format!("explored-build-{:016x}", hasher.finish()));
    forget_others(output, "explored-build-", &target_directory);
    let to_build = ToBuild {
        start,
        plan,
        target_directory,
        arguments: cargo_arguments(plan, options),
        test_targets: options.test_targets(),
        dependencies,
        toolchain,
        runtime,
        instructions,
        key,
    };
    to_build.build(interrupt)
}

/// A build that is ready to start.
struct ToBuild<'a> {
    start: Instant,
    plan: &'a Plan,
    target_directory: PathBuf,
    arguments: Vec<String>,
    test_targets: Vec<String>,
    dependencies: Dependencies,
    toolchain: Toolchain,
    runtime: RuntimeLibrary,
    instructions: BuildInstructions,
    key: String,
}

impl ToBuild<'_> {
    fn build(self, interrupt: &Interrupt) -> Result<Build, BuildFailure> {
        let ToBuild {
            plan,
            toolchain,
            runtime,
            mut instructions,
            ..
        } = self;
        let mut arguments = self.arguments;
        if instructions.has_target {
            arguments.push(format!("--target={}", toolchain.host));
        }
        let cargo = CargoSetting {
            manifest_directory: instructions.workspace_root.clone(),
            target_directory: self.target_directory,
            instructions: instructions.directory.clone(),
            packages: plan
                .packages
                .iter()
                .filter(|package| package.is_tested)
                .map(|package| package.package_id.clone())
                .collect(),
            planned: planned(plan),
            arguments,
            test_targets: self.test_targets,
            dependencies: self.dependencies,
            threads: runtime.threads,
            test_environment: test_environment::variables(plan),
            wrapper: std::env::current_exe().context("can't find this program's own file")?,
        };
        let call = |instructions: &BuildInstructions| {
            with_runtime(&runtime, &toolchain, interrupt, || {
                call_cargo(&cargo, &toolchain, instructions, interrupt)
            })
        };
        let messages = match call(&instructions) {
            Err(BuildFailure::DoesNotCompile(said))
                if misses_const_function(&said) && !instructions.keeps_const =>
            {
                log::line(
                    "a constant of another crate needs a const fn: building without mutants of these",
                );
                instructions = instructions.keep_const(plan)?;
                call(&instructions)?
            }
            called => called?,
        };
        let reports =
            UnitReport::read_all(&instructions.units()).context("can't read the units")?;
        let built: BTreeSet<MutantId> = reports
            .iter()
            .flat_map(|report| &report.built)
            .copied()
            .collect();
        let rejected = reports.iter().flat_map(|report| report.unviable.clone());
        let seconds =
            |part: fn(&UnitReport) -> f64| Duration::from_secs_f64(reports.iter().map(part).sum());
        Ok(Build {
            binaries: collect_binaries(plan, &instructions, &messages, &reports)?,
            unviable: rejected.filter(|(id, _)| !built.contains(id)).collect(),
            built,
            left_alone: left_alone(&reports),
            time: self.start.elapsed(),
            check_time: seconds(|report| report.check_seconds),
            compile_time: seconds(|report| report.compile_seconds),
            may_be_faster: instructions.speed == Speed::AsAsked
                && cargo.dependencies != Dependencies::AsAsked,
            key: self.key,
            artifacts: artifacts_key(&messages.artifacts),
            toolchain,
            runtime,
            cargo,
            directory: instructions.directory,
        })
    }
}

/// Whether a crate was not compiled because a `const fn` of another one was woven.
fn misses_const_function(said: &str) -> bool {
    said.lines().any(|line| {
        let message = line.split_once(": ").map_or(line, |(_, message)| message);
        needed_const_function(message).is_some()
    })
}

/// Calls cargo with the runtime there, or in the making: dependencies don't need it. Where it
/// stands in for std, they do.
fn with_runtime(
    runtime: &RuntimeLibrary,
    toolchain: &Toolchain,
    interrupt: &Interrupt,
    call: impl FnOnce() -> Result<CargoMessages, BuildFailure>,
) -> Result<CargoMessages, BuildFailure> {
    if runtime.is_ready_for_use() {
        return call();
    }
    let Some(turn) = runtime.lock_unless(interrupt)? else {
        return Err(BuildFailure::Interrupted);
    };
    let compile = || runtime.compile(turn, toolchain, interrupt);
    let (compiled, messages) = match runtime.threads {
        ThreadControl::Explored => match compile() {
            Ok(()) => return call(),
            Err(error) if error.is::<RuntimeRejected>() => {
                let version = &toolchain.version;
                let said = format!("error: threads can't be explored with {version}");
                return Err(BuildFailure::DoesNotCompile(said));
            }
            Err(error) => (Err(error), Err(BuildFailure::Interrupted)),
        },
        ThreadControl::Real => thread::scope(|scope| {
            let compiling = scope.spawn(compile);
            let messages = call();
            let compiled = compiling.join().expect("compiling does not panic");
            (compiled, messages)
        }),
    };
    match compiled {
        // Nothing else that went wrong matters then.
        Err(error) if !interrupt.is_requested() => Err(error.into()),
        _ => messages,
    }
}

fn left_alone(reports: &[UnitReport]) -> Vec<CompiledWithoutMutants> {
    let is_woven = |report: &&UnitReport| report.weave == WeaveResult::Woven;
    let woven: BTreeSet<&str> = reports
        .iter()
        .filter(is_woven)
        .map(|report| report.package.as_str())
        .collect();
    let alone: BTreeSet<CompiledWithoutMutants> = reports
        .iter()
        .filter_map(|report| match &report.weave {
            WeaveResult::Woven => None,
            WeaveResult::LeftAlone(reason) => Some(CompiledWithoutMutants {
                package: report.package.clone(),
                crate_name: woven
                    .contains(report.package.as_str())
                    .then(|| report.crate_name().to_owned()),
                reason: reason.clone(),
            }),
        })
        .collect();
    alone.into_iter().collect()
}

/// The arguments that tell cargo what to build.
fn cargo_arguments(plan: &Plan, options: &BuildOptions) -> Vec<String> {
    let mut arguments = options.cargo_arguments();
    if names_lto(plan.workspace_root.as_std_path(), options) {
        arguments.extend(options.without_lto());
    }
    arguments
}

/// What must be the same for an earlier weave to be used again.
fn build_key(
    plan: &Plan,
    options: &BuildOptions,
    runtime: &RuntimeLibrary,
    dependencies: Dependencies,
) -> Result<String> {
    let this = std::env::current_exe()?;
    let metadata = fs::metadata(this)?;
    let mut hasher = DefaultHasher::new();
    serde_json::to_vec(plan)?.hash(&mut hasher);
    cargo_arguments(plan, options).hash(&mut hasher);
    dependencies.hash(&mut hasher);
    options.test_targets().hash(&mut hasher);
    runtime.directory.hash(&mut hasher);
    runtime.watches_memory.hash(&mut hasher);
    metadata.len().hash(&mut hasher);
    metadata.modified()?.hash(&mut hasher);
    Ok(format!("{:016x}", hasher.finish()))
}

/// A name for files as they are: a file that is made anew has another time.
fn artifacts_key(files: &[String]) -> String {
    let mut files = files.to_vec();
    files.sort_unstable();
    let mut hasher = DefaultHasher::new();
    for file in files {
        let metadata = fs::metadata(&file);
        metadata
            .as_ref()
            .map(fs::Metadata::len)
            .ok()
            .hash(&mut hasher);
        metadata
            .and_then(|data| data.modified())
            .ok()
            .hash(&mut hasher);
        file.hash(&mut hasher);
    }
    format!("{:016x}", hasher.finish())
}

/// A name for the set of planned packages.
fn planned(plan: &Plan) -> String {
    let mut hasher = DefaultHasher::new();
    for package in &plan.packages {
        package.package_id.hash(&mut hasher);
    }
    format!("{:016x}", hasher.finish())
}

/// Removes directories of this sort but for the current one. When weaves of other plans are gone, cargo sees that
/// what it built from them is out of date.
fn forget_others(output: &Path, sort: &str, current: &Path) {
    for entry in fs::read_dir(output).into_iter().flatten().flatten() {
        let path = entry.path();
        if entry.file_name().to_string_lossy().starts_with(sort) && path != current {
            let _ = fs::remove_dir_all(path);
        }
    }
}

/// Builds everything and has cargo tell us how it would run the tests.
fn call_cargo(
    setting: &CargoSetting,
    toolchain: &Toolchain,
    instructions: &BuildInstructions,
    interrupt: &Interrupt,
) -> Result<CargoMessages, BuildFailure> {
    let records = instructions.invocations();
    if records.exists() {
        fs::remove_dir_all(&records).context("can't clear the recorded test binaries")?;
    }
    fs::create_dir_all(&records).context("can't write to the output directory")?;
    let cargo_log = instructions.directory.join("cargo.log");
    let stderr = File::create(&cargo_log).context("can't write cargo's log")?;
    let mut command = setting.cargo("test");
    command
        .args(&setting.test_targets)
        .args(["--no-fail-fast", "--message-format=json"])
        .env(runner::variable(toolchain), runner::program()?)
        .env(environment::RECORD, &records)
        .stderr(stderr);
    let (status, messages) = listen(command, interrupt)?;
    if status.success() {
        return Ok(messages);
    }
    if interrupt.is_requested() {
        return Err(BuildFailure::Interrupted);
    }
    if let Some(ended) = CompilerEnded::in_log(&cargo_log) {
        return Err(BuildFailure::Internal(ended.into()));
    }
    if let Some(why) = said_by_wrapper(&cargo_log).filter(|_| messages.errors.is_empty()) {
        return Err(BuildFailure::Internal(anyhow!(why)));
    }
    let mut said = messages.errors.join("\n");
    if said.is_empty() {
        said = fs::read_to_string(&cargo_log).unwrap_or_default();
    }
    Err(BuildFailure::DoesNotCompile(said))
}

/// Runs cargo, reads its messages, and ends it when the user wants to end.
fn listen(mut command: Command, interrupt: &Interrupt) -> Result<(ExitStatus, CargoMessages)> {
    command.stdin(Stdio::null()).stdout(Stdio::piped());
    let mut cargo = ProcessGroup::spawn(command).context("can't run cargo")?;
    let stdout = cargo.child.stdout.take().expect("it is piped");
    let reader = thread::spawn(move || CargoMessages::read(BufReader::new(stdout)));
    let status = cargo.wait(interrupt)?;
    let messages = reader.join().expect("reading does not panic");
    Ok((status, messages))
}

/// What the compiler wrapper has against a unit, by cargo's log.
fn said_by_wrapper(log: &Path) -> Option<String> {
    let text = fs::read_to_string(log).ok()?;
    let line = text
        .lines()
        .find_map(|line| line.strip_prefix("atropos: "))?;
    Some(line.to_owned())
}

/// Joins what cargo would run with what cargo says of it and what the wrapper did.
fn collect_binaries(
    plan: &Plan,
    instructions: &BuildInstructions,
    messages: &CargoMessages,
    reports: &[UnitReport],
) -> Result<Vec<TestBinary>> {
    let mut binaries = Vec::new();
    for invocation in Invocation::read_all(&instructions.invocations())? {
        let path = invocation.directory.join(&invocation.program);
        let Some(executable) = messages
            .executables
            .iter()
            .find(|executable| Path::new(&executable.path) == path)
        else {
            continue;
        };
        let stem = path.file_stem().unwrap_or_default().to_string_lossy();
        let report = reports
            .iter()
            .find(|report| report.unit.is_test && report.unit.stem == stem);
        let package = plan
            .packages
            .iter()
            .find(|package| package.package_id == executable.package_id);
        binaries.push(TestBinary {
            package: package.map_or_else(String::new, |package| package.name.clone()),
            package_id: executable.package_id.clone(),
            target: executable.label.clone(),
            harness: report.is_some_and(|report| report.harness),
            invocation,
        });
    }
    Ok(binaries)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_disk_is_the_headline() {
        let failed = "   Compiling bank\nerror: linking with `cc` failed\n  = note: ld: final link failed: No space left on device\n";
        assert!(headline(failed).ends_with("No space left on device"));
        let rejected = "   Compiling bank\nerror[E0308]: mismatched types\nerror: aborting";
        assert_eq!(headline(rejected), "error[E0308]: mismatched types");
        assert_eq!(headline(""), "cargo fails");
    }
}
