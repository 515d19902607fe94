//! A package or workspace in a temporary directory, and the command run in it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use atropos_report::mutant::MutantInfo;

/// A tree of files that is gone with the value.
pub struct Project {
    directory: tempfile::TempDir,
}

/// What a command answered.
#[derive(Debug)]
pub struct Answer {
    pub code: i32,
    pub stdout: String,
    pub stderr: String,
}

impl Project {
    pub fn empty() -> Project {
        Project {
            directory: tempfile::tempdir().expect("a temporary directory"),
        }
    }

    /// The package `bank`: two functions in two files.
    pub fn bank() -> Project {
        Project::empty()
            .file("Cargo.toml", &manifest("bank"))
            .file(
                "src/lib.rs",
                "mod account;\n\npub fn sum(a: i32, b: i32) -> i32 {\n    a + b\n}\n",
            )
            .file(
                "src/account.rs",
                "pub fn deposit(balance: i32, amount: i32) -> i32 {\n    balance + amount\n}\n",
            )
    }

    pub fn file(self, path: &str, text: &str) -> Project {
        self.write(path, text);
        self
    }

    pub fn write(&self, path: &str, text: impl AsRef<[u8]>) {
        let path = self.path().join(path);
        fs::create_dir_all(path.parent().expect("a file in a directory")).expect("a directory");
        fs::write(path, text).expect("a file");
    }

    pub fn path(&self) -> PathBuf {
        fs::canonicalize(self.directory.path()).expect("the directory is there")
    }

    /// Runs `cargo-atropos` in the tree.
    pub fn atropos(&self, arguments: &[&str]) -> Answer {
        self.atropos_in("", arguments)
    }

    pub fn atropos_in(&self, directory: &str, arguments: &[&str]) -> Answer {
        let output = command(&self.path().join(directory))
            .args(arguments)
            .stdin(Stdio::null())
            .output()
            .expect("the program starts");
        Answer::of(&output)
    }

    /// The names that `list` gives for the replacements of `+` by `-`, one for each `+`.
    pub fn names(&self, arguments: &[&str]) -> Vec<String> {
        self.names_in("", arguments)
    }

    pub fn names_in(&self, directory: &str, arguments: &[&str]) -> Vec<String> {
        let all = [&["list", "--operators", "AOR"], arguments].concat();
        let answer = self.atropos_in(directory, &all);
        assert_eq!(answer.code, 0, "{answer:?}");
        let minus = answer
            .stdout
            .lines()
            .filter(|line| line.contains("replace + with -"));
        minus.map(str::to_owned).collect()
    }

    /// What `list --json` gives.
    pub fn mutants(&self, arguments: &[&str]) -> Vec<MutantInfo> {
        let answer = self.atropos(&[&["list", "--json"], arguments].concat());
        assert_eq!(answer.code, 0, "{answer:?}");
        serde_json::from_str(&answer.stdout).expect("a list of mutants")
    }

    pub fn git(&self, arguments: &[&str]) {
        let output = Command::new("git")
            .current_dir(self.path())
            .args([
                "-c",
                "user.name=Somebody",
                "-c",
                "user.email=somebody@example.org",
            ])
            .args(arguments)
            .output()
            .expect("git starts");
        assert!(output.status.success(), "git {arguments:?}: {output:?}");
    }
}

impl Answer {
    pub fn of(output: &Output) -> Answer {
        Answer {
            code: output.status.code().expect("it ended by itself"),
            stdout: String::from_utf8(output.stdout.clone()).expect("text"),
            stderr: String::from_utf8(output.stderr.clone()).expect("text"),
        }
    }

    /// Checks for a failure with exactly this sentence and nothing else.
    #[track_caller]
    pub fn is_error(&self, code: i32, sentence: &str) {
        assert_eq!(self.stderr, format!("error: {sentence}\n"));
        assert_eq!((self.code, self.stdout.as_str()), (code, ""));
    }
}

pub fn command(directory: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_cargo-atropos"));
    command.current_dir(directory).arg("atropos");
    // The tests themselves may run under cargo, with settings that are not the project's.
    for variable in [
        "CARGO_TARGET_DIR",
        "CARGO_BUILD_TARGET_DIR",
        "CARGO_MANIFEST_DIR",
        "GITHUB_ACTIONS",
        "GITHUB_STEP_SUMMARY",
        "GITHUB_WORKSPACE",
    ] {
        command.env_remove(variable);
    }
    command
}

pub fn manifest(name: &str) -> String {
    format!("[package]\nname = \"{name}\"\nversion = \"0.1.0\"\nedition = \"2021\"\n")
}
