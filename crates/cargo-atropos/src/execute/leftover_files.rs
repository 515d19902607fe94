//! Files that appear among the packages' own while mutants run.
//!
//! What tests do to files themselves is undone after each mutant. What the programs do that they start is seen by nobody: a
//! mutant that does not tell them where to work lets them work here. So all that can be done is to say so.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

use crate::plan::Plan;

/// What lies in the directories that tests are run in.
pub struct DirectoryContents(BTreeSet<PathBuf>);

impl DirectoryContents {
    pub fn of(plan: &Plan) -> DirectoryContents {
        let packages = plan.packages.iter();
        let directories = packages.map(|package| package.manifest_dir.as_std_path());
        let entries = directories.flat_map(fs::read_dir).flatten().flatten();
        let mut paths: BTreeSet<PathBuf> = entries.map(|entry| entry.path()).collect();
        // Cargo's own may appear at any time.
        paths.remove(plan.target_directory.as_std_path());
        paths.retain(|path| !path.ends_with("Cargo.lock"));
        DirectoryContents(paths)
    }

    /// What has appeared since then.
    pub fn appeared(&self, plan: &Plan) -> Vec<PathBuf> {
        let now = DirectoryContents::of(plan).0;
        now.difference(&self.0).cloned().collect()
    }
}
