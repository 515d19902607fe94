//! The place where what is compiled once for all trees of a user is kept, and how it stays small.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// What nobody used for so long was made for a toolchain, or by a version of this tool, that is no
/// longer there. Making it again takes seconds.
const UNUSED_FOR: Duration = Duration::from_secs(30 * 24 * 60 * 60);

/// Where it is, if the user has a place for such things.
pub fn user_cache() -> Option<PathBuf> {
    let absolute = |name: &str| {
        let path = PathBuf::from(std::env::var_os(name)?);
        path.is_absolute().then_some(path)
    };
    let caches = absolute("XDG_CACHE_HOME").or_else(|| Some(absolute("HOME")?.join(".cache")))?;
    let ours = caches.join("atropos");
    fs::create_dir_all(&ours).is_ok().then_some(ours)
}

/// Notes that the directory beside a lock file is in use. A cache that can't be written is
/// used all the same.
pub fn note_use(lock: &Path) {
    let _ = File::open(lock).and_then(|file| file.set_modified(SystemTime::now()));
}

/// Removes the directories that nobody has used for long, with their locks. What can't be removed
/// stays: it does no harm.
pub fn remove_unused(cache: &Path) {
    let Ok(entries) = fs::read_dir(cache) else {
        return;
    };
    for entry in entries.flatten() {
        let lock = entry.path();
        if lock
            .extension()
            .is_some_and(|extension| extension == "lock")
            && is_unused(&lock)
        {
            remove_with(&lock);
        }
    }
}

fn is_unused(lock: &Path) -> bool {
    let used = fs::metadata(lock).and_then(|data| data.modified());
    let age = used
        .ok()
        .and_then(|used| SystemTime::now().duration_since(used).ok());
    age.is_some_and(|age| age > UNUSED_FOR)
}

fn remove_with(lock: &Path) {
    // Whoever compiles into it right now holds its lock.
    let Ok(file) = File::open(lock) else { return };
    if file.try_lock().is_err() {
        return;
    }
    for directory in [lock.with_extension(""), lock.with_extension("making")] {
        let _ = fs::remove_dir_all(directory);
    }
    let _ = fs::remove_file(lock);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(cache: &Path, name: &str, unused_for: Duration) -> PathBuf {
        let directory = cache.join(name);
        fs::create_dir(&directory).unwrap();
        fs::write(directory.join("file"), "").unwrap();
        let lock = File::create(directory.with_extension("lock")).unwrap();
        lock.set_modified(SystemTime::now() - unused_for).unwrap();
        directory
    }

    #[test]
    fn what_was_not_used_for_long_goes_and_the_rest_stays() {
        let cache = tempfile::tempdir().unwrap();
        let old = kept(cache.path(), "old", UNUSED_FOR * 2);
        let young = kept(cache.path(), "young", UNUSED_FOR / 2);
        let used = kept(cache.path(), "used", UNUSED_FOR * 2);
        note_use(&used.with_extension("lock"));
        let locked = kept(cache.path(), "locked", UNUSED_FOR * 2);
        let _held = {
            let file = File::open(locked.with_extension("lock")).unwrap();
            file.lock().unwrap();
            file
        };
        remove_unused(cache.path());
        assert!(!old.exists() && !old.with_extension("lock").exists());
        for stays in [young, used, locked] {
            assert!(stays.exists(), "{}", stays.display());
        }
    }
}
