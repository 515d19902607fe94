//! Stryker's format: the fields that its schema wants, the words for verdicts, and the same score.

use std::collections::BTreeSet;

use atropos_protocol::FailureKind;
use atropos_report::outcomes::Outcomes;
use atropos_report::stryker::stryker;
use atropos_report::verdict::Verdict;
use serde_json::{Value, json};

use crate::example::{ACCOUNT, outcomes};
use crate::odd;

fn report(outcomes: &Outcomes) -> Value {
    let json = stryker(outcomes, &|_| Some(ACCOUNT.to_owned()));
    serde_json::from_str(&json).unwrap()
}

/// What the schema asks for, by hand: names, types, and places from 1 whose end is not before their start.
#[track_caller]
fn keeps_the_schema(report: &Value) {
    assert_eq!(report["schemaVersion"], "2");
    for bound in ["high", "low"] {
        assert!(report["thresholds"][bound].as_u64().unwrap() <= 100);
    }
    assert!(report["framework"]["name"].is_string());
    for stage in ["setup", "initialRun", "mutation"] {
        assert!(report["performance"][stage].is_number(), "{stage}");
    }
    let tests: BTreeSet<&str> = report["testFiles"]
        .as_object()
        .unwrap()
        .values()
        .flat_map(|file| file["tests"].as_array().unwrap())
        .map(|test| {
            assert!(test["name"].is_string());
            test["id"].as_str().unwrap()
        })
        .collect();
    let mut ids = BTreeSet::new();
    for file in report["files"].as_object().unwrap().values() {
        assert_eq!(file["language"], "rust");
        assert!(file["source"].is_string());
        for mutant in file["mutants"].as_array().unwrap() {
            assert!(ids.insert(mutant["id"].as_str().unwrap()), "{mutant}");
            assert!(mutant["mutatorName"].is_string() && mutant["replacement"].is_string());
            let status = mutant["status"].as_str().unwrap();
            assert!(STATUSES.contains(&status), "{status}");
            let place = |end: &str| {
                let position = &mutant["location"][end];
                (
                    position["line"].as_u64().unwrap(),
                    position["column"].as_u64().unwrap(),
                )
            };
            let (start, end) = (place("start"), place("end"));
            assert!(start.0 > 0 && start.1 > 0 && start <= end, "{mutant}");
            for killer in mutant["killedBy"].as_array().unwrap() {
                let known = tests.contains(killer.as_str().unwrap());
                assert!(known || tests.is_empty() || killer == "99", "{mutant}");
            }
        }
    }
}

const STATUSES: [&str; 8] = [
    "Killed",
    "Survived",
    "NoCoverage",
    "CompileError",
    "RuntimeError",
    "Timeout",
    "Ignored",
    "Pending",
];

#[test]
fn a_mutant_has_the_fields_that_viewers_show() {
    let report = report(&outcomes());
    keeps_the_schema(&report);
    let file = &report["files"]["src/account.rs"];
    assert_eq!(file["source"], ACCOUNT);
    let mutants = file["mutants"].as_array().unwrap();
    let killed = mutants.iter().find(|one| one["id"] == "0000000000000001");
    let expected = json!({
        "id": "0000000000000001",
        "mutatorName": "AOR",
        "description": "replace * with / in fn Account::deposit [AOR] (mutant 1)",
        "replacement": "/",
        "location": { "start": { "line": 3, "column": 46 }, "end": { "line": 3, "column": 47 } },
        "status": "Killed",
        "statusReason": "panicked at src/account.rs:30:9: assertion failed",
        "coveredBy": ["0"],
        "killedBy": ["0"],
        "duration": 2.0,
    });
    assert_eq!(killed, Some(&expected));
    let tests = json!({ "bank lib": { "tests": [{ "id": "0", "name": "tests::deposit_adds" }] } });
    assert_eq!(report["testFiles"], tests);
    assert_eq!(report["config"], json!({ "jobs": 2 }));
    assert_eq!(
        report["performance"],
        json!({ "setup": 2760.0, "initialRun": 125.0, "mutation": 1500.0 })
    );
}

#[test]
fn every_verdict_has_its_status() {
    let status = |outcomes: &Outcomes| {
        let report = report(outcomes);
        let mutant = &report["files"]["src/account.rs"]["mutants"][0];
        mutant["status"].as_str().unwrap().to_owned()
    };
    for how in FailureKind::GENERAL {
        let expected = match how {
            FailureKind::StepLimit | FailureKind::TimeLimit => "Timeout",
            _ => "Killed",
        };
        let killed = odd::alone(Some(Verdict::Killed(how)));
        assert_eq!(status(&killed), expected, "{how}");
    }
    for (verdict, expected) in Verdict::UNKILLED.into_iter().zip([
        "Survived",
        "Survived",
        "NoCoverage",
        "RuntimeError",
        "CompileError",
        "Ignored",
        "Ignored",
    ]) {
        assert_eq!(status(&odd::alone(Some(verdict))), expected, "{verdict}");
    }
    assert_eq!(status(&odd::alone(None)), "Pending");
}

#[test]
fn the_score_is_the_same_as_ours() {
    let outcomes = outcomes();
    let report = report(&outcomes);
    let mutants = report["files"]["src/account.rs"]["mutants"]
        .as_array()
        .unwrap();
    let number = |statuses: &[&str]| {
        let has = |mutant: &&Value| statuses.contains(&mutant["status"].as_str().unwrap());
        mutants.iter().filter(has).count() as f64
    };
    // As Stryker defines them.
    let detected = number(&["Killed", "Timeout"]);
    let covered = detected + number(&["Survived"]);
    let valid = covered + number(&["NoCoverage"]);
    assert_eq!(outcomes.totals.score(), Some(detected / valid));
    assert_eq!(outcomes.totals.score_of_reached(), Some(detected / covered));
}

#[test]
fn odd_runs_keep_the_schema_too() {
    odd::every(|outcomes, sources| {
        let json = stryker(outcomes, sources);
        keeps_the_schema(&serde_json::from_str(&json).unwrap());
    });
    let mut twice = outcomes();
    for record in &mut twice.mutants {
        record.info.key = "same".into();
    }
    keeps_the_schema(&report(&twice));
}
