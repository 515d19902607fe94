//! Survivors as GitLab reads them: a code quality report, which it shows in merge requests.

use serde::Serialize;

use crate::by_file::{in_order, unreached};
use crate::outcomes::{FailingOriginal, MutantRecord, Outcomes};
use crate::stable_hash::StableHash;
use crate::verdict::Verdict;

/// The name of the file within the output directory.
pub const FILE_NAME: &str = "report.gitlab.json";

/// One entry of the report.
#[derive(Serialize)]
struct Issue {
    description: String,
    check_name: String,
    /// The same for the same issue in a later run.
    fingerprint: String,
    severity: Severity,
    location: Location,
}

#[derive(Serialize)]
#[serde(rename_all = "lowercase")]
enum Severity {
    Info,
    Minor,
    Major,
    Critical,
}

#[derive(Serialize)]
struct Location {
    path: String,
    lines: Lines,
}

#[derive(Serialize)]
struct Lines {
    begin: u32,
}

fn location(prefix: &str, file: &str, line: u32) -> Location {
    Location {
        path: format!("{prefix}{file}"),
        lines: Lines { begin: line.max(1) },
    }
}

/// The whole report. `prefix` leads from the repository's root to the workspace's: empty, or with a slash at its end.
pub fn gitlab(outcomes: &Outcomes, prefix: &str) -> String {
    let failing = outcomes.findings.iter();
    let mut issues: Vec<Issue> = failing
        .filter_map(|finding| failing_test(finding, outcomes, prefix))
        .collect();
    let survived = in_order(outcomes, Verdict::Survived).into_iter();
    issues.extend(survived.map(|record| mutant(record, Severity::Major, prefix)));
    for function in unreached(outcomes) {
        let key = StableHash::default()
            .text(function.file)
            .text(function.function);
        let what = match function.function {
            "" => "this code".to_owned(),
            name => format!("fn {name}"),
        };
        issues.push(Issue {
            description: format!("No test runs {what} ({} mutants)", function.mutants),
            check_name: "atropos/unreached".to_owned(),
            fingerprint: format!("{:016x}", key.finish()),
            severity: Severity::Minor,
            location: location(prefix, function.file, function.line),
        });
    }
    let uninfected = in_order(outcomes, Verdict::Uninfected).into_iter();
    issues.extend(uninfected.map(|record| mutant(record, Severity::Info, prefix)));
    serde_json::to_string_pretty(&issues).expect("texts and numbers are JSON") + "\n"
}

fn mutant(record: &MutantRecord, severity: Severity, prefix: &str) -> Issue {
    let info = &record.info;
    let says = match severity {
        Severity::Info => "This change never made a difference under any test",
        _ => "No test notices this change",
    };
    Issue {
        description: format!("{says}: {}", info.edit_and_operator()),
        check_name: format!("atropos/{}", info.operator.code()),
        fingerprint: info.key.clone(),
        severity,
        location: location(prefix, &info.file, info.line),
    }
}

fn failing_test(finding: &FailingOriginal, outcomes: &Outcomes, prefix: &str) -> Option<Issue> {
    let test = outcomes.tests.get(finding.test);
    let name = test.map_or("a test", |test| &test.name);
    let (file, line) = finding.place()?;
    let key = StableHash::default().text(name).text(&finding.title);
    Some(Issue {
        description: format!(
            "{name} fails under some schedule of its threads: {}",
            finding.title
        ),
        check_name: "atropos/failing-schedule".to_owned(),
        fingerprint: format!("{:016x}", key.finish()),
        severity: Severity::Critical,
        location: location(prefix, file, line),
    })
}
