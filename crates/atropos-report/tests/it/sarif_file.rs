//! SARIF: what no test noticed, with the fields that code scanning wants.

use std::collections::BTreeSet;

use atropos_report::outcomes::Outcomes;
use atropos_report::sarif::sarif;
use atropos_report::verdict::Verdict;
use serde_json::{Value, json};

use crate::example::{ACCOUNT, outcomes};
use crate::odd;

fn log(outcomes: &Outcomes, prefix: &str) -> Value {
    let text = sarif(outcomes, &|_| Some(ACCOUNT.to_owned()), prefix);
    serde_json::from_str(&text).unwrap()
}

/// What the standard and GitHub ask for, by hand.
#[track_caller]
fn keeps_the_standard(log: &Value) {
    assert_eq!(log["version"], "2.1.0");
    assert!(
        log["$schema"]
            .as_str()
            .unwrap()
            .ends_with("sarif-schema-2.1.0.json")
    );
    let run = &log["runs"][0];
    assert_eq!(run["tool"]["driver"]["name"], "Atropos");
    assert_eq!(run["columnKind"], "unicodeCodePoints");
    let mut rules = BTreeSet::new();
    for rule in run["tool"]["driver"]["rules"].as_array().unwrap() {
        assert!(rules.insert(rule["id"].as_str().unwrap()), "{rule}");
        for text in ["shortDescription", "fullDescription", "help"] {
            assert!(!rule[text]["text"].as_str().unwrap().is_empty(), "{rule}");
        }
        assert!(rule["help"]["markdown"].is_string());
    }
    for result in run["results"].as_array().unwrap() {
        assert!(
            rules.contains(result["ruleId"].as_str().unwrap()),
            "{result}"
        );
        assert!(["error", "warning", "note"].contains(&result["level"].as_str().unwrap()));
        assert!(!result["message"]["text"].as_str().unwrap().is_empty());
        assert!(result["partialFingerprints"]["primaryLocationLineHash"].is_string());
        let location = &result["locations"][0]["physicalLocation"];
        let uri = location["artifactLocation"]["uri"].as_str().unwrap();
        assert!(
            uri.is_ascii() && !uri.is_empty() && !uri.contains(' '),
            "{uri}"
        );
        let region = &location["region"];
        for bound in ["startLine", "startColumn", "endLine", "endColumn"] {
            let number = region[bound].as_u64();
            assert!(number.is_none_or(|number| number > 0), "{region}");
        }
        assert!(region["startLine"].is_u64(), "{region}");
    }
}

#[test]
fn survivors_are_warnings_and_what_no_test_runs_is_a_note() {
    let log = log(&outcomes(), "rust/");
    keeps_the_standard(&log);
    let results = log["runs"][0]["results"].as_array().unwrap();
    let of = |rule: &str| -> Vec<&Value> {
        let all = results.iter();
        all.filter(|result| result["ruleId"] == rule).collect()
    };
    let ror = of("ROR");
    assert_eq!(ror.len(), 3);
    assert_eq!(ror[0]["level"], "warning");
    assert_eq!(
        ror[0]["message"]["text"],
        "No test notices this change: replace > with >= in fn Account::deposit [ROR] (mutant 3)."
    );
    assert_eq!(
        ror[0]["locations"][0]["physicalLocation"],
        json!({
            "artifactLocation": { "uri": "rust/src/account.rs", "uriBaseId": "%SRCROOT%" },
            "region": { "startLine": 4, "startColumn": 25, "endLine": 4, "endColumn": 26 },
        })
    );
    assert_eq!(
        ror[0]["partialFingerprints"]["atropos/v1"],
        "0000000000000003"
    );
    assert_eq!(of("COR")[0]["level"], "note", "it never made a difference");
    let unreached = of("unreached");
    assert_eq!(unreached.len(), 1, "one for each function");
    assert_eq!(unreached[0]["level"], "note");
    assert_eq!(
        unreached[0]["message"]["text"],
        "No test runs fn Account::close (2 mutants)."
    );
    assert_eq!(results.len(), 6, "killed mutants are not among them");
}

#[test]
fn a_failing_test_is_an_error_where_it_fails() {
    let mut outcomes = outcomes();
    outcomes.findings = vec![odd::finding(0)];
    let log = log(&outcomes, "");
    keeps_the_standard(&log);
    let first = &log["runs"][0]["results"][0];
    assert_eq!(
        (&first["ruleId"], &first["level"]),
        (&json!("failing-schedule"), &json!("error"))
    );
    let location = &first["locations"][0]["physicalLocation"];
    assert_eq!(location["artifactLocation"]["uri"], "src/account.rs");
    assert_eq!(location["region"], json!({ "startLine": 4 }));
}

#[test]
fn a_deadlock_is_placed_where_a_thread_waits_for_a_lock_not_at_the_end_of_a_block() {
    let mut outcomes = outcomes();
    let mut finding = odd::finding(0);
    finding.location = None;
    finding.message = "deadlock:\n  thread 0 joins at tests/wrong.rs:26:5, which is thread 1's to end\n  \
                       thread 1 locks at src/account.rs:15:27, held by thread 2 since src/account.rs:14:25"
        .to_owned();
    outcomes.findings = vec![finding];
    let log = log(&outcomes, "");
    let location = &log["runs"][0]["results"][0]["locations"][0]["physicalLocation"];
    assert_eq!(location["artifactLocation"]["uri"], "src/account.rs");
    assert_eq!(location["region"], json!({ "startLine": 15 }));
}

#[test]
fn what_is_accepted_is_suppressed_with_its_reason() {
    let mut outcomes = outcomes();
    outcomes.mutants[1].verdict = Some(Verdict::Accepted);
    outcomes.mutants[1].note = Some("a hint".to_owned());
    let log = log(&outcomes, "");
    keeps_the_standard(&log);
    let results = log["runs"][0]["results"].as_array().unwrap();
    let mut suppressed = results
        .iter()
        .filter(|result| result.get("suppressions").is_some());
    let one = suppressed.next().unwrap();
    assert_eq!(one["properties"]["mutant"], 2);
    assert_eq!(one["suppressions"][0]["justification"], "a hint");
    assert!(suppressed.next().is_none());
}

#[test]
fn odd_runs_keep_the_standard_too() {
    odd::every(|outcomes, sources| {
        let text = sarif(outcomes, sources, "a b/");
        keeps_the_standard(&serde_json::from_str(&text).unwrap());
    });
}
