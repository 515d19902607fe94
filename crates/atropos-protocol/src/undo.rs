//! What a mutant changes in files that outlive its run, written down before it happens, and undone afterwards.
//!
//! Without that, what one mutant leaves behind would fail the same test under the next one, and then the user's own tests.
//! A log belongs to a board: a directory with one file of entries and with copies of files. It lies where a link among the
//! run's files says, which is in the output directory, so that nobody else can write one; without such a link beside the board. Undoing goes
//! through the entries from the last to the first. What is written goes there before the change; an entry that was cut
//! short belongs to a change that never came.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File, Permissions};
use std::io::{self, Write as _};
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::process;
use std::sync::atomic::{AtomicU64, Ordering};

/// Larger files can't be kept, and so not be brought back.
const LARGEST: u64 = 64 << 20;
const ENTRIES: &str = "entries";
const EXTENSION: &str = "undo";
/// The link in the directory of a run's boards, or above it, to where the logs are.
const LINK: &str = "undo-logs";

/// The log of a board.
pub struct Log {
    directory: PathBuf,
}

/// What was there before a change.
#[derive(Debug, PartialEq, Eq)]
enum Entry {
    Nothing {
        path: PathBuf,
    },
    File {
        copy: PathBuf,
        mode: u32,
        path: PathBuf,
    },
    Directory {
        mode: u32,
        path: PathBuf,
    },
    Link {
        target: PathBuf,
        path: PathBuf,
    },
    Moved {
        from: PathBuf,
        to: PathBuf,
    },
}

impl Log {
    pub fn of(board: &Path) -> Log {
        let mut above = board.ancestors().skip(1).take(3);
        let directory = above.find_map(|above| {
            let link = above.join(LINK);
            let name = board.strip_prefix(above).ok()?.as_os_str().as_bytes();
            let name: Vec<u8> = name
                .iter()
                .map(|&byte| if byte == b'/' { b'-' } else { byte })
                .collect();
            let name = Path::new(OsStr::from_bytes(&name)).with_extension(EXTENSION);
            Some(fs::read_link(link).ok()?.join(name))
        });
        Log {
            directory: directory.unwrap_or_else(|| board.with_extension(EXTENSION)),
        }
    }

    /// Makes the logs of all boards below a directory lie in another one.
    pub fn lie_in(boards: &Path, logs: &Path) -> io::Result<()> {
        symlink(logs, boards.join(LINK))
    }

    /// Where the logs of the boards beside this one lie.
    pub fn place(&self) -> Option<&Path> {
        self.directory.parent()
    }

    /// Keeps what is at a path, or that there is nothing. What can't be brought back (large files, devices, pipes, sockets) is
    /// an error of the kind `Unsupported`.
    pub fn keep(&self, path: &Path) -> io::Result<()> {
        let path = path.to_owned();
        let metadata = match fs::symlink_metadata(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                // Where there is no directory, nothing can be made either; some programs try very often.
                return match path.parent().is_some_and(Path::is_dir) {
                    true => self.write(&Entry::Nothing { path }),
                    false => Ok(()),
                };
            }
            other => other?,
        };
        let mode = metadata.permissions().mode();
        let kind = metadata.file_type();
        if kind.is_dir() {
            self.write(&Entry::Directory { mode, path })
        } else if kind.is_symlink() {
            let target = fs::read_link(&path)?;
            self.write(&Entry::Link { target, path })
        } else if kind.is_file() && metadata.len() <= LARGEST {
            static COPIES: AtomicU64 = AtomicU64::new(0);
            let number = COPIES.fetch_add(1, Ordering::Relaxed);
            fs::create_dir_all(&self.directory)?;
            let name = format!("{}-{number}", process::id());
            let copy = self.directory.join(name);
            fs::copy(&path, &copy)?;
            self.write(&Entry::File { copy, mode, path })
        } else {
            Err(io::ErrorKind::Unsupported.into())
        }
    }

    /// Something is about to be moved to where nothing is, or to what was kept.
    pub fn moving(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.write(&Entry::Moved {
            from: from.to_owned(),
            to: to.to_owned(),
        })
    }

    fn write(&self, entry: &Entry) -> io::Result<()> {
        let path = self.directory.join(ENTRIES);
        let open = || File::options().create(true).append(true).open(&path);
        let mut file = open().or_else(|_| {
            fs::create_dir_all(&self.directory)?;
            open()
        })?;
        file.write_all(&entry.to_bytes())
    }

    /// The paths of all that would be brought back or removed.
    pub fn paths(&self) -> Vec<PathBuf> {
        let bytes = fs::read(self.directory.join(ENTRIES)).unwrap_or_default();
        let paths = |entry: Entry| match entry {
            Entry::Nothing { path }
            | Entry::File { path, .. }
            | Entry::Directory { path, .. }
            | Entry::Link { path, .. } => vec![path],
            Entry::Moved { from, to } => vec![from, to],
        };
        entries(&bytes).into_iter().flat_map(paths).collect()
    }

    /// Undoes everything, as far as that is possible, and forgets it.
    pub fn undo(&self) {
        let Ok(bytes) = fs::read(self.directory.join(ENTRIES)) else {
            return;
        };
        for entry in entries(&bytes).iter().rev() {
            // What can't be brought back must not keep the rest from it.
            let _ = entry.undo();
        }
        let _ = fs::remove_dir_all(&self.directory);
    }

    /// Undoes what the logs say that lie anywhere below a directory: their runs were killed.
    pub fn undo_all(directory: &Path) {
        for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
            // Links lead elsewhere.
            if !entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                continue;
            }
            let path = entry.path();
            match path.extension() == Some(OsStr::new(EXTENSION)) {
                true => Log { directory: path }.undo(),
                false => Log::undo_all(&path),
            }
        }
    }
}

/// Each entry is a letter and fields, all of which end with a zero byte: paths have none in them.
impl Entry {
    fn to_bytes(&self) -> Vec<u8> {
        let number = |mode: &u32| OsString::from(mode.to_string());
        let fields: Vec<OsString> = match self {
            Entry::Nothing { path } => vec!["N".into(), path.into()],
            Entry::File { copy, mode, path } => {
                vec!["F".into(), copy.into(), number(mode), path.into()]
            }
            Entry::Directory { mode, path } => vec!["D".into(), number(mode), path.into()],
            Entry::Link { target, path } => vec!["L".into(), target.into(), path.into()],
            Entry::Moved { from, to } => vec!["M".into(), from.into(), to.into()],
        };
        let mut bytes = Vec::new();
        for field in fields {
            bytes.extend(field.into_vec());
            bytes.push(0);
        }
        bytes
    }

    fn read<'b>(fields: &mut impl Iterator<Item = &'b [u8]>) -> Option<Entry> {
        let letter = fields.next()?;
        let mut path = || Some(PathBuf::from(OsStr::from_bytes(fields.next()?)));
        let mode = |path: PathBuf| path.to_str()?.parse().ok();
        Some(match letter {
            b"N" => Entry::Nothing { path: path()? },
            b"F" => Entry::File {
                copy: path()?,
                mode: mode(path()?)?,
                path: path()?,
            },
            b"D" => Entry::Directory {
                mode: mode(path()?)?,
                path: path()?,
            },
            b"L" => Entry::Link {
                target: path()?,
                path: path()?,
            },
            b"M" => Entry::Moved {
                from: path()?,
                to: path()?,
            },
            _ => return None,
        })
    }

    fn undo(&self) -> io::Result<()> {
        match self {
            // What others have put into a new directory stays, and so does the directory.
            Entry::Nothing { path } => match fs::symlink_metadata(path)?.is_dir() {
                true => fs::remove_dir(path),
                false => fs::remove_file(path),
            },
            Entry::File { copy, mode, path } => {
                let is_same =
                    fs::read(path).is_ok_and(|now| fs::read(copy).is_ok_and(|was| was == now));
                if !is_same {
                    fs::write(path, fs::read(copy)?)?;
                }
                fs::set_permissions(path, Permissions::from_mode(*mode))
            }
            Entry::Directory { mode, path } => {
                if !path.is_dir() {
                    fs::create_dir(path)?;
                }
                fs::set_permissions(path, Permissions::from_mode(*mode))
            }
            Entry::Link { target, path } => {
                if fs::read_link(path).is_ok_and(|now| now == *target) {
                    return Ok(());
                }
                let _ = fs::remove_file(path);
                symlink(target, path)
            }
            Entry::Moved { from, to } => match fs::symlink_metadata(from) {
                Ok(_) => Ok(()),
                Err(_) => fs::rename(to, from),
            },
        }
    }
}

fn entries(bytes: &[u8]) -> Vec<Entry> {
    // What follows the last zero byte was cut short.
    let end = bytes.iter().rposition(|&byte| byte == 0).map_or(0, |at| at);
    let mut fields = bytes[..end].split(|&byte| byte == 0);
    std::iter::from_fn(|| Entry::read(&mut fields)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A directory with files in it, and a log beside it.
    struct Place(PathBuf);

    impl Place {
        fn new(name: &str) -> Place {
            let path = std::env::temp_dir().join(format!("atropos-undo-{name}-{}", process::id()));
            let _ = fs::remove_dir_all(&path);
            fs::create_dir_all(path.join("files/inner")).unwrap();
            fs::write(path.join("files/one"), "1").unwrap();
            fs::write(path.join("files/inner/two"), "2").unwrap();
            symlink("one", path.join("files/link")).unwrap();
            Place(path)
        }

        fn log(&self) -> Log {
            Log::of(&self.0.join("run/worker/board"))
        }

        fn at(&self, path: &str) -> PathBuf {
            self.0.join("files").join(path)
        }

        /// Every path with its mode and what is in it.
        fn state(&self) -> Vec<(PathBuf, u32, String)> {
            let mut found = Vec::new();
            let mut open = vec![self.0.join("files")];
            while let Some(path) = open.pop() {
                let metadata = fs::symlink_metadata(&path).unwrap();
                let mode = metadata.permissions().mode();
                let content = if metadata.is_dir() {
                    let entries = fs::read_dir(&path).unwrap();
                    open.extend(entries.map(|entry| entry.unwrap().path()));
                    String::new()
                } else if metadata.is_symlink() {
                    fs::read_link(&path).unwrap().display().to_string()
                } else {
                    fs::read_to_string(&path).unwrap()
                };
                found.push((path, mode, content));
            }
            found.sort();
            found
        }
    }

    impl Drop for Place {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    /// Changes that mutants make, each written down as the runtime does.
    fn change_everything(place: &Place) {
        let log = place.log();
        let path = |name: &str| place.at(name);
        let kept = |name: &str| {
            log.keep(&path(name)).unwrap();
            path(name)
        };
        fs::write(kept("new\nline"), "litter").unwrap();
        fs::create_dir(kept("made")).unwrap();
        fs::write(kept("made/x"), "litter").unwrap();
        fs::write(kept("one"), "overwritten").unwrap();
        fs::remove_file(kept("link")).unwrap();
        fs::remove_file(kept("inner/two")).unwrap();
        fs::remove_dir(kept("inner")).unwrap();
        // Moved onto another file, and then changed there.
        log.keep(&path("made/x")).unwrap();
        log.moving(&path("one"), &path("made/x")).unwrap();
        fs::rename(path("one"), path("made/x")).unwrap();
        fs::write(kept("made/x"), "again").unwrap();
        log.moving(&path("made"), &path("inner")).unwrap();
        fs::rename(path("made"), path("inner")).unwrap();
        fs::write(kept("inner/x"), "and again").unwrap();
        let mode = Permissions::from_mode(0o700);
        fs::set_permissions(kept("inner"), mode).unwrap();
    }

    #[test]
    fn what_cant_be_brought_back_is_an_error() {
        let place = Place::new("unsupported");
        let large = place.at("large");
        File::create(&large).unwrap().set_len(LARGEST + 1).unwrap();
        let error = place.log().keep(&large).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::Unsupported);
        let socket = place.at("socket");
        let _listener = std::os::unix::net::UnixListener::bind(&socket).unwrap();
        let error = place.log().keep(&socket).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::Unsupported);
    }

    #[test]
    fn everything_is_as_it_was() {
        let place = Place::new("all");
        let before = place.state();
        change_everything(&place);
        assert_ne!(place.state(), before);
        place.log().undo();
        assert_eq!(place.state(), before);
        assert!(!place.log().directory.exists());
        place.log().undo();
        assert_eq!(place.state(), before);
    }

    #[test]
    fn what_a_killed_run_did_is_undone_by_another() {
        let place = Place::new("killed");
        let before = place.state();
        change_everything(&place);
        Log::undo_all(&place.0);
        assert_eq!(place.state(), before);
    }

    #[test]
    fn logs_lie_where_the_link_says() {
        let place = Place::new("elsewhere");
        let logs = place.0.join("logs");
        fs::create_dir_all(place.0.join("run")).unwrap();
        fs::create_dir(&logs).unwrap();
        Log::lie_in(&place.0.join("run"), &logs).unwrap();
        assert_eq!(place.log().directory, logs.join("worker-board.undo"));
        assert_eq!(place.log().place(), Some(&*logs));
        let before = place.state();
        change_everything(&place);
        assert!(!place.0.join("run/worker").exists());
        Log::undo_all(&logs);
        assert_eq!(place.state(), before);
    }

    #[test]
    fn an_entry_that_was_cut_short_is_none() {
        let entry = Entry::Moved {
            from: "a".into(),
            to: "b c".into(),
        };
        let nothing = Entry::Nothing { path: "x".into() };
        let mut bytes = entry.to_bytes();
        bytes.extend(nothing.to_bytes());
        for end in 0..bytes.len() {
            assert!(entries(&bytes[..end]).len() < 2, "{end}");
        }
        assert_eq!(entries(&bytes), [entry, nothing]);
    }
}
