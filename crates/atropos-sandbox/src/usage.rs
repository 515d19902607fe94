//! What a test takes of the machine that no single call shows: bytes of files, and processes.
//!
//! The kernel reports who opens a file, not how much is written. So files that were opened for writing, and files without a
//! path that processes of the test have open, are looked at from time to time. What they have grown since counts.

use std::collections::{HashMap, HashSet};
use std::fs::{self, Metadata};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use atropos_protocol::signals::ProcessHandle;
use atropos_protocol::sys;

/// The time from one look to the next. A disk takes a few hundred megabytes meanwhile.
pub const INTERVAL: Duration = Duration::from_millis(100);
/// Looking takes at most this part of the time.
const SHARE: u32 = 20;

/// A file by its device and inode.
type FileId = (u64, u64);

/// What was taken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ResourceUse {
    /// By which files have grown.
    pub bytes: u64,
    /// Processes and threads; not counted while the machine has few.
    pub tasks: u64,
}

/// What the test that runs now has taken.
#[derive(Debug)]
pub struct Usage {
    /// Opened for writing.
    files: HashSet<PathBuf>,
    /// Whether any file was ever opened for writing. Until then there is nothing to look at.
    is_any_written: bool,
    /// How large files were.
    before: HashMap<FileId, u64>,
    /// Whom the files are counted for.
    at: (u64, u64),
    next: Instant,
    tasks_before: u64,
}

fn id(metadata: &Metadata) -> FileId {
    (metadata.dev(), metadata.ino())
}

/// The space that a file takes, which is less than its length where it has holes.
fn size(metadata: &Metadata) -> u64 {
    metadata.blocks() * 512
}

impl ResourceUse {
    pub fn max(self, other: ResourceUse) -> ResourceUse {
        ResourceUse {
            bytes: self.bytes.max(other.bytes),
            tasks: self.tasks.max(other.tasks),
        }
    }
}

impl Usage {
    pub fn new() -> Usage {
        Usage {
            files: HashSet::new(),
            is_any_written: false,
            before: HashMap::new(),
            at: (0, 0),
            next: Instant::now(),
            tasks_before: tasks(),
        }
    }

    /// A file is about to be opened for writing, or to get this path.
    pub fn note(&mut self, path: &Path) {
        match fs::metadata(path) {
            Ok(metadata) if metadata.is_file() => {
                self.before.entry(id(&metadata)).or_insert(size(&metadata));
            }
            // A device takes no space.
            Ok(_) => return,
            Err(_) => {}
        }
        self.files.insert(path.to_owned());
        self.is_any_written = true;
    }

    /// A file without a path is about to be made.
    pub fn note_nameless(&mut self) {
        self.is_any_written = true;
    }

    /// What was taken since somebody else ran (`now` is another number for each), if it is time for a look.
    pub fn look(&mut self, root: &ProcessHandle, now: (u64, u64)) -> Option<ResourceUse> {
        let start = Instant::now();
        if start < self.next {
            return None;
        }
        let sizes = self.sizes(root);
        if now != self.at {
            self.at = now;
            self.before = sizes;
            self.files.clear();
            self.next = start + INTERVAL.max(start.elapsed() * SHARE);
            return None;
        }
        let grown = sizes.iter().map(|(file, size)| {
            let before = self.before.get(file).copied().unwrap_or(0);
            size.saturating_sub(before)
        });
        let bytes = grown.sum();
        // Counting them takes long, so the machine's are looked at first.
        let tasks = match tasks().saturating_sub(self.tasks_before) > SUSPICIOUS_TASKS {
            true => tasks_below(root),
            false => 0,
        };
        self.next = start + INTERVAL.max(start.elapsed() * SHARE);
        Some(ResourceUse { bytes, tasks })
    }

    /// The files that were opened for writing, and those without a path that are open.
    fn sizes(&self, root: &ProcessHandle) -> HashMap<FileId, u64> {
        let named = self.files.iter().filter_map(|path| fs::metadata(path).ok());
        let mut sizes: HashMap<FileId, u64> = named
            .filter(Metadata::is_file)
            .map(|metadata| (id(&metadata), size(&metadata)))
            .collect();
        if !self.is_any_written {
            return sizes;
        }
        for process in all_from(root) {
            let entries = fs::read_dir(format!("/proc/{}/fd", process.pid()));
            for entry in entries.into_iter().flatten().flatten() {
                let file = fs::metadata(entry.path()).ok().filter(Metadata::is_file);
                if let Some(file) = file.filter(|_| is_written(&process, &entry.file_name())) {
                    sizes.insert(id(&file), size(&file));
                }
            }
        }
        sizes
    }
}

/// Whether a process may write by this descriptor.
fn is_written(process: &ProcessHandle, descriptor: &std::ffi::OsStr) -> bool {
    let descriptor = descriptor.to_string_lossy();
    let text = fs::read_to_string(format!("/proc/{}/fdinfo/{descriptor}", process.pid()));
    let text = text.unwrap_or_default();
    let flags = text.lines().find_map(|line| line.strip_prefix("flags:"));
    let flags = flags.and_then(|flags| i64::from_str_radix(flags.trim(), 8).ok());
    flags.is_some_and(|flags| flags & i64::from(sys::O_WRONLY | sys::O_RDWR) != 0)
}

/// A process and all below it.
fn all_from(root: &ProcessHandle) -> Vec<ProcessHandle> {
    let mut all: Vec<ProcessHandle> = ProcessHandle::open(root.pid()).into_iter().collect();
    let mut next = 0;
    while next < all.len() {
        let children = all[next].children();
        all.extend(children);
        next += 1;
    }
    all
}

/// So many more than there were, and it is worth a look whose they are.
const SUSPICIOUS_TASKS: u64 = 1000;

fn tasks_below(root: &ProcessHandle) -> u64 {
    let threads = |process: &ProcessHandle| {
        let entries = fs::read_dir(format!("/proc/{}/task", process.pid()));
        entries.map_or(0, Iterator::count) as u64
    };
    all_from(root).iter().map(threads).sum()
}

/// How many processes and threads there are on the machine.
pub fn tasks() -> u64 {
    let text = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let counts = text.split(' ').find_map(|word| word.split_once('/'));
    counts
        .and_then(|(_, all)| all.parse().ok())
        .unwrap_or(1 << 16)
}

#[cfg(test)]
mod tests {
    use std::process::{Child, Command, Stdio};

    use super::*;

    /// Runs a script whose last command waits for its input to end.
    fn started(script: &str, directory: &Path) -> Child {
        let mut command = Command::new("sh");
        command.args(["-c", &format!("{script}; read line")]);
        command.current_dir(directory).stdin(Stdio::piped());
        command.spawn().unwrap()
    }

    fn bytes_when(usage: &mut Usage, root: &ProcessHandle, now: (u64, u64), enough: u64) -> u64 {
        let start = Instant::now();
        loop {
            let taken = usage.look(root, now).unwrap_or_default();
            if taken.bytes >= enough || start.elapsed() > Duration::from_secs(60) {
                return taken.bytes;
            }
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    #[test]
    fn what_is_written_counts_by_whatever_path_and_also_without_one() {
        const MIB: u64 = 1 << 20;
        let directory = tempfile::tempdir().unwrap();
        let (old, new) = (directory.path().join("old"), directory.path().join("new"));
        fs::write(&old, vec![1; 3 * MIB as usize]).unwrap();
        let mut usage = Usage::new();
        let script = "exec 3>gone; rm gone; head -c 2097152 /dev/zero >&3; \
            head -c 1048576 /dev/zero >>old; head -c 4194304 /dev/zero >new; exec 4<old";
        let now = (1, 1);
        let mut child = started("read line", directory.path());
        let root = ProcessHandle::open(child.id() as i32).unwrap();
        assert_eq!(usage.look(&root, now), None);
        usage.next = Instant::now();
        child.kill().unwrap();
        child.wait().unwrap();
        // As they are reported.
        usage.note(&old);
        usage.note(&new);
        let mut child = started(script, directory.path());
        let root = ProcessHandle::open(child.id() as i32).unwrap();
        let bytes = bytes_when(&mut usage, &root, now, 7 * MIB);
        assert!((7 * MIB..8 * MIB).contains(&bytes), "{bytes}");
        // For the next one all of that was there before.
        usage.next = Instant::now();
        assert_eq!(usage.look(&root, (1, 2)), None);
        usage.next = Instant::now();
        assert_eq!(usage.look(&root, (1, 2)).unwrap().bytes, 0);
        child.kill().unwrap();
        child.wait().unwrap();
    }

    #[test]
    fn processes_and_their_threads_are_counted() {
        let directory = tempfile::tempdir().unwrap();
        let mut child = started("sleep 100 & sleep 100 & true", directory.path());
        let root = ProcessHandle::open(child.id() as i32).unwrap();
        let start = Instant::now();
        while tasks_below(&root) < 3 && start.elapsed() < Duration::from_secs(60) {}
        assert_eq!(tasks_below(&root), 3);
        all_from(&root).iter().for_each(ProcessHandle::kill);
        child.wait().unwrap();
        assert!(tasks() >= 1);
    }
}
