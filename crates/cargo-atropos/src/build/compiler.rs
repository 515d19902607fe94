//! What a call of rustc came to. A compiler that is killed, or runs out of memory, has said nothing about the crate: that
//! is no rejection of the weave, and nothing may be concluded from it.

use std::fs;
use std::io::{BufRead as _, BufReader, Read};
use std::os::unix::process::ExitStatusExt as _;
use std::path::Path;
use std::process::{ExitStatus, Output, Stdio};
use std::thread;

use anyhow::{Context, Result, bail};
use atropos_protocol::sys;
use atropos_weave::diagnostics::{RustcDiagnostic, parse_errors};

use super::rustc_call::RustcCall;

/// What cargo and rustc write when a compiler was ended by a signal.
const BY_SIGNAL: &str = "(signal: ";
/// What the wrapper writes when a compiler failed without a diagnostic.
const WITHOUT_DIAGNOSTIC: &str = "rustc ended without a diagnostic";

/// What is in the lines that hold warnings and errors.
const DIAGNOSTIC: &str = "\"$message_type\":\"diagnostic\"";

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
    judged(|| compile_once(call))
}

/// Has rustc compile a unit, with warnings, unless it rejects it: `on_accepted` is called once rustc has nothing against it, before
/// code is made. It may be called twice. The call must ask for metadata and for messages about what is made.
pub fn compile_if_accepted(
    call: &RustcCall,
    mut on_accepted: impl FnMut(),
) -> Result<CompilerAnswer> {
    judged(|| compile_listening(call, &mut on_accepted))
}

/// Tells rejections from compilers that were ended.
fn judged(mut compile_once: impl FnMut() -> Result<CompilerAnswer>) -> Result<CompilerAnswer> {
    let mut compiled = compile_once()?;
    if compiled.errors.is_empty() && crashed(&compiled.output) {
        // A crash that comes again is due to the text: a very deep expression, for example.
        compiled = compile_once()?;
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

fn compile_listening(call: &RustcCall, on_accepted: &mut dyn FnMut()) -> Result<CompilerAnswer> {
    let mut command = call.command();
    command.stdin(Stdio::null());
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut rustc = command.spawn().context("can't run rustc")?;
    let stdout = rustc.stdout.take().expect("it is piped");
    let stdout = thread::spawn(move || read_all(stdout));
    let mut stderr = Vec::new();
    let mut lines = BufReader::new(rustc.stderr.take().expect("it is piped"));
    let mut errors = Vec::new();
    loop {
        let start = stderr.len();
        if lines.read_until(b'\n', &mut stderr)? == 0 {
            break;
        }
        let line = String::from_utf8_lossy(&stderr[start..]);
        errors.extend(parse_errors(&line));
        match is_of_metadata(&line) {
            // What counts as an error for us is none for rustc, which would go on.
            true if !errors.is_empty() => rustc.kill()?,
            true => on_accepted(),
            false => {}
        }
        if line.contains(DIAGNOSTIC) && errors.is_empty() {
            // Warnings are nothing to cargo.
            stderr.truncate(start);
        }
    }
    let status = rustc.wait()?;
    let stdout = stdout.join().expect("reading does not panic")?;
    Ok(CompilerAnswer {
        output: Output {
            status,
            stdout,
            stderr,
        },
        errors,
    })
}

fn read_all(mut source: impl Read) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    source.read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Whether rustc says that it has written a crate's metadata: what comes then is code.
fn is_of_metadata(line: &str) -> bool {
    line.contains("\"$message_type\":\"artifact\"") && line.contains("\"emit\":\"metadata\"")
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

    /// A call of a compiler that is this shell script, and where that lies.
    fn call_of(script: &str) -> (tempfile::TempDir, RustcCall) {
        let place = tempfile::tempdir().unwrap();
        let rustc = place.path().join("rustc");
        fs::write(&rustc, format!("#!/bin/sh\n{script}\n")).unwrap();
        fs::set_permissions(&rustc, fs::Permissions::from_mode(0o755)).unwrap();
        let words = [
            rustc.as_os_str(),
            "--crate-name=a".as_ref(),
            "a.rs".as_ref(),
        ];
        let call = RustcCall::parse(words.into_iter().map(OsString::from)).unwrap();
        (place, call)
    }

    /// What it comes to.
    fn compile_with(script: &str) -> Result<CompilerAnswer> {
        let (_place, call) = call_of(script);
        compile(&call)
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
    fn a_unit_is_accepted_before_its_code_is_made() {
        let metadata =
            r#"echo '{"$message_type":"artifact","artifact":"a.rmeta","emit":"metadata"}' >&2"#;
        let lint = r#"echo '{"$message_type":"diagnostic","message":"no","code":{"code":"overflowing_literals"},"level":"warning","spans":[],"children":[],"rendered":"no"}' >&2"#;
        let warning = lint.replace("overflowing_literals", "unused");
        let compile = |script: &str| {
            let mut accepted = 0;
            let (_place, call) = call_of(script);
            let answer = compile_if_accepted(&call, || accepted += 1).expect("an answer");
            (answer.is_accepted(), accepted, answer.output)
        };
        let (is_accepted, told, output) = compile(&format!("{warning}\n{metadata}\necho made >&2"));
        assert!(is_accepted && told == 1 && output.status.success());
        let said = String::from_utf8(output.stderr).expect("text");
        assert!(said.contains("metadata") && said.ends_with("made\n") && !said.contains("unused"));
        // It is rejected, and no code is made.
        let (is_accepted, told, output) = compile(&format!("{lint}\n{metadata}\nexec sleep 60"));
        assert!(!is_accepted && told == 0 && !output.status.success());
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
