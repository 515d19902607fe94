//! Survivors as cargo's own compiler messages, one JSON value per line: whatever shows rustc's warnings in place
//! (rust-analyzer, bacon, editors' problem matchers) shows them, too.

use serde_json::{Value, json};

use crate::by_file::{in_order, unreached};
use crate::lines::Lines;
use crate::mutant::MutantInfo;
use crate::outcomes::{FailingOriginal, MutantRecord, Outcomes};
use crate::region::{Region, mark};
use crate::summary::Sources;
use crate::verdict::Verdict;

/// All messages, and the one that says that there are no more.
pub fn cargo_messages(outcomes: &Outcomes, sources: Sources) -> String {
    let mut messages: Vec<Value> = Vec::new();
    for finding in &outcomes.findings {
        messages.extend(failing_test(finding, outcomes));
    }
    for record in in_order(outcomes, Verdict::Survived) {
        messages.push(survivor(record, sources));
    }
    for function in unreached(outcomes) {
        let what = match function.function {
            "" => "this code".to_owned(),
            name => format!("fn {name}"),
        };
        let text = format!("no test runs {what} ({} mutants)", function.mutants);
        let span = whole_line(function.file, function.line);
        messages.push(message(
            "",
            "warning",
            "atropos::unreached",
            &text,
            span,
            &[],
        ));
    }
    let is_whole = json!({ "reason": "build-finished", "success": outcomes.findings.is_empty() });
    let lines = messages.iter().chain([&is_whole]);
    lines.map(|line| format!("{line}\n")).collect()
}

fn survivor(record: &MutantRecord, sources: Sources) -> Value {
    let info = &record.info;
    let text = sources(&info.file);
    let mut notes = vec![format!("`cargo atropos show {}` tells more", info.id.0)];
    if let Some(impact) = &record.impact {
        notes.push(format!("why: {}", impact.reason()));
        if let Some(suggestion) = &impact.suggestion {
            let write = format!("write: {}\n{}", suggestion.words, suggestion.code);
            notes.push(write.trim_end().to_owned());
        }
    }
    let sentence = format!("no test notices this change: {}", info.edit_and_operator());
    let span = span(info, text.as_deref());
    message(
        &info.package,
        "warning",
        "atropos::survived",
        &sentence,
        span,
        &notes,
    )
}

fn failing_test(finding: &FailingOriginal, outcomes: &Outcomes) -> Option<Value> {
    let test = outcomes.tests.get(finding.test);
    let (name, package) = test.map_or(("a test", ""), |test| (&test.name, &test.package));
    let (file, line) = finding.place()?;
    let text = format!(
        "{name} fails under some schedule of its threads: {}",
        finding.title
    );
    let span = whole_line(file, line);
    let notes = [finding.message.clone()];
    Some(message(
        package,
        "error",
        "atropos::failing_schedule",
        &text,
        span,
        &notes,
    ))
}

/// What is marked, with its line.
fn span(info: &MutantInfo, text: Option<&str>) -> Value {
    let lines = text.map(Lines::of);
    let Region { start, end } = mark(info, lines.as_ref());
    let offset = |(line, column)| lines.as_ref()?.offset(line, column);
    let from = offset(start).unwrap_or(info.span.start);
    let line = lines.as_ref().and_then(|lines| lines.line(start.0));
    let shown = line
        .map(|line| json!({ "text": line, "highlight_start": start.1, "highlight_end": end.1 }));
    json!({
        "file_name": info.file,
        "byte_start": from,
        "byte_end": offset(end).unwrap_or(from).max(from),
        "line_start": start.0,
        "line_end": end.0,
        "column_start": start.1,
        "column_end": end.1,
        "is_primary": true,
        "text": shown.into_iter().collect::<Vec<Value>>(),
        "label": info.summary,
        "suggested_replacement": null,
        "suggestion_applicability": null,
        "expansion": null,
    })
}

fn whole_line(file: &str, line: u32) -> Value {
    let line = line.max(1);
    json!({
        "file_name": file,
        "byte_start": 0,
        "byte_end": 0,
        "line_start": line,
        "line_end": line,
        "column_start": 1,
        "column_end": 1,
        "is_primary": true,
        "text": [],
        "label": null,
        "suggested_replacement": null,
        "suggestion_applicability": null,
        "expansion": null,
    })
}

/// A message as cargo prints it. Readers know packages by their ids; a name is as good for those that only show it.
fn message(
    package: &str,
    level: &str,
    code: &str,
    text: &str,
    span: Value,
    notes: &[String],
) -> Value {
    let place = format!(
        "{}:{}:{}",
        span["file_name"].as_str().unwrap_or_default(),
        span["line_start"],
        span["column_start"]
    );
    let said: String = notes
        .iter()
        .map(|note| format!("  = note: {note}\n"))
        .collect();
    let rendered = format!("{level}: {text}\n --> {place}\n{said}\n");
    let children: Vec<Value> = notes
        .iter()
        .map(|note| {
            json!({
                "message": note, "level": "note", "code": null, "spans": [], "children": [], "rendered": null,
            })
        })
        .collect();
    json!({
        "reason": "compiler-message",
        "package_id": package,
        "manifest_path": "",
        "target": {
            "name": package,
            "kind": ["lib"],
            "crate_types": ["lib"],
            "src_path": span["file_name"],
            "edition": "2021",
            "doc": true,
            "doctest": true,
            "test": true,
        },
        "message": {
            "$message_type": "diagnostic",
            "message": text,
            "code": { "code": code, "explanation": null },
            "level": level,
            "spans": [span],
            "children": children,
            "rendered": rendered,
        },
    })
}
