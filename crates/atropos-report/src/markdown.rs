//! A short summary in Markdown, as GitHub shows it beside a job: the figures, and the most disturbing
//! survivors.

use std::fmt::Write;

use crate::by_file::{in_order, unreached};
use crate::number_text::{count, duration, percent, shortened};
use crate::outcomes::{MutantRecord, Outcomes};
use crate::verdict::Verdict;
use atropos_protocol::FailureKind;

/// How many survivors and functions are shown.
const SHOWN: usize = 10;
/// Characters of a cell.
const WIDTH: usize = 240;

/// The whole summary.
pub fn markdown(outcomes: &Outcomes) -> String {
    let mut text = String::new();
    line(&mut text, "## Mutants");
    line(&mut text, "");
    for finding in &outcomes.findings {
        let test = outcomes.tests.get(finding.test);
        let name = code(test.map_or("a test", |test| &test.name));
        let title = escaped(&finding.title);
        line(
            &mut text,
            &format!(
                "**{name} fails under some schedule of its threads, without any mutant: {title}**\n"
            ),
        );
    }
    for warning in outcomes.warnings.iter().take(SHOWN) {
        line(&mut text, &format!("Warning: {}\n", escaped(warning)));
    }
    line(&mut text, &heading(outcomes));
    line(&mut text, "");
    figures(&mut text, outcomes);
    survivors(&mut text, outcomes);
    functions(&mut text, outcomes);
    text
}

fn line(text: &mut String, line: &str) {
    writeln!(text, "{line}").expect("a string takes everything");
}

fn heading(outcomes: &Outcomes) -> String {
    let totals = &outcomes.totals;
    let mutants = count(totals.mutants, "mutant");
    let score = match outcomes.score_of(totals) {
        Some(score) => format!(
            "**Score: {}**{} ({} of {} killed)",
            percent(score),
            outcomes
                .selected_of
                .map_or_else(String::new, |found| format!(
                    " of the selected mutants, out of {found}"
                )),
            totals.killed,
            totals.killed + totals.missed()
        ),
        None if outcomes.complete && totals.skipped > 0 => {
            "No score: what an earlier run has killed was skipped".to_owned()
        }
        None if outcomes.complete => "No mutant counts in the score".to_owned(),
        None => "**Interrupted**".to_owned(),
    };
    let time = duration(outcomes.timings.total);
    format!("{score}; {mutants} in {time}")
}

fn figures(text: &mut String, outcomes: &Outcomes) {
    let totals = &outcomes.totals;
    line(text, "| verdict | mutants | meaning |\n|---|---:|---|");
    let killed = Verdict::Killed(FailureKind::Failed);
    for verdict in [killed].into_iter().chain(Verdict::UNKILLED) {
        let number = totals.of(verdict);
        if number > 0 || verdict == killed || verdict == Verdict::Survived {
            let (word, meaning) = (verdict.word(), verdict.explanation());
            line(text, &format!("| {word} | {number} | {meaning} |"));
        }
    }
    if totals.untested > 0 {
        let (number, meaning) = (
            totals.untested,
            "the run was interrupted before it came to them",
        );
        line(text, &format!("| untested | {number} | {meaning} |"));
    }
    line(text, "");
}

fn survivors(text: &mut String, outcomes: &Outcomes) {
    let survivors = in_order(outcomes, Verdict::Survived);
    let Some(first) = survivors.first() else {
        return;
    };
    let order = match first.rank {
        Some(_) => ", the most disturbing first",
        None => "",
    };
    line(text, &format!("### Changes that no test noticed{order}\n"));
    line(text, "| place | change | why |\n|---|---|---|");
    for record in survivors.iter().take(SHOWN) {
        line(text, &survivor(record));
    }
    let more = survivors.len().saturating_sub(SHOWN);
    if more > 0 {
        line(text, &format!("\nand {more} more"));
    }
    line(text, "");
}

fn survivor(record: &MutantRecord) -> String {
    let info = &record.info;
    let place = code(&format!("{}:{}", info.file, info.line));
    let change = escaped(&info.edit_and_operator());
    let why = record.impact.as_ref().map(|impact| {
        let written = impact.suggestion.as_ref();
        let written = written.map(|suggestion| format!("; {}", suggestion.words));
        escaped(&(impact.reason() + &written.unwrap_or_default()))
    });
    format!("| {place} | {change} | {} |", why.unwrap_or_default())
}

fn functions(text: &mut String, outcomes: &Outcomes) {
    let functions = unreached(outcomes);
    if functions.is_empty() {
        return;
    }
    line(text, "### Code that no test runs\n");
    for one in functions.iter().take(SHOWN) {
        let place = code(&format!("{}:{}", one.file, one.line));
        let function = match one.function {
            "" => String::new(),
            function => format!("fn {}, ", escaped(function)),
        };
        let mutants = count(one.mutants, "mutant");
        line(text, &format!("- {place}: {function}{mutants}"));
    }
    let more = functions.len().saturating_sub(SHOWN);
    if more > 0 {
        line(text, &format!("\nand {} more", count(more, "function")));
    }
    line(text, "");
}

/// A text on one line in which nothing is markup, but what stands between backticks is code.
fn escaped(text: &str) -> String {
    let text = shortened(text, WIDTH);
    let mut escaped = String::new();
    let mut parts = text.split('`').peekable();
    let mut is_code = false;
    while let Some(part) = parts.next() {
        match (is_code, parts.peek().is_some()) {
            (true, true) if part.trim().is_empty() => escaped += "\\`\\`",
            (true, true) => escaped += &code(part),
            (true, false) => escaped += &format!("\\`{}", plain(part)),
            (false, _) => escaped += &plain(part),
        }
        is_code = !is_code;
    }
    escaped
}

fn plain(text: &str) -> String {
    let mut plain = String::new();
    for letter in text.chars().map(seen) {
        match letter {
            '<' => plain += "&lt;",
            '>' => plain += "&gt;",
            '&' => plain += "&amp;",
            '\\' | '`' | '*' | '_' | '[' | ']' | '|' | '#' | '~' | '!' | '$' | '@' => {
                plain.push('\\');
                plain.push(letter);
            }
            letter => plain.push(letter),
        }
    }
    plain
}

/// What people can't see, or what turns the text around it, is not handed on.
fn seen(letter: char) -> char {
    match letter {
        '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => '\u{fffd}',
        letter if letter.is_control() => '\u{fffd}',
        letter => letter,
    }
}

/// A name as code, in a cell of a table.
fn code(text: &str) -> String {
    let text: String = shortened(text, WIDTH).chars().map(seen).collect();
    format!("`{}`", text.replace('`', "'").replace('|', "\\|"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_text_becomes_markup() {
        assert_eq!(
            escaped("a | b\n<c> & `d` `"),
            "a \\| b &lt;c&gt; &amp; `d` \\`"
        );
        assert_eq!(
            escaped("[x](y) ![z] a*b*_c_"),
            "\\[x\\](y) \\!\\[z\\] a\\*b\\*\\_c\\_"
        );
        assert_eq!(code("a`b|c"), "`a'b\\|c`");
    }
}
