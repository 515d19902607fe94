//! Unified diffs: which lines of which files they add or change. Reads what git and plain `diff -u`
//! write; anything else is an error that names the line of the diff.

use std::collections::BTreeMap;

/// The new side of one file in a diff.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ChangedFile {
    /// As the diff names it, without git's `b/`.
    pub path: String,
    /// The added and changed lines with their text.
    pub lines: BTreeMap<u32, String>,
}

/// What is wrong with a diff.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DiffError {
    #[error("it holds no unified diff (a line that begins with `@@`)")]
    NoDiff,
    #[error("line {line} of it: {problem}")]
    Line { line: usize, problem: &'static str },
}

/// Reads a diff. An empty one is fine and changes nothing.
pub fn parse(diff: &str) -> Result<Vec<ChangedFile>, DiffError> {
    let mut reader = Reader {
        lines: diff.lines().enumerate().peekable(),
        files: Vec::new(),
        saw_header: false,
    };
    reader.read()?;
    if !reader.saw_header && !diff.trim().is_empty() {
        return Err(DiffError::NoDiff);
    }
    Ok(reader.files)
}

struct Reader<'d> {
    lines: std::iter::Peekable<std::iter::Enumerate<std::str::Lines<'d>>>,
    files: Vec<ChangedFile>,
    saw_header: bool,
}

impl Reader<'_> {
    fn read(&mut self) -> Result<(), DiffError> {
        let mut old = None;
        while let Some((index, line)) = self.lines.next() {
            if let Some(name) = line.strip_prefix("--- ") {
                old = Some(file_name(name));
            } else if let (Some(name), Some(old)) = (line.strip_prefix("+++ "), &old) {
                self.saw_header = true;
                self.files.push(ChangedFile {
                    path: without_prefix(&file_name(name), old),
                    lines: BTreeMap::new(),
                });
            } else if line.starts_with("@@@") {
                return Err(at(index, "a combined diff of a merge can't be used"));
            } else if line.starts_with("@@ ") {
                let file = self.files.pop();
                let mut file = file.ok_or_else(|| at(index, "no `+++` line names the file"))?;
                let hunk = hunk_header(line)
                    .ok_or_else(|| at(index, "not of the form `@@ -1,2 +3,4 @@`"))?;
                self.hunk(hunk, &mut file)?;
                self.files.push(file);
            } else if line.starts_with("diff ") || line.starts_with("GIT binary patch") {
                // A file without changed lines (renamed, new mode, binary) is part of a diff too.
                self.saw_header = true;
                old = None;
            }
        }
        Ok(())
    }

    /// Reads as many lines as the header says.
    fn hunk(&mut self, mut hunk: Hunk, file: &mut ChangedFile) -> Result<(), DiffError> {
        let mut is_changed = false;
        while hunk.old_left > 0 || hunk.new_left > 0 {
            let Some((index, line)) = self.lines.next() else {
                return Err(DiffError::Line {
                    line: hunk.line_of_diff(),
                    problem: "the diff ends in the middle of a hunk",
                });
            };
            hunk.last_read = index;
            let cut_short = || {
                at(
                    index,
                    "the hunk before it is not as long as its header says",
                )
            };
            is_changed |= line.starts_with(['+', '-']);
            let mut letters = line.chars();
            match letters.next() {
                Some('+') => {
                    let text = letters.as_str().trim_end_matches('\r').to_owned();
                    file.lines.insert(hunk.next_new, text);
                    hunk.take(Side::New).ok_or_else(cut_short)?;
                }
                Some('-') => hunk.take(Side::Old).ok_or_else(cut_short)?,
                // Some programs strip the space of an empty line.
                Some(' ') | None => {
                    hunk.take(Side::New).ok_or_else(cut_short)?;
                    hunk.take(Side::Old).ok_or_else(cut_short)?;
                }
                Some('\\') => {}
                Some(_) => return Err(cut_short()),
            }
        }
        // `git diff --word-diff` shows changes within lines: read as others, it would change nothing.
        if !is_changed {
            let problem = "no line of the hunk before it is changed; is it a diff of words?";
            return Err(at(hunk.last_read, problem));
        }
        Ok(())
    }
}

#[derive(Clone, Copy)]
enum Side {
    Old,
    New,
}

/// What is still to come of a hunk.
struct Hunk {
    old_left: u32,
    new_left: u32,
    /// The number of the next line of the new file.
    next_new: u32,
    last_read: usize,
}

impl Hunk {
    fn take(&mut self, side: Side) -> Option<()> {
        let left = match side {
            Side::Old => &mut self.old_left,
            Side::New => {
                self.next_new += 1;
                &mut self.new_left
            }
        };
        *left = left.checked_sub(1)?;
        Some(())
    }

    fn line_of_diff(&self) -> usize {
        self.last_read + 1
    }
}

fn at(index: usize, problem: &'static str) -> DiffError {
    DiffError::Line {
        line: index + 1,
        problem,
    }
}

/// `@@ -1,2 +3,4 @@ fn name`
fn hunk_header(line: &str) -> Option<Hunk> {
    let (ranges, _) = line.strip_prefix("@@ -")?.split_once(" @@")?;
    let (old, new) = ranges.split_once(" +")?;
    let (_, old_left) = range(old)?;
    let (next_new, new_left) = range(new)?;
    Some(Hunk {
        old_left,
        new_left,
        next_new,
        last_read: 0,
    })
}

/// `3,4`, or `3` for one line.
fn range(text: &str) -> Option<(u32, u32)> {
    match text.split_once(',') {
        Some((start, count)) => Some((start.parse().ok()?, count.parse().ok()?)),
        None => Some((text.parse().ok()?, 1)),
    }
}

/// The name behind `--- ` or `+++ `: unquoted, and without the date that `diff -u` adds.
fn file_name(text: &str) -> String {
    match text.strip_prefix('"') {
        Some(quoted) => unquoted(quoted),
        None => text
            .split('\t')
            .next()
            .unwrap_or_default()
            .trim_end()
            .to_owned(),
    }
}

/// Git quotes names with unusual bytes as C would.
fn unquoted(quoted: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = quoted.bytes();
    while let Some(byte) = rest.next() {
        match byte {
            b'"' => break,
            b'\\' => match rest.next() {
                Some(b'n') => bytes.push(b'\n'),
                Some(b't') => bytes.push(b'\t'),
                Some(first @ b'0'..=b'3') => {
                    let digits = [Some(first), rest.next(), rest.next()];
                    let value = digits.iter().flatten().fold(0u8, |value, digit| {
                        value.wrapping_mul(8).wrapping_add(digit.wrapping_sub(b'0'))
                    });
                    bytes.push(value);
                }
                Some(other) => bytes.push(other),
                None => break,
            },
            other => bytes.push(other),
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Takes off the first directory where it only tells the new tree from the old one: git's `b/`, or
/// `new/` in a comparison of two directories. The old name tells.
fn without_prefix(new: &str, old: &str) -> String {
    if let (Some((new_tree, path)), Some((old_tree, old_path))) =
        (new.split_once('/'), old.split_once('/'))
    {
        let two_trees = path == old_path && new_tree != old_tree;
        let git_pairs = [("a", "b"), ("i", "w"), ("c", "w"), ("c", "i"), ("o", "w")];
        let is_new_file = old == "/dev/null" && git_pairs.iter().any(|(_, new)| *new == new_tree);
        if two_trees || is_new_file || git_pairs.contains(&(old_tree, new_tree)) {
            return path.to_owned();
        }
    }
    new.strip_prefix("./").unwrap_or(new).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reads the diff and writes `path: line numbers`.
    fn check(diff: &str, expected: &[&str]) {
        let files = parse(diff).expect(diff);
        let found: Vec<String> = files
            .iter()
            .map(|file| {
                let lines: Vec<String> = file.lines.keys().map(u32::to_string).collect();
                format!("{}: {}", file.path, lines.join(" "))
            })
            .collect();
        assert_eq!(found, expected);
    }

    fn check_error(diff: &str, expected: &str) {
        assert_eq!(parse(diff).expect_err(diff).to_string(), expected);
    }

    #[test]
    fn added_and_changed_lines_are_those_with_a_plus() {
        check(
            "diff --git a/src/a.rs b/src/a.rs\nindex 1..2 100644\n--- a/src/a.rs\n+++ b/src/a.rs\n\
             @@ -1,3 +1,4 @@\n x\n-y\n+y2\n+z\n w\n@@ -10 +11,0 @@ fn f\n-gone\n@@ -20,0 +20,1 @@\n+new\n",
            &["src/a.rs: 2 3 20"],
        );
    }

    #[test]
    fn names_come_without_prefix_date_and_quotes() {
        let hunk = "@@ -0,0 +1 @@\n+x\n";
        check(
            &format!("--- /dev/null\n+++ b/src/n.rs\n{hunk}"),
            &["src/n.rs: 1"],
        );
        check(
            &format!("--- src/o.rs.orig\t2024-01-01\n+++ src/o.rs\t2024-01-02 10:00\n{hunk}"),
            &["src/o.rs: 1"],
        );
        check(&format!("--- b/x.rs\n+++ b/x.rs\n{hunk}"), &["b/x.rs: 1"]);
        check(
            &format!("--- a/x.rs\n+++ b/renamed.rs\n{hunk}"),
            &["renamed.rs: 1"],
        );
        check(
            &format!("--- bank.orig/src/x.rs\n+++ bank/src/x.rs\n{hunk}"),
            &["src/x.rs: 1"],
        );
        check(
            &format!("--- \"a/s\\303\\244\\t.rs\"\n+++ \"b/s\\303\\244\\t.rs\"\n{hunk}"),
            &["sä\t.rs: 1"],
        );
        check(&format!("--- i/x.rs\n+++ w/x.rs\n{hunk}"), &["x.rs: 1"]);
    }

    #[test]
    fn lines_that_look_like_headers_inside_a_hunk_are_lines() {
        check(
            "--- a/q.sql\n+++ b/q.sql\n@@ -1,2 +1,2 @@\n--- old comment\n+++ new\n @@ x\n",
            &["q.sql: 1"],
        );
    }

    #[test]
    fn an_empty_diff_and_one_without_lines_change_nothing() {
        check("", &[]);
        check("\n", &[]);
        check(
            "diff --git a/x b/y\nsimilarity index 100%\nrename from x\nrename to y\n",
            &[],
        );
        check(
            "--- a/x.rs\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n",
            &["/dev/null: "],
        );
    }

    #[test]
    fn the_missing_newline_at_the_end_is_no_line() {
        check(
            "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+b\n\\ No newline at end of file\n",
            &["x: 1"],
        );
    }

    #[test]
    fn the_text_of_a_line_is_kept_without_its_end() {
        let files = parse("--- a/x\n+++ b/x\n@@ -0,0 +1 @@\n+let a;\r\n").unwrap();
        assert_eq!(files[0].lines[&1], "let a;");
    }

    #[test]
    fn a_broken_diff_is_answered_with_its_line() {
        check_error(
            "--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n a\n let [-b-]{+c+};\n",
            "line 5 of it: no line of the hunk before it is changed; is it a diff of words?",
        );
        check_error(
            "hello\nworld\n",
            "it holds no unified diff (a line that begins with `@@`)",
        );
        check_error(
            "@@ -1 +1 @@\n+a\n",
            "line 1 of it: no `+++` line names the file",
        );
        check_error(
            "--- a/x\n+++ b/x\n@@ one two @@\n",
            "line 3 of it: not of the form `@@ -1,2 +3,4 @@`",
        );
        check_error(
            "--- a/x\n+++ b/x\n@@ -1,3 +1,3 @@\n a\n+b\n",
            "line 5 of it: the diff ends in the middle of a hunk",
        );
        check_error(
            "--- a/x\n+++ b/x\n@@ -1,3 +1,3 @@\n a\nnonsense\n",
            "line 5 of it: the hunk before it is not as long as its header says",
        );
        check_error(
            "--- a/x\n+++ b/x\n@@ -0,0 +1 @@\n-b\n",
            "line 4 of it: the hunk before it is not as long as its header says",
        );
        check_error(
            "diff --cc x\n--- a/x\n+++ b/x\n@@@ -1,1 -1,1 +1,1 @@@\n",
            "line 4 of it: a combined diff of a merge can't be used",
        );
    }
}
