//! What mutants leave behind is gone before the next one comes, and when the run is over.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use crate::runs::tree::Tree;

/// All files of a tree with what is in them, but for those of cargo and of ours.
fn files(tree: &Tree) -> BTreeMap<PathBuf, String> {
    let mut found = BTreeMap::new();
    let mut open = vec![tree.path()];
    while let Some(path) = open.pop() {
        for entry in fs::read_dir(path).unwrap() {
            let path = entry.unwrap().path();
            if ["target", "Cargo.lock", "scratch"]
                .iter()
                .any(|name| path.ends_with(name))
            {
                continue;
            }
            if path.is_dir() {
                open.push(path.clone());
                found.insert(path, String::new());
            } else {
                // A socket can't be read.
                found.insert(path.clone(), fs::read_to_string(path).unwrap_or_default());
            }
        }
    }
    found
}

#[test]
fn mutants_leave_no_footprints() {
    let tree = Tree::of("leftover_files");
    let before = files(&tree);
    for way in [&["--kill-matrix"][..], &["-j1"]] {
        let run = tree.run(way).has_code(2);
        run.check(
            "src/lib.rs",
            &[
                ("twice: replace * with /", "killed (panicked)"),
                ("twice: replace body with 0", "killed (panicked)"),
                ("ignored: replace body with 0", "survived"),
                ("ignored: replace body with 1", "survived"),
                (
                    "lines: replace body with String::new()",
                    "killed (panicked)",
                ),
            ],
        );
        assert_eq!(files(&tree), before, "{way:?}");
    }
}
