//! A mutant's change as whole lines: those that go, and those that come. Unlike `edit` it looks at
//! the changed lines only, so that thousands of changes of one large file take no more than they are long.

use crate::mutant::MutantInfo;

/// So many lines of either side are shown; of more, the middle is left out.
const MOST_LINES: usize = 14;

/// What a mutant does to the lines of its file, without what all of them are indented by.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Change {
    pub removed: Vec<String>,
    pub added: Vec<String>,
    /// What all of them were indented by, in bytes.
    pub indent: usize,
}

/// The lines that change. Without the text that the mutant was made for, just what it replaces by what.
pub(crate) fn change(info: &MutantInfo, text: Option<&str>) -> Change {
    let whole = text.and_then(|text| whole_lines(info, text));
    let (old, new) = whole.unwrap_or_else(|| (info.original.clone(), info.replacement.clone()));
    let old: Vec<&str> = lines(&old);
    let new: Vec<&str> = lines(&new);
    let before = common(old.iter().zip(&new));
    let (old, new) = (&old[before..], &new[before..]);
    let after = common(old.iter().rev().zip(new.iter().rev()));
    let (old, new) = (&old[..old.len() - after], &new[..new.len() - after]);
    let indent = old.iter().chain(new).map(|line| blanks(line)).min();
    let indent = indent.unwrap_or(0);
    Change {
        removed: shortened(old, indent),
        added: shortened(new, indent),
        indent,
    }
}

/// So many lines are shown before and after the lines that change.
const CONTEXT: usize = 3;

/// The lines around those that a mutant touches, without looking at the rest of the file.
pub(crate) fn context<'t>(info: &MutantInfo, text: &'t str) -> (Vec<&'t str>, Vec<&'t str>) {
    let (start, end) = (info.span.start, info.span.end);
    if text.get(start..end) != Some(&info.original) {
        return (Vec::new(), Vec::new());
    }
    let before = text[..start].rsplit('\n').skip(1).take(CONTEXT);
    let mut before: Vec<&str> = before.map(str::trim_end).collect();
    before.reverse();
    let after = text[end..].split('\n').skip(1).take(CONTEXT);
    (before, after.map(str::trim_end).collect())
}

/// How many blanks a line begins with, in bytes; these are single bytes.
fn blanks(line: &str) -> usize {
    line.len() - line.trim_start_matches([' ', '\t']).len()
}

/// The lines that the span touches, before and after.
fn whole_lines(info: &MutantInfo, text: &str) -> Option<(String, String)> {
    let (start, end) = (info.span.start, info.span.end);
    if text.get(start..end)? != info.original {
        return None;
    }
    let from = text[..start].rfind('\n').map_or(0, |at| at + 1);
    let to = text[end..].find('\n').map_or(text.len(), |at| end + at);
    let new = [&text[from..start], &info.replacement, &text[end..to]].concat();
    Some((text[from..to].to_owned(), new))
}

/// Lines with something in them: what a deletion leaves is an empty line, which says nothing.
fn lines(text: &str) -> Vec<&str> {
    let all = text.split('\n').map(|line| line.trim_end());
    all.filter(|line| !line.is_empty()).collect()
}

fn common<'l>(pairs: impl Iterator<Item = (&'l &'l str, &'l &'l str)>) -> usize {
    pairs.take_while(|(left, right)| left == right).count()
}

fn shortened(lines: &[&str], indent: usize) -> Vec<String> {
    let owned = |lines: &[&str]| lines.iter().map(|line| line[indent..].to_owned()).collect();
    if lines.len() <= MOST_LINES {
        return owned(lines);
    }
    let (head, tail) = (MOST_LINES / 2, MOST_LINES / 2 - 1);
    let left_out = lines.len() - head - tail;
    let mut shown: Vec<String> = owned(&lines[..head]);
    shown.push(format!("… {left_out} more lines …"));
    shown.extend(owned(&lines[lines.len() - tail..]));
    shown
}

/// What two lines share at their beginning and at their end, in bytes.
pub(crate) fn shared(old: &str, new: &str) -> (usize, usize) {
    let same = |(left, right): &(char, char)| left == right;
    let length = |letters: &mut dyn Iterator<Item = (char, char)>| -> usize {
        letters
            .take_while(same)
            .map(|(letter, _)| letter.len_utf8())
            .sum()
    };
    let before = length(&mut old.chars().zip(new.chars()));
    let (old, new) = (&old[before..], &new[before..]);
    let after = length(&mut old.chars().rev().zip(new.chars().rev()));
    (before, after)
}

#[cfg(test)]
mod tests {
    use atropos_mutants::{MutantId, Operator, Span};

    use super::*;

    const TEXT: &str = "fn a() {\r\n    one();\r\n    two(1 + 2);\r\n}";

    fn edit(original: &str, replacement: &str) -> MutantInfo {
        let start = TEXT.find(original).unwrap();
        MutantInfo {
            id: MutantId(1),
            key: String::new(),
            package: String::new(),
            file: String::new(),
            line: 1,
            column: 1,
            span: Span::new(start, start + original.len()),
            function: String::new(),
            operator: Operator::Aor,
            original: original.into(),
            replacement: replacement.into(),
            summary: String::new(),
            needs_exploration: false,
        }
    }

    fn check(original: &str, replacement: &str, removed: &[&str], added: &[&str]) {
        let change = change(&edit(original, replacement), Some(TEXT));
        assert_eq!(change.removed, removed);
        assert_eq!(change.added, added);
    }

    #[test]
    fn only_lines_that_differ_are_shown() {
        check("+", "-", &["two(1 + 2);"], &["two(1 - 2);"]);
        check("one();", "", &["one();"], &[]);
        check(
            "{\r\n    one();\r\n    two(1 + 2);\r\n}",
            "{\n    one();\n    three();\n}",
            &["two(1 + 2);"],
            &["three();"],
        );
        check("", "use b;\n", &[], &["use b;"]);
    }

    #[test]
    fn three_lines_around_a_change_are_its_context() {
        let around = |original: &str| context(&edit(original, ""), TEXT);
        assert_eq!(around("+"), (vec!["fn a() {", "    one();"], vec!["}"]));
        assert_eq!(
            around("fn"),
            (vec![], vec!["    one();", "    two(1 + 2);", "}"])
        );
        assert_eq!(context(&edit("+", ""), "another"), (vec![], vec![]));
    }

    #[test]
    fn without_its_text_a_change_is_what_it_replaces() {
        for text in [None, Some("another"), Some("")] {
            let change = change(&edit("1 + 2", "0"), text);
            assert_eq!(change.removed, ["1 + 2"]);
            assert_eq!(change.added, ["0"]);
        }
    }

    #[test]
    fn a_long_change_is_shown_without_its_middle() {
        let long: Vec<String> = (0..100).map(|line| format!("line {line}")).collect();
        let shown = change(&edit("one();", &long.join("\n")), Some(TEXT)).added;
        assert_eq!(shown.len(), MOST_LINES);
        assert_eq!(shown[7], "… 87 more lines …");
        assert_eq!(shown[13], "line 99");
    }

    #[test]
    fn what_lines_share_is_told_in_bytes() {
        assert_eq!(shared("é + b", "é - b"), (3, 2));
        assert_eq!(shared("aa", "a"), (1, 0));
        assert_eq!(shared("", "a"), (0, 0));
    }
}
