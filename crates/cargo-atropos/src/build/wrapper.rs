//! The compiler wrapper: cargo calls it in rustc's place for every crate of the workspace.
//!
//! For a unit of a planned package it weaves the package's files into a shadow, checks the result
//! with rustc, rolls back what rustc rejects until the check passes, and then compiles the shadow
//! as cargo asked. Whatever goes wrong with the weave, the unit is compiled as the user wrote it:
//! that costs the unit's mutants, never the run.

use std::collections::{BTreeMap, BTreeSet};
use std::env;
use std::ffi::OsString;
use std::fs;
use std::io::{self, Write as _};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{self, Output};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use atropos_mutants::mutant::MutantId;
use atropos_weave::diagnostics::RustcDiagnostic;
use atropos_weave::retry_dropped::Retry;
use atropos_weave::{FileWeave, PackageForms, WeaveOptions, nesting, rollback, weave_file};

use super::compiler::{self, CompilerAnswer, CompilerEnded};
use super::instructions::{BuildInstructions, BuildPurpose};
use super::is_this_program;
use super::runtime_library::ThreadControl;
use super::rustc_call::RustcCall;
use super::shadow_tree::{ShadowTree, without_parents};
use super::unit_cfg::UnitCfg;
use super::units::{UnitReport, WeaveResult};
use crate::environment;
use crate::log;
use crate::plan::PlannedPackage;
use crate::tree_state;

/// More rounds than any weave should need; then the unit is left alone.
pub(super) const MAX_ROUNDS: u32 = 40;
/// How often points that were dropped on suspicion may be tried again, at least.
const RETRIES: u32 = 6;

/// How rustc is called next for a unit.
#[derive(Clone, Copy, PartialEq, Eq)]
enum NextCall {
    Check,
    /// It is accepted.
    Compile,
    /// Nobody knows yet whether it is accepted.
    CompileIfAccepted,
}

/// Acts as rustc. Never returns.
pub fn main(instructions: &Path, arguments: impl Iterator<Item = OsString>) -> ! {
    let mut words: Vec<OsString> = arguments.collect();
    // Where the user has a wrapper for all crates, we are called in its place, and on ourselves for those of the workspace.
    if let Some(wrapper) = env::var_os(environment::USER_WRAPPER) {
        match is_this_program(Path::new(&words[0])) {
            true => drop(words.remove(0)),
            false if env::var_os("RUSTC_WORKSPACE_WRAPPER").is_some() => {
                words.insert(0, wrapper);
                become_rustc(&words);
            }
            // Explored: all crates are ours.
            false => {}
        }
    }
    // Build scripts try out what the compiler can do. Only cargo's own calls name a crate so.
    if env::var_os("CARGO_CRATE_NAME").is_none() {
        if is_question_about_target(&words) && is_explored(instructions) {
            words.extend(EXPLORED_CFG.map(OsString::from));
        }
        become_rustc(&words);
    }
    let Some(call) = RustcCall::parse(words.iter().cloned()) else {
        become_rustc(&words);
    };
    match Unit::of(instructions, &call) {
        Ok(Some(unit)) => process::exit(unit.compile()),
        Ok(None) if call.runs_at_build_time() => become_rustc(&words),
        Ok(None) => process::exit(compile_unplanned(instructions, &call)),
        // Compiled as it is, it would be kept, and nobody would miss its mutants.
        Err(error) => process::exit(fail(&error)),
    }
}

/// What cargo is told of the target of explored programs. With it, rustix calls the C library, whose functions can be put under
/// control, where it would else go to the kernel by instructions of its own.
const EXPLORED_CFG: [&str; 2] = ["--cfg", "rustix_use_libc"];

/// Whether cargo asks for the properties of a target that it names, before it builds anything.
fn is_question_about_target(words: &[OsString]) -> bool {
    let has = |wanted: &str| words.iter().any(|word| word == wanted);
    has("___") && has("--target") && has("--print=cfg")
}

fn is_explored(instructions: &Path) -> bool {
    let instructions = BuildInstructions::read(instructions);
    instructions.is_ok_and(|read| read.runtime.threads == ThreadControl::Explored)
}

fn become_rustc(words: &[OsString]) -> ! {
    let Some((rustc, arguments)) = words.split_first() else {
        eprintln!("atropos: called as a compiler wrapper without a compiler");
        process::exit(1);
    };
    let error = process::Command::new(rustc).args(arguments).exec();
    eprintln!("atropos: can't run {}: {error}", rustc.display());
    process::exit(1)
}

/// Compiles a unit of a package that is not planned, as the user wrote it.
fn compile_unplanned(instructions: &Path, call: &RustcCall) -> i32 {
    let status = match BuildInstructions::read(instructions) {
        Ok(instructions) if instructions.is_for(call) => {
            let flags = instructions.flags_for_all(call);
            if !flags.is_empty()
                && let Err(error) = instructions.runtime.wait_until_there()
            {
                return fail(&error);
            }
            call.with(flags).command().status()
        }
        Ok(_) => call.command().status(),
        Err(error) => return fail(&error),
    };
    make_depend_on(call, environment::PLANNED);
    match status {
        Ok(status) => status
            .code()
            .unwrap_or_else(|| fail(&CompilerEnded::by(status).into())),
        Err(error) => fail(&anyhow::Error::from(error).context("can't run rustc")),
    }
}

/// Says why a unit can't be compiled; gives the exit code that makes the build fail.
fn fail(error: &anyhow::Error) -> i32 {
    eprintln!("atropos: {error:#}");
    log::line(&format!("{error:#}"));
    1
}

/// Tells cargo that a unit is out of date once a variable changes. Without it cargo would take a
/// unit for fresh that was compiled as it is and is to be woven now. (One that was woven is out of
/// date when the files of its shadow are gone.)
fn make_depend_on(call: &RustcCall, variable: &str) {
    let value = env::var(variable).unwrap_or_default();
    let file = call
        .dep_info()
        .and_then(|path| fs::File::options().append(true).open(path).ok());
    if let Some(mut file) = file {
        let _ = file.write_all(format!("\n# env-dep:{variable}={value}\n").as_bytes());
    }
}

/// A unit of a planned package.
pub(super) struct Unit {
    pub(super) call: RustcCall,
    pub(super) instructions: BuildInstructions,
    pub(super) package_index: usize,
    pub(super) package: PlannedPackage,
    pub(super) shadow: ShadowTree,
    pub(super) directory: PathBuf,
    /// The texts of the package's files, in the order of the plan.
    pub(super) texts: Vec<String>,
}

/// A weave that rustc accepted, and what it took.
pub(super) struct AcceptedWeave {
    /// The mutants that are not in it, and why.
    pub(super) absent: BTreeMap<MutantId, String>,
    pub(super) rounds: u32,
}

impl Unit {
    fn of(instructions: &Path, call: &RustcCall) -> Result<Option<Unit>> {
        if call.runs_at_build_time() {
            return Ok(None);
        }
        let instructions = BuildInstructions::read(instructions)?;
        if !instructions.is_for(call) {
            return Ok(None);
        }
        call.can_be_woven(&instructions.runtime.host)?;
        let manifest_dir = env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default();
        let Some((package_index, package)) = instructions.package(Path::new(&manifest_dir))? else {
            return Ok(None);
        };
        instructions.runtime.wait_until_there()?;
        let shadow = ShadowTree::new(
            instructions.shadows().join(call.unit_id().to_string()),
            instructions.mirrored.clone(),
        );
        let texts = package
            .files
            .iter()
            .map(|file| {
                let path = instructions.workspace_root.join(&file.path);
                let text = fs::read_to_string(&path)
                    .with_context(|| format!("can't read {}", path.display()))?;
                if tree_state::hash(text.as_bytes()) != file.text_hash {
                    bail!("{} changed since its mutants were found", path.display());
                }
                Ok(text)
            })
            .collect::<Result<_>>()?;
        Ok(Some(Unit {
            call: call.clone(),
            package_index,
            package,
            shadow,
            texts,
            directory: env::current_dir()?,
            instructions,
        }))
    }

    /// Compiles the unit, woven if that can be, and gives the exit code.
    fn compile(&self) -> i32 {
        let start = Instant::now();
        let mut check_time = Duration::ZERO;
        let woven = self
            .lay_runtime_beside()
            .and_then(|()| match &self.instructions.purpose {
                BuildPurpose::Verdicts => self.compile_woven(&mut check_time),
                BuildPurpose::Observation(observation) => self.compile_observed(observation),
                BuildPurpose::Additions(additions) => self.compile_with_additions(additions),
            });
        let reason = match woven {
            Ok((output, accepted)) => {
                let compile_time = start.elapsed() - check_time;
                return match self.report(Ok(&accepted), check_time, compile_time) {
                    Ok(()) => pass_on(&output),
                    Err(error) => fail(&error),
                };
            }
            Err(error) if error.is::<CompilerEnded>() => return fail(&error),
            Err(error) => format!("{error:#}"),
        };
        self.log(&format!("left alone: {reason}"));
        match compiler::compile(&self.plain_call()) {
            Ok(CompilerAnswer { output, .. }) => {
                make_depend_on(&self.call, environment::WRAP);
                let compile_time = start.elapsed() - check_time;
                match self.report(Err(reason), check_time, compile_time) {
                    Ok(()) => pass_on(&output),
                    Err(error) => fail(&error),
                }
            }
            Err(error) => fail(&error),
        }
    }

    /// Lets every crate that uses this one find the runtime, where cargo has rustc look for this one: crates that are
    /// not planned, and those that are not of the workspace, for which cargo calls no wrapper.
    fn lay_runtime_beside(&self) -> Result<()> {
        match self.call.value_of("--out-dir") {
            Some(directory) if !self.call.is_test_harness() => {
                let runtime = &self.instructions.runtime;
                runtime.link_into(&self.directory.join(directory))
            }
            _ => Ok(()),
        }
    }

    /// Weaves, checks and rolls back until rustc accepts; then compiles. Units of one package take
    /// turns at the checks, and each starts from what the one before learned; one that learned
    /// from another is compiled at once, because it hardly ever has something to roll back. So is the first one, whose turn ends as
    /// soon as rustc has nothing against it: most crates pass at once.
    fn compile_woven(&self, check_time: &mut Duration) -> Result<(Output, AcceptedWeave)> {
        let compile = self.woven_call()?;
        // Lints that deny by default reject a mutant that is compiled alone, so the check must
        // be told of them.
        let with_lints = self.woven_call_with_lints("warn")?;
        let checks = self.instructions.checks();
        let memory = checks.join(format!("{}-kept", self.call.unit_id()));
        let mut check = with_lints.as_check(&checks.display().to_string());
        self.prepare_shadow()?;
        let mut turn = Some(self.instructions.lock_package(self.package_index)?);
        let known = self.known_forms()?;
        let mut next = match known {
            Some(_) => NextCall::Compile,
            None => NextCall::CompileIfAccepted,
        };
        let mut has_retried = known.is_some();
        let mut forms = known.unwrap_or_else(|| self.richest_forms());
        for round in 1..=MAX_ROUNDS {
            let start = Instant::now();
            let woven = self.weave(&forms)?;
            let compiled = match next {
                NextCall::Check => compiler::compile(&check)?,
                NextCall::Compile => {
                    // Others may check while this one is compiled.
                    turn = None;
                    compiler::compile(&compile)?
                }
                NextCall::CompileIfAccepted => {
                    let mut kept = Ok(());
                    let call = with_lints.telling_of_metadata(&checks);
                    let compiled = compiler::compile_if_accepted(&call, || {
                        kept = self.keep_forms(&forms);
                        turn = None;
                    })?;
                    kept?;
                    compiled
                }
            };
            if next == NextCall::Check || !compiled.is_accepted() {
                *check_time += start.elapsed();
            }
            let took = format!("{:.2} s", start.elapsed().as_secs_f64());
            if !compiled.is_accepted() {
                let outcome = self.roll_back(&mut forms, &woven, &compiled)?;
                self.log(&format!("round {round}: rejected in {took}, {outcome}"));
                if round == 1 && next != NextCall::Compile {
                    // What follows differs in a few functions: rustc keeps what it finds out from the first check that
                    // passes on. Most crates pass at once, and don't pay for it.
                    check = check.with([format!("-Cincremental={}", memory.display())]);
                }
                if turn.is_none() {
                    turn = Some(self.instructions.lock_package(self.package_index)?);
                }
                next = NextCall::Check;
            } else if next != NextCall::Check {
                self.log(&format!("round {round}: compiled in {took}"));
                let _ = fs::remove_dir_all(&memory);
                let absent = woven.into_values().flat_map(|file| file.absent);
                let accepted = AcceptedWeave {
                    absent: absent.collect(),
                    rounds: round,
                };
                return Ok((compiled.output, accepted));
            } else {
                self.log(&format!("round {round}: checked in {took}"));
                if !has_retried && self.retry(&mut forms, &woven, &check, round, check_time)? {
                    has_retried = true;
                    next = NextCall::CompileIfAccepted;
                    continue;
                }
                self.keep_forms(&forms)?;
                next = NextCall::Compile;
            }
        }
        bail!("rustc still rejects it after {MAX_ROUNDS} rounds")
    }

    pub(super) fn prepare_shadow(&self) -> Result<()> {
        let files = self.package.files.iter();
        self.shadow
            .prepare(files.map(|file| self.instructions.workspace_root.join(&file.path)))
            .context("can't make the shadow of the sources")
    }

    /// The forms that rustc accepted in another unit of the package.
    fn known_forms(&self) -> Result<Option<PackageForms>> {
        match fs::read(self.instructions.forms_file(self.package_index)) {
            Ok(bytes) => Ok(Some(serde_json::from_slice(&bytes)?)),
            Err(_) => Ok(None),
        }
    }

    fn keep_forms(&self, forms: &PackageForms) -> Result<()> {
        let known = self.instructions.forms_file(self.package_index);
        let making = known.with_extension("making");
        fs::write(&making, serde_json::to_vec(forms)?)?;
        Ok(fs::rename(&making, &known)?)
    }

    /// Gives plainer forms to what rustc rejects; says what was done.
    fn roll_back(
        &self,
        forms: &mut PackageForms,
        woven: &BTreeMap<String, FileWeave>,
        rejected: &CompilerAnswer,
    ) -> Result<String> {
        let errors = &rejected.errors;
        let outcome = rollback::roll_back(forms, woven, errors, |name| self.file_of_name(name));
        let first = errors
            .first()
            .map(RustcDiagnostic::headline)
            .unwrap_or_default();
        if !outcome.made_progress() {
            bail!("rustc rejects it for a reason that no mutant explains: {first}");
        }
        Ok(format!("{} errors ({first}): {outcome}", errors.len()))
    }

    /// What the weave begins with.
    fn richest_forms(&self) -> PackageForms {
        let mut forms = PackageForms::default();
        for file in &self.package.files {
            let forms = forms.file_mut(file.path.as_str());
            nesting::drop_the_deepest(forms, &file.mutants);
            if self.instructions.keeps_const {
                for function in 0..file.mutants.const_functions.len() {
                    forms.keep_const(function);
                }
            }
        }
        forms
    }

    /// Tries the points again that were dropped on suspicion, no more often than there were rounds before it.
    /// Tells whether any are in again.
    fn retry(
        &self,
        forms: &mut PackageForms,
        woven: &BTreeMap<String, FileWeave>,
        check: &RustcCall,
        rounds: u32,
        check_time: &mut Duration,
    ) -> Result<bool> {
        let span = |name: &str, point: usize| {
            let mut files = self.package.files.iter();
            let file = files.find(|file| file.path == name)?;
            Some(file.mutants.points.get(point)?.span)
        };
        let before = forms.dropped_mutants().count();
        let mut retry = Retry::new(forms, woven, span);
        let most = rounds.max(RETRIES).max(retry.least_checks());
        let start = Instant::now();
        let mut retries = 0;
        while retries < most && retry.call(forms) {
            retries += 1;
            let (mut woven, mut errors) = self.check_forms(forms, check)?;
            while retries < most && retry.was_hidden(&errors) {
                let mut plainer = forms.clone();
                let name = |name: &str| self.file_of_name(name);
                let outcome = rollback::roll_back(&mut plainer, &woven, &errors, name);
                if !outcome.made_progress() || !outcome.files_given_up.is_empty() {
                    break;
                }
                *forms = plainer;
                retries += 1;
                (woven, errors) = self.check_forms(forms, check)?;
            }
            retry.decide(forms, &woven, &errors, |name| self.file_of_name(name));
        }
        *check_time += start.elapsed();
        let again = before - forms.dropped_mutants().count();
        if retries > 0 {
            let seconds = start.elapsed().as_secs_f64();
            self.log(&format!(
                "retry: {again} of {before} dropped mutants are in again after {retries} checks and {seconds:.2} s"
            ));
        }
        Ok(again > 0)
    }

    /// What rustc says of the package in these forms.
    fn check_forms(
        &self,
        forms: &PackageForms,
        check: &RustcCall,
    ) -> Result<(BTreeMap<String, FileWeave>, Vec<RustcDiagnostic>)> {
        let woven = self.weave(forms)?;
        Ok((woven, compiler::compile(check)?.errors))
    }

    /// Writes all files of the package, woven, into the shadow; gives them by their path in the plan.
    pub(super) fn weave(&self, forms: &PackageForms) -> Result<BTreeMap<String, FileWeave>> {
        let root = self.directory.join(self.call.source());
        let mut result = BTreeMap::new();
        for (file, text) in self.package.files.iter().zip(&self.texts) {
            let original = self.instructions.workspace_root.join(&file.path);
            let options = WeaveOptions {
                edition_2015_root: self.call.is_edition_2015() && original == root,
                steps: true,
                first_function: file.first_function,
            };
            let name = file.path.as_str();
            let woven = weave_file(text, &file.mutants, forms.file(name), &options);
            self.shadow.write(&original, &woven.text)?;
            result.insert(name.to_owned(), woven);
        }
        Ok(result)
    }

    /// The file of the plan that rustc's messages call `name`.
    pub(super) fn file_of_name(&self, name: &str) -> Option<String> {
        let original = self.shadow.original_of(&self.directory.join(name));
        let file = self
            .package
            .files
            .iter()
            .find(|file| self.instructions.workspace_root.join(&file.path) == original)?;
        Some(file.path.to_string())
    }

    /// The unit from the shadow, with the runtime and our harness.
    pub(super) fn woven_call(&self) -> Result<RustcCall> {
        self.woven_call_with_lints("allow")
    }

    fn woven_call_with_lints(&self, lints: &str) -> Result<RustcCall> {
        let source = self.call.source();
        let shadowed = self
            .shadow
            .path_of(&self.directory.join(&source))
            .context("the crate's root lies outside the workspace")?;
        let remap = self
            .shadow
            .remap_flags(&self.directory, source.is_relative());
        let call = self.call.with_source(&shadowed.display().to_string());
        Ok(call.with(remap).with(self.common_flags(lints)))
    }

    /// The unit as the user wrote it, but for our harness.
    fn plain_call(&self) -> RustcCall {
        self.call.with(self.common_flags("allow"))
    }

    fn common_flags(&self, lints: &str) -> Vec<String> {
        let mut flags = self.instructions.runtime.flags(self.call.is_test_harness());
        flags.push(format!("--cap-lints={lints}"));
        flags.extend(self.instructions.flags_for_all(&self.call));
        flags
    }

    pub(super) fn log(&self, line: &str) {
        let name = self.call.unit_id();
        log::line(&format!("{name}: {line}"));
    }

    fn report(
        &self,
        accepted: Result<&AcceptedWeave, String>,
        check_time: Duration,
        compile_time: Duration,
    ) -> Result<()> {
        let unviable = match &accepted {
            Ok(accepted) => accepted.absent.clone(),
            Err(_) => BTreeMap::new(),
        };
        let mut built = match &accepted {
            Ok(_) => self.compiled_mutants()?,
            Err(_) => BTreeSet::new(),
        };
        built.retain(|id| !unviable.contains_key(id));
        let report = UnitReport {
            package: self.package.name.clone(),
            unit: self.call.unit_id(),
            harness: self.call.is_test_harness(),
            rounds: accepted.as_ref().map_or(0, |accepted| accepted.rounds),
            weave: match accepted {
                Ok(_) => WeaveResult::Woven,
                Err(reason) => WeaveResult::LeftAlone(reason),
            },
            built,
            unviable,
            check_seconds: check_time.as_secs_f64(),
            compile_seconds: compile_time.as_secs_f64(),
        };
        report
            .write(&self.instructions.units())
            .context("can't write what became of a unit")
    }

    /// The mutants in code that this unit compiles: in files that rustc read, under predicates
    /// that hold.
    fn compiled_mutants(&self) -> Result<BTreeSet<MutantId>> {
        let dep_info = self
            .call
            .dep_info()
            .and_then(|path| fs::read_to_string(path).ok());
        let cfg = UnitCfg::ask(self.call.print_cfg())?;
        let mut compiled = BTreeSet::new();
        for file in &self.package.files {
            let original = self.instructions.workspace_root.join(&file.path);
            let read = match (&dep_info, self.shadow.path_of(&original)) {
                (Some(text), Some(path)) => names_file(text, &path),
                _ => true,
            };
            if !read {
                continue;
            }
            let points = file.mutants.points.iter();
            let holding = points.filter(|point| cfg.all_hold(&point.cfg));
            compiled.extend(
                holding
                    .flat_map(|point| &point.mutants)
                    .map(|mutant| mutant.id),
            );
        }
        Ok(compiled)
    }
}

/// Whether a dep-info file says that rustc read a file. It has a line `path:` for each.
fn names_file(dep_info: &str, path: &Path) -> bool {
    dep_info
        .lines()
        .filter_map(|line| line.strip_suffix(':'))
        .any(|name| without_parents(Path::new(&name.replace("\\ ", " "))) == path)
}

/// Hands what rustc said on to cargo.
fn pass_on(output: &Output) -> i32 {
    let _ = io::stdout().write_all(&output.stdout);
    let _ = io::stderr().write_all(&output.stderr);
    output.status.code().unwrap_or(1)
}
