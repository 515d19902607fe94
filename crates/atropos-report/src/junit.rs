//! The run in JUnit's XML, as most CI systems show it: a file is a suite, a mutant a test case. Killed mutants pass,
//! those that no test noticed fail, and those that don't count are skipped.

use std::fmt::Write;

use crate::by_file::{FileView, by_file};
use crate::outcomes::{MutantRecord, Outcomes};
use crate::summary::Sources;
use crate::verdict::Verdict;

/// The name of the file within the output directory.
pub const FILE_NAME: &str = "report.junit.xml";

/// What JUnit calls what became of a mutant.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Result {
    Passed,
    Failed,
    Error,
    Skipped,
}

impl Result {
    fn of(verdict: Option<Verdict>) -> Result {
        match verdict {
            Some(Verdict::Killed(_)) => Result::Passed,
            Some(Verdict::Survived | Verdict::Uninfected | Verdict::Unreached) => Result::Failed,
            Some(Verdict::Undecided) | None => Result::Error,
            Some(Verdict::Unviable | Verdict::NotBuilt | Verdict::Skipped | Verdict::Accepted) => {
                Result::Skipped
            }
        }
    }
}

/// The whole file.
pub fn junit(outcomes: &Outcomes, sources: Sources) -> String {
    let views = by_file(outcomes, sources);
    let all: Vec<&MutantRecord> = outcomes.mutants.iter().collect();
    let mut xml = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n".to_owned();
    let time = outcomes.timings.total;
    writeln!(
        xml,
        "<testsuites name=\"mutants\" {} time=\"{time:.3}\">",
        failing(&all)
    )
    .expect("a string takes everything");
    for view in &views {
        suite(&mut xml, view);
    }
    xml + "</testsuites>\n"
}

fn number(records: &[&MutantRecord], result: Result) -> usize {
    let of_result = records
        .iter()
        .filter(|record| Result::of(record.verdict) == result);
    of_result.count()
}

/// `tests="3" failures="1" errors="0"`. The schema has no number of skipped ones for the whole file.
fn failing(records: &[&MutantRecord]) -> String {
    format!(
        "tests=\"{}\" failures=\"{}\" errors=\"{}\"",
        records.len(),
        number(records, Result::Failed),
        number(records, Result::Error)
    )
}

fn suite(xml: &mut String, view: &FileView) {
    let seconds: f64 = view.records.iter().map(|record| record.seconds).sum();
    writeln!(
        xml,
        "  <testsuite name=\"{}\" {} skipped=\"{}\" time=\"{seconds:.3}\">",
        escaped(view.file),
        failing(&view.records),
        number(&view.records, Result::Skipped)
    )
    .expect("a string takes everything");
    for record in &view.records {
        case(xml, record);
    }
    xml.push_str("  </testsuite>\n");
}

fn case(xml: &mut String, record: &MutantRecord) {
    let info = &record.info;
    let name = format!(
        "{} (line {}, mutant {})",
        info.edit_and_operator(),
        info.line,
        info.id.0
    );
    write!(
        xml,
        "    <testcase name=\"{}\" classname=\"{}\" time=\"{:.3}\"",
        escaped(&name),
        escaped(&info.package),
        record.seconds
    )
    .expect("a string takes everything");
    let tag = match Result::of(record.verdict) {
        Result::Passed => {
            xml.push_str("/>\n");
            return;
        }
        Result::Failed => "failure",
        Result::Error => "error",
        Result::Skipped => "skipped",
    };
    let word = record.verdict.map_or("undecided", Verdict::word);
    let explanation = record
        .verdict
        .map_or("the run did not come to it", Verdict::explanation);
    let kind = match tag {
        // Its schema has no type for it.
        "skipped" => String::new(),
        _ => format!(" type=\"{}\"", escaped(word)),
    };
    writeln!(
        xml,
        "><{tag} message=\"{}\"{kind}>{}</{tag}></testcase>",
        escaped(&format!("{word}: {explanation}")),
        escaped(&details(record))
    )
    .expect("a string takes everything");
}

/// What is known of it, for people.
fn details(record: &MutantRecord) -> String {
    let mut text = record.info.name();
    if let Some(note) = &record.note {
        text += &format!("\n{note}");
    }
    if let Some(impact) = &record.impact {
        text += &format!("\nwhy: {}", impact.reason());
        if let Some(suggestion) = &impact.suggestion {
            text += &format!("\nwrite: {}\n{}", suggestion.words, suggestion.code);
        }
    }
    text.trim_end().to_owned()
}

/// A text that can stand between tags and in quoted attributes. XML has no way to write most control characters.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len() + 16);
    for letter in text.chars() {
        match letter {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\n' => escaped.push_str("&#10;"),
            '\t' => escaped.push_str("&#9;"),
            '\u{fffe}' | '\u{ffff}' => escaped.push('\u{fffd}'),
            letter if letter.is_control() => escaped.push('\u{fffd}'),
            letter => escaped.push(letter),
        }
    }
    escaped
}
