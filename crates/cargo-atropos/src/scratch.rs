//! Directories for the files of a run, gone with it. What tests put into the directory for temporary files goes there, too.
//!
//! They lie in the system's directory for temporary files, not in the output directory, because tests may notice where they
//! are: a repository above them has its ignored files, and the address of a socket must be short. What a run that was
//! killed left there is removed by the next one: the place is noted in the output directory. What its mutants did to other
//! files is undone then.

use std::path::{Path, PathBuf};
use std::{env, fs, process};

use anyhow::{Context as _, Result};
use atropos_protocol::undo::Log;
use tempfile::TempDir;

const NOTES: &str = "scratch";
const PREFIX: &str = "atropos-";

pub struct Scratch {
    directory: Option<TempDir>,
    note: PathBuf,
}

impl Scratch {
    /// An empty directory for one purpose of this run; `output` is the run's output directory.
    pub fn make(output: &Path, purpose: &str) -> Result<Scratch> {
        let notes = output.join(NOTES);
        fs::create_dir_all(&notes).with_context(|| format!("can't write {}", notes.display()))?;
        remove_forgotten(&notes);
        let directory = tempfile::Builder::new()
            .prefix(PREFIX)
            .tempdir()
            .with_context(|| format!("can't write {}", env::temp_dir().display()))?;
        let note = notes.join(format!("{}-{purpose}", process::id()));
        fs::write(&note, directory.path().as_os_str().as_encoded_bytes())
            .with_context(|| format!("can't write {}", note.display()))?;
        Ok(Scratch {
            directory: Some(directory),
            note,
        })
    }

    pub fn path(&self) -> &Path {
        let directory = self.directory.as_ref();
        directory.expect("it is there until the end").path()
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // If something can't be removed now, the next run tries again.
        if let Some(Ok(())) = self.directory.take().map(TempDir::close) {
            let _ = fs::remove_file(&self.note);
        }
    }
}

/// Removes what runs left behind that are over.
fn remove_forgotten(notes: &Path) {
    for note in fs::read_dir(notes).into_iter().flatten().flatten() {
        let name = note.file_name();
        let run = name.to_str().and_then(|name| name.split('-').next());
        let is_over = run.is_some_and(|run| !Path::new("/proc").join(run).exists());
        let Ok(place) = fs::read_to_string(note.path()) else {
            continue;
        };
        if is_over && is_ours(Path::new(&place)) {
            Log::undo_all(Path::new(&place));
            let _ = fs::remove_dir_all(&place);
            let _ = fs::remove_file(note.path());
        }
    }
}

/// Nothing else is removed, whatever a note says.
fn is_ours(place: &Path) -> bool {
    let name = place.file_name().and_then(|name| name.to_str());
    place.parent() == Some(&env::temp_dir()) && name.is_some_and(|name| name.starts_with(PREFIX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_killed_run_left_is_removed_and_nothing_else() {
        let output = tempfile::tempdir().unwrap();
        let first = Scratch::make(output.path(), "running").unwrap();
        let notes = output.path().join(NOTES);
        let forgotten = tempfile::Builder::new().prefix(PREFIX).tempdir().unwrap();
        let foreign = tempfile::tempdir().unwrap();
        // No process has such a number.
        for (name, place) in [("4194305-running", &forgotten), ("4194306-x", &foreign)] {
            fs::write(notes.join(name), place.path().to_str().unwrap()).unwrap();
        }
        let second = Scratch::make(output.path(), "observing").unwrap();
        assert!(first.path().exists() && second.path().exists());
        assert!(!forgotten.path().exists());
        assert!(foreign.path().exists());
        let (one, other) = (first.path().to_owned(), second.path().to_owned());
        drop((first, second));
        assert!(!one.exists() && !other.exists());
        let left: Vec<_> = fs::read_dir(notes).unwrap().flatten().collect();
        assert_eq!(left.len(), 1, "{left:?}");
    }
}
