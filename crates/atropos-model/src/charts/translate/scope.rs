//! Names that are free in the translated text, and the user's own text with its place kept.
//!
//! While text is put together, a piece that the user wrote is wrapped in marks from Unicode's private area; [`unmark`] takes them out at the
//! end and tells which bytes of the result came from which bytes of the chart.

use crate::charts::chart::{Span, Text};
use std::collections::BTreeSet;

const OPEN: char = '\u{E000}';
const MIDDLE: char = '\u{E001}';
const CLOSE: char = '\u{E002}';

/// Bytes of the translated text that the user wrote, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Origin {
    /// In the translated text.
    pub translated: Span,
    /// In the chart.
    pub chart: Span,
}

/// The names that are taken.
#[derive(Clone, Debug, Default)]
pub struct Scope {
    taken: BTreeSet<String>,
}

impl Scope {
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
pub fn mark(text: &Text) -> String {
    place(&text.text, &text.span)
}

/// A text made from the user's, marked with the place it was made from.
pub fn place(text: &str, span: &Span) -> String {
    let flat: Vec<&str> = text.split_whitespace().collect();
    format!(
        "{OPEN}{},{}{MIDDLE}{}{CLOSE}",
        span.start,
        span.end,
        flat.join(" ")
    )
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

/// The text without marks, and where its pieces came from.
pub fn unmark(marked: &str) -> (String, Vec<Origin>) {
    let mut text = String::with_capacity(marked.len());
    let mut origins = Vec::new();
    let mut open: Vec<(usize, Span)> = Vec::new();
    let mut rest = marked;
    while let Some(at) = rest.find([OPEN, CLOSE]) {
        text.push_str(&rest[..at]);
        rest = &rest[at..];
        if rest.starts_with(CLOSE) {
            rest = &rest[CLOSE.len_utf8()..];
            if let Some((start, chart)) = open.pop() {
                let translated = start..text.len();
                origins.push(Origin { translated, chart });
            }
        } else {
            let middle = rest.find(MIDDLE).unwrap_or(rest.len());
            let numbers = &rest[OPEN.len_utf8()..middle];
            let (start, end) = numbers.split_once(',').unwrap_or(("0", "0"));
            let span = start.parse().unwrap_or(0)..end.parse().unwrap_or(0);
            open.push((text.len(), span));
            rest = rest.get(middle + MIDDLE.len_utf8()..).unwrap_or("");
        }
    }
    text.push_str(rest);
    (text, origins)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_vanish_and_tell_where_the_text_came_from() {
        let marked = format!(
            "requires {}: skip end",
            mark(&Text::new("x  >\n 1", 40..47))
        );
        assert_eq!(visible_length(&marked), "requires x > 1: skip end".len());
        let (text, origins) = unmark(&marked);
        assert_eq!(text, "requires x > 1: skip end");
        assert_eq!(
            origins,
            [Origin {
                translated: 9..14,
                chart: 40..47
            }]
        );
    }

    #[test]
    fn a_taken_name_gets_an_underscore() {
        let mut scope = Scope::default();
        scope.reserve("t_Door = {Open}");
        assert_eq!(scope.fresh("t_Door"), "t_Door_");
        assert_eq!(scope.fresh("t_Gate"), "t_Gate");
    }
}
