//! `cargo atropos operators`: the catalogue.

use std::io::Write;

use anyhow::Result;
use atropos_mutants::{Category, Operator, OperatorSelection};
use atropos_report::style::{self, styled};
use serde::Serialize;

use crate::arguments::OperatorsArguments;
use crate::exit_code::ExitCode;
use crate::terminal::Terminal;

/// An operator in the JSON list.
#[derive(Serialize)]
struct Entry {
    code: &'static str,
    category: Category,
    sentence: &'static str,
    example: Example,
    /// Whether a run uses it without being asked to.
    default: bool,
}

#[derive(Serialize)]
struct Example {
    before: &'static str,
    after: &'static str,
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
    if arguments.json {
        serde_json::to_writer_pretty(&mut stdout, &entries)?;
        writeln!(stdout)?;
    } else {
        write!(stdout, "{}", table(&entries, terminal.width()))?;
    }
    stdout.flush()?;
    Ok(ExitCode::Success)
}

/// The operators under their categories: code and sentence, and the example beside or beneath.
fn table(entries: &[Entry], width: usize) -> String {
    let widest = entries.iter().map(|entry| entry.sentence.chars().count());
    let column = 7 + widest.max().unwrap_or_default() + 2;
    let mut text = String::new();
    for category in entries.chunk_by(|left, right| left.category == right.category) {
        let off = if category[0].category.is_default() {
            ""
        } else {
            " (only if asked for, as by `--operators +extended`)"
        };
        let heading = styled(style::HEADING, category[0].category);
        text.push_str(&format!("{heading}{off}\n"));
        for entry in category {
            let code = styled(style::CODE, entry.code);
            let after = match entry.example.after {
                "" => "(nothing)",
                after => after,
            };
            let example = format!("{} → {after}", entry.example.before);
            let sentence = entry.sentence;
            let fits = column + example.chars().count() <= width;
            let example_text = styled(style::FAINT, &example);
            if fits {
                let pad = column - 7 - sentence.chars().count();
                text.push_str(&format!("  {code}  {sentence}{:pad$}{example_text}\n", ""));
            } else {
                text.push_str(&format!("  {code}  {sentence}\n       {example_text}\n"));
            }
        }
        text.push('\n');
    }
    text.pop();
    text
}
