//! What cargo says while it builds: the executables, and what rustc complained of.

use std::io::BufRead;

use cargo_metadata::diagnostic::DiagnosticLevel;
use cargo_metadata::{CompilerMessage, Message, Target, TargetKind};

/// An executable with tests in it.
#[derive(Clone, Debug)]
pub struct Executable {
    pub path: String,
    pub package_id: String,
    /// `lib`, `bin bank`, `test threads` …
    pub label: String,
}

/// Cargo's messages of one build.
#[derive(Default)]
pub struct CargoMessages {
    pub executables: Vec<Executable>,
    /// All files that were made.
    pub artifacts: Vec<String>,
    /// rustc's errors as rustc renders them.
    pub errors: Vec<String>,
}

impl CargoMessages {
    pub fn read(input: impl BufRead) -> CargoMessages {
        let mut messages = CargoMessages::default();
        for message in Message::parse_stream(input).map_while(Result::ok) {
            match message {
                Message::CompilerArtifact(artifact) => {
                    let files = artifact.filenames.into_iter();
                    messages
                        .artifacts
                        .extend(files.map(|path| path.into_string()));
                    if let Some(path) = artifact.executable {
                        messages.executables.push(Executable {
                            path: path.into_string(),
                            package_id: artifact.package_id.repr,
                            label: label(&artifact.target),
                        });
                    }
                }
                Message::CompilerMessage(CompilerMessage { message, .. })
                    if message.level == DiagnosticLevel::Error =>
                {
                    messages
                        .errors
                        .push(message.rendered.unwrap_or(message.message));
                }
                _ => {}
            }
        }
        messages
    }
}

/// How reports call a target.
fn label(target: &Target) -> String {
    let named = |kind: &str| format!("{kind} {}", target.name);
    match target.kind.first() {
        Some(TargetKind::Bin) => named("bin"),
        Some(TargetKind::Test) => named("test"),
        Some(TargetKind::Bench) => named("bench"),
        Some(TargetKind::Example) => named("example"),
        _ => "lib".to_owned(),
    }
}
