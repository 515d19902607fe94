//! The lines that a change touches: from a diff that the user hands in, or from git.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::io::{self, Read};
use std::path::Path;
use std::process::Command;
use std::{fs, str};

use anyhow::{Context, Result, anyhow, bail};
use atropos_report::lines::Lines;
use cargo_metadata::camino::{Utf8Path, Utf8PathBuf};

use crate::arguments::SelectOptions;
use crate::in_diff::{self, ChangedFile};
use crate::source::Discovery;

/// Added and changed lines, by file.
#[derive(Debug)]
pub struct ChangedLines {
    files: Vec<ChangedFile>,
    /// The directory that the names are relative to, where that is known.
    base: Option<Utf8PathBuf>,
    /// Where they come from, in words.
    pub origin: String,
}

impl ChangedLines {
    /// What `--in-diff` or `--since` ask for.
    pub fn asked_for(
        options: &SelectOptions,
        discovery: &Discovery,
    ) -> Result<Option<ChangedLines>> {
        match (&options.in_diff, &options.since) {
            (Some(file), _) => ChangedLines::from_file(file).map(Some),
            (None, Some(revision)) => {
                let (root, target) = (&discovery.workspace_root, &discovery.target_directory);
                ChangedLines::since(revision, root, target).map(Some)
            }
            (None, None) => Ok(None),
        }
    }

    fn from_file(path: &Path) -> Result<ChangedLines> {
        let name = path.display();
        let bytes = if path == Path::new("-") {
            let mut bytes = Vec::new();
            io::stdin().read_to_end(&mut bytes).map(|_| bytes)
        } else {
            fs::read(path)
        };
        let bytes = bytes.with_context(|| format!("can't read the diff `{name}`"))?;
        // Other files in a diff may have any encoding.
        let diff = String::from_utf8_lossy(&bytes);
        let files = in_diff::parse(&diff)
            .map_err(|error| anyhow!("can't use the diff `{name}`: {error}"))?;
        Ok(ChangedLines {
            files,
            base: None,
            origin: format!("the diff `{name}`"),
        })
    }

    /// Everything that differs from the point where the current branch left `revision`, committed
    /// or not, and new files that git does not know yet, unless a build made them.
    pub fn since(
        revision: &str,
        workspace_root: &Utf8Path,
        target_directory: &Utf8Path,
    ) -> Result<ChangedLines> {
        if revision.starts_with('-') {
            bail!("`{revision}` is not a git revision");
        }
        let top = git(workspace_root, ["rev-parse", "--show-toplevel"])?;
        let base = Utf8PathBuf::from(top.trim_end_matches(['\r', '\n']));
        let diff = git(
            &base,
            [
                "-c",
                "diff.noprefix=false",
                "diff",
                "--merge-base",
                "--no-color",
                "--no-ext-diff",
                "--unified=0",
                "--src-prefix=a/",
                "--dst-prefix=b/",
                revision,
                "--",
            ],
        )?;
        let mut files = in_diff::parse(&diff)
            .map_err(|error| anyhow!("can't understand the output of git diff: {error}"))?;
        let untracked = git(&base, ["ls-files", "--others", "--exclude-standard", "-z"])?;
        for path in untracked
            .split_terminator('\0')
            .filter(|path| path.ends_with(".rs"))
            .filter(|path| !base.join(path).starts_with(target_directory))
        {
            files.extend(whole_file(&base, path));
        }
        Ok(ChangedLines {
            files,
            base: Some(base),
            origin: format!("what changed since `{revision}`"),
        })
    }

    /// The changed lines of the file at `path` (relative to the workspace's root), which holds
    /// `text`; nothing if no change names the file. Fails if the text is not what the diff made of
    /// it.
    pub fn of(
        &self,
        workspace_root: &Utf8Path,
        path: &Utf8Path,
        text: &str,
    ) -> Result<Option<BTreeSet<u32>>> {
        let lines = Lines::of(text);
        let mut changed = None;
        for file in self
            .files
            .iter()
            .filter(|file| self.means(file, workspace_root, path))
        {
            let changed = changed.get_or_insert_with(BTreeSet::new);
            for (&line, expected) in &file.lines {
                if lines.line(line) != Some(expected) {
                    bail!(
                        "{} does not fit the tree: line {line} of {path} is not as it says",
                        self.origin
                    );
                }
                changed.insert(line);
            }
        }
        Ok(changed)
    }

    /// The Rust files that the changes name.
    pub fn rust_files(&self) -> impl Iterator<Item = &str> {
        let paths = self.files.iter().map(|file| file.path.as_str());
        paths.filter(|path| path.ends_with(".rs"))
    }

    /// Whether a file of the diff is the one at `path`. A diff may be relative to the workspace's
    /// root or to a directory above it.
    fn means(&self, file: &ChangedFile, workspace_root: &Utf8Path, path: &Utf8Path) -> bool {
        let absolute = workspace_root.join(path);
        match &self.base {
            Some(base) => base.join(&file.path) == absolute,
            None => {
                let named = Utf8Path::new(&file.path);
                named == path || (named.ends_with(path) && absolute.ends_with(named))
            }
        }
    }
}

fn whole_file(base: &Utf8Path, path: &str) -> Option<ChangedFile> {
    let text = fs::read_to_string(base.join(path)).ok()?;
    let lines: BTreeMap<u32, String> = (1..).zip(text.lines().map(str::to_owned)).collect();
    Some(ChangedFile {
        path: path.to_owned(),
        lines,
    })
}

/// What git prints.
fn git(
    directory: &Utf8Path,
    arguments: impl IntoIterator<Item = impl AsRef<OsStr>>,
) -> Result<String> {
    let output = Command::new("git")
        .current_dir(directory)
        .args(["-c", "core.quotepath=off"])
        .args(arguments)
        .output()
        .context("--since needs git, which can't be started")?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        let sentence = said.lines().next().unwrap_or("it failed without a word");
        bail!(
            "git can't tell the changes: {}",
            sentence.trim_start_matches("fatal: ")
        );
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}
