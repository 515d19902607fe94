//! A tree of `testdata/` in a directory of its own, the command run in it, and what came out.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use atropos_report::outcomes::{MutantRecord, Outcomes};

/// A copied tree; it is gone with the value.
pub struct Tree {
    directory: tempfile::TempDir,
    /// Where the command is run, within the tree.
    inside: &'static str,
    /// Runs may use what earlier ones have found.
    uses_earlier_runs: bool,
}

/// Runs are not about impact unless they say so: it takes a second build.
fn without_impact(arguments: &[&str]) -> &'static [&'static str] {
    let is_run = arguments.first().is_none_or(|first| first.starts_with('-'));
    match is_run
        && !arguments
            .iter()
            .any(|argument| ["--impact", "--"].contains(argument))
    {
        true => &["--no-impact"],
        false => &[],
    }
}

/// What a run answered.
pub struct Run {
    pub code: i32,
    pub stdout: String,
    pub stderr: String,
    /// What it wrote to `outcomes.json`; none if there is no such file.
    pub outcomes: Option<Outcomes>,
}

impl Tree {
    pub fn of(name: &str) -> Tree {
        Tree::inside(name, "")
    }

    /// A tree of these files, for what is too small to be a tree of its own.
    pub fn with(files: &[(&str, &str)]) -> Tree {
        let directory = tempfile::Builder::new()
            .prefix("a tree ")
            .tempdir_in(env!("CARGO_TARGET_TMPDIR"))
            .expect("a directory");
        for (path, text) in files {
            let path = directory.path().join(path);
            fs::create_dir_all(path.parent().expect("a file has a directory"))
                .expect("a directory");
            fs::write(path, text).expect("a file");
        }
        let inside = "";
        Tree {
            directory,
            inside,
            uses_earlier_runs: false,
        }
    }

    /// The command is run in a directory within the tree.
    pub fn inside(name: &str, inside: &'static str) -> Tree {
        let testdata = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata");
        // Paths may have spaces in them, so all trees here do.
        let directory = tempfile::Builder::new()
            .prefix("a tree ")
            .tempdir_in(env!("CARGO_TARGET_TMPDIR"))
            .expect("a directory");
        copy(&testdata.join(name), directory.path());
        Tree {
            directory,
            inside,
            uses_earlier_runs: false,
        }
    }

    /// Runs use what earlier ones have found; elsewhere each finds out everything itself.
    pub fn using_earlier_runs(mut self) -> Tree {
        self.uses_earlier_runs = true;
        self
    }

    pub fn path(&self) -> PathBuf {
        let path = fs::canonicalize(self.directory.path()).expect("the directory is there");
        path.join(self.inside)
    }

    pub fn output(&self) -> PathBuf {
        self.path().join("target/atropos")
    }

    /// A directory that tests of the tree may write to, given to them as `SCRATCH`.
    pub fn scratch(&self) -> PathBuf {
        let scratch = self.directory.path().join("scratch");
        fs::create_dir_all(&scratch).expect("a directory");
        scratch
    }

    pub fn write(&self, path: &str, text: &str) {
        fs::write(self.path().join(path), text).expect("a file");
    }

    pub fn read(&self, path: &str) -> String {
        fs::read_to_string(self.path().join(path)).expect("a file")
    }

    /// Replaces a text that is in a file.
    pub fn edit(&self, path: &str, from: &str, to: &str) {
        let text = self.read(path);
        assert!(text.contains(from), "{path} has no {from:?}");
        self.write(path, &text.replace(from, to));
    }

    /// The command, not yet started.
    pub fn command(&self, arguments: &[&str]) -> Command {
        if !self.uses_earlier_runs {
            for name in ["verdicts.json", "last-run.json"] {
                let _ = fs::remove_file(self.output().join(name));
            }
        }
        let mut command = Command::new(env!("CARGO_BIN_EXE_cargo-atropos"));
        command
            .arg("atropos")
            .args(arguments)
            .args(without_impact(arguments))
            .current_dir(self.path())
            .env("SCRATCH", self.scratch())
            // Compiling the runtime takes longer than most runs here.
            .env(
                "XDG_CACHE_HOME",
                concat!(env!("CARGO_TARGET_TMPDIR"), "/cache"),
            )
            .stdin(Stdio::null());
        // The tests themselves run under cargo, with settings that are not the tree's.
        let of_cargo = |name: &OsStr| {
            let name = name.to_string_lossy();
            name.starts_with("CARGO_PKG_") || name.starts_with("CARGO_MANIFEST_")
        };
        for (name, _) in std::env::vars_os().filter(|(name, _)| of_cargo(name)) {
            command.env_remove(name);
        }
        for name in [
            "CARGO_TARGET_DIR",
            "CARGO_BUILD_TARGET_DIR",
            "RUST_BACKTRACE",
            "GITHUB_ACTIONS",
            "GITHUB_STEP_SUMMARY",
            "GITHUB_WORKSPACE",
        ] {
            command.env_remove(name);
        }
        command
    }

    /// Starts the command; what it says is kept for [`Tree::finish`].
    pub fn start(&self, arguments: &[&str]) -> Child {
        self.start_command(self.command(arguments))
    }

    pub fn start_command(&self, mut command: Command) -> Child {
        let piped = command.stdout(Stdio::piped()).stderr(Stdio::piped());
        piped.spawn().expect("the command starts")
    }

    pub fn finish(&self, child: Child) -> Run {
        let output = child.wait_with_output().expect("the command ends");
        Run::of(&output, &self.output())
    }

    /// Runs the command to its end.
    pub fn run(&self, arguments: &[&str]) -> Run {
        self.finish(self.start(arguments))
    }

    /// Runs the command with variables of its own.
    pub fn run_with(&self, arguments: &[&str], variables: &[(&str, &str)]) -> Run {
        let mut command = self.command(arguments);
        command.envs(variables.iter().copied());
        self.finish(self.start_command(command))
    }

    /// Runs every schedule again that killed a mutant: each must kill it again. Says how many there were.
    pub fn replay_kills(&self, run: &Run) -> usize {
        let mutants = run.outcomes().mutants.iter();
        let has_schedule = |mutant: &&MutantRecord| {
            let mut kills = mutant.killed_by.iter();
            kills.any(|kill| kill.schedule.is_some())
        };
        let replay = |mutant: &MutantRecord| {
            let id = mutant.info.id.0.to_string();
            let again = self.run(&["replay", "--mutant", &id]);
            let Run { stdout, stderr, .. } = &again;
            let name = mutant.info.name();
            assert_eq!(again.code, 2, "{name}\n{stdout}\n{stderr}");
            assert!(!stdout.contains("not deterministic"), "{name}\n{stdout}");
        };
        mutants.filter(has_schedule).map(replay).count()
    }

    /// When each program and library of the build was made.
    pub fn build_times(&self) -> BTreeMap<PathBuf, std::time::SystemTime> {
        let deps = self.output().join("build/debug/deps");
        let entries = fs::read_dir(deps).expect("a build").flatten();
        entries
            .filter(|entry| entry.path().extension().is_none_or(|end| end == "rlib"))
            .map(|entry| (entry.path(), entry.metadata().unwrap().modified().unwrap()))
            .collect()
    }

    /// Waits a little for all processes of the tree to be gone, and gives those that are not.
    pub fn stray_processes(&self) -> Vec<String> {
        let deadline = Instant::now() + Duration::from_secs(30);
        loop {
            let found = self.processes();
            if found.is_empty() || Instant::now() > deadline {
                return found;
            }
            thread::sleep(Duration::from_millis(50));
        }
    }

    /// Processes that run a program of the tree, name it, or work in it.
    fn processes(&self) -> Vec<String> {
        let root = fs::canonicalize(self.directory.path()).expect("the directory is there");
        let root = root.to_str().expect("text");
        let mut found = Vec::new();
        for entry in fs::read_dir("/proc").expect("processes").flatten() {
            let place = entry.path();
            let link = |name: &str| fs::read_link(place.join(name)).unwrap_or_default();
            let line = fs::read(place.join("cmdline")).unwrap_or_default();
            let line = String::from_utf8_lossy(&line).replace('\0', " ");
            let places = [link("exe"), link("cwd")];
            let inside = places.iter().any(|path| path.starts_with(root));
            // A process that has ended but is not yet waited for has an empty command line.
            if !line.is_empty() && (inside || line.contains(root)) {
                found.push(format!("{} {line}", entry.file_name().to_string_lossy()));
            }
        }
        found
    }
}

impl Run {
    fn of(output: &Output, directory: &Path) -> Run {
        Run {
            code: output.status.code().unwrap_or(-1),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
            outcomes: Outcomes::read(directory).ok(),
        }
    }

    /// Checks the exit code, and shows everything if it is another.
    #[track_caller]
    pub fn has_code(self, code: i32) -> Run {
        let Run { stdout, stderr, .. } = &self;
        assert_eq!(self.code, code, "\n{stdout}\n{stderr}");
        self
    }

    /// Checks for a line on standard error or output that starts with these words.
    #[track_caller]
    pub fn says(&self, words: &str) {
        let said = self.stderr.lines().chain(self.stdout.lines());
        let found = said.filter(|line| line.starts_with(words)).count();
        assert!(
            found > 0,
            "no {words:?} in\n{}\n{}",
            self.stdout,
            self.stderr
        );
    }

    #[track_caller]
    pub fn outcomes(&self) -> &Outcomes {
        let said = || panic!("no outcomes:\n{}\n{}", self.stdout, self.stderr);
        self.outcomes.as_ref().unwrap_or_else(said)
    }

    /// The one mutant with this change in a function of a file.
    #[track_caller]
    pub fn mutant(&self, file: &str, function: &str, summary: &str) -> &MutantRecord {
        let all = self.outcomes().mutants.iter();
        let there: Vec<_> = all
            .filter(|mutant| mutant.info.file == file && mutant.info.function == function)
            .collect();
        let mut wanted = there.iter().filter(|mutant| mutant.info.summary == summary);
        match (wanted.next(), wanted.next()) {
            (Some(mutant), None) => mutant,
            _ => {
                let names: Vec<_> = there.iter().map(|mutant| &mutant.info.summary).collect();
                panic!("not exactly one {summary:?} in {file} fn {function}: {names:?}")
            }
        }
    }

    /// Checks verdicts: `function: change` and what is to become of it.
    #[track_caller]
    pub fn check(&self, file: &str, expected: &[(&str, &str)]) {
        let seen: Vec<(&str, String)> = expected
            .iter()
            .map(|(name, _)| {
                let (function, summary) = name.split_once(": ").expect("function: change");
                (*name, verdict(self.mutant(file, function, summary)))
            })
            .collect();
        let seen: Vec<(&str, &str)> = seen.iter().map(|(name, said)| (*name, &**said)).collect();
        assert_eq!(seen, expected, "in {file}");
    }

    /// The verdicts of all mutants of a file, each with how often it was given.
    pub fn verdicts_in(&self, file: &str) -> BTreeMap<String, usize> {
        let all = self.outcomes().mutants.iter();
        let mut counts = BTreeMap::new();
        for mutant in all.filter(|mutant| mutant.info.file == file) {
            *counts.entry(verdict(mutant)).or_default() += 1;
        }
        counts
    }

    /// Every mutant's verdict by its name.
    pub fn verdicts(&self) -> BTreeMap<String, String> {
        let all = self.outcomes().mutants.iter();
        all.map(|mutant| (mutant.info.name(), verdict(mutant)))
            .collect()
    }

    /// The names of the tests that killed a mutant.
    pub fn killers(&self, mutant: &MutantRecord) -> Vec<&str> {
        let tests = &self.outcomes().tests;
        let kills = mutant.killed_by.iter();
        kills.map(|kill| tests[kill.test].name.as_str()).collect()
    }
}

/// A mutant's verdict in words.
pub fn verdict(mutant: &MutantRecord) -> String {
    match mutant.verdict {
        Some(verdict) => verdict.to_string(),
        None => "untested".to_owned(),
    }
}

/// Without what runs by hand have left there.
fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a directory");
    for entry in fs::read_dir(from).expect("a directory").flatten() {
        if entry.file_name() == "target" {
            continue;
        }
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).expect("a file");
        }
    }
}
