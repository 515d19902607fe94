//! Directories for the files of a run, gone with it. What tests put into the directory for temporary files goes there, too.
//!
//! They lie in the system's directory for temporary files, not in the output directory, because tests may notice where they
//! are: a repository above them has its ignored files, and the address of a socket must be short. A note in the output
//! directory says where each is, and which directory that is by its number in the file system. As long as the run goes on,
//! it holds a lock on its note: process numbers repeat in containers, locks do not. What a run that was killed left behind is
//! removed by the next one, and what its mutants did to other files is undone. A directory that is not the one of the note,
//! or not ours alone, is left as it is: somebody else may have made it in its place.

use std::fs::{self, File, Permissions};
use std::io::{Read as _, Write as _};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::{env, process};

use anyhow::{Context as _, Result};
use atropos_protocol::undo::Log;
use tempfile::TempDir;

const NOTES: &str = "scratch";
const PREFIX: &str = "atropos-";

pub struct Scratch {
    directory: Option<TempDir>,
    note: PathBuf,
    /// Held locked.
    _lock: File,
}

impl Scratch {
    /// An empty directory for one purpose of this run; `output` is the run's output directory.
    pub fn make(output: &Path, purpose: &str) -> Result<Scratch> {
        let notes = output.join(NOTES);
        fs::create_dir_all(&notes).with_context(|| format!("can't write {}", notes.display()))?;
        remove_forgotten(&notes);
        let note = notes.join(format!("{}-{purpose}", process::id()));
        let failed = || format!("can't write {}", note.display());
        let mut lock = File::create(&note).with_context(failed)?;
        lock.lock().with_context(failed)?;
        let directory = tempfile::Builder::new()
            .prefix(PREFIX)
            .permissions(Permissions::from_mode(0o700))
            .tempdir()
            .with_context(|| format!("can't write {}", env::temp_dir().display()))?;
        lock.write_all(&Note::of(directory.path()).with_context(failed)?.to_bytes())
            .with_context(failed)?;
        Ok(Scratch {
            directory: Some(directory),
            note,
            _lock: lock,
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

/// What the output directory says of a directory: where, and which one.
#[derive(Debug, PartialEq, Eq)]
struct Note {
    device: u64,
    inode: u64,
    place: PathBuf,
}

impl Note {
    fn of(place: &Path) -> std::io::Result<Note> {
        let metadata = fs::symlink_metadata(place)?;
        Ok(Note {
            device: metadata.dev(),
            inode: metadata.ino(),
            place: place.to_owned(),
        })
    }

    fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = format!("{} {} ", self.device, self.inode).into_bytes();
        bytes.extend_from_slice(self.place.as_os_str().as_encoded_bytes());
        bytes
    }

    fn parse(text: &str) -> Option<Note> {
        let mut words = text.splitn(3, ' ');
        Some(Note {
            device: words.next()?.parse().ok()?,
            inode: words.next()?.parse().ok()?,
            place: words.next()?.into(),
        })
    }

    /// Whether the directory is still there, is the one that was noted, and nobody else could have written to it.
    fn is_ours(&self) -> bool {
        let name = self.place.file_name().and_then(|name| name.to_str());
        let is_named = self.place.parent() == Some(&env::temp_dir())
            && name.is_some_and(|name| name.starts_with(PREFIX));
        let Ok(metadata) = fs::symlink_metadata(&self.place) else {
            return false;
        };
        // The files of this process belong to who runs it.
        let own = fs::metadata("/proc/self").map(|own| own.uid());
        let is_private = metadata.is_dir()
            && metadata.mode() & 0o777 == 0o700
            && own.is_ok_and(|own| metadata.uid() == own);
        is_named && is_private && Note::of(&self.place).is_ok_and(|now| now == *self)
    }
}

/// Removes what runs left behind that are over.
fn remove_forgotten(notes: &Path) {
    for entry in fs::read_dir(notes).into_iter().flatten().flatten() {
        let path = entry.path();
        let Ok(mut note) = File::open(&path) else {
            continue;
        };
        // A run that goes on holds it.
        if note.try_lock().is_err() {
            continue;
        }
        let mut text = String::new();
        if note.read_to_string(&mut text).is_err() {
            continue;
        }
        match Note::parse(&text) {
            Some(note) if note.is_ours() => {
                Log::undo_all(&note.place);
                let _ = fs::remove_dir_all(&note.place);
                let _ = fs::remove_file(path);
            }
            // There is nothing left, or nothing of ours; what was never written down was never used.
            _ => drop(fs::remove_file(path)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn private() -> TempDir {
        let mut builder = tempfile::Builder::new();
        let builder = builder.prefix(PREFIX);
        let private = Permissions::from_mode(0o700);
        builder.permissions(private).tempdir().unwrap()
    }

    #[test]
    fn what_a_killed_run_left_is_removed_and_nothing_else() {
        let output = tempfile::tempdir().unwrap();
        let first = Scratch::make(output.path(), "running").unwrap();
        let notes = output.path().join(NOTES);
        let (forgotten, foreign) = (private(), tempfile::tempdir().unwrap());
        for (name, place) in [("1-running", &forgotten), ("2-x", &foreign)] {
            fs::write(notes.join(name), Note::of(place.path()).unwrap().to_bytes()).unwrap();
        }
        let second = Scratch::make(output.path(), "observing").unwrap();
        assert!(first.path().exists() && second.path().exists());
        assert!(!forgotten.path().exists());
        assert!(foreign.path().exists());
        let (one, other) = (first.path().to_owned(), second.path().to_owned());
        drop((first, second));
        assert!(!one.exists() && !other.exists());
        assert_eq!(fs::read_dir(notes).unwrap().count(), 0);
    }

    #[test]
    fn a_directory_is_ours_alone() {
        let output = tempfile::tempdir().unwrap();
        let scratch = Scratch::make(output.path(), "running").unwrap();
        let mode = fs::metadata(scratch.path()).unwrap().mode();
        assert_eq!(mode & 0o777, 0o700);
        assert!(Note::of(scratch.path()).unwrap().is_ours());
    }

    #[test]
    fn a_directory_that_somebody_else_made_in_its_place_is_not_touched() {
        let directory = private();
        let note = Note::of(directory.path()).unwrap();
        assert!(note.is_ours());
        let text = String::from_utf8(note.to_bytes()).unwrap();
        assert_eq!(
            Note::parse(&text),
            Some(Note::of(directory.path()).unwrap())
        );
        // Another directory of the same name.
        let other = Note {
            inode: note.inode + 1,
            ..Note::parse(&text).unwrap()
        };
        assert!(!other.is_ours());
        // One that others may write to.
        fs::set_permissions(directory.path(), Permissions::from_mode(0o777)).unwrap();
        assert!(!note.is_ours());
    }
}
