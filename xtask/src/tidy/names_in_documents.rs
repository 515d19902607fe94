//! What documents for contributors name as code exists: modules, functions, types, fields.

use std::collections::BTreeSet;

use super::{Document, files, none};

/// The documents that speak of the code from inside.
const DOCUMENTS: [&str; 2] = ["ARCHITECTURE.md", "CONTRIBUTING.md"];

/// Names that are no part of this repository.
const FOREIGN: &[&str] = &["the_name_of_the_test", "rdtsc"];

/// The parts of the names in a line of Markdown: of `a::b::C` and of `a::{b, C}` it is `a`, `b` and `C`. What is no name, such as
/// a command, has none.
fn names_in(line: &str) -> Vec<&str> {
    let code = line.split('`').skip(1).step_by(2);
    let paths = code.filter(|code| {
        let is_part_of_path = |c: char| c.is_alphanumeric() || "_:{}".contains(c);
        code.split(", ")
            .all(|part| !part.is_empty() && part.chars().all(is_part_of_path))
    });
    paths
        .flat_map(|path| path.split(|c: char| !c.is_alphanumeric() && c != '_'))
        .filter(|name| name.contains('_') || name.len() > 3)
        .collect()
}

/// Every word of the code outside comments, and the names of modules and crates.
fn names_of_code(files: &[Document]) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for file in files {
        for part in file.path.split(['/', '.']) {
            names.insert(part.replace('-', "_"));
        }
        let is_code = file.path.ends_with(".rs") || file.path.ends_with(".toml");
        let lines = file.text.lines();
        let code = lines.filter(|line| is_code && !line.trim_start().starts_with("//"));
        let words = code.flat_map(|line| line.split(|c: char| !c.is_alphanumeric() && c != '_'));
        names.extend(words.map(str::to_owned));
    }
    names
}

#[test]
fn what_documents_name_as_code_exists() {
    let files = files();
    let known = names_of_code(&files);
    let mut unknown = Vec::new();
    let mut seen = 0;
    for file in &files {
        if !DOCUMENTS.contains(&file.path.as_str()) {
            continue;
        }
        let mut is_block = false;
        for (index, line) in file.text.lines().enumerate() {
            is_block ^= line.starts_with("```");
            if is_block {
                continue;
            }
            for name in names_in(line) {
                seen += 1;
                if !known.contains(name) && !FOREIGN.contains(&name) {
                    unknown.push(format!("{}:{}: `{name}`", file.path, index + 1));
                }
            }
        }
    }
    assert!(seen > 500, "names are found");
    none("these names are nowhere in the code", unknown);
}

#[test]
fn paths_are_names_and_commands_are_none() {
    let line = "`one_two::Three` and `four::{five, six}` by `cargo test -p seven`, not `x`";
    assert_eq!(names_in(line), ["one_two", "Three", "four", "five"]);
}
