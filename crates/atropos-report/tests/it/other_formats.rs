//! JUnit's XML, GitLab's code quality report, and cargo's own messages, each read by what reads them elsewhere or checked
//! for what its format demands.

use std::collections::BTreeSet;

use atropos_report::cargo_messages::cargo_messages;
use atropos_report::gitlab::gitlab;
use atropos_report::junit::junit;
use atropos_report::outcomes::Outcomes;
use atropos_report::summary::Sources;
use atropos_report::verdict::Verdict;
use cargo_metadata::Message;
use cargo_metadata::diagnostic::DiagnosticLevel;
use serde_json::Value;

use crate::example::{ACCOUNT, outcomes};
use crate::odd;

fn sources(file: &str) -> Option<String> {
    (file == "src/account.rs").then(|| ACCOUNT.to_owned())
}

/// What the schema of JUnit's XML demands: names, and numbers that are those of the elements.
fn keeps_to_junit(xml: &str, outcomes: &Outcomes) {
    let document = roxmltree::Document::parse(xml).expect("XML");
    let root = document.root_element();
    assert_eq!(root.tag_name().name(), "testsuites");
    for element in document.descendants().filter(|node| node.is_element()) {
        let allowed: &[&str] = match element.tag_name().name() {
            "testsuites" => &["name", "tests", "failures", "errors", "time"],
            "testsuite" => &["name", "tests", "failures", "errors", "skipped", "time"],
            "testcase" => &["name", "classname", "time"],
            "failure" | "error" => &["message", "type"],
            _ => &["message"],
        };
        let mut attributes = element.attributes().map(|attribute| attribute.name());
        assert!(
            attributes.all(|name| allowed.contains(&name)),
            "{element:?}"
        );
    }
    let mut cases = 0;
    for suite in root.children().filter(|node| node.is_element()) {
        assert_eq!(suite.tag_name().name(), "testsuite");
        let inside: Vec<_> = suite.children().filter(|node| node.is_element()).collect();
        for (attribute, tag) in [
            ("failures", "failure"),
            ("errors", "error"),
            ("skipped", "skipped"),
        ] {
            let has = |case: &&roxmltree::Node| {
                case.children().any(|child| child.tag_name().name() == tag)
            };
            let number = inside.iter().filter(has).count().to_string();
            assert_eq!(suite.attribute(attribute), Some(number.as_str()), "{tag}");
        }
        for case in &inside {
            assert_eq!(case.tag_name().name(), "testcase");
            for attribute in ["name", "classname", "time"] {
                assert!(case.attribute(attribute).is_some(), "{attribute}");
            }
        }
        cases += inside.len();
    }
    assert_eq!(cases, outcomes.mutants.len());
    let tests = root.attribute("tests").map(str::to_owned);
    assert_eq!(tests, Some(cases.to_string()));
}

#[test]
fn junit_has_every_mutant_as_a_case_of_its_file() {
    let outcomes = outcomes();
    let xml = junit(&outcomes, &sources);
    keeps_to_junit(&xml, &outcomes);
    assert!(xml.contains(
        "<testcase name=\"replace &gt; with &gt;= in fn Account::deposit [ROR] (line 4, mutant 3)\""
    ));
    assert!(xml.contains("<failure message=\"survived: tests ran the change and still passed\""));
    odd::every(|outcomes, sources| keeps_to_junit(&junit(outcomes, sources), outcomes));
}

/// What GitLab demands of each issue.
fn keeps_to_gitlab(text: &str) -> Vec<Value> {
    let issues: Vec<Value> = serde_json::from_str(text).expect("a list");
    for issue in &issues {
        for field in ["description", "check_name", "fingerprint"] {
            assert!(
                issue[field].as_str().is_some_and(|text| !text.is_empty()),
                "{field}"
            );
        }
        let severities = ["info", "minor", "major", "critical", "blocker"];
        assert!(severities.contains(&issue["severity"].as_str().unwrap()));
        let path = issue["location"]["path"].as_str().unwrap();
        assert!(!path.starts_with('/') && !path.starts_with("./"), "{path}");
        assert!(issue["location"]["lines"]["begin"].as_u64().unwrap() > 0);
    }
    issues
}

#[test]
fn gitlab_is_told_of_survivors_and_of_code_that_no_test_runs() {
    let issues = keeps_to_gitlab(&gitlab(&outcomes(), "rust/"));
    let severities: Vec<&str> = issues
        .iter()
        .map(|issue| issue["severity"].as_str().unwrap())
        .collect();
    assert_eq!(
        severities,
        ["major", "major", "major", "major", "minor", "info"]
    );
    assert_eq!(issues[0]["location"]["path"], "rust/src/account.rs");
    let prints: BTreeSet<&str> = issues
        .iter()
        .map(|issue| issue["fingerprint"].as_str().unwrap())
        .collect();
    assert_eq!(prints.len(), issues.len());
    odd::every(|outcomes, _| {
        keeps_to_gitlab(&gitlab(outcomes, ""));
    });
}

/// The messages as `cargo_metadata`, and so most tools, reads them.
fn messages(outcomes: &Outcomes, sources: Sources) -> Vec<Message> {
    let text = cargo_messages(outcomes, sources);
    let read = Message::parse_stream(text.as_bytes());
    read.collect::<Result<_, _>>().expect("messages of cargo")
}

#[test]
fn survivors_are_warnings_at_their_places_for_whatever_reads_cargo() {
    let outcomes = outcomes();
    let messages = messages(&outcomes, &sources);
    let mut places = Vec::new();
    for message in &messages {
        if let Message::CompilerMessage(message) = message {
            let diagnostic = &message.message;
            assert_eq!(diagnostic.level, DiagnosticLevel::Warning);
            let span = &diagnostic.spans[0];
            assert!(span.is_primary);
            assert_eq!(span.file_name, "src/account.rs");
            let code = diagnostic.code.as_ref().unwrap().code.clone();
            places.push((span.line_start, span.column_start, code));
        }
    }
    let survived = outcomes
        .mutants
        .iter()
        .filter(|record| record.verdict == Some(Verdict::Survived));
    assert_eq!(places.len(), survived.count() + 1);
    assert!(
        places.contains(&(4, 25, "atropos::survived".to_owned())),
        "{places:?}"
    );
    assert_eq!(
        places.last(),
        Some(&(15, 1, "atropos::unreached".to_owned()))
    );
    assert!(matches!(messages.last(), Some(Message::BuildFinished(_))));
    odd::every(|outcomes, sources| {
        assert!(!self::messages(outcomes, sources).is_empty());
    });
}
