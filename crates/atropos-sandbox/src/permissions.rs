//! What a mutant may do: what the original of its test did.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::usage::ResourceUse;

/// What the original of a test was seen to do.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Permissions {
    /// Files and directories from before the run whose contents or attributes it changed, or which it removed or moved.
    pub files: BTreeSet<PathBuf>,
    /// Directories from before the run in which, or somewhere below which, it made or removed something.
    pub directories: BTreeSet<PathBuf>,
    /// It sent signals to processes that are not the test's own.
    pub signals: bool,
    /// It sent something to another machine.
    pub network: bool,
    /// What it did beside that, in words: calls that change the machine for everybody, programs that it talked to.
    pub special: BTreeSet<String>,
    /// Most new files and directories that it had made and not removed.
    pub made: i64,
    /// Bytes by which files had grown, and processes and threads while the machine had many.
    pub taken: ResourceUse,
}

/// What a call needs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Needs {
    pub files: Vec<PathBuf>,
    pub directories: Vec<PathBuf>,
    /// What is made, changed or removed and was not there before the run; each needs one of the directories.
    pub new: Vec<PathBuf>,
    /// From where to where something is moved, if either is not free.
    pub moves: Vec<(PathBuf, PathBuf)>,
    /// How many new files and directories it makes, less those that it removes.
    pub made: i64,
    pub signals: bool,
    /// It sends a signal to a process that is not there.
    pub signals_nobody: bool,
    pub network: bool,
    /// What else it does, in words.
    pub special: Vec<String>,
    /// What follows can't be watched, so no mutant may do this.
    pub unwatched: bool,
    /// The file that is opened for writing, wherever it is.
    pub written: Option<PathBuf>,
    /// It makes a file that has no path.
    pub writes_nameless: bool,
}

impl Needs {
    /// Whether nothing is changed that was there before the run.
    pub fn only_new(&self) -> bool {
        let is_special = !self.special.is_empty() || self.unwatched;
        self.files.is_empty() && !self.signals && !self.network && !is_special
    }
}

impl Permissions {
    /// The original did this.
    pub fn add(&mut self, needs: Needs) {
        self.files.extend(needs.files);
        self.directories.extend(needs.directories);
        self.signals |= needs.signals;
        self.network |= needs.network;
        self.special.extend(needs.special);
    }

    /// Adds what was seen in another run of the same test.
    pub fn unite(&mut self, other: &Permissions) {
        self.files.extend(other.files.iter().cloned());
        self.directories.extend(other.directories.iter().cloned());
        self.signals |= other.signals;
        self.network |= other.network;
        self.special.extend(other.special.iter().cloned());
        self.made = self.made.max(other.made);
        self.taken = self.taken.max(other.taken);
    }

    /// Whether the original did all of this.
    pub fn allow(&self, needs: &Needs) -> bool {
        let has = |set: &BTreeSet<PathBuf>, path: &PathBuf| set.contains(path);
        needs.files.iter().all(|path| has(&self.files, path))
            && (needs.directories.iter()).all(|path| has(&self.directories, path))
            && (self.signals || !needs.signals)
            && (self.network || !needs.network)
            && (needs.special.iter()).all(|what| self.special.contains(what))
            && !needs.unwatched
    }

    /// All paths at or below which something may be written: for Landlock.
    pub fn writable(&self) -> impl Iterator<Item = &Path> {
        let all = self.files.iter().chain(&self.directories);
        all.map(PathBuf::as_path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_original_did_is_allowed_and_nothing_else() {
        let mut permissions = Permissions::default();
        assert!(permissions.allow(&Needs::default()));
        let one = Needs {
            files: vec!["/a/b".into()],
            directories: vec!["/a".into()],
            ..Needs::default()
        };
        assert!(!permissions.allow(&one));
        permissions.add(one.clone());
        assert!(permissions.allow(&one));
        let other = Needs {
            files: vec!["/a/c".into()],
            ..Needs::default()
        };
        assert!(!permissions.allow(&other));
        let remote = Needs {
            network: true,
            ..Needs::default()
        };
        assert!(!permissions.allow(&remote));
        let special = Needs {
            special: vec!["mount".to_owned()],
            ..Needs::default()
        };
        assert!(!permissions.allow(&special));
        permissions.add(special.clone());
        assert!(permissions.allow(&special));
        let unwatched = Needs {
            unwatched: true,
            ..Needs::default()
        };
        permissions.add(unwatched.clone());
        assert!(!permissions.allow(&unwatched));
    }
}
