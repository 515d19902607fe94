//! Where the text that a mutant replaces begins and ends, in lines and columns from 1. Nothing here
//! trusts that a text is the one that the mutant was made for.

use crate::lines::Lines;
use crate::mutant::MutantInfo;

/// What columns count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Units {
    /// Characters (code points), as all our own places do.
    Characters,
    /// What programs in JavaScript count.
    Utf16,
}

/// From a line and column up to another, which is the first that does not belong to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Region {
    pub start: (u32, u32),
    pub end: (u32, u32),
}

/// The region of a mutant; without a text that fits, one character where people look for it.
pub(crate) fn region(info: &MutantInfo, lines: Option<&Lines>, units: Units) -> Region {
    let place = |offset| position(lines?, offset, units);
    match (place(info.span.start), place(info.span.end)) {
        (Some(start), Some(end)) if start <= end => Region { start, end },
        _ => where_people_look(info),
    }
}

/// What to mark in a text of many lines: the text that is replaced, or, if that has several lines or begins before the line
/// of the change, one character where people look for it.
pub(crate) fn mark(info: &MutantInfo, lines: Option<&Lines>) -> Region {
    let region = region(info, lines, Units::Characters);
    let Region { start, end } = region;
    match start.0 == end.0 && start.0 == info.line && start.1 < end.1 {
        true => region,
        false => where_people_look(info),
    }
}

fn where_people_look(info: &MutantInfo) -> Region {
    let (line, column) = (info.line.max(1), info.column.max(1));
    Region {
        start: (line, column),
        end: (line, column.saturating_add(1)),
    }
}

fn position(lines: &Lines, offset: usize, units: Units) -> Option<(u32, u32)> {
    let text = lines.text();
    if !text.is_char_boundary(offset) {
        return None;
    }
    let (line, column) = lines.position(offset);
    if units == Units::Characters {
        return Some((line, column));
    }
    let before = lines.line(line)?.chars().take(column as usize - 1);
    let width: usize = before.map(char::len_utf16).sum();
    Some((line, u32::try_from(width + 1).ok()?))
}

#[cfg(test)]
mod tests {
    use atropos_mutants::{MutantId, Operator, Span};

    use super::*;

    fn info(start: usize, end: usize) -> MutantInfo {
        MutantInfo {
            id: MutantId(1),
            key: String::new(),
            package: String::new(),
            file: String::new(),
            line: 7,
            column: 3,
            span: Span { start, end },
            function: String::new(),
            operator: Operator::Aor,
            original: String::new(),
            replacement: String::new(),
            summary: String::new(),
            needs_exploration: false,
        }
    }

    #[test]
    fn columns_are_counted_as_asked() {
        let text = "a\n🦀é + b\n";
        let lines = Lines::of(text);
        let plus = text.find('+').unwrap();
        let of = |units| region(&info(plus, plus + 1), Some(&lines), units);
        let expected = |from, to| Region {
            start: (2, from),
            end: (2, to),
        };
        assert_eq!(of(Units::Characters), expected(4, 5));
        assert_eq!(of(Units::Utf16), expected(5, 6));
    }

    #[test]
    fn only_a_part_of_one_line_is_marked_whole() {
        let text = "\n\n\n\n\n\nfn f() {\n    a();\n}\n";
        let lines = Lines::of(text);
        let of = |part: &str| {
            let start = text.find(part).unwrap();
            mark(&info(start, start + part.len()), Some(&lines))
        };
        let expected = |start, end| Region { start, end };
        assert_eq!(of("fn f"), expected((7, 1), (7, 5)));
        assert_eq!(of("{\n    a();\n}"), expected((7, 3), (7, 4)));
        // The change is looked for in line 7.
        assert_eq!(of("a()"), expected((7, 3), (7, 4)));
    }

    #[test]
    fn a_span_that_is_not_in_the_text_is_where_people_look() {
        let lines = Lines::of("é\n");
        let expected = Region {
            start: (7, 3),
            end: (7, 4),
        };
        for (start, end) in [(0, 1), (1, 2), (0, 100), (50, 60), (2, 0)] {
            let region = region(&info(start, end), Some(&lines), Units::Utf16);
            assert_eq!(region, expected, "{start}..{end}");
        }
        assert_eq!(region(&info(0, 2), None, Units::Characters), expected);
    }
}
