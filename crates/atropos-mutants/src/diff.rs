//! A mutant as a unified diff with three lines of context, as `git apply` and people read it.

use std::fmt::Write as _;

use crate::apply::apply;
use crate::mutant::Mutant;

const CONTEXT: usize = 3;

/// The diff that turns the file's text into the mutant's.
pub fn unified_diff(file: &str, text: &str, mutant: &Mutant) -> String {
    let mutated = apply(text, mutant);
    let old: Vec<&str> = text.split_inclusive('\n').collect();
    let new: Vec<&str> = mutated.split_inclusive('\n').collect();
    let same_before = old.iter().zip(&new).take_while(|(a, b)| a == b).count();
    let same_behind = old[same_before..]
        .iter()
        .rev()
        .zip(new[same_before..].iter().rev())
        .take_while(|(a, b)| a == b)
        .count();
    let start = same_before.saturating_sub(CONTEXT);
    let behind = same_behind.min(CONTEXT);
    let old_end = old.len() - same_behind;
    let new_end = new.len() - same_behind;

    let mut diff = format!("--- a/{file}\n+++ b/{file}\n");
    // Writing to a String can't fail.
    let _ = writeln!(
        diff,
        "@@ -{} +{} @@",
        range(start, old_end + behind),
        range(start, new_end + behind)
    );
    let mut lines = |sign: char, lines: &[&str]| {
        for line in lines {
            diff.push(sign);
            diff.push_str(line);
            if !line.ends_with('\n') {
                diff.push_str("\n\\ No newline at end of file\n");
            }
        }
    };
    lines(' ', &old[start..same_before]);
    lines('-', &old[same_before..old_end]);
    lines('+', &new[same_before..new_end]);
    lines(' ', &old[old_end..old_end + behind]);
    diff
}

/// Lines `start..end`, counted from zero, as a hunk's header names them.
fn range(start: usize, end: usize) -> String {
    match end - start {
        0 => format!("{start},0"),
        1 => format!("{}", start + 1),
        length => format!("{},{length}", start + 1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mutant::{MutantId, Span};
    use crate::operator::Operator;

    fn diff(text: &str, old: &str, new: &str) -> String {
        let start = text.find(old).expect(old);
        let mutant = Mutant {
            id: MutantId(1),
            operator: Operator::Aor,
            span: Span::new(start, start + old.len()),
            replacement: new.to_string(),
            summary: String::new(),
            letter: '.',
            line: 1,
            column: 1,
            needs_exploration: false,
        };
        unified_diff("src/a.rs", text, &mutant)
    }

    #[test]
    fn three_lines_of_context_are_shown() {
        assert_eq!(
            diff("1\n2\n3\n4\na + b\n6\n7\n8\n9\n", "+", "-"),
            "--- a/src/a.rs\n+++ b/src/a.rs\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-a + b\n+a - b\n 6\n 7\n 8\n"
        );
    }

    #[test]
    fn several_lines_may_become_one() {
        assert_eq!(
            diff("{\n  a;\n  b\n}", "a;\n  b", "0"),
            "--- a/src/a.rs\n+++ b/src/a.rs\n@@ -1,4 +1,3 @@\n {\n-  a;\n-  b\n+  0\n }\n\\ No newline at end of file\n"
        );
    }

    #[test]
    fn a_file_of_one_line_has_short_ranges() {
        assert_eq!(
            diff("a + b\n", "+", "-"),
            "--- a/src/a.rs\n+++ b/src/a.rs\n@@ -1 +1 @@\n-a + b\n+a - b\n"
        );
    }
}
