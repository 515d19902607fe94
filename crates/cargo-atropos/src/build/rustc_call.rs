//! One call of rustc as cargo makes it: what it compiles, and the same call with other arguments.
//!
//! Knows the few flags that matter to the weave; everything else is passed along untouched.

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Result, bail};

use super::units::UnitId;

/// Bytes of stack for rustc; it has 8 MiB of itself. Only what is used is taken.
const STACK: usize = 256 << 20;

/// A call of rustc on one compile unit.
#[derive(Clone, Debug)]
pub struct RustcCall {
    rustc: OsString,
    arguments: Vec<String>,
    source: usize,
}

impl RustcCall {
    /// Reads the arguments of a compiler wrapper: `rustc`, then rustc's arguments. `None` if this
    /// call compiles no source file (version queries and so on) or isn't readable as text.
    pub fn parse(mut words: impl Iterator<Item = OsString>) -> Option<RustcCall> {
        let rustc = words.next()?;
        let arguments: Vec<String> = words
            .map(|word| word.into_string().ok())
            .collect::<Option<_>>()?;
        let arguments = without_incremental(arguments);
        let source = Self::find_source(&arguments)?;
        let call = RustcCall {
            rustc,
            arguments,
            source,
        };
        call.value_of("--crate-name")?;
        Some(call)
    }

    /// The one argument that is neither a flag nor a flag's value, and names a Rust file.
    fn find_source(arguments: &[String]) -> Option<usize> {
        let mut previous_takes_value = false;
        for (index, argument) in arguments.iter().enumerate() {
            if previous_takes_value {
                previous_takes_value = false;
                continue;
            }
            if let Some(flag) = argument.strip_prefix('-') {
                previous_takes_value = !argument.contains('=') && takes_value(flag);
                continue;
            }
            return argument.ends_with(".rs").then_some(index);
        }
        None
    }

    /// The value of `--flag value` or `--flag=value`; the last one counts.
    pub fn value_of<'a>(&'a self, flag: &'a str) -> Option<&'a str> {
        self.values_of(flag).last()
    }

    pub fn values_of<'a>(&'a self, flag: &'a str) -> impl Iterator<Item = &'a str> + 'a {
        self.arguments
            .iter()
            .enumerate()
            .filter_map(move |(index, argument)| {
                if argument == flag {
                    return self.arguments.get(index + 1).map(String::as_str);
                }
                argument.strip_prefix(flag)?.strip_prefix('=')
            })
    }

    fn codegen_option(&self, name: &str) -> Option<&str> {
        self.values_of("-C")
            .filter_map(|option| option.strip_prefix(name)?.strip_prefix('='))
            .last()
    }

    pub fn crate_name(&self) -> &str {
        self.value_of("--crate-name").unwrap_or("unknown")
    }

    /// The source file as cargo named it, relative to the working directory or absolute.
    pub fn source(&self) -> PathBuf {
        PathBuf::from(&self.arguments[self.source])
    }

    pub fn is_edition_2015(&self) -> bool {
        matches!(self.value_of("--edition"), None | Some("2015"))
    }

    /// Built for libtest: `#[test]` functions are collected into a generated `main`.
    pub fn is_test_harness(&self) -> bool {
        self.arguments.iter().any(|argument| argument == "--test")
    }

    /// Code that runs inside the compiler or before it: never woven.
    pub fn runs_at_build_time(&self) -> bool {
        self.values_of("--crate-type")
            .any(|kind| kind == "proc-macro")
            || self.crate_name().starts_with("build_script_")
    }

    /// Whether the runtime, which is compiled for `host`, can be a part of the unit's program.
    pub fn can_be_woven(&self, host: &str) -> Result<()> {
        if let Some(target) = self.value_of("--target").filter(|target| *target != host) {
            bail!(
                "the tests are built for `{target}`, and mutants are only run on this machine, `{host}`; \
                 set `CARGO_BUILD_TARGET={host}` to test them here"
            );
        }
        let joined = self.arguments.iter().filter_map(|argument| {
            let mut prefixes = ["-C", "--codegen="].into_iter();
            prefixes.find_map(|prefix| argument.strip_prefix(prefix))
        });
        let options = joined
            .chain(self.values_of("-C"))
            .chain(self.values_of("--codegen"));
        let features = options.filter_map(|option| option.strip_prefix("target-feature="));
        let last = features
            .flat_map(|features| features.split(','))
            .filter(|feature| feature.ends_with("crt-static"))
            .last();
        if last.is_some_and(|feature| feature.starts_with('+')) {
            bail!(
                "the tests are linked statically (`target-feature=+crt-static`), and mutants need the C library as a \
                 shared one; leave that flag out of `RUSTFLAGS` for this run"
            );
        }
        Ok(())
    }

    /// What tells this unit from all others of the build.
    pub fn unit_id(&self) -> UnitId {
        let suffix = self.codegen_option("extra-filename").unwrap_or("");
        UnitId {
            stem: format!("{}{suffix}", self.crate_name()),
            is_test: self.is_test_harness(),
        }
    }

    /// The dep-info file that rustc writes for this unit.
    pub fn dep_info(&self) -> Option<PathBuf> {
        let directory = self.value_of("--out-dir")?;
        let suffix = self.codegen_option("extra-filename").unwrap_or("");
        Some(PathBuf::from(directory).join(format!("{}{suffix}.d", self.crate_name())))
    }

    /// The call as cargo made it.
    pub fn command(&self) -> Command {
        let mut command = Command::new(&self.rustc);
        command.args(&self.arguments);
        // rustc follows expressions down by calling itself, and woven ones are several times as deep.
        if env::var_os("RUST_MIN_STACK").is_none() {
            command.env("RUST_MIN_STACK", STACK.to_string());
        }
        command
    }

    /// The same unit from another source file.
    pub fn with_source(&self, source: &str) -> RustcCall {
        let mut call = self.clone();
        call.arguments[self.source] = source.to_owned();
        call
    }

    /// The same unit with more arguments at the end.
    pub fn with(&self, more: impl IntoIterator<Item = String>) -> RustcCall {
        let mut call = self.clone();
        call.arguments.extend(more);
        call
    }

    /// The same unit, of which rustc says when it has written the metadata. Where cargo asks for none it goes to `directory`.
    pub fn telling_of_metadata(&self, directory: &Path) -> RustcCall {
        let mut emitted = self.values_of("--emit").flat_map(|kinds| kinds.split(','));
        if emitted.any(|kind| kind.starts_with("metadata")) {
            return self.clone();
        }
        let file = directory.join(format!("{}.rmeta", self.unit_id()));
        self.with([format!("--emit=metadata={}", file.display())])
    }

    /// A check of the same unit: types and borrows, no code, output to `directory`.
    pub fn as_check(&self, directory: &str) -> RustcCall {
        let mut arguments = Vec::with_capacity(self.arguments.len());
        let mut source = 0;
        let mut words = self.arguments.iter().enumerate();
        while let Some((index, argument)) = words.next() {
            let (flag, inline) = match argument.split_once('=') {
                Some((flag, _)) => (flag, true),
                None => (argument.as_str(), false),
            };
            if matches!(flag, "--emit" | "--out-dir" | "--json" | "--error-format") {
                if !inline {
                    words.next();
                }
                continue;
            }
            if index == self.source {
                source = arguments.len();
            }
            arguments.push(argument.clone());
        }
        arguments.extend([
            "--emit=metadata".to_owned(),
            "--error-format=json".to_owned(),
            format!("--out-dir={directory}"),
        ]);
        RustcCall {
            rustc: self.rustc.clone(),
            arguments,
            source,
        }
    }

    /// Flags that make the unit's code faster and change nothing else: the checks that rustc only
    /// has on by default while it does not optimise stay on. None if the unit is optimised anyway.
    pub fn optimising_flags(&self) -> Vec<String> {
        if !matches!(self.codegen_option("opt-level"), None | Some("0")) {
            return Vec::new();
        }
        let mut flags = vec!["-Copt-level=2".to_owned()];
        for check in ["debug-assertions", "overflow-checks"] {
            let is_set = self
                .values_of("-C")
                .any(|option| option.split('=').next() == Some(check));
            if !is_set {
                flags.push(format!("-C{check}=on"));
            }
        }
        flags
    }

    /// Asks rustc for the `cfg` values in force for this unit, one per line.
    pub fn print_cfg(&self) -> Command {
        let mut command = Command::new(&self.rustc);
        for flag in ["--cfg", "--target"] {
            for value in self.values_of(flag) {
                command.args([flag, value]);
            }
        }
        for option in self.values_of("-C") {
            let name = option.split('=').next().unwrap_or(option);
            if matches!(
                name,
                "debug-assertions" | "opt-level" | "panic" | "target-feature" | "target-cpu"
            ) {
                command.args(["-C", option]);
            }
        }
        if self.is_test_harness() {
            command.arg("--test");
        }
        command.args(["--print", "cfg"]);
        command
    }
}

/// The arguments without what is kept between compilations of a crate: woven ones have too little in common.
fn without_incremental(arguments: Vec<String>) -> Vec<String> {
    let mut kept: Vec<String> = Vec::with_capacity(arguments.len());
    for argument in arguments {
        if argument.starts_with("incremental=") && kept.last().is_some_and(|flag| flag == "-C") {
            kept.pop();
        } else {
            kept.push(argument);
        }
    }
    kept
}

/// Whether a flag (without its first dash) is followed by a value of its own.
fn takes_value(flag: &str) -> bool {
    matches!(
        flag,
        "C" | "L"
            | "l"
            | "o"
            | "A"
            | "W"
            | "D"
            | "F"
            | "Z"
            | "-crate-name"
            | "-crate-type"
            | "-cfg"
            | "-check-cfg"
            | "-emit"
            | "-edition"
            | "-extern"
            | "-out-dir"
            | "-target"
            | "-cap-lints"
            | "-error-format"
            | "-json"
            | "-print"
            | "-remap-path-prefix"
            | "-sysroot"
            | "-diagnostic-width"
            | "-color"
            | "-allow"
            | "-warn"
            | "-deny"
            | "-forbid"
            | "-codegen"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(line: &str) -> Option<RustcCall> {
        RustcCall::parse(line.split_whitespace().map(OsString::from))
    }

    const LIB: &str = "rustc --crate-name semver --edition=2021 src/lib.rs --error-format=json \
        --json=artifacts --crate-type lib --emit=dep-info,metadata,link -C debuginfo=2 \
        --cfg feature=\"std\" --check-cfg cfg(test) -C metadata=37 -C extra-filename=-b9 \
        --out-dir /t/deps -C incremental=/t/inc -L dependency=/t/deps";

    #[test]
    fn a_unit_is_read_from_its_arguments() {
        let call = call(LIB).unwrap();
        assert_eq!(call.crate_name(), "semver");
        assert_eq!(call.source(), PathBuf::from("src/lib.rs"));
        assert_eq!(call.unit_id().to_string(), "semver-b9");
        assert_eq!(call.dep_info(), Some(PathBuf::from("/t/deps/semver-b9.d")));
        assert!(!call.is_edition_2015() && !call.is_test_harness() && !call.runs_at_build_time());
    }

    #[test]
    fn rustc_gets_a_stack_for_woven_expressions_unless_the_user_has_chosen_one() {
        let command = call(LIB).unwrap().command();
        let is_set = command.get_envs().any(|(name, _)| name == "RUST_MIN_STACK");
        assert_eq!(is_set, env::var_os("RUST_MIN_STACK").is_none());
    }

    #[test]
    fn a_check_keeps_the_unit_and_drops_its_outputs() {
        let check = call(LIB).unwrap().as_check("/check");
        assert_eq!(check.source(), PathBuf::from("src/lib.rs"));
        assert_eq!(check.value_of("--out-dir"), Some("/check"));
        assert_eq!(check.values_of("--emit").collect::<Vec<_>>(), ["metadata"]);
        assert!(check.codegen_option("incremental").is_none());
        assert_eq!(check.codegen_option("metadata"), Some("37"));
    }

    #[test]
    fn every_unit_can_tell_of_its_metadata() {
        let library = call(LIB).unwrap();
        let emitted = |call: &RustcCall| {
            let call = call.telling_of_metadata(Path::new("/checks"));
            call.values_of("--emit").collect::<Vec<_>>().join(" ")
        };
        assert_eq!(emitted(&library), "dep-info,metadata,link");
        let test = call(&LIB.replace("metadata,link", "link")).unwrap();
        assert_eq!(
            emitted(&test),
            "dep-info,link metadata=/checks/semver-b9.rmeta"
        );
    }

    #[test]
    fn optimising_keeps_the_checks_and_the_users_choice() {
        let flags = |more: &str| call(&format!("{LIB} {more}")).unwrap().optimising_flags();
        let all = [
            "-Copt-level=2",
            "-Cdebug-assertions=on",
            "-Coverflow-checks=on",
        ];
        assert_eq!(flags(""), all);
        assert_eq!(flags("-C overflow-checks=off"), all[..2]);
        assert_eq!(flags("-C opt-level=3"), [""; 0]);
    }

    #[test]
    fn other_targets_and_static_programs_are_refused() {
        let check = |more: &str| {
            call(&format!("{LIB} {more}"))
                .unwrap()
                .can_be_woven("x86_64-linux")
        };
        assert!(check("").is_ok() && check("--target x86_64-linux").is_ok());
        assert!(check("--target x86_64-musl").is_err());
        assert!(check("-C target-feature=+avx,+crt-static").is_err());
        assert!(check("-Ctarget-feature=+crt-static").is_err());
        assert!(check("--codegen=target-feature=+crt-static").is_err());
        assert!(check("-C target-feature=+crt-static -C target-feature=-crt-static").is_ok());
    }

    #[test]
    fn queries_are_not_units() {
        assert!(call("rustc -vV").is_none());
        assert!(call("rustc - --crate-name ___ --print=file-names").is_none());
    }

    #[test]
    fn proc_macros_and_build_scripts_run_at_build_time() {
        let proc_macro = "rustc --crate-name m src/lib.rs --crate-type proc-macro";
        assert!(call(proc_macro).unwrap().runs_at_build_time());
        let script = "rustc --crate-name build_script_build build.rs --crate-type bin";
        assert!(call(script).unwrap().runs_at_build_time());
    }
}
