//! The files below a directory, each with a hash of what it holds.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, Metadata};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use super::content_hash::ContentHash;

/// Of a larger file the time of its last change stands for what it holds.
const MOST_READ: u64 = 64 << 20;
/// Where this program's own output goes.
const OWN_OUTPUT: [&str; 2] = ["/proc/self/fd/1", "/proc/self/fd/2"];

/// The files of a source tree, each with a hash of what it holds.
#[derive(Default)]
pub struct Tree {
    /// Directories whose files are made, not written.
    pub built: Vec<PathBuf>,
    /// Directories that were walked through.
    pub seen: BTreeSet<PathBuf>,
    pub files: BTreeMap<PathBuf, ContentHash>,
    /// A directory has two names, so that files have other paths than those here.
    pub has_linked_directories: bool,
    /// What this program prints goes there, so that they change while it runs.
    pub own_output: BTreeSet<PathBuf>,
}

impl Tree {
    /// Adds the files below a directory, but for what is built or hidden, as the runtime counts them to the tree.
    pub fn walk(&mut self, directory: &Path) {
        let real = fs::canonicalize(directory).unwrap_or_else(|_| directory.to_owned());
        if !self.seen.insert(real) {
            return;
        }
        for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
            let (name, path) = (entry.file_name(), entry.path());
            let is_hidden = name.as_encoded_bytes().starts_with(b".");
            if is_hidden || name == "target" || self.built.contains(&path) {
                continue;
            }
            match fs::metadata(&path) {
                Ok(data) if data.is_dir() => {
                    let kind = entry.file_type();
                    self.has_linked_directories |= kind.is_ok_and(|kind| kind.is_symlink());
                    self.walk(&path);
                }
                Ok(data) if is_own_output(&data) => {
                    self.own_output.insert(path);
                }
                _ => self.add(path),
            }
        }
    }

    /// Adds a file, also one that is not there. Only what has a content of its own is read: opening a FIFO would wait for
    /// somebody who writes into it, and a device may have no end.
    pub fn add(&mut self, path: PathBuf) {
        let hash = ContentHash::default();
        let hash = match fs::metadata(&path) {
            Ok(data) if !data.is_file() => hash.number(u64::from(data.mode())),
            Ok(data) if data.len() > MOST_READ => {
                hash.add(format!("{} {:?}", data.len(), data.modified().ok()))
            }
            _ => fs::read(&path).map_or(hash, |bytes| hash.add(bytes)),
        };
        self.files.insert(path, hash);
    }
}

fn is_own_output(data: &Metadata) -> bool {
    data.is_file()
        && OWN_OUTPUT.iter().any(|place| {
            fs::metadata(place).is_ok_and(|own| (own.dev(), own.ino()) == (data.dev(), data.ino()))
        })
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;
    use std::process::Command;

    use super::*;

    #[test]
    fn what_is_no_file_is_noted_without_being_read() {
        let scratch = tempfile::tempdir().expect("a directory");
        let root = scratch.path();
        let fifo = Command::new("mkfifo").arg(root.join("fifo")).status();
        assert!(fifo.expect("mkfifo").success());
        symlink("/dev/zero", root.join("endless")).expect("a link");
        symlink("nowhere", root.join("dangling")).expect("a link");
        fs::write(root.join("file"), "text").expect("a file");
        let mut tree = Tree::default();
        tree.walk(root);
        let of = |name: &str| tree.files[&root.join(name)];
        assert_eq!(of("file"), ContentHash::default().add("text"));
        assert_eq!(of("dangling"), ContentHash::default());
        assert_ne!(of("fifo"), of("endless"));
        assert_ne!(of("fifo"), of("dangling"));
    }
}
