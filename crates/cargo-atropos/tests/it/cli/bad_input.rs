//! Every mistake is answered with one sentence and the documented exit code.

use std::process::Stdio;

use crate::cli::project::{Project, command, manifest};

const USAGE: i32 = 1;

#[test]
fn without_a_manifest_there_is_nothing_to_work_on() {
    let project = Project::empty();
    let path = project.path();
    let sentence = format!(
        "no Cargo.toml in `{}` or any directory above it",
        path.display()
    );
    for arguments in [&["run"][..], &["list"], &["show", "1"], &[]] {
        project.atropos(arguments).is_error(USAGE, &sentence);
    }
}

#[test]
fn a_directory_that_is_not_there() {
    Project::bank().atropos(&["-d", "nowhere"]).is_error(
        USAGE,
        "can't use the directory `nowhere`: No such file or directory (os error 2)",
    );
}

#[test]
fn a_manifest_that_is_broken_is_reported() {
    let project = Project::empty().file("Cargo.toml", "[package]\nname = 3\n");
    let answer = project.atropos(&["list"]);
    assert_eq!(answer.code, USAGE);
    let path = project.path().join("Cargo.toml");
    let start = format!(
        "error: cargo can't read the workspace of `{}`: ",
        path.display()
    );
    assert!(answer.stderr.starts_with(&start), "{}", answer.stderr);
}

#[test]
fn an_unknown_package_is_named() {
    let project = Project::bank();
    project.atropos(&["-p", "bnak"]).is_error(
        USAGE,
        "no package of the workspace matches `--package bnak`; did you mean `bank`?",
    );
    project.atropos(&["list", "--exclude", "zebra"]).is_error(
        USAGE,
        "no package of the workspace matches `--exclude zebra`; it has bank",
    );
    project
        .atropos(&["--exclude", "bank"])
        .is_error(USAGE, "no package is left to mutate after --exclude");
}

/// Clap adds a hint about `--help` to its own sentence.
#[track_caller]
fn check_value(arguments: &[&str], sentence: &str) {
    let answer = Project::bank().atropos(arguments);
    assert_eq!(answer.code, USAGE, "{answer:?}");
    let first = answer.stderr.lines().next().unwrap_or_default();
    assert_eq!(first, format!("error: {sentence}"));
}

#[test]
fn a_value_that_an_option_can_not_have() {
    check_value(
        &["-F", "fn ("],
        "invalid value 'fn (' for '--re <REGEX>': unclosed group",
    );
    check_value(
        &["list", "-E", "["],
        "invalid value '[' for '--exclude-re <REGEX>': unclosed character class",
    );
    check_value(
        &["-f", "src/["],
        "invalid value 'src/[' for '--file <GLOB>': unclosed character class; missing ']'",
    );
    for shard in ["4/4", "1", "x/2", "-1/2", "0/0"] {
        check_value(
            &[&format!("--shard={shard}")],
            &format!(
                "invalid value '{shard}' for '--shard <K/N>': a shard is k/n with k from 0 to n-1, \
                 for example 0/4"
            ),
        );
    }
    check_value(
        &["-j", "0"],
        "invalid value '0' for '--jobs <N>': a number from 1 on is needed",
    );
    check_value(
        &["--timeout-multiplier", "0.5"],
        "invalid value '0.5' for '--timeout-multiplier <FACTOR>': a number from 1 on is needed, for \
         example 2.5",
    );
    check_value(
        &["--operators", "-conditon"],
        "invalid value '-conditon' for '--operators <LIST>': no operator or category is called \
         `conditon`; did you mean `condition`?",
    );
    check_value(
        &["--workspace", "-p", "bank"],
        "the argument '--workspace' cannot be used with '--package <NAME>'",
    );
}

#[test]
fn an_option_or_command_that_does_not_exist() {
    check_value(&["--jbos", "2"], "unexpected argument '--jbos' found");
    check_value(&["lst"], "unexpected argument 'lst' found");
    let answer = Project::bank().atropos(&["lst"]);
    assert!(
        answer
            .stderr
            .contains("a similar subcommand exists: 'list'"),
        "{answer:?}"
    );
}

#[test]
fn a_diff_that_can_not_be_read() {
    let project = Project::bank()
        .file("words.diff", "just words\n")
        .file(
            "cut.diff",
            "--- a/src/lib.rs\n+++ b/src/lib.rs\n@@ -1,9 +1,9 @@\n mod account;\n",
        )
        .file(
            "stale.diff",
            "--- a/src/lib.rs\n+++ b/src/lib.rs\n@@ -4 +4 @@\n-    a\n+    a * b\n",
        );
    project.atropos(&["--in-diff", "absent.diff"]).is_error(
        USAGE,
        "can't read the diff `absent.diff`: No such file or directory (os error 2)",
    );
    project.atropos(&["--in-diff", "words.diff"]).is_error(
        USAGE,
        "can't use the diff `words.diff`: it holds no unified diff (a line that begins with `@@`)",
    );
    project.atropos(&["--in-diff", "cut.diff"]).is_error(
        USAGE,
        "can't use the diff `cut.diff`: line 4 of it: the diff ends in the middle of a hunk",
    );
    project
        .atropos(&["list", "--in-diff", "stale.diff"])
        .is_error(
            USAGE,
            "the diff `stale.diff` does not fit the tree: line 4 of src/lib.rs is not as it says",
        );
}

#[test]
fn a_revision_that_git_does_not_know() {
    let project = Project::bank();
    let answer = project.atropos(&["list", "--since", "main"]);
    assert_eq!(answer.code, USAGE);
    let start = "error: git can't tell the changes: not a git repository";
    assert!(answer.stderr.starts_with(start), "{}", answer.stderr);
    project.git(&["init", "-q"]);
    let answer = project.atropos(&["list", "--since", "nonsense"]);
    assert_eq!(
        (answer.code, answer.stderr.lines().count()),
        (USAGE, 1),
        "{answer:?}"
    );
    assert!(answer.stderr.contains("nonsense"), "{}", answer.stderr);
    project
        .atropos(&["list", "--since=--output=x"])
        .is_error(USAGE, "`--output=x` is not a git revision");
}

#[test]
fn a_config_file_with_mistakes_names_all_of_them() {
    let project = Project::bank().file(
        ".cargo/atropos.toml",
        "# ours\njobs = 2\nexlude-re = ['x']\ntimeout-multiplier = 'long'\n",
    );
    project.atropos(&["list"]).is_error(
        USAGE,
        ".cargo/atropos.toml:3: unknown key `exlude-re`; did you mean `exclude-re`?\n\
         .cargo/atropos.toml:4: `timeout-multiplier` must be a number, but is of the type string",
    );
    assert_eq!(project.atropos(&["list", "--no-config"]).code, 0);
}

#[test]
fn a_config_file_that_is_asked_for_but_not_there() {
    Project::bank()
        .atropos(&["list", "--config", "mine.toml"])
        .is_error(
            USAGE,
            "can't read the config file `mine.toml`: No such file or directory (os error 2)",
        );
}

#[test]
fn broken_and_unreadable_sources_are_passed_over_with_a_warning() {
    let project = Project::bank()
        .file(
            "src/lib.rs",
            "mod account;\nmod broken;\nmod latin;\nmod absent;\n",
        )
        .file("src/broken.rs", "fn f() {\n    let x = ;\n}\n");
    project.write("src/latin.rs", b"// \xe4\n");
    let answer = project.atropos(&["list"]);
    assert_eq!(answer.code, 0, "{answer:?}");
    assert!(
        answer
            .stdout
            .contains("src/account.rs:2:13: replace + with -"),
        "{answer:?}"
    );
    let warnings: Vec<&str> = answer.stderr.lines().collect();
    assert_eq!(warnings.len(), 3, "{warnings:?}");
    let expected = [
        "warning: module `absent` of src/lib.rs is left out: there is no `src/absent.rs` or \
         `src/absent/mod.rs`",
        "warning: src/broken.rs:2:13 is not valid Rust, so the file is left out: ",
        "warning: src/latin.rs is left out: it can't be read (",
    ];
    for (warning, expected) in warnings.iter().zip(expected) {
        assert!(warning.starts_with(expected), "{warning}");
    }
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let lines: String = (0..2000)
        .map(|number| format!("pub fn f{number}(a: i32) -> i32 {{\n    a + {number}\n}}\n"))
        .collect();
    let project = Project::empty()
        .file("Cargo.toml", &manifest("long"))
        .file("src/lib.rs", &lines);
    for arguments in [&["list"][..], &["list", "--json"], &["list", "--diff"]] {
        let mut child = command(&project.path())
            .args(arguments)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program starts");
        drop(child.stdout.take());
        let output = child.wait_with_output().expect("it ends");
        assert_eq!(output.status.code(), Some(0), "{arguments:?}");
        assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{arguments:?}");
    }
}

#[test]
fn an_output_directory_that_holds_the_source() {
    let project = Project::bank();
    let sentence = format!(
        "the output directory, {}, holds the package bank; name one with nothing else in it",
        project.path().display()
    );
    for directory in [".", "src/.."] {
        project
            .atropos(&["-o", directory])
            .is_error(USAGE, &sentence);
    }
    assert!(!project.path().join("build").exists());
}
