//! What no test noticed in SARIF 2.1.0, for code scanning: survivors as warnings, what never made a
//! difference and functions that no test runs as notes, tests that fail under some schedule without
//! any mutant as errors. Killed mutants are not in it. `docs/src/reference/report-formats.md` describes the mapping.

use std::collections::BTreeSet;

use atropos_mutants::Operator;
use serde_json::{Map, Value, json};

use crate::by_file::{UnreachedFunction, by_file, unreached};
use crate::impact::NEVER_INFECTED;
use crate::lines::Lines;
use crate::number_text::count;
use crate::outcomes::{FailingOriginal, MutantRecord, Outcomes};
use crate::region::{Region, Units, region};
use crate::stable_hash::StableHash;
use crate::summary::Sources;
use crate::verdict::Verdict;

/// The name of the file within the output directory.
pub const FILE_NAME: &str = "report.sarif";

const SCHEMA: &str =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

/// The rules that are not operators.
const UNREACHED: &str = "unreached";
const FAILING_SCHEDULE: &str = "failing-schedule";

/// The whole file as JSON. `prefix` leads from the repository's root to the workspace's: empty, or
/// with a slash at its end.
pub fn sarif(outcomes: &Outcomes, sources: Sources, prefix: &str) -> String {
    let mut results: Vec<Value> = Vec::new();
    for finding in &outcomes.findings {
        results.extend(failing_schedule(finding, outcomes, prefix));
    }
    let mut operators = BTreeSet::new();
    for view in by_file(outcomes, sources) {
        let lines = view.text.as_deref().map(Lines::of);
        for record in &view.records {
            let fitting = lines.as_ref().filter(|_| view.text_of(record).is_some());
            if let Some(result) = missed(record, fitting, prefix) {
                operators.insert(record.info.operator);
                results.push(result);
            }
        }
    }
    let functions = unreached(outcomes);
    results.extend(functions.iter().map(|one| no_test_runs(one, prefix)));
    let mut rules: Vec<Value> = operators.into_iter().map(operator_rule).collect();
    if !functions.is_empty() {
        rules.push(unreached_rule());
    }
    if !outcomes.findings.is_empty() {
        rules.push(failing_schedule_rule());
    }
    let tool = &outcomes.tool;
    let log = json!({
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "Atropos",
                "version": tool.version,
                "semanticVersion": tool.version,
                "rules": rules,
            } },
            // As GitHub tells runs of several tools apart.
            "automationDetails": { "id": "atropos/" },
            "columnKind": "unicodeCodePoints",
            "invocations": [{ "executionSuccessful": outcomes.complete }],
            "results": results,
        }],
    });
    log.to_string() + "\n"
}

/// A survivor, or what never made a difference.
fn missed(record: &MutantRecord, lines: Option<&Lines>, prefix: &str) -> Option<Value> {
    let info = &record.info;
    let (level, mut text) = match record.verdict? {
        Verdict::Survived => ("warning", "No test notices this change".to_owned()),
        Verdict::Uninfected => (
            "note",
            format!(
                "Tests run this place, but the change made no difference there ({NEVER_INFECTED})"
            ),
        ),
        Verdict::Accepted => (
            "note",
            "No test notices this change, which is accepted".to_owned(),
        ),
        _ => return None,
    };
    text += &format!(": {} (mutant {}).", info.edit_and_operator(), info.id.0);
    if let Some(impact) = &record.impact {
        text += &format!(" Why it matters: {}.", impact.reason());
        if let Some(suggestion) = &impact.suggestion {
            text += &format!("\nWhat to write: {}", suggestion.words);
            if !suggestion.code.is_empty() {
                text += &format!("\n{}", suggestion.code.trim_end());
            }
        }
    }
    let mut result = json!({
        "ruleId": info.operator.code(),
        "level": level,
        "message": { "text": text },
        "locations": [location(&info.file, place(record, lines), prefix)],
        "partialFingerprints": fingerprints(&info.key),
        "properties": {
            "mutant": info.id.0,
            "verdict": record.verdict.map(Verdict::word),
            "original": info.original,
            "replacement": info.replacement,
        },
    });
    if record.verdict == Some(Verdict::Accepted) {
        let reason = record.note.as_deref().unwrap_or_default();
        result["suppressions"] = json!([{ "kind": "external", "justification": reason }]);
    }
    if let Some(rank) = record.rank {
        result["properties"]["rank"] = rank.into();
    }
    Some(result)
}

/// The text that is replaced; if that has several lines, the place where people look for the change.
fn place(record: &MutantRecord, lines: Option<&Lines>) -> Value {
    let info = &record.info;
    let Region { start, end } = region(info, lines, Units::Characters);
    if start.0 == end.0 && start.0 == info.line && start.1 < end.1 {
        json!({ "startLine": start.0, "startColumn": start.1, "endLine": end.0, "endColumn": end.1 })
    } else {
        json!({ "startLine": info.line.max(1), "startColumn": info.column.max(1) })
    }
}

fn no_test_runs(one: &UnreachedFunction, prefix: &str) -> Value {
    let mutants = count(one.mutants, "mutant");
    let text = match one.function {
        "" => format!("No test runs this code ({mutants})."),
        function => format!("No test runs fn {function} ({mutants})."),
    };
    let key = StableHash::default().text(one.file).text(one.function);
    json!({
        "ruleId": UNREACHED,
        "level": "note",
        "message": { "text": text },
        "locations": [location(one.file, json!({ "startLine": one.line.max(1) }), prefix)],
        "partialFingerprints": fingerprints(&format!("{:016x}", key.finish())),
    })
}

/// None if there is no file at all to say it of, as a result needs a location.
fn failing_schedule(finding: &FailingOriginal, outcomes: &Outcomes, prefix: &str) -> Option<Value> {
    let (name, target) = match outcomes.tests.get(finding.test) {
        Some(test) => (test.name.as_str(), test.target.as_str()),
        None => ("a test", ""),
    };
    let found = finding.place();
    let first = || {
        outcomes
            .mutants
            .first()
            .map(|first| (first.info.file.as_str(), 1))
    };
    let (file, line) = found.or_else(first)?;
    let mut text = format!(
        "{name} fails under some schedule of its threads, without any mutant: {}\n{}",
        finding.title, finding.message
    );
    if let Some(schedule) = &finding.schedule {
        text += &format!("\nschedule {schedule}");
    }
    let key = StableHash::default()
        .text(name)
        .text(target)
        .text(&finding.title);
    Some(json!({
        "ruleId": FAILING_SCHEDULE,
        "level": "error",
        "message": { "text": text },
        "locations": [location(file, json!({ "startLine": line }), prefix)],
        "partialFingerprints": fingerprints(&format!("{:016x}", key.finish())),
    }))
}

/// Ours, and under the name by which GitHub tells one alert from another of the same rule.
fn fingerprints(key: &str) -> Value {
    json!({ "atropos/v1": key, "primaryLocationLineHash": key })
}

fn location(file: &str, region: Value, prefix: &str) -> Value {
    json!({ "physicalLocation": {
        "artifactLocation": {
            "uri": uri(&format!("{prefix}{file}")),
            "uriBaseId": "%SRCROOT%",
        },
        "region": region,
    } })
}

/// A path as a relative reference: all but plain letters is written as bytes.
fn uri(path: &str) -> String {
    let mut uri = String::new();
    for byte in path.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'/' | b'.' | b'-' | b'_' | b'~' => {
                uri.push(char::from(byte));
            }
            byte => uri += &format!("%{byte:02X}"),
        }
    }
    uri
}

fn operator_rule(operator: Operator) -> Value {
    let (before, after) = operator.example();
    let after = if after.is_empty() { "(nothing)" } else { after };
    let sentence = operator.sentence();
    let advice = "The change was made to the program, the tests ran it, and all of them passed. Write a test \
                  that fails with the change and passes without it; if the change makes no difference that \
                  anybody could want, leave it out by `#[mutants::skip]` or by `--exclude-re`.";
    let mut tags = vec!["mutation-testing", operator.category().name()];
    tags.extend(operator.patterns().iter().map(|pattern| pattern.name()));
    let help = Help {
        text: format!("{sentence} For example: {before} becomes {after}.\n\n{advice}"),
        markdown: format!(
            "{sentence} For example:\n\n```rust\n{before}\n// becomes\n{after}\n```\n\n{advice}"
        ),
    };
    rule(operator.code(), sentence, "warning", help, &tags)
}

fn unreached_rule() -> Value {
    let advice = "No test runs this code, so none can notice whatever is changed in it. Write a test that \
                  runs it and asserts on what it does.";
    let tags = ["mutation-testing", "coverage"];
    let sentence = "No test runs this code.";
    rule(UNREACHED, sentence, "note", Help::plain(advice), &tags)
}

fn failing_schedule_rule() -> Value {
    let advice = "The threads of this test were run under many schedules, and under one of them the test fails, \
                  without any change to the program. `cargo atropos replay` runs that schedule again, step by step.";
    let tags = ["mutation-testing", "concurrency"];
    let sentence = "A test fails under some schedule of its threads.";
    rule(
        FAILING_SCHEDULE,
        sentence,
        "error",
        Help::plain(advice),
        &tags,
    )
}

struct Help {
    text: String,
    markdown: String,
}

impl Help {
    fn plain(text: &str) -> Help {
        Help {
            text: text.to_owned(),
            markdown: text.to_owned(),
        }
    }
}

fn rule(id: &str, sentence: &str, level: &str, help: Help, tags: &[&str]) -> Value {
    let severity = match level {
        "note" => "recommendation",
        level => level,
    };
    let properties: Map<String, Value> = Map::from_iter([
        ("tags".to_owned(), json!(tags)),
        ("precision".to_owned(), json!("high")),
        ("problem.severity".to_owned(), json!(severity)),
    ]);
    json!({
        "id": id,
        "name": id,
        "shortDescription": { "text": sentence },
        "fullDescription": { "text": help.text },
        "help": { "text": help.text, "markdown": help.markdown },
        "defaultConfiguration": { "level": level },
        "properties": properties,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_become_references() {
        assert_eq!(uri("a b/c#d%é.rs"), "a%20b/c%23d%25%C3%A9.rs");
    }
}
