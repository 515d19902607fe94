//! Names that are free in the translated text, and the user's own text with its place kept.
//!
//! While text is put together, a piece that the user wrote is wrapped in marks from Unicode's private area; [`unmark`] takes them out at the
//! end and tells which bytes of the result came from which bytes of the chart. The switches of mutants are marked in the same way.

use crate::charts::chart::{ChartSpan, ChartText};
use std::collections::BTreeSet;

const OPEN: char = '\u{E000}';
const MIDDLE: char = '\u{E001}';
const CLOSE: char = '\u{E002}';
const GATE: char = 'g';
const OURS: char = 'o';

/// What a pair of marks says about the text between them.
enum Mark {
    Origin(ChartSpan),
    Gate(usize),
    Ours,
}

/// Bytes of the translated text that the user wrote, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Origin {
    /// In the translated text.
    pub translated: ChartSpan,
    /// In the chart.
    pub chart: ChartSpan,
}

/// The translated text.
#[derive(Clone, Debug, Default)]
pub struct Translation {
    pub text: String,
    /// What of it the user wrote.
    pub origins: Vec<Origin>,
    /// The switches of mutants: places of `false`, and numbers.
    pub gates: Vec<(ChartSpan, usize)>,
    /// What within the user's text is ours, because it stands for what the user said in other words.
    pub ours: Vec<ChartSpan>,
}

/// The names that are taken.
#[derive(Clone, Debug, Default)]
pub struct ChartScope {
    taken: BTreeSet<String>,
}

impl ChartScope {
    /// Keeps every word of the user's text for the user.
    pub fn reserve(&mut self, text: &str) {
        for word in text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_')) {
            self.taken.insert(word.to_owned());
        }
    }

    /// `wanted` if it is free, else with as many `_` after it as it takes.
    pub fn fresh(&mut self, wanted: &str) -> String {
        let mut name = wanted.to_owned();
        while !self.taken.insert(name.clone()) {
            name.push('_');
        }
        name
    }
}

/// The user's text, marked with its place.
pub fn mark(text: &ChartText) -> String {
    place(&text.text, &text.span)
}

/// A text made from the user's, marked with the place it was made from.
pub fn place(text: &str, span: &ChartSpan) -> String {
    let flat: Vec<&str> = text.split_whitespace().collect();
    format!(
        "{OPEN}{},{}{MIDDLE}{}{CLOSE}",
        span.start,
        span.end,
        flat.join(" ")
    )
}

/// The switch of a mutant: off.
pub fn gate(number: usize) -> String {
    format!("{OPEN}{GATE}{number}{MIDDLE}false{CLOSE}")
}

/// Ours within the user's text.
pub fn ours(text: &str) -> String {
    format!("{OPEN}{OURS}{MIDDLE}{text}{CLOSE}")
}

/// How many characters a reader will see.
pub fn visible_length(marked: &str) -> usize {
    let mut inside_mark = false;
    marked
        .chars()
        .filter(|&c| {
            match c {
                OPEN => inside_mark = true,
                MIDDLE => {
                    inside_mark = false;
                    return false;
                }
                CLOSE => return false,
                _ => {}
            }
            !inside_mark
        })
        .count()
}

/// The text without marks, and what they said.
pub fn unmark(marked: &str) -> Translation {
    let mut out = Translation::default();
    out.text.reserve(marked.len());
    let mut open: Vec<(usize, Mark)> = Vec::new();
    let mut rest = marked;
    while let Some(at) = rest.find([OPEN, CLOSE]) {
        out.text.push_str(&rest[..at]);
        rest = &rest[at..];
        if rest.starts_with(CLOSE) {
            rest = &rest[CLOSE.len_utf8()..];
            let Some((start, mark)) = open.pop() else {
                continue;
            };
            let translated = start..out.text.len();
            match mark {
                // What stands for no place of the chart.
                Mark::Origin(chart) if chart.is_empty() => {}
                Mark::Origin(chart) => out.origins.push(Origin { translated, chart }),
                Mark::Gate(number) => out.gates.push((translated, number)),
                Mark::Ours => out.ours.push(translated),
            }
        } else {
            let middle = rest.find(MIDDLE).unwrap_or(rest.len());
            open.push((out.text.len(), read_mark(&rest[OPEN.len_utf8()..middle])));
            rest = rest.get(middle + MIDDLE.len_utf8()..).unwrap_or("");
        }
    }
    out.text.push_str(rest);
    out
}

fn read_mark(text: &str) -> Mark {
    if let Some(number) = text.strip_prefix(GATE) {
        return Mark::Gate(number.parse().unwrap_or(0));
    }
    if text.starts_with(OURS) {
        return Mark::Ours;
    }
    let (start, end) = text.split_once(',').unwrap_or(("0", "0"));
    Mark::Origin(start.parse().unwrap_or(0)..end.parse().unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_vanish_and_tell_where_the_text_came_from() {
        let marked = format!(
            "requires {}: skip end",
            mark(&ChartText::new("x  >\n 1", 40..47))
        );
        assert_eq!(visible_length(&marked), "requires x > 1: skip end".len());
        let translation = unmark(&marked);
        assert_eq!(translation.text, "requires x > 1: skip end");
        assert_eq!(
            translation.origins,
            [Origin {
                translated: 9..14,
                chart: 40..47
            }]
        );
    }

    #[test]
    fn switches_are_told_from_the_users_text() {
        let guard = ChartText::new(format!("{} and x", gate(7)), 3..9);
        let translation = unmark(&format!("{}{}", mark(&guard), ours("y")));
        assert_eq!(translation.text, "false and xy");
        assert_eq!(translation.gates, [(0..5, 7)]);
        assert_eq!(translation.ours.first(), Some(&(11..12)));
        assert_eq!(translation.origins.len(), 1);
    }

    #[test]
    fn a_taken_name_gets_an_underscore() {
        let mut scope = ChartScope::default();
        scope.reserve("t_Door = {Open}");
        assert_eq!(scope.fresh("t_Door"), "t_Door_");
        assert_eq!(scope.fresh("t_Gate"), "t_Gate");
    }
}
