//! `cargo atropos show MUTANT`: one mutant of the last run, as a diff and with all that is known of
//! what became of it.

use std::fmt::Write as _;
use std::fs;
use std::io::Write;

use anyhow::Result;
use atropos_report::communication::CommunicationRecord;
use atropos_report::edit::unified_diff;
use atropos_report::impact::{DisturbedFunction, Impact, NEVER_INFECTED};
use atropos_report::number_text::{count, duration, wrapped};
use atropos_report::outcomes::{Kill, MutantRecord, REUSED, TestRecord};
use atropos_report::style::{self, styled};
use atropos_report::verdict::Verdict;

use crate::arguments::{Options, ShowArguments, TreeOptions};
use crate::exit_code::ExitCode;
use crate::explore::failing_schedules::shown;
use crate::named_mutants::named_mutants;
use crate::prepare::{CommandSetup, set_up};

/// Where texts begin, and how wide sentences get.
const INDENT: usize = 12;
const WIDTH: usize = 100;
/// How many of the tests that reach a mutant are named.
const TESTS_SHOWN: usize = 10;

pub fn show(arguments: ShowArguments) -> Result<ExitCode> {
    let setup = set_up(Options {
        tree: TreeOptions {
            dir: arguments.dir,
            ..TreeOptions::default()
        },
        output: arguments.output,
        ..Options::default()
    })?;
    let outcomes = setup.last_run("show a mutant of")?;
    let CommandSetup {
        workspace,
        options,
        terminal,
        ..
    } = setup;
    let records = named_mutants(&outcomes, &arguments.mutant)?;
    let mut stdout = terminal.stdout();
    for (index, record) in records.iter().enumerate() {
        if options.output.json {
            serde_json::to_writer_pretty(&mut stdout, &as_json(record, &outcomes.tests)?)?;
            writeln!(stdout)?;
            continue;
        }
        if index > 0 {
            writeln!(stdout)?;
        }
        let source = fs::read_to_string(workspace.root().join(&record.info.file)).ok();
        let all = options.output.verbose || options.output.all;
        let page = page(record, &outcomes.tests, source.as_deref(), all);
        write!(stdout, "{page}")?;
    }
    stdout.flush()?;
    Ok(ExitCode::Success)
}

/// The record as in `outcomes.json`, but with the names of tests instead of their numbers.
fn as_json(record: &MutantRecord, tests: &[TestRecord]) -> Result<serde_json::Value> {
    let mut json = serde_json::to_value(record)?;
    json["name"] = record.info.name().into();
    json["reached_by"] = record
        .reached_by
        .iter()
        .map(|&test| test_name(tests, test))
        .collect();
    for (kill, json) in record
        .killed_by
        .iter()
        .zip(json["killed_by"].as_array_mut().into_iter().flatten())
    {
        json["test"] = test_name(tests, kill.test).into();
    }
    for (explored, json) in record
        .explored_by
        .iter()
        .zip(json["explored_by"].as_array_mut().into_iter().flatten())
    {
        json["test"] = test_name(tests, explored.test).into();
    }
    Ok(json)
}

/// Everything about one mutant, for people.
pub fn page(
    record: &MutantRecord,
    tests: &[TestRecord],
    source: Option<&str>,
    all: bool,
) -> String {
    let info = &record.info;
    let mut page = String::new();
    let place = styled(style::PLACE, info.place());
    writeln!(page, "{place}: {}\n", info.edit_and_operator()).expect("a string takes everything");
    match source.and_then(|source| unified_diff(info, source)) {
        Some(diff) => page.push_str(&diff),
        None => writeln!(
            page,
            "({} has changed since the run, so the change can't be shown in its place)\n-{}\n+{}",
            info.file, info.original, info.replacement
        )
        .expect("a string takes everything"),
    }
    page.push('\n');
    let verdict = match record.verdict {
        Some(verdict) => format!(
            "{}: {}",
            styled(style::of_verdict(verdict), verdict),
            verdict.explanation()
        ),
        None if record.note.is_some() => "none".to_owned(),
        None => "none: the run was interrupted before it came to this mutant".to_owned(),
    };
    line(&mut page, "verdict", &verdict);
    if let Some(note) = &record.note {
        line(&mut page, "because", note);
    }
    if record.verdict.is_some_and(|verdict| verdict.is_scored()) {
        line(&mut page, "reached by", &reached_by(record, tests, all));
    }
    for kill in &record.killed_by {
        line(&mut page, "killed by", &killed_by(kill, tests));
        if let Some(schedule) = &kill.schedule {
            let again = format!("cargo atropos replay --mutant {}", info.id.0);
            let schedule = shown(schedule);
            line(&mut page, "schedule", &format!("{schedule}\n{again}"));
        }
        if let Some(trace) = &kill.trace {
            line(&mut page, "threads", trace);
        }
    }
    for explored in &record.explored_by {
        let test = test_name(tests, explored.test);
        let schedules = count(explored.schedules as usize, "schedule");
        let text = format!("{test}: {} ({schedules} run)", explored.coverage);
        line(&mut page, "explored", &text);
    }
    if let Some(rank) = record.rank {
        let why = match &record.impact {
            Some(impact) => impact.reason(),
            None if record.verdict == Some(Verdict::Uninfected) => NEVER_INFECTED.to_owned(),
            None => "it was not observed".to_owned(),
        };
        line(&mut page, "rank", &format!("{rank}: {why}"));
    }
    if let Some(impact) = &record.impact {
        show_impact(&mut page, impact, all);
    }
    if record.reused {
        line(&mut page, "found by", REUSED);
    }
    if record.seconds > 0.0 {
        line(&mut page, "time", &duration(record.seconds));
    }
    page
}

/// The parts of the score, and what to write.
fn show_impact(page: &mut String, impact: &Impact, all: bool) {
    let score = format!(
        "{} = {} broken invariants + {} functions that return something else + {} that run otherwise + \
         {} new ways in which threads meet",
        impact.score,
        impact.invariants.len(),
        impact.returns.len(),
        impact.executions.len(),
        impact.new_ways()
    );
    line(page, "score", &sentence(&score).join("\n"));
    let place = |disturbed: &DisturbedFunction| match disturbed.distance {
        Some(0) => format!("{} (its own function)", disturbed.function),
        Some(1) => format!("{} (1 call away)", disturbed.function),
        Some(calls) => format!("{} ({calls} calls away)", disturbed.function),
        None => disturbed.function.clone(),
    };
    let broken = impact.invariants.iter().map(|broken| {
        let seen = broken.seen.as_ref();
        let seen = seen
            .map(|seen| format!(", seen: {seen}"))
            .unwrap_or_default();
        format!("{}{seen} in {}", broken.invariant, place(&broken.at))
    });
    some(page, "breaks", broken.collect(), all);
    some(
        page,
        "returns",
        impact.returns.iter().map(place).collect(),
        all,
    );
    some(
        page,
        "runs",
        impact.executions.iter().map(place).collect(),
        all,
    );
    let never = |new: &CommunicationRecord| match new.certain {
        true => "never in the original",
        false => "in no explored schedule of the original",
    };
    let new_communication = impact.communications.iter();
    let new_communication = new_communication
        .map(|new| sentence(&format!("{}: {}", never(new), new.words())).join("\n  "));
    some(page, "threads", new_communication.collect(), all);
    if let Some(suggestion) = &impact.suggestion {
        let mut lines = sentence(&suggestion.words);
        lines.extend(suggestion.code.lines().map(str::to_owned));
        line(page, "write", &lines.join("\n"));
    }
}

/// A sentence in lines.
fn sentence(text: &str) -> Vec<String> {
    wrapped(text, WIDTH - INDENT)
}

/// A list, cut if it is long.
fn some(page: &mut String, label: &str, entries: Vec<String>, all: bool) {
    let shown = if all { usize::MAX } else { TESTS_SHOWN };
    if entries.is_empty() {
        return;
    }
    let mut text = entries[..entries.len().min(shown)].join("\n");
    if entries.len() > shown {
        text.push_str(&format!(
            "\nand {} more (-v names all)",
            entries.len() - shown
        ));
    }
    line(page, label, &text);
}

/// A label and a text whose further lines are indented like the first.
fn line(page: &mut String, label: &str, text: &str) {
    let label = styled(style::HEADING, format!("{label:<10}"));
    let text = text.trim_end().replace('\n', &format!("\n{:INDENT$}", ""));
    writeln!(page, "{label}  {text}").expect("a string takes everything");
}

fn reached_by(record: &MutantRecord, tests: &[TestRecord], all: bool) -> String {
    if record.reached_by.is_empty() {
        return "no test".into();
    }
    let shown = if all { usize::MAX } else { TESTS_SHOWN };
    let mut text = count(record.reached_by.len(), "test");
    for &test in record.reached_by.iter().take(shown) {
        text.push('\n');
        text.push_str(&test_name(tests, test));
    }
    if record.reached_by.len() > shown {
        text.push_str(&format!(
            "\nand {} more (-v names all)",
            record.reached_by.len() - shown
        ));
    }
    text
}

fn killed_by(kill: &Kill, tests: &[TestRecord]) -> String {
    let mut text = format!("{}: {}", test_name(tests, kill.test), kill.how);
    if let Some(location) = &kill.location {
        text.push_str(&format!(" at {location}"));
    }
    if let Some(message) = &kill.message {
        text.push('\n');
        text.push_str(message);
    }
    text
}

/// `tests::deposit (bank, lib)`
fn test_name(tests: &[TestRecord], test: usize) -> String {
    match tests.get(test) {
        Some(test) => format!("{} ({}, {})", test.name, test.package, test.target),
        None => format!("test {test}"),
    }
}
