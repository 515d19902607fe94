//! Mutants that would harm the machine are stopped before they do, and nothing is said of what they would have come to.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};

use atropos_report::verdict::Verdict;

use crate::runs::tree::Tree;

/// A process that mutants would like to kill.
struct Victim(Child);

impl Drop for Victim {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Contents, mode, time and number of links of everything there.
fn state(directory: &Path) -> BTreeMap<PathBuf, (Vec<u8>, u32, i64, u64)> {
    let mut found = BTreeMap::new();
    let mut open = vec![directory.to_owned()];
    while let Some(path) = open.pop() {
        for entry in fs::read_dir(path).unwrap() {
            let path = entry.unwrap().path();
            let metadata = path.symlink_metadata().unwrap();
            let contents = match metadata.is_file() && metadata.len() < 1000 {
                true => fs::read(&path).unwrap(),
                false => metadata.len().to_ne_bytes().to_vec(),
            };
            if metadata.is_dir() {
                open.push(path.clone());
            }
            let rest = (metadata.mode(), metadata.mtime(), metadata.nlink());
            found.insert(path, (contents, rest.0, rest.1, rest.2));
        }
    }
    found
}

#[test]
fn no_way_to_do_harm_succeeds_and_none_is_called_a_kill() {
    let tree = Tree::of("harmful_mutants");
    let old = tree.path().join("old");
    let mut victim = Victim(Command::new("sleep").arg("10000").spawn().unwrap());
    fs::write(old.join("victim"), victim.0.id().to_string()).unwrap();
    let large = fs::File::create(old.join("large")).unwrap();
    large.set_len(70 << 20).unwrap();
    let fifo = Command::new("mkfifo").arg(old.join("fifo")).status();
    assert!(fifo.unwrap().success());
    let before = state(&old);

    let run = tree
        .run(&["--require-sandbox", "--no-doc", "--re", "with true"])
        .has_code(3);
    let mutants = &run.outcomes().mutants;
    let mut undecided = 0;
    for mutant in mutants
        .iter()
        .filter(|mutant| mutant.info.deed().contains("with true"))
    {
        let note = mutant.note.as_deref().unwrap_or_default();
        let function = &mutant.info.function;
        assert_eq!(
            mutant.verdict,
            Some(Verdict::Undecided),
            "{function}: {note}"
        );
        assert!(note.contains("stopped before"), "{function}: {note}");
        undecided += 1;
    }
    assert_eq!(undecided, 19);
    assert!(victim.0.try_wait().unwrap().is_none(), "it was killed");
    assert_eq!(state(&old), before);
}
