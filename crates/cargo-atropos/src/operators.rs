//! `cargo atropos operators`: the catalogue.

use std::fmt;
use std::io::Write;

use anyhow::Result;
use atropos_mutants::{BugPattern, Category, Operator, OperatorSelection};
use atropos_report::style::{self, styled};
use serde::Serialize;

use crate::arguments::OperatorsArguments;
use crate::exit_code::ExitCode;
use crate::terminal::Terminal;

/// Where the sentences begin: two spaces, a code of up to four letters, two spaces.
const INDENT: usize = 8;

/// An operator in the JSON list.
#[derive(Serialize)]
struct Entry {
    code: &'static str,
    category: Category,
    sentence: &'static str,
    example: Example,
    /// Whether a run uses it without being asked to.
    default: bool,
    /// The patterns of mistakes that it stands for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    patterns: Vec<&'static str>,
}

/// A pattern in the JSON list.
#[derive(Serialize)]
struct PatternEntry {
    pattern: &'static str,
    operators: Vec<&'static str>,
}

#[derive(Serialize)]
struct Example {
    before: &'static str,
    after: &'static str,
}

impl fmt::Display for Example {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let after = match self.after {
            "" => "(nothing)",
            after => after,
        };
        write!(formatter, "{} → {after}", self.before)
    }
}

impl From<Operator> for Entry {
    fn from(operator: Operator) -> Entry {
        let (before, after) = operator.example();
        Entry {
            code: operator.code(),
            category: operator.category(),
            sentence: operator.sentence(),
            example: Example { before, after },
            default: OperatorSelection::default().contains(operator),
            patterns: operator.patterns().iter().map(|p| p.name()).collect(),
        }
    }
}

pub fn operators(arguments: &OperatorsArguments) -> Result<ExitCode> {
    let selection = if arguments.which.is_empty() {
        OperatorSelection::all()
    } else {
        OperatorSelection::parse(&arguments.which)?
    };
    let entries: Vec<Entry> = selection.iter().map(Entry::from).collect();
    let terminal = Terminal::new(arguments.colors);
    let mut stdout = terminal.stdout();
    if arguments.patterns {
        let patterns = patterns(&selection);
        if arguments.json {
            serde_json::to_writer_pretty(&mut stdout, &patterns)?;
            writeln!(stdout)?;
        } else {
            write!(stdout, "{}", pattern_table(&patterns))?;
        }
    } else if arguments.json {
        serde_json::to_writer_pretty(&mut stdout, &entries)?;
        writeln!(stdout)?;
    } else {
        write!(stdout, "{}", table(&entries, terminal.width()))?;
    }
    stdout.flush()?;
    Ok(ExitCode::Success)
}

/// Every pattern, with those of its operators that were asked for.
fn patterns(selection: &OperatorSelection) -> Vec<PatternEntry> {
    let entry = |pattern: BugPattern| PatternEntry {
        pattern: pattern.name(),
        operators: pattern
            .operators()
            .filter(|operator| selection.contains(*operator))
            .map(Operator::code)
            .collect(),
    };
    BugPattern::ALL.into_iter().map(entry).collect()
}

/// A row for each pattern; a dash where no operator stands for it.
fn pattern_table(patterns: &[PatternEntry]) -> String {
    let columns = |text: &str| text.chars().count();
    let names = patterns.iter().map(|entry| columns(entry.pattern));
    let pad = names.max().unwrap_or_default() + 2;
    let row = |entry: &PatternEntry| {
        let codes = match entry.operators.as_slice() {
            [] => "–".to_string(),
            codes => codes.join(", "),
        };
        format!("{:pad$}{}\n", entry.pattern, styled(style::CODE, codes))
    };
    patterns.iter().map(row).collect()
}

/// The operators under their categories: code and sentence, and the example beside it, or beneath
/// where the terminal is too narrow.
fn table(entries: &[Entry], width: usize) -> String {
    let columns = |text: &str| text.chars().count();
    let sentences = entries.iter().map(|entry| columns(entry.sentence));
    let examples = entries
        .iter()
        .map(|entry| columns(&entry.example.to_string()));
    let pad = sentences.max().unwrap_or_default() + 2;
    let is_wide = INDENT + pad + examples.max().unwrap_or_default() <= width;
    let mut text = String::new();
    for entries in entries.chunk_by(|left, right| left.category == right.category) {
        let category = entries[0].category;
        let off = if category.is_default() {
            String::new()
        } else {
            format!(" (only if asked for, as by `--operators +{category}`)")
        };
        text.push_str(&format!("{}{off}\n", styled(style::HEADING, category)));
        for entry in entries {
            let code = styled(style::CODE, format!("{:4}", entry.code));
            let sentence = entry.sentence;
            let example = styled(style::FAINT, &entry.example);
            if is_wide {
                text.push_str(&format!("  {code}  {sentence:pad$}{example}\n"));
            } else {
                text.push_str(&format!("  {code}  {sentence}\n{:INDENT$}{example}\n", ""));
            }
        }
        text.push('\n');
    }
    text.pop();
    text
}
