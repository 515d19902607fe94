//! `cargo atropos write`: what it writes passes on the original and fails on the survivors that it names.

use std::process::Command;

use crate::runs::tree::Tree;

const MANIFEST: &str =
    "[package]\nname = \"shelf\"\nversion = \"0.1.0\"\nedition = \"2021\"\n\n[workspace]\n";

const LIB: &str = r#"//! A shelf for books.

/// Books with a size each.
#[derive(Clone, Debug, PartialEq)]
pub struct Shelf {
    sizes: Vec<u32>,
    room: u32,
}

/// Why a book was refused.
#[derive(Clone, Debug, PartialEq)]
pub enum Refusal {
    Full { missing: u32 },
}

impl Shelf {
    pub fn new(room: u32) -> Shelf {
        let sizes = Vec::new();
        Shelf { sizes, room }
    }

    pub fn put(&mut self, size: u32) -> Result<u32, Refusal> {
        let left = self.left();
        if size > left {
            let missing = size - left;
            return Err(Refusal::Full { missing });
        }
        self.sizes.push(size);
        Ok(left - size)
    }

    pub fn left(&self) -> u32 {
        self.room - self.sizes.iter().sum::<u32>()
    }

    pub fn label(&self) -> String {
        format!("{} of {}", self.left(), self.room + 0)
    }
}

/// Things on each other.
#[derive(Clone, Debug)]
pub struct Pile<T> {
    things: Vec<T>,
    most: usize,
}

impl<T> Pile<T> {
    pub fn new() -> Pile<T> {
        let things = Vec::new();
        Pile { things, most: 2 }
    }

    pub fn put(&mut self, thing: T) -> bool {
        if self.things.len() >= self.most {
            return false;
        }
        self.things.push(thing);
        true
    }

    /// Nothing more is put on what is there.
    pub fn close(&mut self) {
        self.most = self.things.len();
    }
}

/// Reaches at most to the third board.
pub fn reach(height: i64) -> i64 {
    if height > 130 {
        3
    } else {
        height / 50
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_people_reach_nothing() {
        assert_eq!(reach(0), 0);
    }
}
"#;

const TESTS: &str = r#"use shelf::{Pile, Shelf};

fn full() -> Shelf {
    let mut shelf = Shelf::new(10);
    shelf.put(10).unwrap();
    shelf
}

#[test]
fn books_are_put() {
    let mut shelf = Shelf::new(10);
    let left = shelf.put(3);
    assert!(left.is_ok());
    shelf.put(4).unwrap();
}

#[test]
fn a_pile_is_closed() {
    let mut pile = Pile::new();
    assert!(pile.put('a'));
    pile.close();
}

#[test]
fn a_full_shelf_refuses() {
    let mut shelf = full();
    assert!(shelf.put(5).is_err());
    assert!(!shelf.label().is_empty());
}
"#;

fn shelf() -> Tree {
    Tree::with(&[
        ("Cargo.toml", MANIFEST),
        ("src/lib.rs", LIB),
        ("tests/shelf.rs", TESTS),
    ])
}

/// What the tests of the tree say, under plain cargo.
fn plain_tests_pass(tree: &Tree) -> bool {
    let output = Command::new("cargo")
        .args(["test", "--offline"])
        .current_dir(tree.path())
        .env_remove("CARGO_TARGET_DIR")
        .output()
        .expect("cargo runs");
    output.status.success()
}

#[test]
fn assertions_are_written_that_kill_the_survivors_they_name() {
    let tree = shelf();
    let nothing = tree.run(&["write"]).has_code(1);
    assert!(
        nothing
            .stderr
            .contains("there is no run to write tests for"),
        "{}",
        nothing.stderr
    );
    let before = tree.run(&["-f", "src/lib.rs"]).has_code(2);
    let missed = |run: &crate::runs::tree::Run| {
        let mutants = run.outcomes().mutants.iter();
        mutants
            .filter(|mutant| mutant.verdict.is_some_and(|verdict| verdict.is_missed()))
            .count()
    };
    let survivors = missed(&before);
    assert!(survivors > 5, "{}", before.stdout);

    let killed = before.mutant("src/lib.rs", "Shelf::left", "replace - with +");
    let killed = tree
        .run(&["write", &killed.info.id.0.to_string()])
        .has_code(1);
    assert!(
        killed
            .stderr
            .contains("names no mutant that went unnoticed"),
        "{}",
        killed.stderr
    );

    let shown = tree.run(&["write"]).has_code(0);
    let diff = &shown.stdout;
    assert!(
        diff.contains("+++ b/tests/shelf.rs") && diff.contains("@@ kills "),
        "{diff}"
    );
    assert!(diff.contains("+    assert_eq!("), "{diff}");
    // What `close` does shows in the call after it.
    assert!(diff.contains("let mut pile = Pile::<i32>::new();\n+        pile.close();\n+        assert!(!pile.put("), "{diff}");
    assert!(
        shown.stderr.contains("each passed on the original"),
        "{}",
        shown.stderr
    );
    assert_eq!(
        tree.read("tests/shelf.rs"),
        TESTS,
        "nothing is written unasked"
    );
    let proven = shown.outcomes().mutants.iter();
    let proven = proven.filter(|mutant| {
        mutant
            .impact
            .as_ref()
            .is_some_and(|impact| impact.is_proven)
    });
    let proven: Vec<u32> = proven.map(|mutant| mutant.info.id.0).collect();
    assert!(
        proven.len() * 2 > survivors,
        "{proven:?} of {survivors}\n{diff}\n{}",
        shown.stderr
    );
    let page = tree.run(&["show", &proven[0].to_string()]).has_code(0);
    assert!(page.stdout.contains("proven: this in"), "{}", page.stdout);

    let written = tree.run(&["write", "--apply"]).has_code(0);
    assert!(
        tree.read("tests/shelf.rs").contains("assert_eq!("),
        "{}",
        written.stderr
    );
    assert!(plain_tests_pass(&tree));
    let again = tree.run(&["write"]).has_code(1);
    assert!(
        again.stderr.contains("has changed since the last run"),
        "{}",
        again.stderr
    );

    let after = tree.run(&["-f", "src/lib.rs"]);
    let still: Vec<&str> = before
        .outcomes()
        .mutants
        .iter()
        .filter(|mutant| proven.contains(&mutant.info.id.0))
        .filter(|mutant| {
            let now = after
                .outcomes()
                .mutants
                .iter()
                .find(|now| now.info.key == mutant.info.key);
            now.is_none_or(|now| !now.verdict.is_some_and(|verdict| verdict.is_killed()))
        })
        .map(|mutant| mutant.info.summary.as_str())
        .collect();
    assert_eq!(still, [""; 0], "what is written kills what it names");
    assert!(missed(&after) <= survivors - proven.len());
}

#[test]
fn assertions_are_written_after_a_run_that_reused_every_verdict() {
    let tree = shelf().using_earlier_runs();
    let first = tree.run(&["-f", "src/lib.rs"]).has_code(2);
    assert!(!first.stdout.contains("reused"), "{}", first.stdout);
    // Nothing has changed: nothing is built. Then a test has changed that has no part in what is written.
    for edited in [false, true] {
        if edited {
            tree.edit(
                "src/lib.rs",
                "assert_eq!(reach(0), 0)",
                "assert_eq!(0, reach(0))",
            );
        }
        let again = tree.run(&["-f", "src/lib.rs"]).has_code(2);
        let mutants = &again.outcomes().mutants;
        let reused = mutants.iter().filter(|mutant| mutant.reused).count();
        assert!(reused * 2 > mutants.len(), "{}", again.stdout);
        assert_eq!(mutants.len(), first.outcomes().mutants.len());
        let shown = tree.run(&["write"]).has_code(0);
        assert!(shown.stdout.contains("@@ kills "), "{}", shown.stdout);
        assert!(
            shown.stdout.contains("+    assert_eq!("),
            "{}",
            shown.stdout
        );
    }
    tree.run(&["write", "--apply"]).has_code(0);
    assert!(plain_tests_pass(&tree));
    let after = tree.run(&["-f", "src/lib.rs"]);
    let killed = |run: &crate::runs::tree::Run| run.outcomes().totals.killed;
    assert!(killed(&after) > killed(&first), "{}", after.stdout);
}
