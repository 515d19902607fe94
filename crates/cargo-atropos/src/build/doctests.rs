//! The doctests of a build as programs of their own.
//!
//! rustdoc compiles doctests, runs them and throws them away. It is told that this program runs
//! them ([`keep`]); so each is kept and can be run again for every mutant that needs it, without
//! compiling anything twice. Only the documentation is read from the user's sources; what a
//! doctest links is the woven library.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{self, Command, ExitStatus, Stdio};

use anyhow::{Context, Result, anyhow};
use atropos_libtest::HarnessArguments;
use serde::{Deserialize, Serialize};

use super::process_group::ProcessGroup;
use super::test_binary::Invocation;
use super::{Build, CargoSetting, CompilerEnded, headline, merged_doctests, runner};
use crate::environment;
use crate::execute::PlainTest;
use crate::interrupt::Interrupt;
use crate::log;
use crate::plan::PlannedPackage;

/// The variable for flags that may have spaces in them, and what parts them.
const ENCODED_FLAGS: &str = "CARGO_ENCODED_RUSTDOCFLAGS";
const SEPARATOR: &str = "\u{1f}";

/// The environment variable that makes a program of many doctests run one of them, by its number.
const CHOOSE_VARIABLE: &str = "RUSTDOC_DOCTEST_RUN_NB_TEST";

/// A doctest that rustdoc has built.
#[derive(Serialize, Deserialize)]
struct BuiltDoctest {
    /// Where the program itself tells.
    name: Option<String>,
    invocation: Invocation,
    succeeds: bool,
}

/// The environment variable by which a program of many doctests runs each in a process of its own.
const PROGRAM_VARIABLE: &str = "RUSTDOC_DOCTEST_BIN_PATH";

/// The doctests of a package.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Doctests {
    pub programs: Vec<PlainTest>,
    /// Names of those that do not compile, or compile though they should not, without any mutant.
    pub rejected: Vec<String>,
    /// They can only be run without a mutant, because rustdoc is too old to hand them over.
    pub are_out_of_reach: bool,
}

/// Compiles the doctests of one package and keeps them below `directory`; gives those that the
/// arguments for test binaries choose.
pub fn build(
    build: &Build,
    package: &PlannedPackage,
    directory: &Path,
    test_args: &[String],
    interrupt: &Interrupt,
) -> Result<Doctests> {
    let setting = CargoSetting {
        packages: vec![package.package_id.clone()],
        ..build.cargo.clone()
    };
    let call = DoctestCall {
        build,
        setting: &setting,
        directory,
        interrupt,
    };
    // Rustdoc itself is not told which: programs of many doctests have them numbered, chosen or not.
    let chosen = HarnessArguments::parse(test_args.iter().cloned()).unwrap_or_default();
    if let Some(rustdoc) = merged_doctests::rustdoc_for(&build.toolchain, package) {
        let (status, listed) = call.run(Some(&rustdoc))?;
        if interrupt.is_requested() {
            return Ok(Doctests::default());
        }
        if status.success() && are_all_well(&call.said(), &listed) {
            let built = read_built(directory)?;
            return Ok(Doctests {
                programs: programs(package, &chosen, &listed, built),
                ..Doctests::default()
            });
        }
        let said = fs::read_to_string(directory.join("cargo.log")).unwrap_or_default();
        let why = headline(&said);
        log::line(&format!(
            "doctests: merged, not all pass ({why}): each is compiled by itself"
        ));
    }
    let (status, listed) = call.run(None)?;
    if interrupt.is_requested() {
        return Ok(Doctests::default());
    }
    if !status.success() && !listed.iter().any(|test| test.failed) {
        let why = fs::read_to_string(directory.join("cargo.log")).unwrap_or_default();
        if !why.contains("Unrecognized option: 'test-runtool'") {
            return Err(no_doctests(directory));
        }
        return out_of_reach(&setting, directory, interrupt);
    }
    let built = read_built(directory)?;
    let rejected = listed.iter().filter(|test| test.is_rejected());
    let rejected = rejected.filter(|test| chosen.chooses(&test.name, false));
    let rejected: Vec<String> = rejected.map(|test| test.name.clone()).collect();
    Ok(Doctests {
        programs: programs(package, &chosen, &listed, built),
        rejected: rejected_without_mutants(rejected, &setting, directory, interrupt)?,
        are_out_of_reach: false,
    })
}

/// The chosen ones of the doctests that were built.
fn programs(
    package: &PlannedPackage,
    chosen: &HarnessArguments,
    listed: &[Listed],
    built: Vec<BuiltDoctest>,
) -> Vec<PlainTest> {
    let tests = named(listed, built).into_iter();
    let tests = tests.filter(|(name, _)| chosen.chooses(name, false));
    tests
        .map(|(name, doctest)| PlainTest {
            package: package.name.clone(),
            target: "doc".to_owned(),
            name,
            invocation: doctest.invocation,
            succeeds: doctest.succeeds,
        })
        .collect()
}

/// Whether all doctests were come to, and none failed.
fn are_all_well(said: &str, listed: &[Listed]) -> bool {
    let announced = said.lines().filter_map(|line| {
        let count = line.strip_prefix("running ")?.split(' ').next()?;
        count.parse::<usize>().ok()
    });
    announced.sum::<usize>() == listed.len() && !listed.iter().any(|test| test.failed)
}

/// How the doctests of a package are compiled and kept.
struct DoctestCall<'a> {
    build: &'a Build,
    setting: &'a CargoSetting,
    directory: &'a Path,
    interrupt: &'a Interrupt,
}

impl DoctestCall<'_> {
    /// Has rustdoc compile and run the doctests, merged by this rustdoc if one is named. Gives what it tells of them.
    fn run(&self, merging: Option<&Path>) -> Result<(ExitStatus, Vec<Listed>)> {
        let directory = self.directory;
        if directory.exists() {
            fs::remove_dir_all(directory)?;
        }
        fs::create_dir_all(directory)?;
        let this = std::env::current_exe()?;
        let runtime = &self.build.runtime.directory;
        let mut by_runner = rustdoc_flags();
        by_runner.extend([
            format!("-Ldependency={}", runtime.display()),
            "--cap-lints=allow".to_owned(),
            // Dependencies may have debug information.
            "-Cstrip=debuginfo".to_owned(),
        ]);
        let by_flag = ["--test-runtool".to_owned(), this.display().to_string()];
        // Where the user has a runner, cargo names it to rustdoc, too; then we stand in for that one.
        let mut status = self.call(&[&by_runner[..], &by_flag].concat(), false, merging)?;
        let said = fs::read_to_string(directory.join("cargo.log")).unwrap_or_default();
        if said.contains("Option 'test-runtool' given more than once") {
            status = self.call(&by_runner, true, merging)?;
        }
        Ok((status, listed(&self.said())))
    }

    fn call(
        &self,
        flags: &[String],
        names_runner: bool,
        merging: Option<&Path>,
    ) -> Result<ExitStatus> {
        let DoctestCall {
            build,
            setting,
            directory,
            interrupt,
        } = self;
        let mut command = setting.cargo("test");
        command
            .args(["--doc", "--", "--test-threads=1"])
            .env(ENCODED_FLAGS, flags.join(SEPARATOR))
            .env(environment::KEEP_DOCTESTS, directory)
            .stdin(Stdio::null())
            .stdout(File::create(directory.join("rustdoc.log"))?)
            .stderr(File::create(directory.join("cargo.log"))?);
        if names_runner {
            command.env(runner::variable(&build.toolchain), runner::program()?);
        }
        if let Some(rustdoc) = merging {
            command
                .env(environment::MERGE_DOCTESTS, rustdoc)
                .env(merged_doctests::RUSTDOC, std::env::current_exe()?);
        }
        let cargo = ProcessGroup::spawn(command).context("can't run cargo")?;
        cargo.wait(interrupt)
    }

    /// What rustdoc printed.
    fn said(&self) -> String {
        fs::read_to_string(self.directory.join("rustdoc.log")).unwrap_or_default()
    }
}

/// The doctests of a toolchain whose rustdoc can't hand them over: run as they are, without mutants.
fn out_of_reach(
    setting: &CargoSetting,
    directory: &Path,
    interrupt: &Interrupt,
) -> Result<Doctests> {
    let failing = plain_doctests(setting, directory, interrupt)?.into_iter();
    let failing = failing.filter(|test| test.failed).map(|test| test.name);
    Ok(Doctests {
        rejected: failing.collect(),
        are_out_of_reach: true,
        ..Doctests::default()
    })
}

/// Why rustdoc said nothing of doctests.
fn no_doctests(directory: &Path) -> anyhow::Error {
    let log = directory.join("cargo.log");
    match CompilerEnded::in_log(&log) {
        Some(ended) => ended.into(),
        None => {
            let said = fs::read_to_string(log).unwrap_or_default();
            anyhow!("the doctests can't be built: {}", headline(&said))
        }
    }
}

/// Those of the rejected doctests that are rejected without our part in it, too.
fn rejected_without_mutants(
    rejected: Vec<String>,
    setting: &CargoSetting,
    directory: &Path,
    interrupt: &Interrupt,
) -> Result<Vec<String>> {
    if rejected.is_empty() {
        return Ok(rejected);
    }
    let listed = plain_doctests(setting, directory, interrupt)?;
    let is_rejected = |name: &String| {
        let mut tests = listed.iter().filter(|test| test.name == *name);
        tests.any(Listed::is_rejected)
    };
    Ok(rejected.into_iter().filter(is_rejected).collect())
}

/// What rustdoc tells of the doctests as `cargo test` runs them.
fn plain_doctests(
    setting: &CargoSetting,
    directory: &Path,
    interrupt: &Interrupt,
) -> Result<Vec<Listed>> {
    let plain = directory.join("plain.log");
    let mut command = setting.plain_cargo("test");
    command
        .args(["--doc", "--", "--test-threads=1"])
        .stdin(Stdio::null())
        .stdout(File::create(&plain)?)
        .stderr(Stdio::null());
    let cargo = ProcessGroup::spawn(command).context("can't run cargo")?;
    cargo.wait(interrupt)?;
    Ok(listed(&fs::read_to_string(plain).unwrap_or_default()))
}

/// The flags that the user's environment has for rustdoc.
fn rustdoc_flags() -> Vec<String> {
    let split = |flags: String, separator: &str| {
        let flags = flags.split(separator).filter(|flag| !flag.is_empty());
        flags.map(str::to_owned).collect()
    };
    match (std::env::var(ENCODED_FLAGS), std::env::var("RUSTDOCFLAGS")) {
        (Ok(flags), _) => split(flags, SEPARATOR),
        (_, Ok(flags)) => split(flags, " "),
        _ => Vec::new(),
    }
}

/// A doctest as rustdoc tells of it.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Listed {
    name: String,
    /// Whether it is run and not only compiled.
    runs: bool,
    panics: bool,
    failed: bool,
    compiles: bool,
}

impl Listed {
    /// Whether the compiler's answer is not the one that it should be.
    fn is_rejected(&self) -> bool {
        self.failed && !(self.runs && self.compiles)
    }
}

/// The doctests that rustdoc tells of, in its order.
fn listed(said: &str) -> Vec<Listed> {
    let uncompiled = uncompiled(said);
    let lines = said.lines().filter_map(|line| line.strip_prefix("test "));
    let tests = lines.filter_map(|line| line.split_once(" ... "));
    tests
        .map(|(shown, result)| {
            let compiled = shown.split_once(" - compile");
            let panics = shown.strip_suffix(" - should panic");
            let name = compiled.map(|(name, _)| name).or(panics).unwrap_or(shown);
            let name = name.trim();
            Listed {
                name: name.to_owned(),
                compiles: !uncompiled.contains(name),
                runs: compiled.is_none() && !result.starts_with("ignored"),
                panics: panics.is_some(),
                failed: result.starts_with("FAILED"),
            }
        })
        .collect()
}

/// The doctests that rustdoc says it could not compile.
fn uncompiled(said: &str) -> BTreeSet<&str> {
    let mut found = BTreeSet::new();
    let mut current = None;
    for line in said.lines() {
        let section = line.strip_prefix("---- ");
        if let Some(name) = section.and_then(|line| line.strip_suffix(" stdout ----")) {
            current = Some(name);
        } else if line == "Couldn't compile the test." {
            found.extend(current);
        }
    }
    found
}

/// Gives each kept program its name: its own, or the next one that is left in rustdoc's list, which also tells whether it
/// ended as it should. Where the list does not fit, they are numbered.
fn named(listed: &[Listed], built: Vec<BuiltDoctest>) -> Vec<(String, BuiltDoctest)> {
    let own: BTreeSet<&str> = built
        .iter()
        .filter_map(|doctest| doctest.name.as_deref())
        .collect();
    let left: Vec<&Listed> = listed
        .iter()
        .filter(|test| test.runs && test.compiles && !own.contains(test.name.as_str()))
        .collect();
    let fits = left.len()
        == built
            .iter()
            .filter(|doctest| doctest.name.is_none())
            .count();
    let mut left = left.into_iter().filter(|_| fits);
    let numbered = built.into_iter().enumerate();
    numbered
        .map(|(index, mut doctest)| {
            if doctest.name.is_none()
                && let Some(test) = left.next()
            {
                doctest.name = Some(test.name.clone());
                doctest.succeeds ^= test.failed;
            }
            let name = doctest.name.clone();
            (
                name.unwrap_or_else(|| format!("doctest {}", index + 1)),
                doctest,
            )
        })
        .collect()
}

fn read_built(directory: &Path) -> Result<Vec<BuiltDoctest>> {
    let mut numbers: Vec<u32> = fs::read_dir(directory)?
        .filter_map(|entry| {
            let name = entry.ok()?.file_name().into_string().ok()?;
            name.strip_suffix(".json")?.parse().ok()
        })
        .collect();
    numbers.sort_unstable();
    numbers
        .into_iter()
        .map(|number| {
            let bytes = fs::read(directory.join(format!("{number}.json")))?;
            Ok(serde_json::from_slice::<Vec<BuiltDoctest>>(&bytes)?)
        })
        .collect::<Result<Vec<_>>>()
        .map(|programs| programs.into_iter().flatten().collect())
}

/// Acts as the tool that runs a doctest: keeps a copy of the program, then runs it. Never returns.
pub fn keep(directory: &Path, mut arguments: impl Iterator<Item = OsString>) -> ! {
    let Some(program) = arguments.next().map(PathBuf::from) else {
        process::exit(1);
    };
    let arguments: Vec<OsString> = arguments.collect();
    let copy = copy_program(directory, &program);
    let mut command = Command::new(&program);
    command
        .args(&arguments)
        .env_remove(environment::KEEP_DOCTESTS)
        .stderr(Stdio::inherit());
    // What is set to have them merged is nothing that they would see under `cargo test`.
    let hidden = match merged_doctests::is_under_way() {
        true => &[merged_doctests::RUSTDOC, merged_doctests::UNSTABLE][..],
        false => &[],
    };
    for name in hidden {
        command.env_remove(name);
    }
    let merged = is_merged(&program).unwrap_or(false);
    if merged {
        // As rustdoc does where it runs the program itself.
        command.env(PROGRAM_VARIABLE, &program);
    }
    let output = command.output();
    let (code, said) = match output {
        Ok(output) => (output.status.code().unwrap_or(101), output.stdout),
        Err(_) => (101, Vec::new()),
    };
    let _ = std::io::stdout().write_all(&said);
    if let Ok((number, copy)) = copy
        && let Ok(mut invocation) = Invocation::of_this_process(copy, arguments)
    {
        invocation
            .environment
            .retain(|name, _| !hidden.contains(&name.as_str()));
        let built = if merged {
            parts_of(&invocation, &String::from_utf8_lossy(&said))
        } else {
            vec![BuiltDoctest {
                name: None,
                invocation,
                succeeds: code == 0,
            }]
        };
        let json = serde_json::to_vec(&built).expect("plain data");
        let _ = fs::write(directory.join(format!("{number}.json")), json);
    }
    process::exit(code)
}

/// Whether a program holds many doctests, as rustdoc makes it from the edition of 2024 on.
fn is_merged(program: &Path) -> Result<bool> {
    let bytes = fs::read(program)?;
    let wanted = CHOOSE_VARIABLE.as_bytes();
    Ok(bytes.windows(wanted.len()).any(|window| window == wanted))
}

/// The doctests of one program, each as the call that runs it alone. They are numbered in the
/// order of their names.
fn parts_of(invocation: &Invocation, said: &str) -> Vec<BuiltDoctest> {
    let mut tests = listed(said);
    tests.sort_by(|one, other| one.name.cmp(&other.name));
    let numbered = tests.into_iter().enumerate();
    numbered
        .filter(|(_, test)| test.runs)
        .map(|(number, test)| {
            let mut invocation = invocation.clone();
            let environment = &mut invocation.environment;
            environment.insert(CHOOSE_VARIABLE.to_owned(), number.to_string());
            BuiltDoctest {
                name: Some(test.name),
                invocation,
                succeeds: !test.panics,
            }
        })
        .collect()
}

/// Copies the program under the next free number.
fn copy_program(directory: &Path, program: &Path) -> Result<(u32, PathBuf)> {
    let mut number = 1;
    loop {
        let place = directory.join(format!("{number}"));
        match fs::create_dir(&place) {
            Ok(()) => {
                let copy = place.join("doctest");
                fs::copy(program, &copy)?;
                return Ok((number, copy));
            }
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => number += 1,
            Err(error) => return Err(error.into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    const SAID: &str = "\nrunning 5 tests\n\
        test src/lib.rs - add (line 3) ... ok\n\
        test src/lib.rs - no (line 9) - compile fail ... ok\n\
        test src/lib.rs - later (line 12) - compile ... ok\n\
        test src/lib.rs - skip (line 20) ... ignored\n\
        test src/lib.rs - over (line 30) - should panic ... ok\n\
        \ntest result: ok. 4 passed; 0 failed\n";

    fn built(name: Option<&str>) -> BuiltDoctest {
        BuiltDoctest {
            name: name.map(str::to_owned),
            invocation: Invocation {
                program: "doctest".into(),
                arguments: Vec::new(),
                directory: "/".into(),
                environment: BTreeMap::new(),
            },
            succeeds: true,
        }
    }

    #[test]
    fn doctests_that_are_only_compiled_have_no_program_to_name() {
        let names = |built: Vec<BuiltDoctest>| -> Vec<String> {
            let named = named(&listed(SAID), built).into_iter();
            named.map(|(name, _)| name).collect()
        };
        let both = ["src/lib.rs - add (line 3)", "src/lib.rs - over (line 30)"];
        assert_eq!(names(vec![built(None), built(None)]), both);
        assert_eq!(
            names(vec![built(Some(both[1])), built(None)]),
            [both[1], both[0]]
        );
        assert_eq!(names(vec![built(None)]), ["doctest 1"]);
    }

    #[test]
    fn a_doctest_that_fails_is_not_one_that_should() {
        // Of a program of its own rustdoc does not say that it should panic.
        let said = "test a (line 1) ... FAILED\ntest b (line 5) ... ok\ntest c (line 9) ... ok\n";
        let ended = [false, false, true].map(|succeeds| BuiltDoctest {
            succeeds,
            ..built(None)
        });
        let named = named(&listed(said), ended.into());
        let succeed: Vec<bool> = named.iter().map(|(_, doctest)| doctest.succeeds).collect();
        assert_eq!(succeed, [true, false, true]);
    }

    #[test]
    fn the_parts_of_a_merged_program_are_chosen_by_their_number() {
        let parts = parts_of(&built(None).invocation, SAID);
        let found: Vec<_> = parts
            .iter()
            .map(|part| {
                let number = part.invocation.environment[CHOOSE_VARIABLE].as_str();
                (part.name.as_deref().unwrap(), number, part.succeeds)
            })
            .collect();
        assert_eq!(
            found,
            [
                ("src/lib.rs - add (line 3)", "0", true),
                ("src/lib.rs - over (line 30)", "3", false),
            ]
        );
    }
}
