//! Verdicts of earlier runs: used where nothing has changed that they rest on, and nowhere else.
//!
//! `cargo xtask reuse` makes many more edits, at random and in more crates.

use std::collections::BTreeMap;

use super::tree::{Run, Tree};

fn tree() -> Tree {
    Tree::of("reused_verdicts").using_earlier_runs()
}

/// The verdicts by key.
fn verdicts(run: &Run) -> BTreeMap<String, String> {
    let mutants = &run.outcomes().mutants;
    let verdict = |verdict: Option<_>| format!("{verdict:?}");
    mutants
        .iter()
        .map(|mutant| (mutant.info.key.clone(), verdict(mutant.verdict)))
        .collect()
}

/// The functions some of whose mutants were run anew, although an earlier run has decided on them.
fn fresh_functions(run: &Run) -> Vec<String> {
    let is_fresh = |verdict: Option<atropos_report::verdict::Verdict>| {
        verdict.is_some_and(|it| it.is_killed() || it.word() == "survived")
    };
    let mutants = run.outcomes().mutants.iter();
    let mut fresh: Vec<String> = mutants
        .filter(|mutant| !mutant.reused && is_fresh(mutant.verdict))
        .map(|mutant| mutant.info.function.clone())
        .collect();
    fresh.sort();
    fresh.dedup();
    fresh
}

const ALL: &[&str] = &["--workspace"];
const ANEW: &[&str] = &["--workspace", "--no-reuse"];

/// Runs a tree whose verdicts are kept and one where none is used; they must agree. Gives the functions that were run anew.
fn check(kept: &Tree, anew: &Tree) -> Vec<String> {
    let with_kept = kept.run(ALL);
    let from_nothing = anew.run(ANEW);
    assert_eq!(
        verdicts(&with_kept),
        verdicts(&from_nothing),
        "{}",
        with_kept.stderr
    );
    fresh_functions(&with_kept)
}

#[test]
fn after_each_edit_a_run_says_the_same_as_one_from_nothing() {
    let (kept, anew) = (tree(), tree());
    assert!(check(&kept, &anew).len() > 5);
    let edit = |file: &str, from: &str, to: &str| {
        kept.edit(file, from, to);
        anew.edit(file, from, to);
        check(&kept, &anew)
    };
    // One function, which one test enters.
    let fresh = edit("src/lib.rs", "Err(last)", "Err(last + 0)");
    assert_eq!(fresh, ["long_line"]);
    // Its test: it decides on all that it enters.
    let fresh = edit("tests/outside.rs", "Ok(1));\n", "Ok(1), \"no line\");\n");
    assert_eq!(fresh, ["long_line"]);
    // A type that is inferred from a body; a constant; a macro; a constant function; a signature; data.
    for (file, from, to) in [
        ("src/lib.rs", "number % 2 == 0", "number % 2 != 1"),
        ("src/lib.rs", "BONUS: u32 = 3", "BONUS: u32 = 4"),
        ("src/lib.rs", "if $one < $other", "if $one <= $other"),
        ("inner/src/lib.rs", "tens * 10", "tens * 12"),
        (
            "src/shapes.rs",
            "fn sum(one: u32, other: u32)",
            "fn sum(one: u32, two: u32)",
        ),
        ("data/names.txt", "ann", "eve"),
    ] {
        if to.contains("two: u32") {
            for tree in [&kept, &anew] {
                tree.edit("src/shapes.rs", "one + other", "one + two");
            }
        }
        assert!(edit(file, from, to).len() > 5, "{file}: {to}");
    }
}

#[test]
fn where_nothing_has_changed_nothing_is_built_and_numbers_are_those_of_the_selection() {
    let tree = tree();
    let script = r#"fn main() { println!("cargo::rerun-if-env-changed=OF_BUILD"); }"#;
    tree.write("build.rs", script);
    let first = tree.run(ALL);
    assert!(!first.stdout.contains("reused"), "{}", first.stdout);
    // Nothing could be built any more.
    let remove_build =
        || std::fs::remove_dir_all(tree.output().join("build")).expect("it was built");
    remove_build();
    let again = tree.run(ALL);
    assert_eq!(
        (again.code, verdicts(&again)),
        (first.code, verdicts(&first))
    );
    assert!(
        again.stdout.contains("80 reused from earlier runs"),
        "{}",
        again.stdout
    );
    assert_eq!(fresh_functions(&again), [""; 0]);
    let selected = tree.run(&["--workspace", "--re", "smaller"]);
    let outcomes = selected.outcomes();
    assert!(outcomes.mutants.len() < 10 && outcomes.mutants.iter().all(|it| it.reused));
    assert!(!tree.output().join("build").exists());
    for mutant in &outcomes.mutants {
        assert_eq!(
            verdicts(&first)[&mutant.info.key],
            format!("{:?}", mutant.verdict)
        );
    }
    let fresh = tree.run(ANEW);
    assert_eq!(verdicts(&fresh), verdicts(&first));
    assert!(!fresh.stdout.contains("reused") && tree.output().join("build").exists());
    // What a build script goes by has changed.
    remove_build();
    let other = tree.run_with(ALL, &[("OF_BUILD", "1")]);
    assert_eq!(verdicts(&other), verdicts(&first));
    assert!(tree.output().join("build").exists());
}

#[test]
fn a_variable_that_tests_ask_for_is_evidence() {
    let tree = tree();
    let run_as = |value: &str, of_nobody: &str| {
        // With backtraces, failing doctests read their own programs.
        let variables = [
            ("EDITED_VARIABLE", value),
            ("OF_NOBODY", of_nobody),
            ("RUST_BACKTRACE", "1"),
        ];
        tree.run_with(ALL, &variables)
    };
    let run = |value: &str| run_as(value, value);
    let first = run("5");
    assert!(fresh_functions(&first).len() > 5);
    let other = run("1");
    assert!(fresh_functions(&other).len() > 5, "{}", other.stdout);
    assert_ne!(verdicts(&first), verdicts(&other));
    // What nobody asks for changes nothing.
    let again = run_as("1", "x");
    assert_eq!(fresh_functions(&again), [""; 0]);
    assert_eq!(verdicts(&again), verdicts(&other));
}

#[test]
fn a_store_that_can_not_be_read_costs_time_alone() {
    let tree = tree();
    let first = tree.run(ALL);
    for name in ["verdicts.json", "last-run.json"] {
        let path = tree.output().join(name);
        let text = std::fs::read(&path).expect("it was written");
        std::fs::write(&path, &text[..text.len() / 2]).expect("it can be written");
    }
    let again = tree.run(ALL);
    assert!(!again.stdout.contains("reused"), "{}", again.stdout);
    assert_eq!(verdicts(&again), verdicts(&first));
}

/// A test that reads a file whose name does not stand in the code.
const READER: &str = r#"
#[test]
fn evens_are_few() {
    let listed = std::fs::read_to_string(["li", "st"].concat()).unwrap();
    assert_eq!(reused_verdicts::evens(5).count(), listed.lines().count());
}
"#;

/// One that reads code.
const READER_OF_CODE: &str = r#"
#[test]
fn the_code_has_a_line_that_is_long() {
    let text = std::fs::read_to_string("src/shapes.rs").unwrap();
    assert!(reused_verdicts::long_line(&text, 30).is_ok());
}
"#;

#[test]
fn files_that_neither_the_build_nor_a_test_reads_are_no_evidence() {
    let tree = tree();
    for (file, text) in [
        ("README.md", "one"),
        ("list", "a\nb\nc\n"),
        ("tests/reader.rs", READER),
        ("tests/of_code.rs", READER_OF_CODE),
    ] {
        tree.write(file, text);
    }
    let first = tree.run(ALL);
    assert!(fresh_functions(&first).len() > 5, "{}", first.stderr);
    // Not even a build is needed, whoever writes what the run says to a file of the tree.
    let remove_build =
        || std::fs::remove_dir_all(tree.output().join("build")).expect("it was built");
    remove_build();
    tree.write("README.md", "two");
    let log = std::fs::File::create(tree.path().join("log")).expect("a file");
    let mut command = tree.command(ALL);
    command.stderr(log.try_clone().expect("a file")).stdout(log);
    let status = command.status().expect("the command starts");
    assert_eq!(status.code(), Some(first.code));
    let log = tree.read("log");
    assert!(log.contains("reused from earlier runs"), "{log}");
    assert!(!tree.output().join("build").exists(), "{log}");
    // A log that is new and of nobody who runs counts once.
    let again = tree.run(ALL);
    assert_eq!(fresh_functions(&again), [""; 0]);
    remove_build();
    tree.write("log", "other");
    assert_eq!(fresh_functions(&tree.run(ALL)), [""; 0]);
    assert!(!tree.output().join("build").exists());
    // Code counts whole for results of a test that has read it, and only for those.
    tree.edit("src/shapes.rs", "one + other", "other + one");
    let fresh = fresh_functions(&tree.run(ALL));
    assert!(fresh.contains(&"long_line".to_owned()), "{fresh:?}");
    assert!(!fresh.contains(&"evens".to_owned()), "{fresh:?}");
    // What a test reads counts for all, and so does what a build reads from now on.
    tree.write("list", "d\ne\nf\n");
    assert!(fresh_functions(&tree.run(ALL)).len() > 5);
    tree.edit(
        "src/lib.rs",
        "//! All",
        "#![doc = include_str!(\"../README.md\")]\n//! All",
    );
    assert!(fresh_functions(&tree.run(ALL)).len() > 5);
    tree.write("README.md", "three");
    let last = tree.run(ALL);
    assert!(fresh_functions(&last).len() > 5);
    assert_eq!(verdicts(&last), verdicts(&tree.run(ANEW)));
}
