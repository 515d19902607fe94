//! `outcomes.json`: written whole, read with care, as `docs/src/reference/outcomes.md` says.

use std::fs;

use atropos_protocol::FailureKind;
use atropos_report::outcomes::{FILE_NAME, FileRecord, Outcomes, ReadError, Totals};
use atropos_report::verdict::Verdict;
use serde_json::{Value, json};

use crate::example::outcomes;
use crate::odd;

#[test]
fn what_is_written_is_read_again() {
    let directory = tempfile::tempdir().unwrap();
    let outcomes = outcomes();
    outcomes.write(directory.path()).unwrap();
    outcomes.write(directory.path()).unwrap();
    assert_eq!(Outcomes::read(directory.path()).unwrap(), outcomes);
    let files: Vec<_> = fs::read_dir(directory.path()).unwrap().collect();
    assert_eq!(files.len(), 1, "no temporary file stays behind: {files:?}");
}

#[test]
fn the_json_has_the_documented_fields() {
    let json = serde_json::to_value(outcomes()).unwrap();
    assert_eq!(json["schema_version"], 1);
    assert_eq!(json["complete"], true);
    let mutant = &json["mutants"][0];
    let expected = json!({
        "id": 1,
        "key": "0000000000000001",
        "package": "bank",
        "file": "src/account.rs",
        "line": 3,
        "column": 46,
        "span": { "start": 112, "end": 113 },
        "function": "Account::deposit",
        "operator": "AOR",
        "original": "*",
        "replacement": "/",
        "summary": "replace * with /",
        "verdict": "killed",
        "how": "panicked",
        "reached_by": [0],
        "killed_by": [{
            "test": 0,
            "how": "panicked",
            "message": "assertion failed",
            "location": "src/account.rs:30:9",
        }],
        "time": 0.002,
    });
    assert_eq!(*mutant, expected);
    assert_eq!(json["mutants"][1]["verdict"], "survived");
    assert_eq!(json["mutants"][1]["how"], Value::Null);
    assert_eq!(json["mutants"][10]["verdict"], "not-built");
    assert_eq!(
        json["totals"]["killed_how"],
        json!({ "panicked": 1, "step-limit": 1 })
    );
}

#[test]
fn every_field_is_described_in_the_schema() {
    let schema = include_str!("../../../../docs/src/reference/outcomes.md");
    let mut outcomes = outcomes();
    outcomes.findings = vec![odd::finding(0)];
    outcomes.warnings = vec!["a test fails by chance".into()];
    outcomes.files = vec![FileRecord::of("src/account.rs", "")];
    let json = serde_json::to_value(outcomes).unwrap();
    let mut names = Vec::new();
    collect_names(&json, &mut names);
    names.extend(["untested".into(), "note".into()]);
    for name in names.iter().filter(|name| *name != "jobs") {
        assert!(
            schema.contains(&format!("`{name}`")),
            "{name} is not described"
        );
    }
    for verdict in Verdict::UNKILLED {
        let word = serde_json::to_value(verdict).unwrap()["verdict"].clone();
        let word = word.as_str().unwrap();
        assert!(
            schema.contains(&format!("`{word}`")),
            "{word} is not described"
        );
    }
    for how in FailureKind::GENERAL {
        let word = serde_json::to_value(Verdict::Killed(how)).unwrap()["how"].clone();
        let word = word.as_str().unwrap();
        assert!(
            schema.contains(&format!("`{word}`")),
            "{word} is not described"
        );
    }
}

fn collect_names(json: &Value, names: &mut Vec<String>) {
    match json {
        Value::Object(fields) => {
            for (name, value) in fields {
                names.push(name.clone());
                collect_names(value, names);
            }
        }
        Value::Array(items) => items.iter().for_each(|item| collect_names(item, names)),
        _ => {}
    }
}

#[test]
fn a_mutant_without_verdict_makes_the_outcomes_incomplete() {
    let mut mutants = outcomes().mutants;
    mutants[3].verdict = None;
    let directory = tempfile::tempdir().unwrap();
    let partial = Outcomes::new(outcomes().tool, Vec::new(), mutants);
    assert!(!partial.complete);
    assert_eq!(partial.totals.untested, 1);
    partial.write(directory.path()).unwrap();
    let read = Outcomes::read(directory.path()).unwrap();
    assert_eq!(read.mutants[3].verdict, None);
    assert_eq!(read, partial);
}

#[test]
fn bad_files_are_told_apart() {
    let directory = tempfile::tempdir().unwrap();
    let read = || Outcomes::read(directory.path());
    assert!(matches!(read(), Err(ReadError::Missing(_))));
    let write = |text: &str| fs::write(directory.path().join(FILE_NAME), text).unwrap();
    write("not json");
    assert!(matches!(read(), Err(ReadError::Malformed { .. })));
    write("{\"schema_version\": 2, \"all\": \"different\"}");
    assert!(matches!(read(), Err(ReadError::Version { found: 2, .. })));
    write("{\"schema_version\": 1}");
    assert!(matches!(read(), Err(ReadError::Malformed { .. })));
}

#[test]
fn the_score_counts_viable_mutants_only() {
    let Totals { killed, .. } = outcomes().totals;
    let totals = outcomes().totals;
    assert_eq!((killed, totals.missed(), totals.cut_off()), (2, 7, 1));
    assert_eq!(totals.score(), Some(2.0 / 9.0));
    assert_eq!(totals.score_of_reached(), Some(2.0 / 7.0));
    assert_eq!(Totals::default().score(), None);
    let unviable = Totals::count([Some(Verdict::Unviable), Some(Verdict::NotBuilt), None]);
    assert_eq!(
        (unviable.score(), unviable.score_of_reached()),
        (None, None)
    );
}
