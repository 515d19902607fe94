//! Where code of a mutant stands in the source. Some mutants are copies of the block around them, and woven into the
//! last line of it; what such a copy does is told as if it were done there. So the line is looked for in the source:
//! where the same call stands among the same text.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fs;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use anyhow::Result;
use atropos_report::mutant::MutantInfo;

use crate::build::instructions::BuildInstructions;

/// How much text around a call is compared.
const CONTEXT: usize = 200;

/// The woven and the original files of a build.
pub struct CopiedBlocks {
    /// The roots of the woven trees, one for each unit.
    shadows: Vec<PathBuf>,
    root: PathBuf,
    texts: RefCell<BTreeMap<PathBuf, Option<Rc<str>>>>,
}

impl CopiedBlocks {
    /// Of the build in a directory, for a workspace.
    pub fn of(build: &Path, root: &Path) -> Result<CopiedBlocks> {
        let instructions = BuildInstructions::read(build)?;
        let within = root.strip_prefix(&instructions.mirrored).unwrap_or(root);
        let entries = fs::read_dir(instructions.shadows()).into_iter().flatten();
        let shadows = entries.flatten().map(|entry| entry.path().join(within));
        let mut shadows: Vec<PathBuf> = shadows.collect();
        shadows.sort();
        Ok(CopiedBlocks {
            shadows,
            root: root.to_owned(),
            texts: RefCell::default(),
        })
    }

    /// The line of the source from which the code at a place of a woven file comes: the line given, or one before it in
    /// the function around a mutant. What stands nowhere there is the mutant itself.
    pub fn line(&self, mutant: &MutantInfo, file: &str, line: u32, column: u32) -> u32 {
        let is_inside = file == mutant.file && line >= mutant.line;
        let Some(source) = self.text(&self.root.join(file)).filter(|_| is_inside) else {
            return line;
        };
        let woven = self.shadows.iter();
        let mut woven = woven.filter_map(|shadow| self.text(&shadow.join(file)));
        let Some(position) = woven.find_map(|woven| Position::find(&woven, line, column)) else {
            return line;
        };
        let lines = match position.is_within(&mutant.replacement) {
            // What is replaced may have the call, too, and only moves it.
            true => mutant.line..=mutant.line + mutant.original.matches('\n').count() as u32,
            false => {
                let function = mutant.function.rsplit("::").next().unwrap_or_default();
                first_line(&source, function, mutant.line)..=line
            }
        };
        position.line_in(&source, lines).unwrap_or(mutant.line)
    }

    fn text(&self, path: &Path) -> Option<Rc<str>> {
        let mut texts = self.texts.borrow_mut();
        let known = texts.entry(path.to_owned());
        let read = || fs::read_to_string(path).ok().map(Rc::from);
        known.or_insert_with(read).clone()
    }
}

/// The line above another where a function begins.
fn first_line(source: &str, function: &str, line: u32) -> u32 {
    let head = format!("fn {function}");
    let lines = (1..=line).zip(source.lines());
    let heads = lines.filter(|(_, text)| text.contains(&head));
    heads.last().map_or(1, |(number, _)| number)
}

/// A call, and the text around it without its blanks.
struct Position {
    name: String,
    /// Backwards.
    before: Vec<char>,
    after: Vec<char>,
}

impl Position {
    /// The call at a place; none if no name stands there.
    fn find(text: &str, line: u32, column: u32) -> Option<Position> {
        let text = text.lines().nth((line as usize).checked_sub(1)?)?;
        let column = (column as usize).checked_sub(1)?;
        let (start, _) = text.char_indices().nth(column)?;
        Position::at(text, start)
    }

    fn at(text: &str, start: usize) -> Option<Position> {
        let is_part = |letter: &char| letter.is_alphanumeric() || *letter == '_';
        let name: String = text[start..].chars().take_while(is_part).collect();
        let is_ink = |letter: &char| !letter.is_whitespace();
        let before = text[..start].chars().rev().filter(is_ink);
        let after = text[start..].chars().filter(is_ink);
        (!name.is_empty()).then(|| Position {
            name,
            before: before.take(CONTEXT).collect(),
            after: after.take(CONTEXT).collect(),
        })
    }

    /// Whether the call is part of a text, which stands around it.
    fn is_within(&self, text: &str) -> bool {
        let text: Vec<char> = text
            .chars()
            .filter(|letter| !letter.is_whitespace())
            .collect();
        (0..text.len()).any(|at| {
            let (before, after) = text.split_at(at);
            self.after.starts_with(&after[..after.len().min(CONTEXT)])
                && before
                    .iter()
                    .rev()
                    .take(CONTEXT)
                    .eq(self.before.iter().take(at))
        })
    }

    /// Of some lines the one where most of the text around is the same; the last of several.
    fn line_in(&self, source: &str, lines: RangeInclusive<u32>) -> Option<u32> {
        let mut best: Option<(usize, u32)> = None;
        let mut offset = 0;
        for (number, text) in (1..=*lines.end()).zip(source.split_inclusive('\n')) {
            let calls = text.match_indices(&self.name);
            for (at, _) in calls.filter(|_| lines.contains(&number)) {
                let Some(found) = Position::at(source, offset + at) else {
                    continue;
                };
                if found.name != self.name {
                    continue;
                }
                let same = |one: &[char], other: &[char]| {
                    let pairs = one.iter().zip(other);
                    pairs.take_while(|(one, other)| one == other).count()
                };
                let alike = same(&self.before, &found.before) + same(&self.after, &found.after);
                if best.is_none_or(|(most, _)| alike >= most) {
                    best = Some((alike, number));
                }
            }
            offset += text.len();
        }
        best.map(|(_, line)| line)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOURCE: &str = "fn f(&self) {\n    let a = self.a.lock();\n    let b = self.b.lock();\n    \
                          b.push(1); // one\n    a.push(2);\n}\n";

    fn check(line: &str, call: &str, expected: Option<u32>) {
        let column = line.find(call).unwrap();
        let position = Position::at(line, column).unwrap();
        assert_eq!(
            position.line_in(SOURCE, 1..=6),
            expected,
            "{call} in {line}"
        );
    }

    #[test]
    fn code_in_a_copy_is_found_where_it_stands_in_the_source() {
        let copy =
            "} 2 => { let b = self.b.lock(); let a = self.a.lock(); b.push(1); a.push(2); } }";
        check(copy, "lock(); let a", Some(3));
        check(copy, "lock(); b", Some(2));
        let copy = "2 => { let a = self.a.lock(); a.push(2); let b = self.b.lock(); b.push(1); }";
        check(copy, "lock(); a", Some(2));
        check(copy, "push(1)", Some(4));
    }

    #[test]
    fn code_that_only_a_mutant_has_is_nowhere() {
        check("2 => self.a.try_lock()", "try_lock", None);
    }

    #[test]
    fn other_functions_are_not_looked_at() {
        let source = "fn e() {\n    self.a.lock();\n}\nfn f() {\n    g();\n}\n";
        let position = Position::at("self.a.lock()", 7).unwrap();
        let first = first_line(source, "f", 5);
        assert_eq!(first, 4);
        assert_eq!(position.line_in(source, first..=6), None);
        assert_eq!(position.line_in(source, 1..=6), Some(2));
    }

    #[test]
    fn what_a_mutant_puts_in_is_told_from_what_it_copies() {
        let copy = "2 => { let a = self.a.lock(); f(); drop(a); let a = self.a.lock(); g(); }";
        let replacement = "drop(a); let a = self.a.lock();\n    g();";
        let at = |call: &str| Position::at(copy, copy.find(call).unwrap()).unwrap();
        assert!(at("lock(); g").is_within(replacement));
        assert!(!at("lock(); f").is_within(replacement));
        assert!(!at("f()").is_within("1"));
    }

    #[test]
    fn what_is_where_it_was_stays_there() {
        check("    let a = self.a.lock();", "lock", Some(2));
    }
}
