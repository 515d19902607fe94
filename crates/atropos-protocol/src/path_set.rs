//! Sets of paths that fit into a board. A [`PathSet`] says "perhaps" now and then where it should be "no", never the other way; a
//! [`PathList`] says "no" of paths for which it has no room, and "yes" only of those that were added.

use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::hash::{FNV_1A, fnv_1a, spread};

const WORDS: usize = 32;

/// A set in shared memory.
#[repr(C)]
pub struct PathSet([AtomicU64; WORDS]);

impl PathSet {
    pub fn add(&self, path: &Path) {
        let (word, bit) = place(path);
        self.0[word].fetch_or(bit, Ordering::Relaxed);
    }

    pub fn clear(&self) {
        for word in &self.0 {
            word.store(0, Ordering::Relaxed);
        }
    }

    pub fn get(&self) -> Paths {
        Paths(std::array::from_fn(|index| {
            self.0[index].load(Ordering::Relaxed)
        }))
    }
}

/// The word and the bit that stand for a path.
fn place(path: &Path) -> (usize, u64) {
    let bit = hash(path) as usize % (WORDS * 64);
    (bit / 64, 1 << (bit % 64))
}

/// How many paths a list has room for.
const MOST: usize = 128;

/// A list in shared memory of the hashes of paths: that two paths have the same one does not happen.
#[repr(C)]
pub struct PathList([AtomicU64; MOST]);

impl PathList {
    /// Adds a path, if there is room.
    pub fn add(&self, path: &Path) {
        let hash = hash(path);
        for place in &self.0 {
            match place.compare_exchange(0, hash, Ordering::Relaxed, Ordering::Relaxed) {
                Ok(_) => return,
                Err(there) if there == hash => return,
                Err(_) => {}
            }
        }
    }

    pub fn contains(&self, path: &Path) -> bool {
        let hash = hash(path);
        self.0
            .iter()
            .any(|place| place.load(Ordering::Relaxed) == hash)
    }

    /// The hashes of its paths.
    pub fn get(&self) -> Vec<u64> {
        let all = self.0.iter().map(|place| place.load(Ordering::Relaxed));
        all.filter(|&hash| hash != 0).collect()
    }

    /// Makes it hold these paths and no others, as far as there is room.
    pub fn set(&self, hashes: impl IntoIterator<Item = u64>) {
        let mut hashes = hashes.into_iter();
        for place in &self.0 {
            place.store(hashes.next().unwrap_or(0), Ordering::Relaxed);
        }
    }
}

/// Never 0, and the same in every version of std, because sets are kept. The hash of a path is that of its parts: `a//b` and
/// `a/./b` are `a/b`.
fn hash(path: &Path) -> u64 {
    let hash = path.components().fold(FNV_1A, |hash, part| {
        fnv_1a(fnv_1a(hash, part.as_os_str().as_bytes()), b"/")
    });
    spread(hash).max(1)
}

/// A set as it was at some moment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Paths([u64; WORDS]);

impl Paths {
    fn of(paths: &[&str]) -> Paths {
        let mut set = Paths::default();
        for path in paths {
            let (word, bit) = place(Path::new(path));
            set.0[word] |= bit;
        }
        set
    }

    pub fn is_empty(&self) -> bool {
        self.0 == [0; WORDS]
    }

    /// The set as numbers, and back.
    pub fn words(&self) -> &[u64] {
        &self.0
    }

    pub fn of_words(words: &[u64]) -> Option<Paths> {
        Some(Paths(words.try_into().ok()?))
    }

    /// Whether a path is in the set; sometimes also if it is not.
    pub fn contains(&self, path: &Path) -> bool {
        let (word, bit) = place(path);
        self.0[word] & bit != 0
    }

    fn meets(&self, other: &Paths) -> bool {
        self.0
            .iter()
            .zip(&other.0)
            .any(|(one, other)| one & other != 0)
    }

    pub fn unite(&mut self, other: &Paths) {
        for (one, other) in self.0.iter_mut().zip(&other.0) {
            *one |= other;
        }
    }
}

/// What a test does to files that outlive it.
#[derive(Clone, Debug, Default)]
pub struct FileUse {
    pub read: Paths,
    /// What it asked about without opening it: whether it is there, how long it is, where it leads.
    pub looked_at: Paths,
    pub changed: Paths,
    /// Directories of files that were changed.
    pub directories: Paths,
}

impl FileUse {
    /// Of a test that changes these files.
    pub fn changing(paths: &[&str]) -> FileUse {
        FileUse {
            changed: Paths::of(paths),
            ..FileUse::default()
        }
    }

    /// Whether two tests can't run at the same time: one changes what the other changes, reads, looks at or lists. That a
    /// directory is there does not change with what is in it.
    pub fn is_in_the_way_of(&self, other: &FileUse) -> bool {
        let spoils = |one: &FileUse, other: &FileUse| {
            one.changed.meets(&other.read)
                || one.changed.meets(&other.looked_at)
                || one.directories.meets(&other.read)
        };
        self.changed.meets(&other.changed) || spoils(self, other) || spoils(other, self)
    }

    pub fn unite(&mut self, other: &FileUse) {
        self.read.unite(&other.read);
        self.looked_at.unite(&other.looked_at);
        self.changed.unite(&other.changed);
        self.directories.unite(&other.directories);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn changes(paths: &[&str], directories: &[&str]) -> FileUse {
        FileUse {
            directories: Paths::of(directories),
            ..FileUse::changing(paths)
        }
    }

    fn reads(paths: &[&str]) -> FileUse {
        FileUse {
            read: Paths::of(paths),
            ..FileUse::default()
        }
    }

    #[track_caller]
    fn check(one: &FileUse, other: &FileUse, expected: bool) {
        assert_eq!(one.is_in_the_way_of(other), expected);
        assert_eq!(other.is_in_the_way_of(one), expected);
    }

    #[test]
    fn what_is_added_is_in_the_set() {
        let set = PathSet(std::array::from_fn(|_| AtomicU64::new(0)));
        assert!(set.get().is_empty());
        set.add(Path::new("/a/./b"));
        assert_eq!(set.get(), Paths::of(&["/a/b"]));
        assert!(set.get().contains(Path::new("/a/b")));
        assert!(!set.get().contains(Path::new("/a/c")));
        set.clear();
        assert!(set.get().is_empty());
    }

    #[test]
    fn a_list_holds_what_was_added_and_no_more_than_it_has_room_for() {
        let list = PathList(std::array::from_fn(|_| AtomicU64::new(0)));
        let paths: Vec<_> = (0..2 * MOST).map(|i| format!("/a/{i}")).collect();
        for path in paths.iter().chain(&paths) {
            list.add(Path::new(path));
        }
        let held = |list: &PathList| -> Vec<bool> {
            let paths = paths.iter();
            paths.map(|path| list.contains(Path::new(path))).collect()
        };
        let expected: Vec<_> = (0..2 * MOST).map(|i| i < MOST).collect();
        assert_eq!(held(&list), expected);
        let some = list.get().into_iter().take(3);
        list.set(some);
        let expected: Vec<_> = (0..2 * MOST).map(|i| i < 3).collect();
        assert_eq!(held(&list), expected);
        assert!(list.contains(Path::new("/a/./2")));
        list.set([]);
        assert!(list.get().is_empty());
    }

    #[test]
    fn who_changes_what_others_use_is_in_their_way() {
        let writer = changes(&["/w/a"], &["/w"]);
        check(&writer, &writer, true);
        check(&writer, &changes(&["/w/b"], &["/w"]), false);
        check(&writer, &reads(&["/w/./a"]), true);
        check(&writer, &reads(&["/w"]), true);
        check(&writer, &reads(&["/w/b"]), false);
        check(&reads(&["/w/a"]), &reads(&["/w/a"]), false);
        check(&FileUse::default(), &writer, false);
        let looks_at = |paths| FileUse {
            looked_at: Paths::of(paths),
            ..FileUse::default()
        };
        check(&writer, &looks_at(&["/w/a"]), true);
        check(&writer, &looks_at(&["/w", "/w/b"]), false);
        check(&reads(&["/w/a"]), &looks_at(&["/w/a"]), false);
        let mut both = reads(&["/w/b"]);
        assert!(both.changed.is_empty());
        both.unite(&writer);
        check(&both, &reads(&["/w/a"]), true);
    }
}
