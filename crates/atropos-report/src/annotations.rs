//! Annotations for GitHub Actions: lines that its runner takes out of the log and shows at the places
//! that they name. The runner shows ten warnings of a step, so these are the lines of the most disturbing survivors.

use std::collections::HashMap;
use std::fmt::Write;

use crate::by_file::in_order;
use crate::number_text::count;
use crate::outcomes::{FailingOriginal, MutantRecord, Outcomes};
use crate::verdict::Verdict;

/// More of one kind are not shown for one step.
pub const MOST: usize = 10;

/// All lines: errors for tests that fail without any mutant, warnings for survivors, and a notice of what is
/// not among them. `prefix` leads from the repository's root to the workspace's: empty, or with a slash at its end.
pub fn annotations(outcomes: &Outcomes, prefix: &str) -> String {
    let mut text = String::new();
    for finding in outcomes.findings.iter().take(MOST) {
        text += &failing(finding, outcomes, prefix);
    }
    let lines = by_line(&in_order(outcomes, Verdict::Survived));
    for line in lines.iter().take(MOST) {
        text += &survivors(line, prefix);
    }
    if lines.len() > MOST {
        let which = match lines[0][0].rank {
            Some(_) => "the most disturbing ones",
            None => "the first ones",
        };
        let message = format!(
            "{MOST} of {} with survivors annotated: {which}; the report has all of them",
            count(lines.len(), "line")
        );
        let title = property("Mutants that no test noticed");
        writeln!(text, "::notice title={title}::{}", data(&message))
            .expect("a string takes everything");
    }
    text
}

/// The survivors of each line, in the order of the first of them: a line is annotated once.
fn by_line<'o>(survivors: &[&'o MutantRecord]) -> Vec<Vec<&'o MutantRecord>> {
    let mut lines: Vec<Vec<&MutantRecord>> = Vec::new();
    let mut places: HashMap<(&str, u32), usize> = HashMap::new();
    for record in survivors {
        let key = (record.info.file.as_str(), record.info.line);
        let place = *places.entry(key).or_insert(lines.len());
        match lines.get_mut(place) {
            Some(line) => line.push(record),
            None => lines.push(vec![record]),
        }
    }
    lines
}

/// What no test notices on one line: all changes, and why and what to write of the first.
fn survivors(records: &[&MutantRecord], prefix: &str) -> String {
    let info = &records[0].info;
    let change = |record: &MutantRecord| {
        let info = &record.info;
        format!("{} (mutant {})", info.edit_and_operator(), info.id.0)
    };
    let (title, mut message) = match records {
        [record] => (
            "Mutant survived".to_owned(),
            format!("no test notices this change: {}", change(record)),
        ),
        records => {
            let changes: String = records
                .iter()
                .map(|record| format!("\n- {}", change(record)))
                .collect();
            (
                format!("{} mutants survived", records.len()),
                format!("no test notices any of these changes:{changes}"),
            )
        }
    };
    if let Some(impact) = &records[0].impact {
        message += &format!("\nwhy: {}", impact.reason());
        if let Some(suggestion) = &impact.suggestion {
            message += &format!("\nwrite: {}", suggestion.words);
            if !suggestion.code.is_empty() {
                message += &format!("\n{}", suggestion.code.trim_end());
            }
        }
    }
    let file = property(&format!("{prefix}{}", info.file));
    let (line, column) = (info.line, info.column);
    let title = property(&title);
    let message = data(&message);
    format!("::warning file={file},line={line},col={column},title={title}::{message}\n")
}

fn failing(finding: &FailingOriginal, outcomes: &Outcomes, prefix: &str) -> String {
    let name = outcomes
        .tests
        .get(finding.test)
        .map_or("a test", |test| &test.name);
    let title = property(&format!("{name} fails under some schedule"));
    let mut message = format!("without any mutant: {}", finding.message.trim_end());
    if let Some(schedule) = &finding.schedule {
        message += &format!("\nschedule {schedule}");
    }
    let place = finding.place();
    let place = place.map(|(file, line)| {
        let file = property(&format!("{prefix}{file}"));
        format!("file={file},line={line},")
    });
    let place = place.unwrap_or_default();
    format!("::error {place}title={title}::{}\n", data(&message))
}

/// The text behind the second colons: it ends with its line.
fn data(text: &str) -> String {
    let text = text.replace('%', "%25");
    text.replace('\r', "%0D").replace('\n', "%0A")
}

/// A value before them.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_would_end_a_command_or_a_value_is_escaped() {
        assert_eq!(data("50 %\r\n::error::x"), "50 %25%0D%0A::error::x");
        assert_eq!(property("a: b, c\n%"), "a%3A b%2C c%0A%25");
    }
}
