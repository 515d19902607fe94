//! A mutant as a unified diff, for people and for `patch`.

use similar::TextDiff;

use crate::mutant::MutantInfo;
use crate::style::{self, styled};

/// How many unchanged lines stand around the change.
const CONTEXT: usize = 3;

/// The text after the mutant's change, or nothing if the text is not the one it was made for.
pub fn mutated(info: &MutantInfo, text: &str) -> Option<String> {
    let (start, end) = (info.span.start, info.span.end);
    if text.get(start..end)? != info.original {
        return None;
    }
    Some([&text[..start], &info.replacement, &text[end..]].concat())
}

/// The change as a diff with colours, or nothing if the text is not the one it was made for.
pub fn unified_diff(info: &MutantInfo, text: &str) -> Option<String> {
    let mutated = mutated(info, text)?;
    let file = &info.file;
    let name = format!("{file} (mutant {})", info.id.0);
    let diff = TextDiff::from_lines(text, &mutated)
        .unified_diff()
        .context_radius(CONTEXT)
        .header(file, &name)
        .to_string();
    Some(diff.lines().enumerate().map(coloured).collect())
}

/// What makes one text of a file another, as a diff with colours that `patch` and `git apply` take. `heading` says what
/// stands behind the `@@` of a part, by the lines of the old text in it.
pub fn diff_of_texts(
    file: &str,
    old: &str,
    new: &str,
    heading: &dyn Fn(std::ops::RangeInclusive<u32>) -> String,
) -> String {
    let diff = TextDiff::from_lines(old, new);
    let mut text = format!("--- a/{file}\n+++ b/{file}\n");
    for part in diff.grouped_ops(CONTEXT) {
        let (Some(first), Some(last)) = (part.first(), part.last()) else {
            continue;
        };
        let (start, end) = (first.old_range().start, last.old_range().end);
        let (new_start, new_end) = (first.new_range().start, last.new_range().end);
        let lines = start as u32 + 1..=end as u32;
        text.push_str(&format!(
            "@@ -{},{} +{},{} @@ {}\n",
            start + 1,
            end - start,
            new_start + 1,
            new_end - new_start,
            heading(lines)
        ));
        for change in part.iter().flat_map(|op| diff.iter_changes(op)) {
            text.push_str(&format!("{}{}", change.tag(), change.value()));
            if change.missing_newline() {
                text.push_str("\n\\ No newline at end of file\n");
            }
        }
    }
    text.lines().enumerate().map(coloured).collect()
}

/// A line of the diff.
fn coloured((index, line): (usize, &str)) -> String {
    let style = match line.chars().next() {
        _ if index < 2 => style::HEADING,
        Some('@') => style::HUNK,
        Some('-') => style::REMOVED,
        Some('+') => style::ADDED,
        _ => return format!("{line}\n"),
    };
    styled(style, line) + "\n"
}

#[cfg(test)]
mod tests {
    use anstream::adapter::strip_str;
    use atropos_mutants::{MutantId, Operator, Span};

    use super::*;
    use crate::lines::Lines;

    const TEXT: &str = "fn a() -> i32 {\n    let x = 1;\n    let y = 2;\n    x + y\n}\n\nfn b() {}";

    fn edit(original: &str, replacement: &str) -> MutantInfo {
        let start = TEXT.find(original).unwrap();
        let (line, column) = Lines::of(TEXT).position(start);
        MutantInfo {
            id: MutantId(7),
            key: String::new(),
            package: "p".into(),
            file: "src/a.rs".into(),
            line,
            column,
            span: Span::new(start, start + original.len()),
            function: "a".into(),
            operator: Operator::Aor,
            original: original.into(),
            replacement: replacement.into(),
            summary: String::new(),
            needs_exploration: false,
        }
    }

    fn check(original: &str, replacement: &str, expected: &str) {
        let diff = unified_diff(&edit(original, replacement), TEXT).unwrap();
        let heading = "--- src/a.rs\n+++ src/a.rs (mutant 7)\n";
        assert_eq!(strip_str(&diff).to_string(), format!("{heading}{expected}"));
    }

    #[test]
    fn one_line_changes_with_three_lines_around_it() {
        check(
            "x + y",
            "x - y",
            "@@ -1,7 +1,7 @@\n fn a() -> i32 {\n     let x = 1;\n     let y = 2;\n-    x + y\n+    x - y\n }\n \n fn b() {}\n\\ No newline at end of file\n",
        );
    }

    #[test]
    fn several_lines_give_way_to_one() {
        check(
            "let x = 1;\n    let y = 2;\n    x + y",
            "0",
            "@@ -1,7 +1,5 @@\n fn a() -> i32 {\n-    let x = 1;\n-    let y = 2;\n-    x + y\n+    0\n }\n \n fn b() {}\n\\ No newline at end of file\n",
        );
    }

    #[test]
    fn the_last_line_may_lack_its_end() {
        check(
            "fn b() {}",
            "fn b() { 1 }",
            "@@ -4,4 +4,4 @@\n     x + y\n }\n \n-fn b() {}\n\\ No newline at end of file\n+fn b() { 1 }\n\\ No newline at end of file\n",
        );
    }

    #[test]
    fn texts_differ_in_parts_that_have_headings() {
        let new = TEXT.replace(
            "    let y = 2;\n",
            "    let y = 2;\n    assert_eq!(y, 2);\n",
        );
        let heading = |lines: std::ops::RangeInclusive<u32>| format!("lines {lines:?}");
        let diff = diff_of_texts("src/a.rs", TEXT, &new, &heading);
        assert_eq!(
            strip_str(&diff).to_string(),
            "--- a/src/a.rs\n+++ b/src/a.rs\n@@ -1,6 +1,7 @@ lines 1..=6\n fn a() -> i32 {\n     let x = 1;\n     \
             let y = 2;\n+    assert_eq!(y, 2);\n     x + y\n }\n \n"
        );
    }

    #[test]
    fn another_text_has_no_diff() {
        assert_eq!(unified_diff(&edit("x + y", "x - y"), "fn other() {}"), None);
        let moved = format!("\n{TEXT}");
        assert_eq!(unified_diff(&edit("x + y", "x - y"), &moved), None);
    }
}
