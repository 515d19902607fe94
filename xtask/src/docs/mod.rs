//! The documents: pages that are made from the code (`cargo xtask docs`), links between them, and the book (`cargo
//! xtask book`).

pub mod book;
mod links;
mod operators;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

/// The first lines of a page that is made from the code.
const GENERATED: &str =
    "<!-- Made by `cargo xtask docs`. Edit the code that it is made from, not this file. -->\n";

/// The page of operators, from the root of the repository.
const OPERATORS_PAGE: &str = "docs/src/reference/operators.md";

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Writes every page that is made from the code.
pub fn write_pages() -> Result<()> {
    let path = root().join(OPERATORS_PAGE);
    fs::write(&path, operators::page())
        .with_context(|| format!("can't write {}", path.display()))?;
    // The options are known to the program alone, so a test of the program writes their page.
    let status = Command::new(env!("CARGO"))
        .current_dir(root())
        .args(["test", "--quiet", "--package", "cargo-atropos", "--bins"])
        .arg("the_page_of_options_is_current")
        .env("ATROPOS_TEST_WRITE_PAGES", "1")
        .status()
        .context("can't run cargo")?;
    ensure!(status.success(), "the page of options was not written");
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// The names of environment variables in string literals of a file.
    fn variables(text: &str, found: &mut BTreeSet<String>) {
        for literal in text.split("\"ATROPOS_").skip(1) {
            let name = literal.split('"').next().unwrap_or_default();
            let is_name = name.chars().all(|c| c.is_ascii_uppercase() || c == '_');
            if is_name && !name.is_empty() && !name.starts_with("TEST_") {
                found.insert(format!("ATROPOS_{name}"));
            }
        }
    }

    fn sources(directory: &Path, visit: &mut dyn FnMut(&str)) {
        for entry in fs::read_dir(directory).expect("a directory").flatten() {
            let path = entry.path();
            if path.is_dir() {
                sources(&path, visit);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                visit(&fs::read_to_string(&path).expect("text"));
            }
        }
    }

    #[test]
    fn the_page_of_environment_variables_names_all_of_ours() {
        let mut used = BTreeSet::new();
        for entry in fs::read_dir(root().join("crates"))
            .expect("crates")
            .flatten()
        {
            sources(&entry.path().join("src"), &mut |text| {
                variables(text, &mut used)
            });
        }
        assert!(used.len() > 5, "{used:?}");
        let page = root().join("docs/src/reference/environment.md");
        let page = fs::read_to_string(page).expect("the page exists");
        let named: BTreeSet<String> = page
            .split('`')
            .filter(|word| word.starts_with("ATROPOS_"))
            .map(str::to_owned)
            .collect();
        assert_eq!(named, used, "docs/src/reference/environment.md");
    }

    /// Who wants to know more finds it elsewhere: in the book, or by running the command.
    #[test]
    fn the_readme_and_the_experiments_stay_short() {
        for (name, most) in [("README.md", 150), ("EXPERIMENTS.md", 400)] {
            let text = fs::read_to_string(root().join(name)).expect("the document exists");
            let lines = text.lines().count();
            assert!(
                lines <= most,
                "{name} has {lines} lines, {most} are the most"
            );
        }
    }

    #[test]
    fn the_page_of_operators_is_current() {
        let written = fs::read_to_string(root().join(OPERATORS_PAGE)).expect("the page exists");
        assert!(
            written == operators::page(),
            "{OPERATORS_PAGE} is stale: run `cargo xtask docs`"
        );
    }
}
