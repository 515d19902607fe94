//! The Rust files and manifests of the planned packages as they are at one moment. An editor, a formatter or a change of
//! branch may write to them while a run goes on; then what was built is not what stands there.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use atropos_report::stable_hash::StableHash;

use crate::plan::Plan;

/// Files by their paths, each with a hash of its text.
pub struct TreeState<'a> {
    plan: &'a Plan,
    /// What runs write lies below it.
    output: &'a Path,
    files: BTreeMap<PathBuf, u64>,
}

/// Which differences count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Differences {
    /// Files that are changed, gone or new: cargo may build something else than what was planned.
    All,
    /// Files that are changed or gone. Tests may have made new ones.
    WithoutNew,
}

/// Files that are not as they were when the mutants were found.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "the source changed while the run went on ({files}), so what was built is not what stands there; run again"
)]
pub struct SourceChanged {
    files: String,
}

/// How many files are named.
const NAMED: usize = 3;

impl<'a> TreeState<'a> {
    /// The state that a plan was made of: planned files as they were read, others as they are now.
    pub fn planned(plan: &'a Plan, output: &'a Path) -> TreeState<'a> {
        let mut state = TreeState {
            plan,
            output,
            files: BTreeMap::new(),
        };
        state.files = state.files_now();
        for file in plan.packages.iter().flat_map(|package| &package.files) {
            let path = plan.workspace_root.join(&file.path);
            state.files.insert(path.into(), file.text_hash);
        }
        state
    }

    /// The files as they are at this moment.
    fn files_now(&self) -> BTreeMap<PathBuf, u64> {
        let plan = self.plan;
        let built = [plan.target_directory.as_std_path(), self.output];
        let mut files = BTreeMap::new();
        let mut add = |path: &Path| {
            if let Ok(bytes) = fs::read(path) {
                files.insert(path.to_owned(), hash(&bytes));
            }
        };
        add(plan.workspace_root.join("Cargo.toml").as_std_path());
        for package in &plan.packages {
            walk(package.manifest_dir.as_std_path(), &built, &mut add);
            for file in &package.files {
                add(plan.workspace_root.join(&file.path).as_std_path());
            }
        }
        files
    }

    /// Says which files have been changed, added or deleted since.
    pub fn check(&self, counted: Differences) -> Result<(), SourceChanged> {
        let now = self.files_now();
        let name = |path: &Path| {
            let path = path.strip_prefix(&self.plan.workspace_root).unwrap_or(path);
            path.display().to_string()
        };
        let mut changes = Vec::new();
        for (path, hash) in &self.files {
            match now.get(path) {
                Some(now) if now == hash => {}
                Some(_) => changes.push(name(path)),
                None => changes.push(format!("{} is gone", name(path))),
            }
        }
        if counted == Differences::All {
            let new = now.keys().filter(|path| !self.files.contains_key(*path));
            changes.extend(new.map(|path| format!("{} is new", name(path))));
        }
        if changes.is_empty() {
            return Ok(());
        }
        let more = changes.len().saturating_sub(NAMED);
        changes.truncate(NAMED);
        if more > 0 {
            changes.push(format!("{more} more"));
        }
        let files = changes.join(", ");
        Err(SourceChanged { files })
    }
}

/// The hash that the plan has of a file's text.
pub fn hash(bytes: &[u8]) -> u64 {
    let text = String::from_utf8_lossy(bytes);
    StableHash::default().text(&text).finish()
}

/// Calls `found` for Rust files and manifests below a directory, but for what is built or hidden.
fn walk(directory: &Path, built: &[&Path], found: &mut impl FnMut(&Path)) {
    for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
        let (name, path) = (entry.file_name(), entry.path());
        let name = name.to_string_lossy();
        if name.starts_with('.')
            || name == "target"
            || name == "node_modules"
            || built.contains(&&*path)
        {
            continue;
        }
        match entry.file_type() {
            Ok(kind) if kind.is_dir() => walk(&path, built, found),
            Ok(kind) if kind.is_file() && (name.ends_with(".rs") || name == "Cargo.toml") => {
                found(&path)
            }
            _ => {}
        }
    }
}
