//! Two versions of the tool on the same trees: do they write the same `outcomes.json`?
//!
//! For changes that must not change behaviour. Times and memory are not compared, nor is what the first version says
//! differently when it runs a second time.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use serde_json::Value;

use crate::process;
use crate::subject;

/// No tree of ours takes longer, even on a busy machine.
const LIMIT: Duration = Duration::from_secs(900);

/// Fields that are measured, or derived from others.
const MEASURED: &[&str] = &["time", "seconds", "timings", "memory", "key"];

#[derive(clap::Args)]
pub struct SameOutcomesOptions {
    /// The `cargo-atropos` of before
    before: PathBuf,
    /// The `cargo-atropos` of after
    after: PathBuf,
    /// The trees; all below `examples` and `testdata` by default
    trees: Vec<PathBuf>,
    /// A text of the version before that the version after writes in another way, on purpose: `OLD=NEW`
    #[arg(long = "renamed", value_name = "OLD=NEW")]
    renamed: Vec<String>,
}

/// What an `outcomes.json` says, each value under the path that leads to it.
type Facts = BTreeMap<String, String>;

pub fn run(options: &SameOutcomesOptions) -> Result<()> {
    let trees = if options.trees.is_empty() {
        bundled_trees()?
    } else {
        options.trees.clone()
    };
    let mut different = 0;
    for tree in &trees {
        let found = differences(options, tree)?;
        println!("{}: {}", tree.display(), found.summary());
        for line in &found.lines {
            println!("    {line}");
        }
        different += usize::from(!found.lines.is_empty());
    }
    println!("{} trees, {different} different", trees.len());
    if different > 0 {
        bail!("the two versions disagree");
    }
    Ok(())
}

struct Comparison {
    mutants: usize,
    facts: usize,
    lines: Vec<String>,
}

impl Comparison {
    fn summary(&self) -> String {
        let compared = format!("{} mutants, {} facts", self.mutants, self.facts);
        match self.lines.len() {
            0 => format!("{compared}, all the same"),
            n => format!("{compared}, {n} differ"),
        }
    }
}

fn differences(options: &SameOutcomesOptions, tree: &Path) -> Result<Comparison> {
    let before = renamed(facts(&options.before, tree)?, &options.renamed)?;
    let after = facts(&options.after, tree)?;
    let mut lines = compare(&before, &after);
    if !lines.is_empty() {
        let once_more = renamed(facts(&options.before, tree)?, &options.renamed)?;
        let unsteady: Vec<&String> = before
            .keys()
            .chain(once_more.keys())
            .filter(|path| before.get(*path) != once_more.get(*path))
            .collect();
        lines.retain(|(path, _)| !unsteady.contains(&path));
    }
    let verdicts = before.keys().filter(|path| is_verdict(path));
    Ok(Comparison {
        mutants: verdicts.count(),
        facts: before.len(),
        lines: lines.into_iter().map(|(_, line)| line).collect(),
    })
}

/// Each path that has not the same value on both sides, with both values.
fn compare(before: &Facts, after: &Facts) -> Vec<(String, String)> {
    let nothing = "nothing".to_owned();
    let mut paths: Vec<&String> = before.keys().chain(after.keys()).collect();
    paths.sort();
    paths.dedup();
    paths
        .into_iter()
        .filter_map(|path| {
            let one = before.get(path).unwrap_or(&nothing);
            let other = after.get(path).unwrap_or(&nothing);
            (one != other).then(|| (path.clone(), format!("{path}: {one} before, {other} after")))
        })
        .collect()
}

fn renamed(facts: Facts, renames: &[String]) -> Result<Facts> {
    let mut pairs = Vec::new();
    for rename in renames {
        pairs.push(rename.split_once('=').context("--renamed wants OLD=NEW")?);
    }
    let rename = |text: String| {
        let one = |text: String, (old, new): &(&str, &str)| text.replace(old, new);
        pairs.iter().fold(text, one)
    };
    Ok(facts
        .into_iter()
        .map(|(k, v)| (rename(k), rename(v)))
        .collect())
}

/// Runs a version on a fresh copy of a tree, always at the same path, and reads what it wrote.
fn facts(tool: &Path, tree: &Path) -> Result<Facts> {
    let tree = tree.canonicalize()?;
    let with_siblings = with_siblings(&tree);
    let copy = subject::work_directory().join("same-outcomes/tree");
    let output = subject::work_directory().join("same-outcomes/output");
    let scratch = subject::work_directory().join("same-outcomes/scratch");
    for directory in [&copy, &output, &scratch] {
        if directory.exists() {
            fs::remove_dir_all(directory)?;
        }
    }
    fs::create_dir_all(&scratch)?;
    copy_tree(with_siblings, &copy)?;
    let mut command = Command::new(tool.canonicalize().context("no such tool")?);
    command
        // With all tests that kill a mutant, it does not matter which of them is the quickest today.
        .args(["atropos", "--jobs", "1", "--kill-matrix", "-d"])
        .arg(copy.join(tree.strip_prefix(with_siblings)?))
        .arg("-o")
        .arg(&output)
        // Where the trees' tests write.
        .env("SCRATCH", &scratch);
    let ended = process::run(command, LIMIT)?;
    let mut facts = Facts::new();
    let code = ended.status.map(|status| status.to_string());
    facts.insert("exit".to_owned(), code.unwrap_or("too slow".to_owned()));
    if let Ok(text) = fs::read_to_string(output.join("outcomes.json")) {
        let mut outcomes = serde_json::from_str(&text)?;
        name_tests(&mut outcomes);
        flatten("", &outcomes, &mut facts);
    }
    Ok(facts)
}

/// Puts the names of tests in the place of their numbers: tests are numbered in the order of the time that they take.
fn name_tests(outcomes: &mut Value) {
    let tests = outcomes["tests"].as_array().cloned().unwrap_or_default();
    let names: Vec<String> = tests
        .iter()
        .map(|test| format!("{} {} {}", test["package"], test["target"], test["name"]))
        .collect();
    let name = |number: &mut Value| {
        let found = number
            .as_u64()
            .and_then(|number| names.get(number as usize));
        if let Some(name) = found {
            *number = Value::from(name.as_str());
        }
    };
    for mutant in outcomes["mutants"].as_array_mut().into_iter().flatten() {
        for kill in mutant["killed_by"].as_array_mut().into_iter().flatten() {
            name(&mut kill["test"]);
        }
        for number in mutant["reached_by"].as_array_mut().into_iter().flatten() {
            name(number);
        }
    }
    if let Some(tests) = outcomes["tests"].as_array_mut() {
        for (test, name) in tests.iter_mut().zip(&names) {
            test["test"] = Value::from(name.as_str());
        }
    }
}

/// Mutants are told apart by their edits, so that one more or less does not move all others. (Their keys are hashes of these,
/// and change with every text that is renamed.)
fn flatten(path: &str, value: &Value, facts: &mut Facts) {
    match value {
        Value::Object(fields) => {
            for (name, value) in fields {
                if !MEASURED.contains(&name.as_str()) {
                    flatten(&format!("{path}/{name}"), value, facts);
                }
            }
        }
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                let name = mutant_name(item).or_else(|| test_name(path, item));
                let name = name.unwrap_or_else(|| index.to_string());
                flatten(&format!("{path}/{name}"), item, facts);
            }
        }
        plain => {
            facts.insert(path.to_owned(), without_columns(&plain.to_string()));
        }
    }
}

/// Columns inside woven lines are not the user's, and change with the woven text: `lib.rs:27:845` becomes `lib.rs:27`.
fn without_columns(text: &str) -> String {
    let mut parts = text.split(".rs:");
    let mut kept = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        kept.push_str(".rs:");
        let line = part
            .find(|c: char| !c.is_ascii_digit())
            .unwrap_or(part.len());
        kept.push_str(&part[..line]);
        let rest = &part[line..];
        let column = rest
            .strip_prefix(':')
            .filter(|column| column.starts_with(|c: char| c.is_ascii_digit()));
        kept.push_str(match column {
            Some(column) => column.trim_start_matches(|c: char| c.is_ascii_digit()),
            None => rest,
        });
    }
    kept
}

fn is_verdict(path: &str) -> bool {
    path.starts_with("/mutants/") && path.ends_with("/verdict")
}

fn mutant_name(item: &Value) -> Option<String> {
    let replacement = item["replacement"].as_str()?;
    let (file, operator) = (item["file"].as_str()?, item["operator"].as_str()?);
    let (line, column) = (&item["line"], &item["column"]);
    Some(format!("{file}:{line}:{column} {operator} {replacement}"))
}

/// What is said of a test stands under the test's name, wherever it stands.
fn test_name(path: &str, item: &Value) -> Option<String> {
    let reached_by = path.ends_with("/reached_by");
    let name = if reached_by { item } else { &item["test"] };
    Some(format!("test {}", name.as_str()?))
}

/// The packages and workspaces of the repository that are subjects, not those inside others.
fn bundled_trees() -> Result<Vec<PathBuf>> {
    let mut trees = Vec::new();
    for directory in ["examples", "testdata"] {
        find_roots(&subject::repository().join(directory), &mut trees)?;
    }
    trees.sort();
    Ok(trees)
}

fn find_roots(directory: &Path, roots: &mut Vec<PathBuf>) -> Result<()> {
    if directory.join("Cargo.toml").is_file() {
        roots.push(directory.to_owned());
        return Ok(());
    }
    for entry in fs::read_dir(directory)? {
        let path = entry?.path();
        if path.is_dir() {
            find_roots(&path, roots)?;
        }
    }
    Ok(())
}

/// A tree below `examples` or `testdata` may use what lies beside it there: `dependency_cycles/ws` needs
/// `dependency_cycles/stranger`. So what is copied is the whole directory directly below `examples` or `testdata`.
fn with_siblings(tree: &Path) -> &Path {
    let collected = |directory: &&Path| {
        let parent = directory.parent().and_then(Path::file_name);
        parent.is_some_and(|name| name == "examples" || name == "testdata")
    };
    tree.ancestors().find(collected).unwrap_or(tree)
}

fn copy_tree(from: &Path, to: &Path) -> Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.file_name() == "target" {
            continue;
        }
        if entry.file_type()?.is_dir() {
            copy_tree(&entry.path(), &target)?;
        } else {
            fs::copy(entry.path(), target)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use serde_json::json;

    use super::{Facts, compare, flatten, name_tests, renamed, with_siblings, without_columns};

    fn facts(value: &serde_json::Value) -> Facts {
        let mut facts = Facts::new();
        flatten("", value, &mut facts);
        facts
    }

    #[test]
    fn times_are_not_compared() {
        let one = facts(&json!({"verdict": "killed", "time": 1.0}));
        let other = facts(&json!({"verdict": "killed", "time": 2.0}));
        assert_eq!(compare(&one, &other), []);
    }

    #[test]
    fn mutants_are_told_apart_by_their_edits() {
        let mutant = |replacement: &str, verdict: &str| {
            json!({
                "file": "a.rs", "line": 1, "column": 2, "operator": "AOR", "replacement": replacement,
                "verdict": verdict,
            })
        };
        let one = facts(&json!({"mutants": [mutant("-", "killed")]}));
        let other = facts(&json!({"mutants": [mutant("*", "killed"), mutant("-", "survived")]}));
        let differences = compare(&one, &other);
        let paths: Vec<&str> = differences.iter().map(|(path, _)| path.as_str()).collect();
        assert!(paths.contains(&"/mutants/a.rs:1:2 AOR -/verdict"));
        assert!(!paths.contains(&"/mutants/a.rs:1:2 AOR -/line"));
        assert!(paths.contains(&"/mutants/a.rs:1:2 AOR */verdict"));
    }

    #[test]
    fn what_is_said_of_a_test_is_compared_whatever_its_number() {
        let outcomes = |names: [&str; 3], tests: [usize; 2]| {
            let killed_by = tests.map(|test| json!({"test": test, "how": "panicked"}));
            let names = names.map(|name| json!({"package": "p", "target": "lib", "name": name}));
            let mut outcomes = json!({
                "tests": names,
                "mutants": [{"killed_by": killed_by, "reached_by": tests}],
            });
            name_tests(&mut outcomes);
            facts(&outcomes)
        };
        let one = outcomes(["a", "b", "c"], [0, 1]);
        assert_eq!(compare(&one, &outcomes(["a", "b", "c"], [1, 0])), []);
        assert_eq!(compare(&one, &outcomes(["c", "b", "a"], [2, 1])), []);
        assert_ne!(compare(&one, &outcomes(["c", "b", "a"], [0, 1])), []);
        assert_ne!(compare(&one, &outcomes(["a", "b", "d"], [0, 1])), []);
    }

    #[test]
    fn a_tree_is_copied_with_what_lies_beside_it() {
        let copied = |tree| with_siblings(Path::new(tree)).to_str().unwrap();
        assert_eq!(copied("/r/testdata/cycles/ws"), "/r/testdata/cycles");
        assert_eq!(copied("/r/examples/bank"), "/r/examples/bank");
        assert_eq!(copied("/elsewhere/crate"), "/elsewhere/crate");
    }

    #[test]
    fn columns_of_woven_lines_are_not_compared() {
        let text = "panicked at src/a.rs:27:845: at b.rs:3, c.rs:x";
        assert_eq!(
            without_columns(text),
            "panicked at src/a.rs:27: at b.rs:3, c.rs:x"
        );
    }

    #[test]
    fn what_was_renamed_on_purpose_is_no_difference() {
        let one = facts(&json!({"replacement": "region::bare(lock)"}));
        let one = renamed(one, &["region::=injected_faults::".to_owned()]).unwrap();
        let other = facts(&json!({"replacement": "injected_faults::bare(lock)"}));
        assert_eq!(compare(&one, &other), []);
    }
}
