//! A mutant as a unified diff, for people and for `patch`.

use std::fmt::Write;

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
    let old: Vec<&str> = text.split_inclusive('\n').collect();
    let new: Vec<&str> = mutated.split_inclusive('\n').collect();
    let same_before = common(old.iter().zip(&new));
    let same_after = common(
        old[same_before..]
            .iter()
            .rev()
            .zip(new[same_before..].iter().rev()),
    );
    let start = same_before.saturating_sub(CONTEXT);
    let after = same_after.min(CONTEXT);
    let changed_old = &old[same_before..old.len() - same_after];
    let changed_new = &new[same_before..new.len() - same_after];
    let before = same_before - start;
    let mut diff = String::new();
    let heading = format!(
        "--- {file}\n+++ {file} (mutant {id})\n",
        file = info.file,
        id = info.id.0
    );
    push_styled(&mut diff, style::HEADING, &heading);
    let hunk = format!(
        "@@ -{} +{} @@\n",
        range(start, before + changed_old.len() + after),
        range(start, before + changed_new.len() + after)
    );
    push_styled(&mut diff, style::HUNK, &hunk);
    for line in &old[start..same_before] {
        push_line(&mut diff, anstyle::Style::new(), ' ', line);
    }
    for line in changed_old {
        push_line(&mut diff, style::REMOVED, '-', line);
    }
    for line in changed_new {
        push_line(&mut diff, style::ADDED, '+', line);
    }
    for line in &old[old.len() - same_after..old.len() - same_after + after] {
        push_line(&mut diff, anstyle::Style::new(), ' ', line);
    }
    Some(diff)
}

fn common<'l>(pairs: impl Iterator<Item = (&'l &'l str, &'l &'l str)>) -> usize {
    pairs.take_while(|(left, right)| left == right).count()
}

/// A hunk's range; an empty one stands behind the line before it.
fn range(start: usize, count: usize) -> String {
    let first = if count == 0 { start } else { start + 1 };
    match count {
        1 => first.to_string(),
        count => format!("{first},{count}"),
    }
}

fn push_styled(diff: &mut String, style: anstyle::Style, text: &str) {
    for line in text.lines() {
        writeln!(diff, "{}", styled(style, line)).expect("a string takes everything");
    }
}

fn push_line(diff: &mut String, style: anstyle::Style, sign: char, line: &str) {
    let text = line.strip_suffix('\n').unwrap_or(line);
    writeln!(diff, "{style}{sign}{text}{style:#}").expect("a string takes everything");
    if !line.ends_with('\n') {
        diff.push_str("\\ No newline at end of file\n");
    }
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
    fn another_text_has_no_diff() {
        assert_eq!(unified_diff(&edit("x + y", "x - y"), "fn other() {}"), None);
        let moved = format!("\n{TEXT}");
        assert_eq!(unified_diff(&edit("x + y", "x - y"), &moved), None);
    }
}
