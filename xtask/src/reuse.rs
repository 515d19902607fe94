//! Random edits of real crates: does a run that uses verdicts of earlier runs say the same as one that runs everything anew?
//!
//! A tree gets edits, one after another. After each, one run uses what earlier runs have stored, and another one starts from
//! nothing: for that one the store is laid aside, so that it neither uses it nor adds to it. The verdicts of all mutants must be
//! equal; which test killed a mutant may differ. Edits that do not compile, or that make the tests fail, are taken back, and so
//! are half of the others, so that old verdicts are met again. With `--apart` the run from nothing has a tree of its own, and so
//! a build of its own.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use atropos_mutants::Edition;
use atropos_mutants::dependence::FileDependence;
use atropos_report::outcomes::Outcomes;

use crate::process;
use crate::random::Random;
use crate::subject;

/// No run of these trees takes longer, even on a busy machine.
const LIMIT: Duration = Duration::from_secs(600);

#[derive(clap::Args)]
pub struct ReuseOptions {
    /// Trees, or `name@version` from the registry
    #[arg(required = true)]
    subjects: Vec<String>,
    /// How many edits that compile, and that the tests pass with, in all
    #[arg(long, default_value_t = 1000)]
    edits: usize,
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// No further edit after so many seconds
    #[arg(long, default_value_t = 3600)]
    seconds: u64,
    /// The `cargo-atropos` to test; this tree's, built for speed, by default
    #[arg(long)]
    program: Option<PathBuf>,
    /// Build anew for the runs from nothing
    #[arg(long)]
    apart: bool,
    /// Arguments for every run
    #[arg(long = "with", value_name = "ARGUMENT", allow_hyphen_values = true)]
    with: Vec<String>,
}

/// What an edit does to a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Edit {
    Number,
    Operator,
    DeleteLine,
    DoubleLine,
    Comment,
    BlankLine,
    Word,
    NewFunction,
    NewTest,
    Data,
    Variable,
}

/// So many of the edits change a line within a function; the others something else.
const IN_BODIES: usize = 7;

const EDITS: [Edit; 11] = [
    Edit::Number,
    Edit::Operator,
    Edit::DeleteLine,
    Edit::DoubleLine,
    Edit::Comment,
    Edit::BlankLine,
    Edit::Word,
    Edit::NewFunction,
    Edit::NewTest,
    Edit::Data,
    Edit::Variable,
];

/// What runs store for later ones.
const STORED: [&str; 2] = ["verdicts.json", "last-run.json"];

/// What became of the edits.
#[derive(Default)]
struct Tally {
    compared: usize,
    /// The runs whose tests fail, or that do not build.
    failing: usize,
    mutants: usize,
    reused: usize,
    /// Edits after which only what chance decides was different.
    by_chance: usize,
    by_edit: BTreeMap<Edit, usize>,
    different: Vec<String>,
}

pub fn run(options: &ReuseOptions) -> Result<()> {
    let program = match &options.program {
        Some(program) => fs::canonicalize(program).context("can't find the program")?,
        None => subject::atropos()?,
    };
    let mut random = Random::new(options.seed);
    let mut trees = Vec::new();
    for name in &options.subjects {
        trees.push(Subject::make(name, &program, options)?);
    }
    let mut tally = Tally::default();
    let start = Instant::now();
    let mut turn = 0;
    while tally.compared < options.edits && start.elapsed().as_secs() < options.seconds {
        let count = trees.len();
        trees[turn % count].edit_once(&mut random, &mut tally)?;
        turn += 1;
    }
    println!(
        "{} edits compared, {} more that fail by themselves; {} of {} verdicts reused; {} different by chance, {} wrong",
        tally.compared,
        tally.failing,
        tally.reused,
        tally.mutants,
        tally.by_chance,
        tally.different.len()
    );
    println!("{:?}", tally.by_edit);
    match tally.different.is_empty() {
        true => Ok(()),
        false => bail!("verdicts that were reused are wrong"),
    }
}

/// A tree that is edited.
struct Subject {
    name: String,
    program: PathBuf,
    kept: PathBuf,
    /// A second copy, for the runs from nothing.
    apart: Option<PathBuf>,
    with: Vec<String>,
    /// A variable that is set for both.
    variable: u64,
}

/// What a run said.
struct RunVerdicts {
    code: i32,
    verdicts: BTreeMap<String, String>,
    reused: usize,
}

impl Subject {
    fn make(name: &str, program: &Path, options: &ReuseOptions) -> Result<Subject> {
        let place = subject::place_for("reuse", name);
        let copy = |which: &str| subject::copy_of(name, &place.join(which));
        let subject = Subject {
            name: name.to_owned(),
            program: program.to_owned(),
            kept: copy("kept")?,
            apart: options.apart.then(|| copy("apart")).transpose()?,
            with: options.with.clone(),
            variable: 0,
        };
        let said = subject.say(&subject.kept, &[])?;
        println!(
            "{name}: {} mutants, exit code {}",
            said.verdicts.len(),
            said.code
        );
        Ok(subject)
    }

    fn say(&self, tree: &Path, arguments: &[&str]) -> Result<RunVerdicts> {
        let mut command = Command::new(&self.program);
        command
            .args(["run", "--no-impact", "--dir"])
            .arg(tree)
            .args(&self.with)
            .args(arguments)
            .env("EDITED_VARIABLE", self.variable.to_string());
        let outcomes = tree.join("target/atropos/outcomes.json");
        let _ = fs::remove_file(&outcomes);
        let ended = process::run(command, LIMIT)?;
        let code = ended.status.and_then(|status| status.code()).unwrap_or(-1);
        let mut said = RunVerdicts {
            code,
            verdicts: BTreeMap::new(),
            reused: 0,
        };
        if let Ok(outcomes) = Outcomes::read(&tree.join("target/atropos")) {
            said.reused = outcomes
                .mutants
                .iter()
                .filter(|mutant| mutant.reused)
                .count();
            let verdicts = outcomes.mutants.iter().map(|mutant| {
                let verdict = mutant.verdict.map_or("none", |verdict| verdict.word());
                (mutant.info.key.clone(), verdict.to_owned())
            });
            said.verdicts = verdicts.collect();
            said.verdicts
                .insert("exit code".to_owned(), code.to_string());
        }
        Ok(said)
    }

    /// What a run says that knows of no other.
    fn say_from_nothing(&self, way: &[&str]) -> Result<RunVerdicts> {
        let arguments = [&["--no-reuse"][..], way].concat();
        if let Some(apart) = &self.apart {
            return self.say(apart, &arguments);
        }
        let output = self.kept.join("target/atropos");
        let stored: Vec<(PathBuf, Vec<u8>)> = STORED
            .iter()
            .map(|name| output.join(name))
            .filter_map(|path| Some((path.clone(), fs::read(path).ok()?)))
            .collect();
        let remove = || STORED.map(|name| fs::remove_file(output.join(name)));
        let _ = remove();
        let said = self.say(&self.kept, &arguments);
        let _ = remove();
        for (path, bytes) in stored {
            fs::write(path, bytes)?;
        }
        said
    }

    /// Makes one edit, runs both, and compares.
    fn edit_once(&mut self, random: &mut Random, tally: &mut Tally) -> Result<()> {
        // Most edits of people are in the bodies of functions, and there results are used again.
        let kinds = match random.next().is_multiple_of(4) {
            true => &EDITS[..],
            false => &EDITS[..IN_BODIES],
        };
        let edit = kinds[pick(random, kinds.len())];
        let variable = self.variable;
        let Some((file, before, after)) = self.choose(edit, random)? else {
            return Ok(());
        };
        self.write(&file, &after)?;
        let kept = self.say(&self.kept, &[])?;
        if kept.verdicts.is_empty() {
            tally.failing += 1;
            self.variable = variable;
            return self.write(&file, &before);
        }
        let fresh = self.say_from_nothing(&[])?;
        tally.compared += 1;
        tally.mutants += kept.verdicts.len();
        tally.reused += kept.reused;
        *tally.by_edit.entry(edit).or_default() += 1;
        if kept.verdicts != fresh.verdicts {
            self.tell(edit, &file, (&kept, &fresh), tally)?;
        }
        if random.next().is_multiple_of(2) {
            self.variable = variable;
            self.write(&file, &before)?;
        }
        if tally.compared.is_multiple_of(10) {
            let (reused, of) = (tally.reused, tally.mutants);
            println!(
                "{} compared, {reused} of {of} verdicts reused",
                tally.compared
            );
        }
        Ok(())
    }

    /// Says what differs, unless another run from nothing says it as well: then chance decides, as where a mutant reads memory
    /// that nobody has written. So each way to run mutants is tried.
    fn tell(
        &self,
        edit: Edit,
        file: &Path,
        (kept, fresh): (&RunVerdicts, &RunVerdicts),
        tally: &mut Tally,
    ) -> Result<()> {
        let keys = kept.verdicts.keys().chain(fresh.verdicts.keys());
        let mut wrong: BTreeSet<&String> = keys
            .filter(|key| kept.verdicts.get(*key) != fresh.verdicts.get(*key))
            .collect();
        for way in [&[][..], &["--way=each"], &["--way=fork"]] {
            if !wrong.is_empty() {
                let again = self.say_from_nothing(way)?;
                wrong.retain(|key| kept.verdicts.get(*key) != again.verdicts.get(*key));
            }
        }
        let by_chance = wrong.is_empty();
        tally.by_chance += usize::from(by_chance);
        let wrong: Vec<String> = wrong
            .into_iter()
            .map(|key| {
                let of = |said: &RunVerdicts| said.verdicts.get(key).cloned().unwrap_or_default();
                format!("{key}: {} with reuse, {} without", of(kept), of(fresh))
            })
            .collect();
        if !wrong.is_empty() {
            let text = format!(
                "{} {edit:?} {}, {} reused: {wrong:?}",
                self.name,
                file.display(),
                kept.reused
            );
            println!("DIFFERENT {text}");
            let place = self
                .kept
                .with_file_name(format!("different-{}", tally.different.len()));
            subject::copy_of(&self.kept.to_string_lossy(), &place)?;
            tally.different.push(text);
        }
        Ok(())
    }

    fn write(&self, file: &Path, text: &str) -> Result<()> {
        for tree in [Some(&self.kept), self.apart.as_ref()]
            .into_iter()
            .flatten()
        {
            let path = tree.join(file);
            fs::write(&path, text).with_context(|| format!("can't write {}", path.display()))?;
        }
        Ok(())
    }

    /// A file with its text before and after an edit.
    fn choose(
        &mut self,
        edit: Edit,
        random: &mut Random,
    ) -> Result<Option<(PathBuf, String, String)>> {
        let mut files = Vec::new();
        list(&self.kept, &self.kept, &mut files)?;
        let is_source = |file: &PathBuf| file.extension().is_some_and(|it| it == "rs");
        if edit == Edit::Variable {
            self.variable = random.next() % 3;
        }
        files.retain(|file| is_source(file) != (edit == Edit::Data));
        if files.is_empty() {
            return Ok(None);
        }
        let file = files.swap_remove(pick(random, files.len()));
        let Ok(before) = fs::read_to_string(self.kept.join(&file)) else {
            return Ok(None);
        };
        let after = match edit {
            Edit::Variable => before.clone(),
            _ => edited(&before, edit, random),
        };
        let changed = after != before || edit == Edit::Variable;
        // What rustc would reject at once teaches nothing.
        let is_text = |after: &str| {
            edit == Edit::Data || FileDependence::of(after, Edition::Rust2021).is_some()
        };
        let changed = changed && is_text(&after);
        Ok(changed.then_some((file, before, after)))
    }
}

fn pick(random: &mut Random, count: usize) -> usize {
    (random.next() % count as u64) as usize
}

/// Adds the files that a user may edit, by their paths from the tree.
fn list(tree: &Path, directory: &Path, files: &mut Vec<PathBuf>) -> Result<()> {
    let mut entries: Vec<_> = fs::read_dir(directory)?.flatten().collect();
    entries.sort_by_key(|entry| entry.file_name());
    for entry in entries {
        let (name, path) = (entry.file_name(), entry.path());
        let name = name.to_string_lossy();
        let is_made = name.starts_with('.') || name == "target" || name == "Cargo.lock";
        if is_made || name == "Cargo.toml" {
            continue;
        }
        match entry.file_type()?.is_dir() {
            true => list(tree, &path, files)?,
            false => files.push(path.strip_prefix(tree)?.to_owned()),
        }
    }
    Ok(())
}

/// The text with one edit at a random place.
fn edited(text: &str, edit: Edit, random: &mut Random) -> String {
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let mut line = pick(random, lines.len().max(1));
    // Indented lines are within functions, or nearly so.
    let is_inner = |line: usize| {
        let text = lines.get(line).copied().unwrap_or_default();
        text.starts_with("    ") && !text.trim_start().starts_with("//")
    };
    for _ in 0..20 {
        if is_inner(line) {
            break;
        }
        line = pick(random, lines.len().max(1));
    }
    let place: usize = lines.iter().take(line).map(|line| line.len()).sum();
    let here = lines.get(line).copied().unwrap_or_default();
    let end = place + here.len();
    let replaced = |new: &str| format!("{}{new}{}", &text[..place], &text[end..]);
    match edit {
        Edit::Number => replace_from(
            text,
            place,
            |c| c.is_ascii_digit(),
            |digit| char::from_digit((digit.to_digit(10).unwrap_or(0) + 1) % 10, 10).unwrap_or('0'),
        ),
        Edit::Operator => replace_from(
            text,
            place,
            |c| "+-<>".contains(c),
            |c| match c {
                '+' => '-',
                '-' => '+',
                '<' => '>',
                _ => '<',
            },
        ),
        Edit::DeleteLine => replaced(""),
        Edit::DoubleLine => replaced(&format!("{here}{here}")),
        Edit::Comment => replaced(&format!("{}// edited {}\n", here, random.next() % 100)),
        Edit::BlankLine => replaced(&format!("{here}\n")),
        Edit::NewFunction => {
            let name = random.next();
            format!("{text}\n#[allow(dead_code)]\nfn added_{name}(a: u32) -> u32 {{ a + 1 }}\n")
        }
        Edit::NewTest => {
            let name = random.next();
            format!(
                "{text}\n#[test]\nfn added_{name}() {{ assert!(std::env::var(\"EDITED_VARIABLE\").is_ok_and(|it| it != \"7\")); }}\n"
            )
        }
        Edit::Word => {
            let of = [
                "true",
                "false",
                "0",
                "1",
                "len()",
                "is_empty()",
                "min(",
                "max(",
            ];
            let from = pick(random, of.len());
            let to = of[from ^ 1];
            match text[place..].find(of[from]) {
                Some(at) => {
                    let at = place + at;
                    format!("{}{to}{}", &text[..at], &text[at + of[from].len()..])
                }
                None => text.to_owned(),
            }
        }
        Edit::Data => format!("{text}\n"),
        Edit::Variable => text.to_owned(),
    }
}

/// Replaces the first fitting character from a place on.
fn replace_from(
    text: &str,
    place: usize,
    fits: impl Fn(char) -> bool,
    by: impl Fn(char) -> char,
) -> String {
    match text[place..].char_indices().find(|(_, c)| fits(*c)) {
        Some((at, c)) => {
            let at = place + at;
            format!("{}{}{}", &text[..at], by(c), &text[at + c.len_utf8()..])
        }
        None => text.to_owned(),
    }
}
