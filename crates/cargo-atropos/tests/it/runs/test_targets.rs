//! Runs with the tests of some targets only, of other packages, and of those that nextest runs by default.

use std::collections::BTreeSet;
use std::process::Command;

use crate::runs::tree::{Run, Tree};

const MANIFEST: &str =
    "[package]\nname = \"targets\"\nversion = \"0.1.0\"\nedition = \"2021\"\n[workspace]\n";
const LIB: &str = "\
/// ```
/// assert_eq!(targets::twice(2), 4);
/// ```
pub fn twice(n: u32) -> u32 {
    n * 2
}

#[test]
fn inside() {
    assert!(twice(1) > 0);
}
";
const TEST: &str = "#[test]\nfn outside() {\n    assert_eq!(targets::twice(3), 6);\n}\n";

fn tests(run: &Run) -> Vec<&str> {
    let tests = run.outcomes().tests.iter();
    tests.map(|test| test.name.as_str()).collect()
}

#[test]
fn only_the_targets_that_are_named_are_tested() {
    let tree = Tree::with(&[
        ("Cargo.toml", MANIFEST),
        ("src/lib.rs", LIB),
        ("tests/outside.rs", TEST),
    ]);
    let run =
        |arguments: &[&str]| tree.run(&[&["--operators=AOR", "--offline"], arguments].concat());
    let all = run(&[]);
    assert_eq!(tests(&all).len(), 3, "{:?}", tests(&all));
    let lib = run(&["--lib"]).has_code(2);
    assert_eq!(tests(&lib), ["inside"]);
    let outside = run(&["--test", "outside"]).has_code(0);
    assert_eq!(tests(&outside), ["outside"]);
    let both = run(&["--lib", "--test", "outside"]).has_code(0);
    let mut names = tests(&both);
    names.sort_unstable();
    assert_eq!(names, ["inside", "outside"]);
    run(&["--test", "nothing"]).has_code(4);
}

#[test]
fn editors_read_survivors_as_messages_of_cargo() {
    let tree = Tree::with(&[("Cargo.toml", MANIFEST), ("src/lib.rs", LIB)]);
    let arguments = ["--operators=AOR", "--lib", "--message-format", "json"];
    let run = tree.run(&arguments).has_code(2);
    let messages = cargo_metadata::Message::parse_stream(run.stdout.as_bytes());
    let messages: Vec<_> = messages.collect::<Result<_, _>>().unwrap();
    let survived = run.outcomes().totals.survived;
    assert!(survived > 0);
    assert_eq!(messages.len(), survived + 1);
    let again = tree.run(&["report", "--format", "cargo"]).has_code(0);
    assert_eq!(again.stdout, run.stdout);
}

const WORKSPACE: &[(&str, &str)] = &[
    (
        "Cargo.toml",
        "[workspace]\nmembers = [\"base\", \"user\", \"stranger\"]\nresolver = \"2\"\n",
    ),
    (
        "base/Cargo.toml",
        "[package]\nname = \"base\"\nversion = \"0.1.0\"\nedition = \"2021\"\n",
    ),
    (
        "base/src/lib.rs",
        "pub fn twice(n: u32) -> u32 {\n    n * 2\n}\n\n#[test]\nfn own() {\n    assert!(twice(1) > 0);\n}\n",
    ),
    (
        "user/Cargo.toml",
        "[package]\nname = \"user\"\nversion = \"0.1.0\"\nedition = \"2021\"\n[dependencies]\nbase = { path = \"../base\" }\n",
    ),
    (
        "user/src/lib.rs",
        "pub fn ten() -> u32 {\n    base::twice(4) + 2\n}\n\n#[test]\nfn is_ten() {\n    assert_eq!(ten(), 10);\n}\n",
    ),
    (
        "stranger/Cargo.toml",
        "[package]\nname = \"stranger\"\nversion = \"0.1.0\"\nedition = \"2021\"\n",
    ),
    ("stranger/src/lib.rs", "#[test]\nfn knows_nobody() {}\n"),
];

#[test]
fn the_tests_of_another_package_judge_the_mutants() {
    let tree = Tree::with(WORKSPACE);
    let run = |arguments: &[&str]| {
        let usual = ["--operators=AOR", "--offline", "--package", "base"];
        tree.run(&[&usual, arguments].concat())
    };
    let own = run(&[]).has_code(2);
    assert_eq!(tests(&own), ["own"]);
    let users = run(&["--test-package", "user"]).has_code(0);
    assert_eq!(tests(&users), ["is_ten"]);
    let outcomes = users.outcomes();
    assert!(outcomes.totals.killed > 0);
    let files = outcomes
        .mutants
        .iter()
        .map(|record| record.info.file.as_str());
    assert_eq!(files.collect::<BTreeSet<_>>(), ["base/src/lib.rs"].into());
    let both = run(&["--test-package", "user", "--test-package", "base"]).has_code(0);
    assert_eq!(tests(&both).len(), 2);
    // Tests that don't come to the mutated package judge nothing, and a gate must not pass for it.
    run(&["--test-package", "stranger"]).has_code(5);
    let typo = run(&["--test-package", "usr"]).has_code(1);
    assert!(
        typo.stderr.contains("did you mean `user`?"),
        "{}",
        typo.stderr
    );
}

const MANY: &str = "\
pub fn twice(n: u32) -> u32 {
    n * 2
}

#[cfg(test)]
mod tests {
    #[test]
    fn quick() {
        assert!(super::twice(1) > 0);
    }

    #[test]
    fn slow_but_sure() {
        assert_eq!(super::twice(3), 6);
    }

    mod inner {
        #[test]
        fn quick() {}
    }
}
";

/// What `cargo nextest list` says that it would run; none if nextest is not on this machine.
fn listed_by_nextest(tree: &Tree) -> Option<BTreeSet<String>> {
    let output = Command::new("cargo")
        .args(["nextest", "list", "--offline", "--message-format", "json"])
        .current_dir(tree.path())
        .env("CARGO_TARGET_DIR", tree.path().join("target/nextest"))
        .output()
        .ok()
        .filter(|output| output.status.success())?;
    let list: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let suites = list["rust-suites"].as_object().expect("suites").values();
    let cases = suites.flat_map(|suite| suite["testcases"].as_object().expect("test cases"));
    let matching = cases.filter(|(_, case)| case["filter-match"]["status"] == "matches");
    Some(matching.map(|(name, _)| name.clone()).collect())
}

#[test]
fn tests_that_nextest_leaves_out_by_default_are_left_out() {
    let tree = Tree::with(&[
        ("Cargo.toml", MANIFEST),
        ("src/lib.rs", MANY),
        ("tests/outside.rs", TEST),
        (".config/nextest.toml", ""),
    ]);
    let filters = [
        ("not test(slow)", 3),
        ("test(=tests::quick)", 1),
        ("kind(lib) and test(/^tests::/) and not test(inner)", 2),
        ("binary(outside) | binary_id(targets) & test(slow)", 2),
        ("package(targets) - rdeps(targets) + test(~quick)", 2),
        ("platform(host)", 0),
    ];
    for (filter, expected) in filters {
        let config = format!("[profile.default]\ndefault-filter = '{filter}'\n");
        tree.write(".config/nextest.toml", &config);
        let run = tree.run(&["--operators=AOR", "--offline", "--no-doc"]);
        let names: BTreeSet<String> = tests(&run).into_iter().map(str::to_owned).collect();
        let Some(listed) = listed_by_nextest(&tree) else {
            assert_eq!(names.len(), 4);
            let warning = "warning: all tests are run, because nextest can't say";
            assert!(run.stderr.contains(warning), "{}", run.stderr);
            return;
        };
        assert_eq!(names, listed, "{filter}: {}", run.stderr);
        assert_eq!(names.len(), expected, "{filter}: {names:?}");
        let note = "note: tests that the default filter of .config/nextest.toml leaves out";
        assert!(run.stderr.contains(note), "{}", run.stderr);
    }
    let all = tree.run(&["--operators=AOR", "--no-doc", "--ignore-default-filter"]);
    assert_eq!(tests(&all).len(), 4);
    tree.write(
        ".config/nextest.toml",
        "[profile.default]\ndefault-filter = 'tset(a)'\n",
    );
    let typo = tree.run(&["--operators=AOR", "--no-doc"]);
    assert_eq!(tests(&typo).len(), 4);
    assert!(typo.stderr.contains("tset(a)"), "{}", typo.stderr);
}
