//! The shadow: a copy of the user's tree in which some files are woven and the rest are links.
//!
//! rustc is handed the shadow's files, so relative `include_str!`, `#[path]` and `mod` find their
//! neighbours, while the user's tree is never written. Paths in messages and in `file!()` are
//! mapped back by `--remap-path-prefix`.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::io;
use std::os::unix::fs::symlink;
use std::path::{Component, Path, PathBuf};

/// Where a shadow lies and what it mirrors.
#[derive(Clone, Debug)]
pub struct ShadowTree {
    root: PathBuf,
    mirrored: PathBuf,
}

/// The directories of the shadow that hold a written file, as a tree.
#[derive(Default)]
struct ShadowDirectory {
    children: BTreeMap<OsString, ShadowDirectory>,
}

impl ShadowTree {
    /// A shadow below `root` of the tree below `mirrored` (absolute).
    pub fn new(root: PathBuf, mirrored: PathBuf) -> ShadowTree {
        ShadowTree { root, mirrored }
    }

    /// The shadow's counterpart of a file of the mirrored tree.
    pub fn path_of(&self, original: &Path) -> Option<PathBuf> {
        let original = without_parents(original);
        Some(self.root.join(original.strip_prefix(&self.mirrored).ok()?))
    }

    /// The original that a file stands for, if it is one of the shadow, or the file itself. Rustc
    /// puts `#[path = "../…"]` behind the directory as it stands.
    pub fn original_of(&self, file: &Path) -> PathBuf {
        let file = without_parents(file);
        match file.strip_prefix(&self.root) {
            Ok(relative) => self.mirrored.join(relative),
            Err(_) => file,
        }
    }

    /// Makes the directories and links for a set of files that are going to be written. What was
    /// there before is removed.
    pub fn prepare(&self, files: impl IntoIterator<Item = PathBuf>) -> io::Result<()> {
        let mut tree = ShadowDirectory::default();
        for file in files {
            let Ok(relative) = file.strip_prefix(&self.mirrored) else {
                continue;
            };
            let mut branch = &mut tree;
            for component in relative.components() {
                if let Component::Normal(name) = component {
                    branch = branch.children.entry(name.to_owned()).or_default();
                }
            }
        }
        match fs::remove_dir_all(&self.root) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        self.link(&tree, Path::new(""))
    }

    fn link(&self, branch: &ShadowDirectory, relative: &Path) -> io::Result<()> {
        let directory = self.root.join(relative);
        fs::create_dir_all(&directory)?;
        for entry in fs::read_dir(self.mirrored.join(relative))? {
            let entry = entry?;
            let name = entry.file_name();
            match branch.children.get(&name) {
                Some(child) if !child.children.is_empty() => {
                    self.link(child, &relative.join(&name))?
                }
                Some(_) => {}
                None => symlink(entry.path(), directory.join(&name))?,
            }
        }
        Ok(())
    }

    /// Writes one file of the shadow. It is as old as its original: cargo takes a source that is
    /// newer than the start of its compilation for changed, and would compile it in every run.
    pub fn write(&self, original: &Path, text: &str) -> io::Result<()> {
        let path = self.path_of(original).ok_or_else(|| {
            io::Error::other(format!("{} lies outside the tree", original.display()))
        })?;
        fs::write(&path, text)?;
        let age = fs::metadata(original)?.modified()?;
        fs::File::options()
            .write(true)
            .open(&path)?
            .set_modified(age)
    }

    /// The flags that make rustc name the shadow's files as it would name the originals when
    /// called in `working_directory` on a path that is relative or not.
    pub fn remap_flags(&self, working_directory: &Path, relative: bool) -> Vec<String> {
        let mut flags = vec![format!(
            "--remap-path-prefix={}={}",
            self.root.display(),
            self.mirrored.display()
        )];
        if relative && let Some(here) = self.path_of(working_directory) {
            let here = here.display().to_string();
            flags.push(format!(
                "--remap-path-prefix={}=",
                here.trim_end_matches('/')
            ));
        }
        flags
    }
}

/// The same path without `..`, so that it can be told what it lies in. (Cargo names a crate root
/// by joining paths.)
pub fn without_parents(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for component in path.components() {
        match component {
            Component::ParentDir => {
                plain.pop();
            }
            component => plain.push(component),
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_only_seems_to_lie_inside_has_no_place() {
        let shadow = ShadowTree::new("/shadow".into(), "/ws".into());
        let check = |path: &str, expected: Option<&str>| {
            let place = shadow.path_of(Path::new(path));
            assert_eq!(place, expected.map(PathBuf::from), "{path}");
        };
        check("/ws/a/src/lib.rs", Some("/shadow/a/src/lib.rs"));
        check("/ws/a/../b/lib.rs", Some("/shadow/b/lib.rs"));
        check("/ws/a/../../b/lib.rs", None);
    }

    #[test]
    fn files_of_the_shadow_and_others_have_their_originals() {
        let shadow = ShadowTree::new("/shadow".into(), "/ws".into());
        for (file, original) in [
            ("/shadow/a/src/lib.rs", "/ws/a/src/lib.rs"),
            ("/shadow/a/tests/../src/float.rs", "/ws/a/src/float.rs"),
            ("/elsewhere/../ws/b.rs", "/ws/b.rs"),
        ] {
            assert_eq!(shadow.original_of(Path::new(file)), Path::new(original));
        }
    }

    #[test]
    fn written_files_are_real_and_their_neighbours_are_links() {
        let base = std::env::temp_dir().join(format!("atropos-shadow-{}", std::process::id()));
        let tree = base.join("tree");
        fs::create_dir_all(tree.join("src/inner")).unwrap();
        fs::create_dir_all(tree.join("data")).unwrap();
        for file in ["src/lib.rs", "src/other.rs", "src/inner/a.rs", "data/x.txt"] {
            fs::write(tree.join(file), file).unwrap();
        }
        let shadow = ShadowTree::new(base.join("shadow"), tree.clone());
        shadow.prepare([tree.join("src/lib.rs")]).unwrap();
        shadow.write(&tree.join("src/lib.rs"), "woven").unwrap();

        let read = |path: &str| fs::read_to_string(base.join("shadow").join(path)).unwrap();
        assert_eq!(read("src/lib.rs"), "woven");
        assert_eq!(read("src/inner/a.rs"), "src/inner/a.rs");
        assert_eq!(read("data/x.txt"), "data/x.txt");
        assert_eq!(
            fs::read_to_string(tree.join("src/lib.rs")).unwrap(),
            "src/lib.rs"
        );
        assert!(base.join("shadow/src/inner").is_symlink());
        fs::remove_dir_all(base).unwrap();
    }
}
