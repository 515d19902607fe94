//! What explorations found, for people (one line per test, then the findings) and for programs.

use std::fmt::Write as _;

use anyhow::Result;
use atropos_protocol::exploration::{Explored, FoundFailure};
use atropos_report::style;
use serde_json::json;

use super::ListedTest;
use super::failing_schedules::shown;
use crate::schedule_arguments::ScheduleConditions;

/// The result of one test.
pub struct TestReport {
    pub listed_test: ListedTest,
    pub name: String,
    pub package: String,
    pub target: String,
    /// Under which the result was had.
    pub conditions: ScheduleConditions,
    pub explored: Explored,
}

impl TestReport {
    pub fn found(&self) -> Option<&FoundFailure> {
        self.explored.found.as_ref()
    }

    /// Whether its schedules were run; else it is left to ordinary runs.
    pub fn is_explored(&self) -> bool {
        self.explored.uncontrolled.is_none()
    }

    /// `passed`, or what was found, in a few words.
    fn result(&self) -> &str {
        match (self.found(), &self.explored) {
            (Some(found), _) => found.kind.noun(),
            (None, explored) if explored.uncontrolled.is_some() => "not explored",
            (None, explored) if explored.divergence.is_some() => "not deterministic",
            (None, _) => "passed",
        }
    }

    fn covered(&self) -> String {
        match &self.explored {
            Explored {
                uncontrolled: Some(what),
                ..
            } => format!("{what}; left to ordinary runs"),
            Explored {
                divergence: Some(what),
                ..
            } => what.clone(),
            Explored {
                found: Some(found),
                executions,
                ..
            } if !found.schedule.is_empty() => format!("found in schedule {executions}"),
            explored if explored.part => format!("of its part, {}", explored.coverage),
            explored => explored.coverage.clone(),
        }
    }
}

fn schedules(count: u64) -> String {
    let word = if count == 1 { "schedule" } else { "schedules" };
    format!("{count} {word}")
}

/// One line for each test, then each finding with its trace and how to run it again, then where the pictures are.
pub fn text(reports: &[TestReport], verbose: bool, page: Option<&str>) -> String {
    let mut text = String::new();
    let width = reports.iter().map(|report| report.name.chars().count());
    let width = width.max().unwrap_or(0).min(60);
    for report in reports {
        let colour = match report.result() {
            "passed" => style::ADDED,
            "not explored" | "not deterministic" => style::WARNING,
            _ => style::ERROR,
        };
        let _ = writeln!(
            text,
            "test {:width$} ... {colour}{}{colour:#}: {} ({}, {:.2} s)",
            report.name,
            report.result(),
            report.covered(),
            schedules(report.explored.executions),
            report.explored.nanoseconds as f64 / 1e9,
        );
        if verbose {
            for remark in &report.explored.remarks {
                let _ = writeln!(text, "     remark: {}", remark.replace('\n', "\n     "));
            }
        }
    }
    for report in reports {
        if let Some(found) = report.found() {
            let _ = write!(text, "\n{}", finding(report, found));
        }
    }
    let _ = writeln!(text, "\n{}", summary(reports));
    if let Some(page) = page {
        let _ = writeln!(text, "pictures: {page}");
    }
    text
}

fn finding(report: &TestReport, found: &FoundFailure) -> String {
    let heading = style::HEADING;
    let mut text = format!(
        "{heading}{} ({}){heading:#}\n{}\n",
        report.name, report.target, found.text
    );
    if !found.trace.steps.is_empty() {
        let _ = write!(text, "\n{}", found.trace);
    }
    if !found.schedule.is_empty() {
        let _ = writeln!(text, "\nschedule {}", shown(&found.schedule));
        let _ = match found.replayed {
            true => writeln!(
                text,
                "to run it again: cargo atropos replay {}",
                report.name
            ),
            false => writeln!(
                text,
                "run again, the schedule ended another way: the test is not deterministic under control"
            ),
        };
    }
    text
}

fn summary(reports: &[TestReport]) -> String {
    let found = reports.iter().filter(|report| report.found().is_some());
    let explored = reports.iter().filter(|report| report.is_explored());
    let is_complete = |report: &&TestReport| report.explored.complete && !report.explored.part;
    let complete = reports.iter().filter(is_complete);
    let all: u64 = reports
        .iter()
        .map(|report| report.explored.executions)
        .sum();
    format!(
        "{} explored, {} under all schedules; {} failed; {} in all",
        tests(explored.count()),
        complete.count(),
        found.count(),
        schedules(all),
    )
}

fn tests(count: usize) -> String {
    let word = if count == 1 { "test" } else { "tests" };
    format!("{count} {word}")
}

/// The same for programs.
pub fn json(reports: &[TestReport], page: Option<&str>) -> Result<String> {
    let tests: Vec<serde_json::Value> = reports
        .iter()
        .map(|report| {
            let found = report.found().map(|found| {
                json!({
                    "sort": found.kind.noun(),
                    "title": found.title,
                    "text": found.text,
                    "schedule": found.schedule,
                    "trace": found.trace.to_string(),
                    "replayed": found.replayed,
                })
            });
            json!({
                "name": report.name,
                "package": report.package,
                "target": report.target,
                "result": report.result(),
                "coverage": report.explored.coverage,
                "all_schedules": report.explored.complete && !report.explored.part,
                "part": report.explored.part,
                "schedules": report.explored.executions,
                "threads": report.explored.threads,
                "longest": report.explored.steps,
                "seconds": report.explored.nanoseconds as f64 / 1e9,
                "found": found,
                "remarks": report.explored.remarks,
                "uncontrolled": report.explored.uncontrolled,
                "divergence": report.explored.divergence,
            })
        })
        .collect();
    Ok(serde_json::to_string_pretty(&json!({ "tests": tests, "pictures": page }))? + "\n")
}
