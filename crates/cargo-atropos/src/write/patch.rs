//! From proven assertions to the new texts of files, and to a diff of them.
//!
//! A file that rustfmt left as it was is formatted again with what is new; any other keeps its form.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result};
use atropos_mutants::Edition;
use atropos_mutants::mutant::Span;
use atropos_report::edit::diff_of_texts;
use atropos_report::lines::Lines;

use super::capturing::TextsOfFiles;
use crate::plan::Plan;

/// A piece of the patch: one assertion.
#[derive(Clone, Debug)]
pub struct PatchHunk {
    /// As the plan names it.
    pub file: String,
    /// What it replaces there; mostly nothing.
    pub place: Span,
    pub text: String,
    /// The assertion alone.
    pub assertion: String,
    /// The test or helper that it stands in.
    pub function: String,
    /// Names of the survivors that it kills, each with its number in the last run.
    pub kills: Vec<(u32, String)>,
    /// How many new tests it is; 0 for an assertion in an existing one.
    pub tests: usize,
    /// What a reader should know of it.
    pub remarks: Vec<String>,
}

impl PatchHunk {
    /// The line that it stands at.
    pub fn line(&self, text: &str) -> u32 {
        Lines::of(text).position(self.place.start).0
    }

    /// What of it goes into a text, with the indentation of the line around.
    fn piece(&self, text: &str) -> String {
        let line = text[..self.place.start]
            .rfind('\n')
            .map_or(0, |end| end + 1);
        let is_before = !self.text.starts_with('\n') && self.place.start == self.place.end;
        // The line in which a statement ends is mostly indented as the one in which it begins.
        let indentation: String = text[line..]
            .chars()
            .take_while(|letter| matches!(letter, ' ' | '\t'))
            .collect();
        match is_before {
            true => format!("{}{indentation}", self.text),
            false => self.text.replace('\n', &format!("\n{indentation}")),
        }
    }
}

/// The texts of files with some hunks in them.
pub fn new_texts(plan: &Plan, texts: &TextsOfFiles, hunks: &[&PatchHunk]) -> TextsOfFiles {
    let mut by_file: BTreeMap<&str, Vec<&PatchHunk>> = BTreeMap::new();
    for hunk in hunks {
        by_file.entry(&hunk.file).or_default().push(hunk);
    }
    let mut changed = TextsOfFiles::new();
    for (file, mut hunks) in by_file {
        let Some(old) = texts.get(file) else { continue };
        hunks.sort_by_key(|hunk| hunk.place);
        let mut new = String::new();
        let mut position = 0;
        for hunk in hunks {
            new.push_str(&old[position..hunk.place.start]);
            new.push_str(&hunk.piece(old));
            position = hunk.place.end;
        }
        new.push_str(&old[position..]);
        let style = FileStyle::of(plan, file);
        if style
            .formatted(old)
            .is_some_and(|formatted| formatted == *old)
            && let Some(formatted) = style.formatted(&new)
        {
            new = formatted;
        }
        changed.insert(file.to_owned(), new);
    }
    changed
}

/// How rustfmt is to be called for a file.
struct FileStyle {
    edition: &'static str,
    /// Where its configuration is looked for.
    directory: std::path::PathBuf,
}

impl FileStyle {
    fn of(plan: &Plan, file: &str) -> FileStyle {
        let of_package = plan.packages.iter().find_map(|package| {
            let found = package.files.iter().find(|known| known.path == file)?;
            let target = package.targets.get(*found.targets.first()?)?;
            Some(target.edition)
        });
        let path = plan.workspace_root.join(file);
        let directory = path.parent().unwrap_or(&plan.workspace_root);
        FileStyle {
            edition: match of_package {
                Some(Edition::Rust2015) => "2015",
                Some(Edition::Rust2018) => "2018",
                Some(Edition::Rust2024) => "2024",
                Some(Edition::Rust2021) | None => "2021",
            },
            directory: directory.as_std_path().to_owned(),
        }
    }

    /// None where there is no rustfmt, or it does not understand the text.
    fn formatted(&self, text: &str) -> Option<String> {
        let mut rustfmt = Command::new("rustfmt")
            .args(["--edition", self.edition, "--config-path"])
            .arg(&self.directory)
            .current_dir(&self.directory)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .ok()?;
        let mut input = rustfmt.stdin.take()?;
        let text = text.to_owned();
        let writer = std::thread::spawn(move || input.write_all(text.as_bytes()));
        let output = rustfmt.wait_with_output().ok()?;
        let _ = writer.join();
        if !output.status.success() {
            return None;
        }
        String::from_utf8(output.stdout).ok()
    }
}

/// The whole patch. Behind each `@@` stands what the assertions below kill.
pub fn patch(texts: &TextsOfFiles, changed: &TextsOfFiles, hunks: &[&PatchHunk]) -> String {
    let mut patch = String::new();
    for (file, new) in changed {
        let Some(old) = texts.get(file) else { continue };
        let mut killed_at: Vec<(u32, BTreeSet<u32>)> = Vec::new();
        for hunk in hunks.iter().filter(|hunk| hunk.file == *file) {
            let ids = hunk.kills.iter().map(|(id, _)| *id);
            // What stands behind the last line belongs to it.
            let line = hunk.line(old).min(old.lines().count() as u32);
            killed_at.push((line, ids.collect()));
        }
        patch.push_str(&diff_of_texts(file, old, new, &|lines| {
            let here = killed_at.iter().filter(|(line, _)| lines.contains(line));
            let ids: BTreeSet<u32> = here.flat_map(|(_, ids)| ids).copied().collect();
            let ids: Vec<String> = ids.iter().map(u32::to_string).collect();
            format!("kills {}", ids.join(", "))
        }));
    }
    patch
}

/// Writes the new texts, if the files are still as they were.
pub fn apply(root: &Path, texts: &TextsOfFiles, changed: &TextsOfFiles) -> Result<()> {
    for file in changed.keys() {
        let path = root.join(file);
        let now = std::fs::read_to_string(&path);
        let now = now.with_context(|| format!("can't read {}", path.display()))?;
        if texts.get(file) != Some(&now) {
            anyhow::bail!("{file} has changed in the meantime; nothing is written");
        }
    }
    for (file, new) in changed {
        let path = root.join(file);
        let directory = path.parent().unwrap_or(root);
        let write = || -> Result<()> {
            let mut made = tempfile::NamedTempFile::new_in(directory)?;
            made.write_all(new.as_bytes())?;
            let permissions = std::fs::metadata(&path)?.permissions();
            std::fs::set_permissions(made.path(), permissions)?;
            made.persist(&path)?;
            Ok(())
        };
        write().with_context(|| format!("can't write {}", path.display()))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hunk(place: Span, text: &str) -> PatchHunk {
        PatchHunk {
            file: "a.rs".into(),
            place,
            text: text.into(),
            assertion: String::new(),
            function: String::new(),
            kills: Vec::new(),
            tests: 0,
            remarks: Vec::new(),
        }
    }

    #[test]
    fn what_is_new_is_indented_as_what_is_around_it() {
        let text = "fn t() {\n    f();\n    g()\n}\n";
        let end = text.find("f();").unwrap() + 4;
        let after = hunk(Span::new(end, end), "\nassert!(x);");
        assert_eq!(after.piece(text), "\n    assert!(x);");
        let start = text.find("g()").unwrap();
        let before = hunk(Span::new(start, start), "assert!(x);\n");
        assert_eq!(before.piece(text), "assert!(x);\n    ");
    }
}
