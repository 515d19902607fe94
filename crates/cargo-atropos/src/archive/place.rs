//! Puts the files of an archive where their programs expect them: under the paths that they had when they were built. Those
//! are compiled into tests (`env!("CARGO_BIN_EXE_…")`, `CARGO_MANIFEST_DIR`), so no other place would do for all of them.
//!
//! Where the kernel allows it, that is done in a mount namespace of this process: nobody else sees it, nothing is left of it,
//! and several runs on one machine don't meet. Directories on the way that the machine has not are added in memory. Where the
//! kernel does not allow it, files are put there for all to see, if there is nothing yet, and removed at the end.

use std::fs::{self, File};
use std::io;
use std::os::fd::AsRawFd as _;
use std::os::unix::fs::{MetadataExt as _, chroot, symlink};
use std::path::{Component, Path, PathBuf};

use anyhow::{Context as _, Result, bail};
use rustix::mount::{
    MountFlags, MountPropagationFlags, mount, mount_bind, mount_bind_recursive, mount_change,
};
use rustix::process::{getgid, getuid};
use rustix::thread::{UnshareFlags, unshare_unsafe};
use serde::{Deserialize, Serialize};

use super::contents::TREE;
use super::open::OpenArchive;
use crate::interrupt::Interrupt;

/// Where files are unpacked, within the output directory.
const UNPACKED: &str = "unpacked";
/// Names the directories that a run has made for all to see, within the output directory.
const MADE: &str = "unpacked.json";

/// The files of an archive, at their places as long as this value lives.
#[derive(Debug)]
pub struct PlacedFiles {
    made: Made,
    note: Option<PathBuf>,
}

/// What is removed at the end.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Made {
    /// All that is in them.
    filled: Vec<PathBuf>,
    /// Directories that were not there before, inner ones first.
    directories: Vec<PathBuf>,
}

impl Made {
    fn remove(&self) -> io::Result<()> {
        for directory in self.filled.iter().filter(|path| path.exists()) {
            empty(directory)?;
        }
        for directory in &self.directories {
            // Somebody else may have put something there.
            let _ = fs::remove_dir(directory);
        }
        Ok(())
    }
}

impl Drop for PlacedFiles {
    fn drop(&mut self) {
        let removed = self.made.remove();
        if let (Ok(()), Some(note)) = (removed, &self.note) {
            let _ = fs::remove_file(note);
        }
    }
}

/// Unpacks an archive and puts its files where they belong. To be called while the process has one thread.
pub fn place(archive: &OpenArchive, output: &Path, interrupt: &Interrupt) -> Result<PlacedFiles> {
    forget(output)?;
    let roots = &archive.contents.roots;
    if !enter_namespace() {
        return place_for_all(archive, output, interrupt);
    }
    let unpacked = output.join(UNPACKED);
    archive.unpack(&unpacked, interrupt)?;
    let placed = PlacedFiles {
        made: Made {
            filled: vec![unpacked.clone()],
            directories: vec![unpacked.clone()],
        },
        note: None,
    };
    let kept = File::open(output)?;
    for root in roots {
        let files = unpacked.join(TREE).join(relative(root));
        show(&files, root)
            .with_context(|| format!("can't put the archive's files at {}", root.display()))?;
    }
    keep_visible(&kept, output)
        .with_context(|| format!("can't keep {} visible", output.display()))?;
    Ok(placed)
}

/// Removes what a run left behind that was killed.
fn forget(output: &Path) -> Result<()> {
    let unpacked = output.join(UNPACKED);
    if unpacked.exists() {
        empty(&unpacked)
            .and_then(|()| fs::remove_dir(&unpacked))
            .with_context(|| format!("can't remove {}", unpacked.display()))?;
    }
    let note = output.join(MADE);
    if let Ok(bytes) = fs::read(&note) {
        let made: Made = serde_json::from_slice(&bytes).unwrap_or_default();
        made.remove()
            .context("can't remove what a run that was killed has unpacked")?;
        fs::remove_file(&note)?;
    }
    Ok(())
}

/// Removes all that is in a directory, unless something is mounted below it: that would be other people's files.
fn empty(directory: &Path) -> io::Result<()> {
    let mounts = fs::read_to_string("/proc/self/mountinfo")?;
    let places = mounts.lines().filter_map(|line| line.split(' ').nth(4));
    let mut places = places.map(|place| PathBuf::from(place.replace("\\040", " ")));
    if places.any(|place| place != directory && place.starts_with(directory)) {
        return Err(io::ErrorKind::ResourceBusy.into());
    }
    for entry in fs::read_dir(directory)? {
        let entry = entry?;
        match entry.file_type()?.is_dir() {
            true => fs::remove_dir_all(entry.path())?,
            false => fs::remove_file(entry.path())?,
        }
    }
    Ok(())
}

/// Gives this process mounts of its own; tells whether that is allowed here.
fn enter_namespace() -> bool {
    let (uid, gid) = (getuid().as_raw(), getgid().as_raw());
    // SAFETY: this process has one thread, and nothing here depends on which mounts it sees.
    let alone = unsafe { unshare_unsafe(UnshareFlags::NEWNS) };
    if alone.is_err() {
        // SAFETY: as above.
        let as_user = unsafe { unshare_unsafe(UnshareFlags::NEWUSER | UnshareFlags::NEWNS) };
        let mapped = as_user.map_err(io::Error::from).and_then(|()| {
            fs::write("/proc/self/setgroups", "deny")?;
            fs::write("/proc/self/uid_map", format!("{uid} {uid} 1"))?;
            fs::write("/proc/self/gid_map", format!("{gid} {gid} 1"))
        });
        if mapped.is_err() {
            return false;
        }
    }
    let private = MountPropagationFlags::REC | MountPropagationFlags::PRIVATE;
    mount_change("/", private).is_ok()
}

fn relative(path: &Path) -> &Path {
    path.strip_prefix("/").unwrap_or(path)
}

/// Makes a directory visible at another place, which need not be there.
fn show(files: &Path, at: &Path) -> io::Result<()> {
    if at.is_dir() {
        return Ok(mount_bind_recursive(files, at)?);
    }
    let files = File::open(files)?;
    let files = through(&files);
    let there = at.ancestors().find(|path| path.is_dir());
    let there = there.ok_or(io::ErrorKind::NotFound)?;
    // Nothing can be mounted over the root: another directory becomes the new one.
    let covered = match there == Path::new("/") {
        true => some_directory_of_root()?,
        false => there.to_owned(),
    };
    let mode = fs::metadata(there)?.permissions();
    // What lies there now is reached through this, once it is covered.
    let below = File::open(&covered)?;
    mount("tmpfs", &covered, c"tmpfs", MountFlags::empty(), None)?;
    fs::set_permissions(&covered, mode)?;
    let inner = covered.join(at.strip_prefix(there).expect("it is above"));
    if there == covered {
        repeat(&through(&below), there, None)?;
    } else {
        repeat(there, &covered, Some((&covered, &through(&below))))?;
    }
    fs::create_dir_all(&inner)?;
    mount_bind_recursive(&files, &inner)?;
    if there != covered {
        chroot(&covered)?;
        std::env::set_current_dir("/")?;
    }
    Ok(())
}

/// A path to an open file, whatever covers it.
fn through(file: &File) -> PathBuf {
    format!("/proc/self/fd/{}", file.as_raw_fd()).into()
}

/// A directory that can be covered for a moment.
fn some_directory_of_root() -> io::Result<PathBuf> {
    let needed = ["proc", "dev", "sys"].map(|name| Path::new("/").join(name));
    for entry in fs::read_dir("/")? {
        let entry = entry?;
        if entry.file_type()?.is_dir() && !needed.contains(&entry.path()) {
            return Ok(entry.path());
        }
    }
    Err(io::ErrorKind::NotFound.into())
}

/// Makes all that is in one directory visible in another, empty one. `covered` is a path that leads elsewhere now, and what
/// leads there still.
fn repeat(from: &Path, to: &Path, covered: Option<(&Path, &Path)>) -> io::Result<()> {
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let (mut source, target) = (from.join(entry.file_name()), to.join(entry.file_name()));
        let kind = entry.file_type()?;
        if kind.is_symlink() {
            symlink(fs::read_link(&source)?, &target)?;
            continue;
        }
        match kind.is_dir() {
            true => fs::create_dir(&target)?,
            false => drop(File::create(&target)?),
        }
        if let Some((_, elsewhere)) = covered.filter(|(path, _)| *path == source) {
            source = elsewhere.to_owned();
        }
        mount_bind_recursive(&source, &target)?;
    }
    Ok(())
}

/// The output directory may lie below what is now covered.
fn keep_visible(kept: &File, output: &Path) -> io::Result<()> {
    let before = kept.metadata()?;
    let is_same = |now: fs::Metadata| (now.dev(), now.ino()) == (before.dev(), before.ino());
    if fs::metadata(output).is_ok_and(is_same) {
        return Ok(());
    }
    fs::create_dir_all(output)?;
    Ok(mount_bind(through(kept), output)?)
}

/// Unpacks to the very places, where there is nothing yet.
fn place_for_all(
    archive: &OpenArchive,
    output: &Path,
    interrupt: &Interrupt,
) -> Result<PlacedFiles> {
    let roots = &archive.contents.roots;
    for root in roots {
        let is_plain = root
            .components()
            .all(|part| matches!(part, Component::RootDir | Component::Normal(_)));
        let is_empty = match fs::read_dir(root) {
            Ok(mut entries) => entries.next().is_none(),
            Err(error) => error.kind() == io::ErrorKind::NotFound,
        };
        if !is_plain || !is_empty {
            bail!(
                "the archive's files belong at {}, where something else is, and this machine allows no mount namespace to \
                 put them there unseen",
                root.display()
            );
        }
    }
    let missing = |root: &PathBuf| {
        let ancestors = root.ancestors().map(Path::to_owned);
        ancestors.take_while(|path| !path.exists()).collect()
    };
    let directories: Vec<Vec<PathBuf>> = roots.iter().map(missing).collect();
    let made = Made {
        filled: roots.clone(),
        directories: directories.concat(),
    };
    let note = output.join(MADE);
    fs::write(&note, serde_json::to_vec(&made)?)
        .with_context(|| format!("can't write {}", note.display()))?;
    let placed = PlacedFiles {
        made,
        note: Some(note),
    };
    for root in roots {
        fs::create_dir_all(root).with_context(|| {
            format!(
                "the archive's files belong at {}, which can't be made, and this machine allows no mount namespace",
                root.display()
            )
        })?;
    }
    archive.unpack_in_place(interrupt)?;
    Ok(placed)
}
