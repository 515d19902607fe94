//! Directories for the files of a run, gone with it. What tests put into the directory for temporary files goes there, too.
//!
//! They lie in the system's directory for temporary files, not in the output directory, because tests may notice where they
//! are: a repository above them has its ignored files, and the address of a socket must be short. A note in the output
//! directory says where each is, and which directory that is by its number in the file system. As long as the run goes on,
//! it holds a lock on its note: process numbers repeat in containers, locks do not. What a run that was killed left behind is
//! removed by the next one, and what its mutants did to other files is undone: what there is to undo lies beside the note, not
//! in the system's directory, where somebody else could have written it. A directory that is not the one of the note, or not
//! ours alone, is left as it is: somebody else may have made it in its place.

use std::fs::{self, File, Permissions, TryLockError};
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
        let (note, mut lock) = new_note(&notes, purpose)?;
        let failed = || format!("can't write {}", note.display());
        let logs = logs_of(&note);
        let private = Permissions::from_mode(0o700);
        fs::create_dir_all(&logs)
            .and_then(|()| fs::set_permissions(&logs, private))
            .with_context(failed)?;
        let directory = tempfile::Builder::new()
            .prefix(PREFIX)
            .permissions(Permissions::from_mode(0o700))
            .tempdir()
            .with_context(|| format!("can't write {}", env::temp_dir().display()))?;
        let whole_logs = logs.canonicalize().with_context(failed)?;
        Log::lie_in(directory.path(), &whole_logs).with_context(failed)?;
        lock.write_all(
            &ScratchRecord::of(directory.path())
                .with_context(failed)?
                .to_bytes(),
        )
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
            Log::undo_all(&logs_of(&self.note));
            let _ = fs::remove_dir_all(logs_of(&self.note));
            let _ = fs::remove_file(&self.note);
        }
    }
}

/// A note that no other run holds, locked. Process numbers repeat in containers that share a directory.
fn new_note(notes: &Path, purpose: &str) -> Result<(PathBuf, File)> {
    let mut number = 0;
    loop {
        let note = notes.join(format!("{}-{number}-{purpose}", process::id()));
        let failed = || format!("can't write {}", note.display());
        let mut options = File::options();
        let options = options.create(true).write(true).truncate(false);
        let file = options.open(&note).with_context(failed)?;
        match file.try_lock() {
            Ok(()) => {
                file.set_len(0).with_context(failed)?;
                return Ok((note, file));
            }
            Err(TryLockError::WouldBlock) => number += 1,
            Err(TryLockError::Error(error)) => return Err(error).with_context(failed),
        }
    }
}

/// Where the undo logs lie that belong to a note.
fn logs_of(note: &Path) -> PathBuf {
    note.with_extension("undo")
}

/// What the output directory says of a directory: where, and which one.
#[derive(Debug, PartialEq, Eq)]
struct ScratchRecord {
    device: u64,
    inode: u64,
    place: PathBuf,
}

impl ScratchRecord {
    fn of(place: &Path) -> std::io::Result<ScratchRecord> {
        let metadata = fs::symlink_metadata(place)?;
        Ok(ScratchRecord {
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

    fn parse(text: &str) -> Option<ScratchRecord> {
        let mut words = text.splitn(3, ' ');
        Some(ScratchRecord {
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
        is_named && is_private && ScratchRecord::of(&self.place).is_ok_and(|now| now == *self)
    }
}

/// Removes what runs left behind that are over.
fn remove_forgotten(notes: &Path) {
    for entry in fs::read_dir(notes).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            continue;
        }
        let Ok(mut note) = File::open(&path) else {
            continue;
        };
        // A run that goes on holds it.
        if note.try_lock().is_err() {
            continue;
        }
        Log::undo_all(&logs_of(&path));
        let _ = fs::remove_dir_all(logs_of(&path));
        let mut text = String::new();
        if note.read_to_string(&mut text).is_err() {
            continue;
        }
        match ScratchRecord::parse(&text) {
            Some(note) if note.is_ours() => {
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
            fs::write(
                notes.join(name),
                ScratchRecord::of(place.path()).unwrap().to_bytes(),
            )
            .unwrap();
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
    fn what_a_killed_run_changed_is_undone_though_its_directory_is_gone() {
        let output = tempfile::tempdir().unwrap();
        let changed = output.path().join("changed");
        fs::write(&changed, "old").unwrap();
        let scratch = Scratch::make(output.path(), "running").unwrap();
        let log = Log::of(&scratch.path().join("0-1/board"));
        log.keep(&changed).unwrap();
        fs::write(&changed, "new").unwrap();
        // As after a kill: nobody removes anything, and nobody holds the lock.
        let Scratch {
            directory, _lock, ..
        } = &mut *std::mem::ManuallyDrop::new(scratch);
        _lock.unlock().unwrap();
        drop(directory.take());
        drop(Scratch::make(output.path(), "running").unwrap());
        assert_eq!(fs::read_to_string(&changed).unwrap(), "old");
        assert_eq!(fs::read_dir(output.path().join(NOTES)).unwrap().count(), 0);
    }

    #[test]
    fn what_somebody_left_in_the_systems_directory_is_never_undone() {
        let output = tempfile::tempdir().unwrap();
        let victim = output.path().join("victim");
        fs::write(&victim, "to be overwritten").unwrap();
        // A directory as ours are, and in it a log that says how the file was before.
        let forged = private();
        let log = Log::of(&forged.path().join("board"));
        log.keep(&victim).unwrap();
        fs::write(&victim, "precious").unwrap();
        let notes = output.path().join(NOTES);
        fs::create_dir(&notes).unwrap();
        let note = ScratchRecord::of(forged.path()).unwrap();
        fs::write(notes.join("1-0-running"), note.to_bytes()).unwrap();
        drop(Scratch::make(output.path(), "running").unwrap());
        assert_eq!(fs::read_to_string(&victim).unwrap(), "precious");
    }

    #[test]
    fn two_runs_with_the_same_process_number_have_a_directory_each() {
        let output = tempfile::tempdir().unwrap();
        let first = Scratch::make(output.path(), "running").unwrap();
        let second = Scratch::make(output.path(), "running").unwrap();
        assert_ne!(first.path(), second.path());
        assert_ne!(first.note, second.note);
    }

    #[test]
    fn a_directory_is_ours_alone() {
        let output = tempfile::tempdir().unwrap();
        let scratch = Scratch::make(output.path(), "running").unwrap();
        let mode = fs::metadata(scratch.path()).unwrap().mode();
        assert_eq!(mode & 0o777, 0o700);
        assert!(ScratchRecord::of(scratch.path()).unwrap().is_ours());
    }

    #[test]
    fn a_directory_that_somebody_else_made_in_its_place_is_not_touched() {
        let directory = private();
        let note = ScratchRecord::of(directory.path()).unwrap();
        assert!(note.is_ours());
        let text = String::from_utf8(note.to_bytes()).unwrap();
        assert_eq!(
            ScratchRecord::parse(&text),
            Some(ScratchRecord::of(directory.path()).unwrap())
        );
        // Another directory of the same name.
        let other = ScratchRecord {
            inode: note.inode + 1,
            ..ScratchRecord::parse(&text).unwrap()
        };
        assert!(!other.is_ours());
        // One that others may write to.
        fs::set_permissions(directory.path(), Permissions::from_mode(0o777)).unwrap();
        assert!(!note.is_ours());
    }
}
