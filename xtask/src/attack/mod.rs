//! Attacks runs and looks whether a verdict is lost or changed: the tool is killed at random moments, compilers are killed, sources are
//! edited while a run goes on. After each attack a run must end as one that was left in peace, with all files as they were, and
//! the attacked run itself must never end as a success that it was not. Then come odd environments, hostile crates and mutants
//! that do harm.

mod environments;
mod hostile_crates;
mod kills_and_edits;

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use atropos_report::outcomes::Outcomes;
use clap::Args;

use crate::subject;

/// Trees of the repository that are attacked. The tests of the last one change files of the tree.
const SUBJECTS: [&str; 3] = [
    "examples/bank",
    "examples/primes",
    "testdata/leftover_files",
];

/// No run of these trees takes so long.
const LIMIT: Duration = Duration::from_secs(900);

/// So many more runs are made if mutants are undecided, as they may be on a busy machine.
const TRIES: usize = 2;

#[derive(Args)]
pub struct AttackOptions {
    /// How many times the tool is killed, over all trees
    #[arg(long, default_value_t = 100)]
    kills: usize,
    /// How many compilers are killed
    #[arg(long, default_value_t = 20)]
    compilers: usize,
    /// How many sources are edited during a run
    #[arg(long, default_value_t = 30)]
    edits: usize,
    /// Of the environments, hostile crates and ways to do harm, only those whose name holds this; `none` for none
    #[arg(long, default_value = "")]
    only: String,
    /// No further attack begins after so many seconds
    #[arg(long, default_value_t = 3600)]
    seconds: u64,
    /// Which moments are drawn
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// The program to attack [default: that of this tree, built for speed]
    #[arg(long)]
    program: Option<PathBuf>,
}

/// What a run that is left in peace comes to.
struct UndisturbedRun {
    code: i32,
    verdicts: BTreeMap<String, String>,
    time: Duration,
    /// The files of the tree, apart from what is built.
    files: BTreeMap<PathBuf, Vec<u8>>,
    /// How often compilers are called on a unit.
    compiler_calls: u64,
}

/// How often each attack was tried, and what was bad.
#[derive(Default)]
struct Tally(BTreeMap<&'static str, (usize, usize)>);

impl Tally {
    fn note(&mut self, attack: &'static str, what: &str, result: Result<()>) {
        let (tried, bad) = self.0.entry(attack).or_default();
        *tried += 1;
        if let Err(error) = result {
            println!("BAD {attack} ({what}): {error:#}");
            *bad += 1;
        }
    }

    /// Prints the table; an error if anything was bad.
    fn finish(&self) -> Result<()> {
        println!("\n| attack | tried | ok | bad |\n|---|---:|---:|---:|");
        for (attack, (tried, bad)) in &self.0 {
            println!("| {attack} | {tried} | {} | {bad} |", tried - bad);
        }
        match self.0.values().map(|(_, bad)| bad).sum::<usize>() {
            0 => Ok(()),
            bad => bail!("{bad} attacks were not withstood"),
        }
    }
}

pub fn run(options: &AttackOptions) -> Result<()> {
    let program = match &options.program {
        Some(program) => fs::canonicalize(program).context("can't find the program")?,
        None => subject::atropos()?,
    };
    let mut tally = Tally::default();
    let subjects: Vec<(Tree, UndisturbedRun)> = SUBJECTS
        .iter()
        .map(|name| {
            let tree = Tree::copy(name, &program)?;
            let peace = tree.in_peace()?;
            println!(
                "{name}: {} mutants, exit code {}",
                peace.verdicts.len(),
                peace.code
            );
            Ok((tree, peace))
        })
        .collect::<Result<_>>()?;
    let start = Instant::now();
    let is_over = || start.elapsed().as_secs() > options.seconds;
    let is_meant = |name: &str| name.contains(&options.only) && !is_over();
    // The smallest of them.
    let (tree, peace) = &subjects[1];
    for environment in environments::ENVIRONMENTS {
        let name = environment.0;
        if is_meant(name) {
            let result = environments::attack(tree, peace, environment);
            tally.note("odd environment", name, result);
        }
    }
    for file in hostile_crates::all()? {
        let name = file.file_stem().unwrap_or_default().to_string_lossy();
        if is_meant(&name) {
            let result = hostile_crates::attack(&program, &file);
            tally.note("hostile crate", &name, result);
        }
    }
    if is_meant("ways to do harm") {
        tally.note(
            "all ways to do harm in all run modes",
            "the test of them",
            ways_to_do_harm(),
        );
    }
    kills_and_edits::attack(options, &subjects, &mut tally, &is_over);
    tally.finish()
}

/// The bundled test tries every way in every run mode, each as a mutant.
fn ways_to_do_harm() -> Result<()> {
    let test = "no_way_to_do_harm_succeeds_in_any_run_mode_and_none_is_called_a_kill";
    let output = Command::new("cargo")
        .args(["test", "-p", "cargo-atropos", "--test", "it", "--", test])
        .current_dir(subject::repository())
        .output()
        .context("can't start cargo")?;
    let said = String::from_utf8_lossy(&output.stdout);
    match output.status.success() && said.contains("1 passed") {
        true => Ok(()),
        false => bail!("{said}"),
    }
}

/// A copy of a tree, with what its runs leave.
struct Tree {
    name: &'static str,
    program: PathBuf,
    directory: PathBuf,
}

impl Tree {
    fn copy(name: &'static str, program: &Path) -> Result<Tree> {
        let directory = subject::place_for("attack", name);
        let source = subject::repository().join(name);
        subject::copy_of(&source.display().to_string(), &directory)?;
        let program = program.to_owned();
        Ok(Tree {
            name,
            program,
            directory,
        })
    }

    fn forget_runs(&self) {
        let _ = fs::remove_dir_all(self.directory.join("target"));
    }

    fn start(&self, variables: &[(&str, &Path)]) -> Result<Child> {
        let mut command = Command::new(&self.program);
        command
            .args(["atropos", "--no-impact"])
            .current_dir(&self.directory)
            .envs(variables.iter().copied())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .process_group(0);
        command.spawn().context("can't start the tool")
    }

    fn end(&self, mut child: Child) -> Result<i32> {
        let start = Instant::now();
        loop {
            if let Some(status) = child.try_wait()? {
                return Ok(status.code().unwrap_or(-1));
            }
            if start.elapsed() > LIMIT {
                child.kill()?;
                child.wait()?;
                bail!("a run does not end");
            }
            thread::sleep(Duration::from_millis(10));
        }
    }

    fn verdicts(&self) -> Result<BTreeMap<String, String>> {
        Tree::verdicts_in(&self.directory.join("target/atropos"))
    }

    fn verdicts_in(output: &Path) -> Result<BTreeMap<String, String>> {
        let outcomes = Outcomes::read(output)?;
        let said = outcomes.mutants.iter().map(|mutant| {
            let verdict = mutant.verdict.map(|verdict| verdict.word().to_owned());
            (mutant.info.name(), verdict.unwrap_or_default())
        });
        Ok(said.collect())
    }

    fn in_peace(&self) -> Result<UndisturbedRun> {
        // The runtime is compiled before anything is timed.
        self.end(self.start(&[])?)?;
        self.forget_runs();
        let start = Instant::now();
        let code = self.end(self.start(&[])?)?;
        let time = start.elapsed();
        let verdicts = self.verdicts()?;
        self.forget_runs();
        let never = 0;
        let (compiler, count) = self.deadly_compiler(never)?;
        self.end(self.start(&[("RUSTC", &compiler)])?)?;
        Ok(UndisturbedRun {
            code,
            verdicts,
            time,
            files: self.files()?,
            compiler_calls: lines_of(&count),
        })
    }

    /// A run after an attack ends as if there had been none. On a busy machine mutants may be undecided; then runs are tried
    /// that begin anew.
    fn recovers(&self, peace: &UndisturbedRun) -> Result<()> {
        for _ in 0..TRIES {
            let result = self.recovers_at_once(peace);
            let verdicts = self.verdicts().unwrap_or_default();
            if result.is_ok() || verdicts.values().all(|verdict| verdict != "undecided") {
                return result;
            }
            self.forget_runs();
        }
        self.recovers_at_once(peace)
    }

    fn recovers_at_once(&self, peace: &UndisturbedRun) -> Result<()> {
        let code = self.end(self.start(&[])?)?;
        if code != peace.code {
            bail!(
                "the run after it ends with {code} instead of {}",
                peace.code
            );
        }
        self.has_verdicts_of(peace, &self.directory.join("target/atropos"))?;
        if self.files()? != peace.files {
            bail!("files of the tree were changed");
        }
        Ok(())
    }

    /// All files but those below the target directory, with their contents.
    fn files(&self) -> Result<BTreeMap<PathBuf, Vec<u8>>> {
        let mut found = BTreeMap::new();
        let mut open = vec![self.directory.clone()];
        while let Some(directory) = open.pop() {
            for entry in fs::read_dir(directory)? {
                let entry = entry?;
                if entry.file_type()?.is_dir() {
                    open.extend((entry.file_name() != "target").then(|| entry.path()));
                } else {
                    let contents = fs::read(entry.path()).unwrap_or_default();
                    found.insert(entry.path(), contents);
                }
            }
        }
        Ok(found)
    }

    /// What a run wrote is what it writes in peace.
    fn has_verdicts_of(&self, peace: &UndisturbedRun, output: &Path) -> Result<()> {
        let verdicts = Tree::verdicts_in(output)?;
        for (mutant, verdict) in &peace.verdicts {
            let now = verdicts.get(mutant).map_or("gone", String::as_str);
            if now != verdict {
                bail!("{mutant} is {now} instead of {verdict}");
            }
        }
        Ok(())
    }

    /// A compiler that kills itself when it is called on a unit for the `fatal`th time, and the file with a line for each call.
    fn deadly_compiler(&self, fatal: u64) -> Result<(PathBuf, PathBuf)> {
        let place = self.directory.join("target/deadly");
        fs::create_dir_all(&place)?;
        let rustc = place.join("rustc");
        let count = place.join("calls");
        let script = format!(
            "#!/bin/sh\ncase \"$*\" in *--emit*) echo >> '{0}'; [ $(wc -l < '{0}') = {fatal} ] && kill -9 $$;; esac\nexec rustc \"$@\"\n",
            count.display()
        );
        fs::write(&rustc, script)?;
        fs::set_permissions(&rustc, fs::Permissions::from_mode(0o755))?;
        Ok((rustc, count))
    }
}

/// How many lines a file has; none if it is not there.
fn lines_of(file: &Path) -> u64 {
    let text = fs::read_to_string(file).unwrap_or_default();
    text.lines().count() as u64
}
