//! One word for one thing: no two types that other files can name share a name, those in ARCHITECTURE.md's table of words
//! exist, and neither a file nor a type is named after a metaphor.

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
    "court",
    "crew",
    "deed",
    "diary",
    "docket",
    "down",
    "fate",
    "ghost",
    "heard",
    "judged",
    "junk",
    "kept",
    "kin",
    "leaves",
    "master",
    "purse",
    "quiet",
    "rota",
    "sleepers",
    "standstill",
    "stillness",
    "story",
    "strays",
    "supply",
    "together",
    "trouble",
    "turns",
    "usual",
    "ward",
];

/// Those of them that are no names of functions and variables either. The others are ordinary words in a sentence of code.
const NEVER: &[&str] = &[
    "appeal",
    "atlas",
    "company",
    "court",
    "crew",
    "deed",
    "diary",
    "docket",
    "fate",
    "ghost",
    "junk",
    "kin",
    "purse",
    "rota",
    "sleepers",
    "standstill",
    "stillness",
    "story",
    "strays",
    "trouble",
    "ward",
];

/// Names of several types, and why.
const SHARED: &[(&str, &str)] = &[
    ("AsyncLock", "each runtime has what woven code calls"),
    ("Class", "of a model: as it is written, and as it is run"),
    ("Expr", "of a model: as it is written, and as it is run"),
    ("ExprKind", "of a model: as it is written, and as it is run"),
    ("Model", "as it is written, and as it is run"),
    ("Stmt", "of a model: as it is written, and as it is run"),
    ("StmtKind", "of a model: as it is written, and as it is run"),
    ("Thread", "std's name in the facade; a number in the search"),
    ("Unlocked", "each runtime has what woven code calls"),
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

/// The type that a line makes known to other files: one at the top of its file, `pub` or `pub(crate)`.
fn visible_type(line: &str) -> Option<&str> {
    let rest = line
        .strip_prefix("pub ")
        .or_else(|| line.strip_prefix("pub(crate) "))?;
    match rest.strip_prefix("type ") {
        Some(alias) => alias.split(|c: char| !c.is_alphanumeric()).next(),
        None => defined_type(rest),
    }
}

#[test]
fn no_two_types_share_a_name() {
    let files = files();
    let mut found: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    let code = files.iter().filter(|file| {
        let is_code = file.path.starts_with("crates/") && file.path.contains("/src/");
        is_code && file.is_rust() && !file.path.contains("/tests/")
    });
    for file in code {
        for name in file.text.lines().filter_map(visible_type) {
            found.entry(name).or_default().insert(&file.path);
        }
    }
    assert!(found.len() > 500, "types are found");
    let allowed = |name: &str| SHARED.iter().any(|(shared, _)| *shared == name);
    let several = |name: &str| found.get(name).is_some_and(|places| places.len() > 1);
    let wrong = found
        .iter()
        .filter(|(name, places)| places.len() > 1 && !allowed(name));
    let wrong = wrong.map(|(name, places)| format!("{name}: {places:?}"));
    let stale = SHARED.iter().filter(|(name, _)| !several(name));
    let stale = stale.map(|(name, _)| format!("{name} is allowed to be several types, and is not"));
    none("one name for several types", wrong.chain(stale).collect());
}

#[test]
fn no_file_and_no_type_is_named_after_a_metaphor() {
    let files = files();
    let is_metaphor = |name: &str| METAPHORS.contains(&name.to_lowercase().as_str());
    let code = files.iter().filter(|file| file.path.starts_with("crates/"));
    let mut found = Vec::new();
    for file in code {
        if file
            .path
            .trim_end_matches(".rs")
            .split('/')
            .any(is_metaphor)
        {
            found.push(file.path.clone());
        }
        let lines = file
            .text
            .lines()
            .filter(|_| file.is_rust() && file.path.contains("/src/"));
        let types = lines
            .filter_map(defined_type)
            .filter(|name| is_metaphor(name));
        found.extend(types.map(|name| format!("{}: {name}", file.path)));
    }
    none("these names must be learned; use the field's", found);
}

/// The function or variable that a line defines.
fn defined_name(line: &str) -> Option<&str> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let after = words
        .iter()
        .position(|word| matches!(*word, "fn" | "let"))?
        + 1;
    let name = words.get(after..)?.iter().find(|word| **word != "mut")?;
    name.split(|letter: char| !letter.is_alphanumeric() && letter != '_')
        .next()
}

#[test]
fn no_function_and_no_variable_is_named_after_a_metaphor() {
    let files = files();
    let code = files.iter().filter(|file| {
        let is_ours = file.path.starts_with("crates/") || file.path.starts_with("xtask/");
        is_ours && file.is_rust()
    });
    let mut found = Vec::new();
    for file in code {
        let lines = file.text.lines().enumerate();
        let names = lines.filter_map(|(index, line)| Some((index + 1, defined_name(line)?)));
        let unwanted = names.filter(|(_, name)| NEVER.contains(&name.trim_end_matches('s')));
        found.extend(unwanted.map(|(line, name)| format!("{}:{line}: {name}", file.path)));
    }
    none("these names must be learned; use the field's", found);
}

/// Whether a line gives a mutant's or a point's number a bare type.
fn is_bare_number(line: &str) -> bool {
    let names = ["mutant", "mutant_id", "point_id"];
    let Some((before, after)) = line.split_once(": ") else {
        return false;
    };
    let name = before
        .rsplit(|c: char| !c.is_alphanumeric() && c != '_')
        .next();
    let after = after.trim_start_matches("Option<").trim_start_matches('&');
    name.is_some_and(|name| names.contains(&name)) && after.starts_with("u32")
}

/// Models number their mutants by a type of their own. Woven text has literals.
#[test]
fn numbers_of_mutants_have_a_type_of_their_own() {
    let files = files();
    let mut found = Vec::new();
    for file in files.iter().filter(|file| {
        let is_code = file.path.starts_with("crates/") && file.path.contains("/src/");
        is_code && file.is_rust() && !file.path.starts_with("crates/atropos-model/")
    }) {
        let lines = file.text.lines().enumerate();
        let bare = lines.filter(|(_, line)| is_bare_number(line) || line.contains("(u32, u16)"));
        found.extend(bare.map(|(index, line)| format!("{}:{}: {line}", file.path, index + 1)));
    }
    none("use MutantId, PointId or NumberedPoint", found);
}

#[test]
fn names_bare_numbers_and_visible_types_are_seen() {
    assert_eq!(
        defined_name("    pub fn troubled(&self) {"),
        Some("troubled")
    );
    assert_eq!(defined_name("let mut kind: u8 = 1;"), Some("kind"));
    assert_eq!(defined_name("kind += 1;"), None);
    assert!(is_bare_number("    pub mutant: u32,"));
    assert!(is_bare_number("fn f(mutant: Option<u32>) {"));
    assert!(!is_bare_number("    pub mutants: u32,"));
    assert!(!is_bare_number("    mutant: MutantId, // u32"));
    assert_eq!(visible_type("pub(crate) enum Way {"), Some("Way"));
    assert_eq!(visible_type("pub type Key = (u8, u8);"), Some("Key"));
    assert_eq!(visible_type("struct Own;"), None);
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

/// The names in the chains `a` → `b` → `c` of a file's documentation.
fn names_in_chains(text: &str) -> Vec<&str> {
    let header: Vec<&str> = text
        .lines()
        .filter(|line| line.starts_with("//!"))
        .collect();
    let near_an_arrow = |index: usize| {
        let from = index.saturating_sub(1);
        let around = &header[from..header.len().min(index + 2)];
        around.iter().any(|line| line.contains('→'))
    };
    let lines = header.iter().enumerate();
    let lines = lines.filter(|(index, line)| line.contains('→') || near_an_arrow(*index));
    lines
        .flat_map(|(_, line)| line.split('`').skip(1).step_by(2))
        .filter(|name| !name.is_empty() && name.chars().all(|c| c.is_lowercase() || c == '_'))
        .collect()
}

#[test]
fn the_flows_in_crate_documentation_name_modules_that_exist() {
    let files = files();
    let mut wrong = Vec::new();
    for file in &files {
        let Some((crate_name, "lib.rs" | "main.rs")) = file
            .path
            .strip_prefix("crates/")
            .and_then(|path| path.split_once("/src/"))
        else {
            continue;
        };
        let modules = top_modules(&files, crate_name);
        let names = names_in_chains(&file.text);
        let missing = names.into_iter().filter(|name| !modules.contains(*name));
        wrong.extend(missing.map(|name| format!("{}: `{name}` is no module", file.path)));
    }
    none("flows name what does not exist", wrong);
}

#[test]
fn types_are_read_from_tables_and_definitions() {
    let text = "# A\n\n## Words\n\n| word | type | meaning |\n|---|---|---|\n| mutant | `a::Mutant` | x |\n| step | | y |\n";
    assert_eq!(types_in_table(text), ["Mutant"]);
    assert_eq!(defined_type("pub(crate) struct Place<'a> {"), Some("Place"));
    assert_eq!(defined_type("    enum Way {"), Some("Way"));
    assert_eq!(defined_type("let struct_ = 1;"), None);
    let header = "//! A crate.\n//! Flow: `find` (`Edit`) →\n//! `make`.\n";
    assert_eq!(names_in_chains(header), ["find", "make"]);
}
