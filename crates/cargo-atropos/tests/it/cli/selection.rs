//! Which of the mutants found are selected, as `list` shows them.

use std::fs;

use atropos_protocol::FailureKind;
use atropos_report::outcomes::{MutantRecord, Outcomes, Tool};
use atropos_report::verdict::Verdict;

use crate::cli::project::Project;

const DEPOSIT: &str = "src/account.rs:2:13: replace + with - in fn deposit [AOR]";
const SUM: &str = "src/lib.rs:4:7: replace + with - in fn sum [AOR]";

#[test]
fn files_and_names_select_and_exclude() {
    let project = Project::bank();
    let check = |arguments: &[&str], expected: &[&str]| {
        assert_eq!(project.names(arguments), expected, "{arguments:?}");
    };
    check(&[], &[DEPOSIT, SUM]);
    check(&["-f", "src/account.rs"], &[DEPOSIT]);
    check(&["-f", "lib.rs", "-f", "acc*.rs"], &[DEPOSIT, SUM]);
    check(&["-e", "account.rs"], &[SUM]);
    check(&["-F", "fn deposit"], &[DEPOSIT]);
    check(&["-F", "fn (deposit|sum)", "-E", "lib"], &[DEPOSIT]);
    check(&["-E", "AOR"], &[]);
}

#[test]
fn ids_are_counted_from_one_within_the_selection() {
    let project = Project::bank();
    for arguments in [&[][..], &["-f", "src/lib.rs"], &["--shard", "1/2"]] {
        let mutants = project.mutants(arguments);
        let ids: Vec<u32> = mutants.iter().map(|mutant| mutant.id.0).collect();
        let expected: Vec<u32> = (1..=u32::try_from(mutants.len()).unwrap()).collect();
        assert_eq!(ids, expected, "{arguments:?}");
    }
}

#[test]
fn filters_that_match_nothing_are_an_error() {
    let project = Project::bank();
    for (arguments, filters) in [
        (["-f", "src/acount.rs"], "`--file src/acount.rs`"),
        (["-F", "typo"], "`--re typo`"),
    ] {
        for command in [&["list"][..], &[]] {
            let answer = project.atropos(&[command, &arguments].concat());
            assert_eq!(answer.code, 1, "{command:?}");
            let last = answer.stderr.lines().next_back().unwrap();
            assert!(
                last.starts_with("error: the filters leave none of the "),
                "{last}"
            );
            assert!(last.contains(filters), "{last}");
        }
    }
}

#[test]
fn a_file_glob_that_matches_nothing_beside_one_that_does_is_noted() {
    let arguments = ["list", "-f", "src/acount.rs", "-f", "src/lib.rs"];
    let answer = Project::bank().atropos(&arguments);
    assert_eq!(answer.code, 0);
    let note = "note: no mutated file matches `--file src/acount.rs`\n";
    assert_eq!(answer.stderr, note);
}

#[test]
fn shards_cover_everything_once_and_keep_the_keys() {
    let project = Project::bank();
    let keys = |arguments: &[&str]| -> Vec<String> {
        project
            .mutants(arguments)
            .into_iter()
            .map(|mutant| mutant.key)
            .collect()
    };
    let mut all = keys(&[]);
    assert!(all.len() >= 4, "{all:?}");
    let mut parts = Vec::new();
    for shard in ["0/3", "1/3", "2/3"] {
        parts.extend(keys(&["--shard", shard]));
    }
    all.sort();
    parts.sort();
    assert_eq!(parts, all);
    all.dedup();
    assert_eq!(parts.len(), all.len(), "keys differ");
}

#[test]
fn keys_outlive_moved_lines() {
    let project = Project::bank();
    let before = project.mutants(&["-f", "src/account.rs"]);
    let text = fs::read_to_string(project.path().join("src/account.rs")).unwrap();
    project.write(
        "src/account.rs",
        format!("// A comment.\n\nconst X: &str = \"\";\n{text}"),
    );
    let after = project.mutants(&["-f", "src/account.rs", "-F", "fn deposit"]);
    assert_eq!(before.len(), after.len());
    for (before, after) in before.iter().zip(&after) {
        assert_eq!(before.key, after.key);
        assert_eq!(before.line + 3, after.line);
    }
}

#[test]
fn a_diff_selects_the_lines_that_it_adds_or_changes() {
    let project = Project::bank()
        .file(
            "changed.diff",
            "diff --git a/src/lib.rs b/src/lib.rs\n--- a/src/lib.rs\n+++ b/src/lib.rs\n\
             @@ -3,3 +3,3 @@\n pub fn sum(a: i32, b: i32) -> i32 {\n-    a\n+    a + b\n }\n",
        )
        .file(
            "elsewhere.diff",
            "--- a/README.md\n+++ b/README.md\n@@ -0,0 +1 @@\n+words\n",
        )
        .file("empty.diff", "");
    assert_eq!(project.names(&["--in-diff", "changed.diff"]), [SUM]);
    for name in ["elsewhere.diff", "empty.diff"] {
        for command in ["list", "run"] {
            let answer = project.atropos(&[command, "--in-diff", name]);
            assert_eq!((answer.code, answer.stdout.as_str()), (0, ""), "{answer:?}");
            let note = format!("note: no line of the mutated files is in the diff `{name}`\n");
            assert!(answer.stderr.starts_with(&note), "{answer:?}");
        }
    }
}

#[test]
fn a_diff_of_other_rust_files_names_the_first() {
    let project = Project::bank().file(
        "other.diff",
        "--- a/other/lib.rs\n+++ b/other/lib.rs\n@@ -0,0 +1 @@\n+fn f() {}\n",
    );
    let answer = project.atropos(&["list", "--in-diff", "other.diff"]);
    assert_eq!((answer.code, answer.stdout.as_str()), (0, ""));
    assert_eq!(
        answer.stderr,
        "note: no Rust file in the diff `other.diff` is one of the selected packages (the first is \
         `other/lib.rs`)\n"
    );
}

#[test]
fn a_diff_of_the_whole_repository_fits_a_workspace_below_its_root() {
    let project = Project::empty();
    let bank = Project::bank();
    for file in ["Cargo.toml", "src/lib.rs", "src/account.rs"] {
        let text = fs::read(bank.path().join(file)).unwrap();
        project.write(&format!("rust/bank/{file}"), text);
    }
    project.write(
        "changed.diff",
        "--- a/rust/bank/src/lib.rs\n+++ b/rust/bank/src/lib.rs\n@@ -4 +4 @@\n-    a\n+    a + b\n\
         --- a/other/src/account.rs\n+++ b/other/src/account.rs\n@@ -2 +2 @@\n-    a\n+    b\n",
    );
    let names = project.names_in("rust/bank", &["--in-diff", "../../changed.diff"]);
    assert_eq!(names, [SUM]);
}

#[test]
fn git_tells_what_changed_since_a_revision_with_new_files() {
    let project = Project::bank();
    project.git(&["init", "-q", "-b", "main"]);
    project.git(&["add", "."]);
    project.git(&["commit", "-qm", "start"]);
    // What a build made is no change, whether git is told to ignore it or not.
    project.write("target/atropos/woven/src/lib.rs", "pub fn woven() {}\n");
    let answer = project.atropos(&["list", "--since", "main"]);
    assert_eq!(
        answer.stderr,
        "note: no line of the mutated files is in what changed since `main`\n"
    );
    project.git(&["checkout", "-qb", "topic"]);
    project.write(
        "src/lib.rs",
        "mod account;\nmod new;\n\npub fn sum(a: i32, b: i32) -> i32 {\n    a + b\n}\n",
    );
    project.write(
        "src/new.rs",
        "pub fn fresh(a: i32) -> i32 {\n    a + 1\n}\n",
    );
    let fresh = "src/new.rs:2:7: replace + with - in fn fresh [AOR]";
    assert_eq!(project.names(&["--since", "main"]), [fresh]);
    project.write(
        "src/account.rs",
        "pub fn deposit(balance: i32, amount: i32) -> i32 {\n    balance + amount + 0\n}\n",
    );
    project.git(&["add", "."]);
    project.git(&["commit", "-qm", "more"]);
    let names = project.names(&["--since", "main"]);
    assert_eq!(names.len(), 3, "{names:?}");
    assert!(!names.contains(&SUM.replace(":4:", ":5:")), "{names:?}");
}

#[test]
fn iterate_skips_what_the_last_run_caught() {
    let project = Project::bank();
    let first = project.atropos(&["list", "--iterate"]);
    assert_eq!(
        first.stderr,
        "note: --iterate has nothing to go by: there is no earlier run\n"
    );
    let verdicts = [
        Verdict::Killed(FailureKind::Panicked),
        Verdict::Skipped,
        Verdict::Survived,
    ];
    let all = project.mutants(&[]);
    let records = all
        .iter()
        .zip(verdicts.iter().cycle())
        .map(|(info, verdict)| MutantRecord {
            info: info.clone(),
            verdict: Some(*verdict),
            reached_by: Vec::new(),
            killed_by: Vec::new(),
            seconds: 0.0,
            reused: false,
            note: None,
            disagreement: Vec::new(),
            explored_by: Vec::new(),
            rank: None,
            impact: None,
        });
    let outcomes = Outcomes::new(Tool::default(), Vec::new(), records.collect());
    let output = project.path().join("target/atropos");
    fs::create_dir_all(&output).unwrap();
    outcomes.write(&output).unwrap();
    let left: Vec<String> = project
        .mutants(&["--iterate"])
        .into_iter()
        .map(|mutant| mutant.key)
        .collect();
    let expected: Vec<String> = all
        .iter()
        .skip(2)
        .step_by(3)
        .map(|info| info.key.clone())
        .collect();
    assert!(!expected.is_empty());
    assert_eq!(left, expected);
}

#[test]
fn an_attribute_excludes_mutants_by_their_names() {
    let text = "#[mutants::exclude_re(\"with -\")]\npub fn sum(a: i32, b: i32) -> i32 {\n    a + b\n}\n\n\
        pub fn more(a: i32, b: i32) -> i32 {\n    a + b\n}\n";
    let project = Project::bank();
    project.write("src/lib.rs", text);
    let more = "src/lib.rs:7:7: replace + with - in fn more [AOR]";
    assert_eq!(project.names(&[]), [more]);
    project.write("src/lib.rs", text.replace("with -", "with ("));
    let answer = project.atropos(&["list"]);
    assert_eq!(answer.code, 1);
    let wrong = "src/lib.rs: `exclude_re(\"with (\")` is no regular expression";
    assert!(answer.stderr.contains(wrong), "{}", answer.stderr);
}

/// The attributes that the README names for leaving code alone.
fn attributes_of_the_readme() -> Vec<&'static str> {
    let readme = include_str!("../../../../../README.md");
    let row = readme
        .lines()
        .find(|line| line.contains("to leave code alone"));
    let row = row.expect("the README says how");
    let attributes = row.split('`').filter(|text| text.starts_with("#["));
    attributes.collect()
}

#[test]
fn the_attributes_in_the_readme_leave_code_alone() {
    let attributes = attributes_of_the_readme();
    assert!(attributes.contains(&"#[atropos::skip]"), "{attributes:?}");
    assert!(attributes.len() > 1, "{attributes:?}");
    for attribute in attributes {
        let source = format!(
            "pub fn sum(a: i32, b: i32) -> i32 {{\n    a + b\n}}\n\n\
             {attribute}\npub fn alone(a: i32, b: i32) -> i32 {{\n    a + b\n}}\n"
        );
        let names = Project::bank().file("src/lib.rs", &source).names(&[]);
        assert_eq!(names.len(), 1, "{attribute}: {names:?}");
        assert!(names[0].contains("sum"), "{attribute}: {names:?}");
    }
}

#[test]
fn the_first_command_in_the_readme_shows_that_the_tool_is_being_built() {
    let readme = include_str!("../../../../../README.md");
    assert!(readme.contains("cargo atropos -d examples/bank"));
    let config = include_str!("../../../../../.cargo/config.toml");
    let config: toml::Table = config.parse().expect("cargo reads it");
    let alias = config["alias"]["atropos"].as_str().expect("an alias");
    // Cargo says then what it compiles.
    assert!(alias.starts_with("run "), "{alias}");
    let is_quiet = |word: &str| word == "--quiet" || word == "-q";
    assert!(!alias.split(' ').any(is_quiet), "{alias}");
}
