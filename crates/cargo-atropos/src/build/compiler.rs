//! What a call of rustc came to. A compiler that is killed, or runs out of memory, has said nothing about the crate: that
//! is no rejection of the weave, and nothing may be concluded from it.

use std::fs;
use std::os::unix::process::ExitStatusExt as _;
use std::path::Path;
use std::process::{ExitStatus, Output};

use anyhow::{Context, Result, bail};
use atropos_protocol::sys;
use atropos_weave::diagnostics::{RustcDiagnostic, parse_errors};

use super::rustc_call::RustcCall;

/// What cargo and rustc write when a compiler was ended by a signal.
const BY_SIGNAL: &str = "(signal: ";
/// What the wrapper writes when a compiler failed without a diagnostic.
const WITHOUT_DIAGNOSTIC: &str = "rustc ended without a diagnostic";

/// A compiler ended without saying what is wrong with the crate. The build is not made, and nothing of it is kept.
#[derive(Debug, thiserror::Error)]
#[error(
    "{WITHOUT_DIAGNOSTIC} {how}; was it killed, or is there too little memory? Run again, with fewer `--jobs` if need be"
)]
pub struct CompilerEnded {
    how: String,
}

impl CompilerEnded {
    /// Why cargo failed, if its log tells of a compiler that ended without a diagnostic.
    pub fn in_log(log: &Path) -> Option<CompilerEnded> {
        let text = fs::read_to_string(log).unwrap_or_default();
        Self::in_text(&text)
    }

    fn in_text(text: &str) -> Option<CompilerEnded> {
        let line = text
            .lines()
            .rfind(|line| line.contains(BY_SIGNAL) || line.contains(WITHOUT_DIAGNOSTIC))?;
        let how = match line.rfind(BY_SIGNAL) {
            Some(at) => line[at..].split_inclusive(')').next().unwrap_or_default(),
            None => "",
        };
        Some(CompilerEnded {
            how: match how {
                "" => "(it failed)".to_owned(),
                how => how.to_owned(),
            },
        })
    }

    /// What a status says that is neither success nor, with `errors`, a rejection.
    pub fn by(status: ExitStatus) -> CompilerEnded {
        let how = match (status.signal(), status.code()) {
            (Some(signal), _) => format!("{BY_SIGNAL}{signal})"),
            (None, code) => format!("(exit code {})", code.unwrap_or_default()),
        };
        CompilerEnded { how }
    }
}

/// What rustc said of a unit.
pub struct CompilerAnswer {
    pub output: Output,
    /// Empty if rustc accepts the unit.
    pub errors: Vec<RustcDiagnostic>,
}

impl CompilerAnswer {
    pub fn is_accepted(&self) -> bool {
        self.errors.is_empty()
    }
}

/// Has rustc compile or check a unit.
pub fn compile(call: &RustcCall) -> Result<CompilerAnswer> {
    let mut compiled = compile_once(call)?;
    if crashed(&compiled.output) {
        // A crash that comes again is due to the text: a very deep expression, for example.
        compiled = compile_once(call)?;
    }
    let status = compiled.output.status;
    if status.success() || !compiled.errors.is_empty() {
        return Ok(compiled);
    }
    if crashed(&compiled.output) {
        bail!(
            "rustc crashes on it (signal {})",
            status.signal().unwrap_or_default()
        );
    }
    Err(CompilerEnded::by(status).into())
}

fn compile_once(call: &RustcCall) -> Result<CompilerAnswer> {
    let output = call.command().output().context("can't run rustc")?;
    let errors = parse_errors(&String::from_utf8_lossy(&output.stderr));
    Ok(CompilerAnswer { output, errors })
}

/// Whether rustc ended itself by a mistake of its own. Too little memory is none.
fn crashed(output: &Output) -> bool {
    let said = String::from_utf8_lossy(&output.stderr);
    let signal = output.status.signal();
    signal.is_some_and(|signal| [sys::SIGSEGV, sys::SIGBUS, sys::SIGABRT].contains(&signal))
        && !said.contains("memory allocation of")
        && !said.contains("out of memory")
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    /// What a compiler comes to that is this shell script.
    fn compile_with(script: &str) -> Result<CompilerAnswer> {
        let place = tempfile::tempdir().unwrap();
        let rustc = place.path().join("rustc");
        fs::write(&rustc, format!("#!/bin/sh\n{script}\n")).unwrap();
        fs::set_permissions(&rustc, fs::Permissions::from_mode(0o755)).unwrap();
        let words = [
            rustc.as_os_str(),
            "--crate-name=a".as_ref(),
            "a.rs".as_ref(),
        ];
        compile(&RustcCall::parse(words.into_iter().map(OsString::from)).unwrap())
    }

    fn is_ended(result: Result<CompilerAnswer>) -> bool {
        result
            .err()
            .is_some_and(|error| error.downcast_ref::<CompilerEnded>().is_some())
    }

    #[test]
    fn a_compiler_that_is_killed_has_not_rejected_anything() {
        assert!(is_ended(compile_with("kill -9 $$")));
        assert!(is_ended(compile_with("kill -15 $$")));
        assert!(is_ended(compile_with("echo no idea >&2; exit 1")));
        let out_of_memory = "echo memory allocation of 8 bytes failed >&2; kill -6 $$";
        assert!(is_ended(compile_with(out_of_memory)));
    }

    #[test]
    fn a_compiler_that_crashes_twice_rejects_the_text() {
        let error = compile_with("kill -11 $$").err().expect("a crash");
        assert!(error.downcast_ref::<CompilerEnded>().is_none());
        let once = "mark=\"$0.once\"; [ -e \"$mark\" ] && exit 0; touch \"$mark\"; kill -11 $$";
        assert!(compile_with(once).unwrap().is_accepted());
    }

    #[test]
    fn a_diagnostic_is_a_rejection() {
        let error = r#"echo '{"message":"no","code":null,"level":"error","spans":[],"children":[],"rendered":"no"}' >&2; exit 1"#;
        assert!(!compile_with(error).unwrap().is_accepted());
    }

    #[test]
    fn a_log_of_cargo_tells_of_a_killed_compiler() {
        let killed = "error: could not compile `a` (lib)\n\nCaused by:\n  process didn't exit successfully: `rustc --x` (signal: 9, SIGKILL: kill)\n";
        let ended = CompilerEnded::in_text(killed).expect("killed");
        assert!(ended.to_string().contains("(signal: 9, SIGKILL: kill)"));
        let ours = format!("atropos: {}\n", CompilerEnded::by(ExitStatus::from_raw(9)));
        assert!(CompilerEnded::in_text(&ours).is_some());
        assert!(CompilerEnded::in_text("error[E0308]: mismatched types").is_none());
    }
}
