//! Rules of this repository that no compiler checks: `cargo test -p xtask`.
//!
//! Each rule gives all its findings at once, as `file:line: what is wrong`.

mod functions;
mod manifests;
mod names_in_documents;
mod words;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// No file of code is longer: by then its author has lost the thread.
const MOST_LINES: usize = 800;

/// Names that say nothing.
const EMPTY_NAMES: &[&str] = &[
    "utils.rs",
    "util.rs",
    "helpers.rs",
    "common.rs",
    "imp.rs",
    "misc.rs",
];

/// Made of two parts each, so that this file keeps its own rules.
const UNFINISHED: &[(&str, &str)] = &[
    ("TO", "DO"),
    ("FIX", "ME"),
    ("XX", "X"),
    ("db", "g!("),
    ("unimple", "mented!("),
    ("to", "do!("),
];

/// Places of one machine, and hosts that packages are fetched from.
const PRIVATE: &[(&str, &str)] = &[
    ("/ro", "ot/"),
    ("/wo", "rk/"),
    ("/ho", "me/"),
    ("/Us", "ers/"),
    ("crates", ".io"),
    ("static.rust", "-lang.org"),
    ("index.crates", ".io"),
];

/// Paths that stand for any user's, in tests and examples.
const NOBODYS_HOMES: &[&str] = &["u", "user", "you", "me"];

/// A file that belongs to the repository.
struct Document {
    /// From the root of the repository.
    path: String,
    text: String,
}

impl Document {
    fn is_rust(&self) -> bool {
        self.path.ends_with(".rs")
    }

    /// Data of tests: many small programs in one file, each with a title.
    fn is_parted_into_programs(&self) -> bool {
        self.path.contains("/tests/programs/") && self.text.starts_with("//# ")
    }

    fn is_testdata(&self) -> bool {
        self.path.starts_with("testdata/")
    }

    fn name(&self) -> &str {
        self.path.rsplit('/').next().unwrap_or(&self.path)
    }

    /// The lines in which a text stands, each as `file:line: text`.
    fn lines_with(&self, text: &str) -> impl Iterator<Item = String> {
        let lines = self.text.lines().enumerate();
        lines
            .filter(|(_, line)| stands_in(line, text))
            .map(|(index, line)| format!("{}:{}: {}", self.path, index + 1, line.trim()))
    }
}

/// Whether a text stands in a line as a word of its own, where it starts and ends with letters.
fn stands_in(line: &str, text: &str) -> bool {
    let is_word = |letter: Option<char>| letter.is_some_and(|l| l.is_alphanumeric() || l == '_');
    line.match_indices(text).any(|(start, _)| {
        let before = line[..start].chars().next_back();
        let after = line[start + text.len()..].chars().next();
        let starts = is_word(text.chars().next()) && is_word(before);
        let ends = is_word(text.chars().next_back()) && is_word(after);
        !starts && !ends
    })
}

/// A line up to its first string: what tests quote is not said by us.
fn without_strings(line: &str) -> &str {
    line.split('"').next().unwrap_or_default()
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// All text files of the repository, but for what builds and runs have made.
fn files() -> Vec<Document> {
    let mut found = Vec::new();
    collect(&root(), "", &mut found);
    found.sort_by(|one, other| one.path.cmp(&other.path));
    found
}

fn collect(directory: &Path, prefix: &str, found: &mut Vec<Document>) {
    for entry in fs::read_dir(directory).expect("a directory").flatten() {
        let name = entry.file_name().into_string().expect("names are text");
        let path = format!("{prefix}{name}");
        // In a second work tree `.git` is a file.
        if matches!(name.as_str(), "target" | ".git" | ".atropos") {
            continue;
        }
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            collect(&entry.path(), &format!("{path}/"), found);
        } else if let Ok(text) = fs::read_to_string(entry.path()) {
            found.push(Document { path, text });
        }
    }
}

#[track_caller]
fn none(rule: &str, findings: Vec<String>) {
    assert!(findings.is_empty(), "{rule}:\n{}", findings.join("\n"));
}

/// The crates that the code map of ARCHITECTURE.md has a row for.
fn crates_in_code_map(architecture: &str) -> BTreeSet<String> {
    let map = architecture
        .split("\n## ")
        .find(|section| section.starts_with("Code map"))
        .unwrap_or_default();
    let rows = map.lines().filter_map(|line| line.strip_prefix("| `"));
    rows.filter_map(|row| row.split('`').next())
        .map(str::to_owned)
        .collect()
}

#[test]
fn every_rust_file_says_what_it_is_for() {
    let files = files();
    let silent = files
        .iter()
        .filter(|file| file.is_rust() && !file.is_parted_into_programs())
        .filter(|file| !file.text.starts_with("//!"))
        .map(|file| file.path.clone());
    none("these files do not open with `//!`", silent.collect());
}

#[test]
fn every_testdata_package_says_what_it_is_for() {
    let files = files();
    let silent = files
        .iter()
        .filter(|file| file.is_testdata() && file.name() == "Cargo.toml")
        .filter(|file| !file.text.starts_with("# "))
        .map(|file| file.path.clone());
    none(
        "these manifests do not open with a comment",
        silent.collect(),
    );
}

#[test]
fn no_file_of_code_is_too_long() {
    let files = files();
    let long = files
        .iter()
        .filter(|file| file.is_rust())
        .map(|file| (file, file.text.lines().count()))
        .filter(|(_, lines)| *lines > MOST_LINES)
        .map(|(file, lines)| format!("{}: {lines} lines", file.path));
    none("these files should be parted", long.collect());
}

#[test]
fn no_file_has_a_name_that_says_nothing() {
    let files = files();
    let empty = files
        .iter()
        .filter(|file| EMPTY_NAMES.contains(&file.name()))
        .map(|file| file.path.clone());
    none("these names say nothing", empty.collect());
}

#[test]
fn nothing_is_left_unfinished() {
    let files = files();
    let code = files.iter().filter(|file| file.is_rust());
    let marks: Vec<String> = UNFINISHED
        .iter()
        .map(|(one, other)| format!("{one}{other}"))
        .collect();
    let unfinished = code
        .flat_map(|file| marks.iter().flat_map(|mark| file.lines_with(mark)))
        .filter(|line| {
            let (_, said) = line.split_once(": ").unwrap_or_default();
            let said = without_strings(said);
            marks.iter().any(|mark| stands_in(said, mark))
        });
    none("these places are unfinished", unfinished.collect());
}

/// Numbers 0, 1 and -1 mean others to the kernel than one would think, so one module alone sends signals.
#[test]
fn signals_are_sent_in_one_place() {
    let files = files();
    let senders = files
        .iter()
        .filter(|file| file.is_rust() && file.path.contains("/src/") && !file.is_testdata())
        .filter(|file| !file.path.ends_with("atropos-protocol/src/signals.rs"));
    let calls = senders.flat_map(|file| {
        let mut calls: Vec<String> = file.lines_with("numbers::KILL,").collect();
        calls.extend(file.lines_with("numbers::PIDFD_SEND_SIGNAL,"));
        calls.retain(|line| line.contains("call("));
        calls
    });
    none("these lines send signals by themselves", calls.collect());
}

#[test]
fn nothing_tells_of_one_machine() {
    let marks: Vec<String> = PRIVATE
        .iter()
        .map(|(one, other)| format!("{one}{other}"))
        .collect();
    let home = format!("/ho{}/", "me");
    let is_example = |line: &str| {
        let homes = line.split(&home).skip(1);
        let names: Vec<&str> = homes
            .filter_map(|rest| rest.split(['/', '"']).next())
            .collect();
        !names.is_empty() && names.iter().all(|name| NOBODYS_HOMES.contains(name))
    };
    let files = files();
    let findings = files
        .iter()
        .filter(|file| file.name() != "Cargo.lock")
        .flat_map(|file| marks.iter().flat_map(|mark| file.lines_with(mark)))
        .filter(|line| !is_example(line));
    none(
        "these lines name a machine's place or a registry",
        findings.collect(),
    );
}

#[test]
fn the_code_map_names_the_crates_that_exist() {
    let files = files();
    let architecture = files.iter().find(|file| file.path == "ARCHITECTURE.md");
    let named = crates_in_code_map(&architecture.expect("ARCHITECTURE.md").text);
    let existing: BTreeSet<String> = files
        .iter()
        .filter_map(|file| file.path.strip_suffix("/Cargo.toml"))
        .map(|folder| folder.strip_prefix("crates/").unwrap_or(folder))
        .filter(|name| *name == "xtask" || name.contains("atropos") && !name.contains('/'))
        .map(str::to_owned)
        .collect();
    assert_eq!(
        named, existing,
        "ARCHITECTURE.md's code map against crates/ and xtask"
    );
}

/// What every package on a registry has.
const OF_PACKAGES: [&str; 9] = [
    "\ndescription = ",
    "\nlicense",
    "\nrepository",
    "\nkeywords",
    "\ncategories",
    "\nreadme = ",
    "\nexclude.workspace = true",
    "\n[package.metadata.docs.rs]",
    "\n[lints]",
];

#[test]
fn every_package_has_what_a_registry_shows() {
    let mut missing = Vec::new();
    for entry in fs::read_dir(root().join("crates"))
        .expect("crates")
        .flatten()
    {
        let folder = entry.path();
        let name = entry.file_name().into_string().expect("names are text");
        let manifest = fs::read_to_string(folder.join("Cargo.toml")).expect("a manifest");
        let absent = OF_PACKAGES
            .iter()
            .filter(|field| !manifest.contains(**field));
        missing.extend(absent.map(|field| format!("{name}: {}", field.trim())));
        let readme = manifest
            .lines()
            .find_map(|line| line.strip_prefix("readme = "));
        let readme = readme.unwrap_or_default().trim_matches('"');
        for file in [readme, "LICENSE-MIT", "LICENSE-APACHE"] {
            if !folder.join(file).is_file() {
                missing.push(format!("{name}: {file}"));
            }
        }
    }
    none("these packages are not complete", missing);
}

#[test]
fn marks_count_only_as_words() {
    assert!(stands_in("// TO_DO: later", "TO_DO"));
    assert!(!stands_in("let TO_DOS = 1;", "TO_DO"));
    assert!(!stands_in("prodbg!(1)", "dbg!("));
    assert!(stands_in("    dbg(1), dbg!", "dbg!"));
    let map = "# A\n\n## Code map\n\n| crate | holds |\n|---|---|\n| `one` | x |\n\n## Words\n\n| `no` | y |\n";
    assert_eq!(crates_in_code_map(map), BTreeSet::from(["one".to_owned()]));
}
