//! `show`, `list` and `operators`: what they print.

use std::fs;

use atropos_protocol::FailureKind;
use atropos_report::outcomes::{Kill, MutantRecord, Outcomes, TestRecord, Tool};
use atropos_report::verdict::Verdict;

use crate::cli::project::Project;

/// The bank after a run: the first mutant killed, the second unviable, the rest survived.
pub fn after_a_run() -> Project {
    let project = Project::bank();
    let mutants = project.mutants(&["--operators", "AOR"]);
    let records = mutants.into_iter().enumerate().map(|(index, info)| {
        let (verdict, note) = match index {
            0 => (Verdict::Killed(FailureKind::Panicked), None),
            1 => (Verdict::Unviable, Some("cannot multiply".to_owned())),
            _ => (Verdict::Survived, None),
        };
        MutantRecord {
            info,
            verdict: Some(verdict),
            reached_by: if index == 1 { Vec::new() } else { vec![0, 1] },
            killed_by: if index == 0 { vec![kill()] } else { Vec::new() },
            seconds: 0.25,
            reused: false,
            note,
            disagreement: Vec::new(),
            explored_by: Vec::new(),
            rank: None,
            impact: None,
        }
    });
    let test = |name: &str| TestRecord {
        name: name.into(),
        package: "bank".into(),
        target: "lib".into(),
        seconds: 0.001,
    };
    let tests = vec![test("adds"), test("adds_more")];
    let outcomes = Outcomes::new(Tool::default(), tests, records.collect());
    let output = project.path().join("target/atropos");
    fs::create_dir_all(&output).unwrap();
    outcomes.write(&output).unwrap();
    project
}

fn kill() -> Kill {
    Kill {
        test: 1,
        how: FailureKind::Panicked,
        message: Some("assertion failed\n  left: 1\n right: 2".into()),
        location: Some("src/lib.rs:9:5".into()),
        schedule: None,
        trace: None,
    }
}

#[test]
fn a_command_may_stand_behind_options() {
    let project = Project::bank();
    let usual = project.atropos(&["list", "--diff", "--operators", "AOR"]);
    assert_eq!(usual.code, 0, "{usual:?}");
    let behind = project.atropos(&["--operators", "AOR", "list", "--diff"]);
    assert_eq!(behind.code, 0, "{behind:?}");
    assert_eq!(behind.stdout, usual.stdout);
    let twice = project.atropos(&["--operators", "AOR", "list", "lst"]);
    assert_eq!(twice.code, 1, "{twice:?}");
}

#[test]
fn a_mutant_is_shown_with_its_diff_and_its_fate() {
    let answer = after_a_run().atropos(&["show", "1"]);
    assert_eq!(answer.code, 0, "{answer:?}");
    let expected = "\
src/account.rs:2:13: replace + with - in fn deposit [AOR]

--- src/account.rs
+++ src/account.rs (mutant 1)
@@ -1,3 +1,3 @@
 pub fn deposit(balance: i32, amount: i32) -> i32 {
-    balance + amount
+    balance - amount
 }

verdict     killed (panicked): a test noticed the change
reached by  2 tests
            adds (bank, lib)
            adds_more (bank, lib)
killed by   adds_more (bank, lib): panicked at src/lib.rs:9:5
            assertion failed
              left: 1
             right: 2
time        0.25 s
";
    assert_eq!(answer.stdout, expected);
}

#[test]
fn a_mutant_that_could_not_be_tested_says_why() {
    let answer = after_a_run().atropos(&["show", "2"]);
    assert!(answer.stdout.contains("verdict     unviable"), "{answer:?}");
    assert!(
        answer.stdout.contains("because     cannot multiply"),
        "{answer:?}"
    );
    assert!(!answer.stdout.contains("reached by"), "{answer:?}");
}

#[test]
fn a_shown_mutant_as_json_names_its_tests() {
    let answer = after_a_run().atropos(&["show", "1", "--json"]);
    let json: serde_json::Value = serde_json::from_str(&answer.stdout).unwrap();
    assert_eq!(json["verdict"], "killed");
    assert_eq!(json["how"], "panicked");
    assert_eq!(json["reached_by"][1], "adds_more (bank, lib)");
    assert_eq!(json["killed_by"][0]["test"], "adds_more (bank, lib)");
}

#[test]
fn a_file_that_has_changed_since_is_not_shown_as_if_it_had_not() {
    let project = after_a_run();
    project.write("src/account.rs", "// All gone.\n");
    let answer = project.atropos(&["show", "1"]);
    assert!(
        answer
            .stdout
            .contains("src/account.rs has changed since the run"),
        "{answer:?}"
    );
    assert!(answer.stdout.contains("\n-+\n+-\n"), "{answer:?}");
}

#[test]
fn a_mutant_can_be_named_by_its_key_or_its_line() {
    let project = after_a_run();
    let by_number = project.atropos(&["show", "1"]);
    let mutants = project.mutants(&["--operators", "AOR"]);
    let info = &mutants[0];
    assert_eq!(
        project.atropos(&["show", &info.key]).stdout,
        by_number.stdout
    );
    // As reports write it, and the end of the path alone.
    let place = info.place();
    let file = info.file.rsplit('/').next().unwrap();
    let short = place.replace(&info.file, file);
    for place in [format!("./{place}"), place, short] {
        let of_place = project.atropos(&["show", &place]);
        assert!(of_place.stdout.starts_with(&by_number.stdout), "{place}");
    }
    let line = format!("{}:{}", info.file, info.line);
    let of_line = project.atropos(&["show", &line]);
    assert!(of_line.stdout.starts_with(&by_number.stdout));
    let number = mutants
        .iter()
        .filter(|other| other.line == info.line)
        .count();
    assert_eq!(of_line.stdout.matches("verdict ").count(), number);
}

#[test]
fn a_mutant_that_is_not_there() {
    let project = after_a_run();
    let last = project.mutants(&["--operators", "AOR"]).len();
    project.atropos(&["show", "0"]).is_error(
        1,
        &format!(
            "the last run has no mutant 0; its mutants are 1 to {last}, and a key or FILE:LINE is understood, too"
        ),
    );
    let elsewhere = project.path().join("elsewhere/outcomes.json");
    project.atropos(&["show", "1", "-o", "elsewhere"]).is_error(
        1,
        &format!(
            "there is no run to show a mutant of (no `{}`); start one with `cargo atropos`",
            elsewhere.display()
        ),
    );
}

#[test]
fn outcomes_of_another_version_or_of_no_kind_are_refused() {
    let project = after_a_run();
    let path = project.path().join("target/atropos/outcomes.json");
    let text = fs::read_to_string(&path).unwrap();
    fs::write(
        &path,
        text.replace("\"schema_version\": 1", "\"schema_version\": 99"),
    )
    .unwrap();
    let name = path.display();
    project.atropos(&["show", "1"]).is_error(
        1,
        &format!("`{name}` has schema version 99, but this Atropos reads version 1"),
    );
    fs::write(&path, "[]").unwrap();
    let answer = project.atropos(&["show", "1"]);
    assert_eq!(answer.code, 1);
    let start = format!("error: `{name}` is not an outcomes file: ");
    assert!(answer.stderr.starts_with(&start), "{answer:?}");
}

#[test]
fn a_list_can_hold_diffs() {
    let answer = Project::bank().atropos(&["list", "--diff", "--operators", "AOR", "-F", "sum"]);
    assert!(
        answer.stdout.contains("\n-    a + b\n+    a - b\n"),
        "{answer:?}"
    );
    let json = Project::bank().atropos(&["list", "--diff", "--json", "--operators", "AOR"]);
    let json: serde_json::Value = serde_json::from_str(&json.stdout).unwrap();
    assert!(
        json[0]["diff"]
            .as_str()
            .unwrap()
            .contains("\n+    balance - amount\n")
    );
}

#[test]
fn colours_are_used_only_where_they_are_wanted() {
    let project = Project::bank();
    assert!(!project.atropos(&["list"]).stdout.contains('\u{1b}'));
    assert!(
        !project
            .atropos(&["list", "--colors", "never"])
            .stdout
            .contains('\u{1b}')
    );
    assert!(
        project
            .atropos(&["list", "--colors=always"])
            .stdout
            .contains('\u{1b}')
    );
    let error = project.atropos(&["-p", "x", "--colors=always"]);
    assert!(error.stderr.contains('\u{1b}'), "{error:?}");
}

#[test]
fn the_catalogue_explains_every_operator() {
    let project = Project::empty();
    let all = project.atropos(&["operators"]);
    assert_eq!(all.code, 0);
    let json = project.atropos(&["operators", "--json"]);
    let json: Vec<serde_json::Value> = serde_json::from_str(&json.stdout).unwrap();
    assert!(json.len() > 20);
    for operator in &json {
        for key in ["code", "sentence"] {
            let text = operator[key].as_str().unwrap();
            assert!(all.stdout.contains(text), "{text}");
        }
    }
    assert!(all.stdout.lines().all(|line| line.chars().count() <= 100));
    let two = project.atropos(&["operators", "AOR", "sdl", "--json"]);
    let two: Vec<serde_json::Value> = serde_json::from_str(&two.stdout).unwrap();
    assert_eq!(
        (&two[0]["code"], &two[1]["code"]),
        (&"AOR".into(), &"SDL".into())
    );
    project.atropos(&["operators", "AOX"]).is_error(
        1,
        "no operator or category is called `AOX`; did you mean `AOD`, `AOI` or `AOR`?",
    );
}

#[test]
fn help_and_version_are_no_errors() {
    let project = Project::empty();
    for arguments in [
        &["--help"][..],
        &["-h"],
        &["help"],
        &["list", "--help"],
        &["--version"],
    ] {
        let answer = project.atropos(arguments);
        assert_eq!(
            (answer.code, answer.stderr.as_str()),
            (0, ""),
            "{arguments:?}"
        );
    }
    let help = project.atropos(&["--help"]).stdout;
    for word in [
        "Examples:",
        "Exit codes:",
        "Which mutants:",
        "--in-diff <FILE>",
    ] {
        assert!(help.contains(word), "{word}");
    }
}

#[test]
fn operators_show_which_mistakes_they_stand_for() {
    let project = Project::bank();
    let table = project.atropos(&["operators", "--patterns"]).stdout;
    let row = |pattern: &str| {
        let line = table.lines().find(|line| line.starts_with(pattern));
        let line = line.unwrap_or_else(|| panic!("no {pattern} in\n{table}"));
        line[pattern.len()..].trim().to_string()
    };
    assert_eq!(table.lines().count(), 15);
    assert_eq!(row("starvation"), "MSF, ELPA");
    assert_eq!(
        row("deadlock (deadly embrace)"),
        "ESP, ASK, RXO, EELO, EXCR"
    );
    assert_eq!(row("double-checked locking"), "–");
    let json = project.atropos(&["operators", "--patterns", "--json", "RTXC"]);
    let patterns: serde_json::Value = serde_json::from_str(&json.stdout).unwrap();
    let lost = patterns
        .as_array()
        .unwrap()
        .iter()
        .find(|entry| entry["pattern"] == "losing a notify")
        .unwrap();
    assert_eq!(lost["operators"], serde_json::json!(["RTXC"]));
}
