//! One word for one thing: the types in ARCHITECTURE.md's table of words exist, each of them once, and no file is named
//! after a metaphor.

use std::collections::{BTreeMap, BTreeSet};

use super::{Document, files, none};

/// Names that once stood for something that the field has a word for.
const METAPHORS: &[&str] = &[
    "again",
    "appeal",
    "aside",
    "atlas",
    "bare",
    "company",
    "crew",
    "diary",
    "down",
    "heard",
    "judged",
    "junk",
    "kept",
    "kin",
    "leaves",
    "master",
    "purse",
    "quiet",
    "sleepers",
    "standstill",
    "stillness",
    "strays",
    "supply",
    "together",
    "trouble",
    "turns",
    "usual",
];

/// The types that the table of words names: the second column of its rows.
fn types_in_table(architecture: &str) -> Vec<String> {
    let table = architecture
        .split("\n## ")
        .find(|section| section.starts_with("Words"))
        .unwrap_or_default();
    let rows = table.lines().filter(|line| line.starts_with("| "));
    rows.filter_map(|row| row.split('|').nth(2))
        .flat_map(|cell| cell.split('`').skip(1).step_by(2))
        .filter_map(|path| path.rsplit("::").next())
        .filter(|name| name.starts_with(char::is_uppercase))
        .map(str::to_owned)
        .collect()
}

/// Where each type is defined, of all crates' own code.
fn definitions(files: &[Document]) -> BTreeMap<String, Vec<String>> {
    let mut found: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let code = files.iter().filter(|file| {
        file.is_rust() && file.path.starts_with("crates/") && file.path.contains("/src/")
    });
    for file in code {
        for (index, line) in file.text.lines().enumerate() {
            if let Some(name) = defined_type(line) {
                let place = format!("{}:{}", file.path, index + 1);
                found.entry(name.to_owned()).or_default().push(place);
            }
        }
    }
    found
}

fn defined_type(line: &str) -> Option<&str> {
    let mut words = line.split_whitespace().peekable();
    if words.peek().is_some_and(|word| word.starts_with("pub")) {
        words.next();
    }
    let kind = words.next()?;
    if !matches!(kind, "struct" | "enum" | "trait" | "union") {
        return None;
    }
    let name = words.next()?;
    let end = name.find(|letter: char| !letter.is_alphanumeric());
    Some(&name[..end.unwrap_or(name.len())])
}

#[test]
fn every_type_of_the_table_of_words_is_defined_once() {
    let files = files();
    let architecture = files.iter().find(|file| file.path == "ARCHITECTURE.md");
    let types = types_in_table(&architecture.expect("ARCHITECTURE.md").text);
    assert!(types.len() > 10, "the table of words names types");
    let defined = definitions(&files);
    let wrong = types.iter().filter_map(|name| match defined.get(name) {
        None => Some(format!("{name} is defined nowhere")),
        Some(places) if places.len() > 1 => Some(format!("{name}: {}", places.join(", "))),
        Some(_) => None,
    });
    none("these words stand for no type, or several", wrong.collect());
}

#[test]
fn no_file_is_named_after_a_metaphor() {
    let files = files();
    let found = files
        .iter()
        .filter(|file| file.path.starts_with("crates/"))
        .filter(|file| {
            let mut parts = file.path.trim_end_matches(".rs").split('/');
            parts.any(|part| METAPHORS.contains(&part))
        });
    none(
        "these names must be learned; use the field's",
        found.map(|file| file.path.clone()).collect(),
    );
}

/// The modules that the map names for each crate: the backticked words of a row of the list, up to the next row.
fn modules_in_map(architecture: &str) -> BTreeMap<String, BTreeSet<String>> {
    let map = architecture
        .split("\n### ")
        .find(|section| section.starts_with("Modules"))
        .unwrap_or_default();
    let map = map.split("\n## ").next().unwrap_or_default();
    let rows = map.split("\n- `").skip(1);
    rows.filter_map(|row| {
        let (name, rest) = row.split_once('`')?;
        let modules = rest.split('`').skip(1).step_by(2).map(str::to_owned);
        Some((name.to_owned(), modules.collect()))
    })
    .collect()
}

/// The modules at the top of a crate, by the files that hold them.
fn top_modules(files: &[Document], crate_name: &str) -> BTreeSet<String> {
    let source = format!("crates/{crate_name}/src/");
    let inside = files
        .iter()
        .filter_map(|file| file.path.strip_prefix(&source));
    let names = inside.filter(|path| path.ends_with(".rs")).map(|path| {
        let first = path.split('/').next().unwrap_or(path);
        first.trim_end_matches(".rs").to_owned()
    });
    names
        .filter(|name| !matches!(name.as_str(), "lib" | "main" | "tests"))
        .collect()
}

#[test]
fn the_map_names_every_module() {
    let files = files();
    let architecture = files.iter().find(|file| file.path == "ARCHITECTURE.md");
    let named = modules_in_map(&architecture.expect("ARCHITECTURE.md").text);
    assert!(named.len() > 10, "the map has a row for each crate");
    let mut wrong = Vec::new();
    for (crate_name, named) in &named {
        let existing = top_modules(&files, crate_name);
        for name in existing.difference(named) {
            wrong.push(format!("{crate_name}: {name} is not in the map"));
        }
        for name in named.difference(&existing) {
            wrong.push(format!("{crate_name}: {name} does not exist"));
        }
    }
    none("ARCHITECTURE.md's map of modules and crates/*/src", wrong);
}

#[test]
fn types_are_read_from_tables_and_definitions() {
    let text = "# A\n\n## Words\n\n| word | type | meaning |\n|---|---|---|\n| mutant | `a::Mutant` | x |\n| step | | y |\n";
    assert_eq!(types_in_table(text), ["Mutant"]);
    assert_eq!(defined_type("pub(crate) struct Place<'a> {"), Some("Place"));
    assert_eq!(defined_type("    enum Way {"), Some("Way"));
    assert_eq!(defined_type("let struct_ = 1;"), None);
}
