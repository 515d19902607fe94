//! The board: a file that the driver and every process of a woven test binary map together.
//!
//! It holds what must pass between them without a message: limits and wishes of the driver,
//! figures and verdicts of the processes. A process can die at any instruction, so everything is
//! atomic and every state of the board is a readable one.
//!
//! Layout, version [`VERSION`]: a header of one page, then for mutants 0 to n
//! the arrays `flags`, `reached`, `infected` (one byte each), `sizes` (two bytes each), each
//! rounded up to 64 bytes, then one [`Record`] each. Index 0 is the original.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::fd::AsRawFd;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU8, AtomicU16, AtomicU64, Ordering};

use crate::VERSION;
use crate::effect::Effects;
use crate::path_set::{FileUse, PathSet};
use crate::sys;
use crate::test_run::{Record, TestResult};
use crate::text::Text;

const MAGIC: u64 = u64::from_le_bytes(*b"atropos\0");
const HEADER: usize = 4096;

/// No mutant is stopped earlier than so many steps after it first differs.
const LEAST_STEPS: u64 = 50_000;

/// The driver wants this mutant run by the command at hand.
pub const WANTED: u8 = 1;
/// The driver knows that this mutant needs no more running; may be set at any time.
pub const DEAD: u8 = 2;

/// The first page. All numbers; times in nanoseconds, memory in bytes.
#[repr(C)]
pub struct Header {
    magic: AtomicU64,
    version: AtomicU64,
    mutants: AtomicU64,

    /// Not 0: stop the command at hand as soon as possible.
    pub cancel: AtomicU64,
    /// Most steps of a mutant's run. Here and below, 0 means that there is no limit.
    pub step_limit: AtomicU64,
    /// How many times the original's steps are in the step limit, in thousandths; 0: not known.
    pub step_factor: AtomicU64,
    /// Most bytes of live heap above what was live at the test's start.
    pub heap_limit: AtomicU64,
    /// Most time of one run.
    pub time_limit: AtomicU64,
    /// Most address space above what the process had at the test's start.
    pub address_limit: AtomicU64,
    /// Most bytes of a file that is written, for the original as well.
    pub file_limit: AtomicU64,
    /// Most threads and processes that a mutant's process may start.
    pub spawn_limit: AtomicU64,
    /// When the run that the board is for began, in nanoseconds since 1970: files are old that were there before.
    pub began: AtomicU64,
    /// Not 0: a mutant may change old files.
    pub old_files: AtomicU64,
    /// What pseudo-random bytes start from; the same for every run of a test.
    pub seed: AtomicU64,
    /// Not 0: processes in plain mode note what they reach and infect.
    pub recording: AtomicU64,

    /// The zygote's process, if there is one.
    pub zygote: AtomicU64,
    /// When the process that runs at the moment is over its time, on the monotonic clock.
    pub deadline: AtomicU64,
    /// How far that process is from the zygote (a test's process is 1).
    pub depth: AtomicU64,
    /// The mutant whose turn it is in a worker.
    pub current: AtomicU64,

    /// Figures of the last command.
    pub wall: AtomicU64,
    pub cpu: AtomicU64,
    pub steps: AtomicU64,
    pub peak_heap: AtomicU64,
    pub allocations: AtomicU64,
    /// Most threads and processes that one process of the original started.
    pub spawns: AtomicU64,
    pub effects: AtomicU64,
    pub fork_cost: AtomicU64,
    pub restore_cost: AtomicU64,
    pub restore_bytes: AtomicU64,
    pub forks: AtomicU64,
    pub workers: AtomicU64,
    /// Most steps of a process in plain mode.
    pub spawned_steps: AtomicU64,
    /// The mutant that a process in plain mode stopped for a limit, and which limit.
    pub spawned_limit: AtomicU64,

    /// Files outside the test's directory for temporary ones that the original read, looked at, changed, and in whose
    /// directories.
    pub files_read: PathSet,
    pub files_looked_at: PathSet,
    pub files_changed: PathSet,
    pub directories_changed: PathSet,

    /// The first effect, as text.
    pub first_effect: Text<16>,
    /// Why a worker's verdicts are void, if they are.
    pub void: Text<16>,
}

impl Header {
    /// What the original did to files that outlive it.
    pub fn file_use(&self) -> FileUse {
        FileUse {
            read: self.files_read.get(),
            looked_at: self.files_looked_at.get(),
            changed: self.files_changed.get(),
            directories: self.directories_changed.get(),
        }
    }
}

/// A mapped board.
pub struct Board {
    base: *mut u8,
    length: usize,
    mutants: u32,
    path: PathBuf,
}

// SAFETY: everything behind `base` is accessed through atomics.
unsafe impl Send for Board {}
// SAFETY: as above.
unsafe impl Sync for Board {}

/// When this process made its first board, which is before any test of its run.
pub fn began() -> u64 {
    static BEGAN: OnceLock<u64> = OnceLock::new();
    *BEGAN.get_or_init(sys::since_1970)
}

fn round_up(length: usize) -> usize {
    length.next_multiple_of(64)
}

struct Layout {
    reached: usize,
    infected: usize,
    sizes: usize,
    records: usize,
    end: usize,
}

impl Layout {
    fn new(mutants: u32) -> Layout {
        let count = mutants as usize + 1;
        let reached = HEADER + round_up(count);
        let infected = reached + round_up(count);
        let sizes = infected + round_up(count);
        let records = sizes + round_up(2 * count);
        Layout {
            reached,
            infected,
            sizes,
            records,
            end: records + size_of::<Record>() * count,
        }
    }
}

impl Board {
    /// Makes the file and maps it. `points` are pairs of a point's first mutant and how many
    /// mutants it has.
    pub fn create(path: &Path, mutants: u32, points: &[(u32, u16)]) -> io::Result<Board> {
        let file = OpenOptions::new()
            .read(true)
            .write(true)
            .create_new(true)
            .open(path)?;
        sys::allocate(file.as_raw_fd(), Layout::new(mutants).end as u64)
            .map_err(|error| io::Error::from_raw_os_error(error.0))?;
        let board = Board::map(&file, path, mutants)?;
        let header = board.header();
        header.began.store(began(), Ordering::Relaxed);
        header.mutants.store(u64::from(mutants), Ordering::Relaxed);
        header.version.store(VERSION, Ordering::Relaxed);
        header.magic.store(MAGIC, Ordering::Release);
        for &(first, size) in points {
            if let Some(slot) = board.sizes().get(first as usize) {
                slot.store(size, Ordering::Relaxed);
            }
        }
        Ok(board)
    }

    /// Maps a board that somebody made.
    pub fn open(path: &Path) -> io::Result<Board> {
        let c_path = sys::c_path(path).ok_or(io::ErrorKind::InvalidInput)?;
        let fd = sys::open(&c_path, sys::O_RDWR, 0)
            .map_err(|error| io::Error::from_raw_os_error(error.0))?;
        // SAFETY: the descriptor was just opened and belongs to nobody else.
        let file = unsafe { <File as std::os::fd::FromRawFd>::from_raw_fd(fd) };
        if (file.metadata()?.len() as usize) < HEADER {
            return Err(wrong("too short"));
        }
        let probe = Board::map_bytes(&file, path, 0, HEADER)?;
        let header = probe.header();
        if header.magic.load(Ordering::Acquire) != MAGIC {
            return Err(wrong("not a board"));
        }
        if header.version.load(Ordering::Relaxed) != VERSION {
            return Err(wrong("another version"));
        }
        let mutants = header.mutants.load(Ordering::Relaxed) as u32;
        if (file.metadata()?.len() as usize) < Layout::new(mutants).end {
            return Err(wrong("too short"));
        }
        Board::map(&file, path, mutants)
    }

    fn map(file: &File, path: &Path, mutants: u32) -> io::Result<Board> {
        Board::map_bytes(file, path, mutants, Layout::new(mutants).end)
    }

    fn map_bytes(file: &File, path: &Path, mutants: u32, length: usize) -> io::Result<Board> {
        let base = sys::map(
            file.as_raw_fd(),
            length,
            sys::PROT_READ | sys::PROT_WRITE,
            sys::MAP_SHARED,
        )
        .map_err(|error| io::Error::from_raw_os_error(error.0))?;
        Ok(Board {
            base,
            length,
            mutants,
            path: path.to_owned(),
        })
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Where it lies, so that a copy of all memory can leave it out.
    pub fn range(&self) -> std::ops::Range<usize> {
        self.base as usize..self.base as usize + self.length
    }

    /// The number of mutants; ids go from 1 to this.
    pub fn mutants(&self) -> u32 {
        self.mutants
    }

    pub fn header(&self) -> &Header {
        const { assert!(size_of::<Header>() <= HEADER) };
        // SAFETY: the mapping starts with a page for the header; all fields are atomics.
        unsafe { &*self.base.cast::<Header>() }
    }

    fn bytes(&self, offset: usize) -> &[AtomicU8] {
        // SAFETY: the layout has this many bytes there.
        unsafe {
            std::slice::from_raw_parts(self.base.add(offset).cast(), self.mutants as usize + 1)
        }
    }

    /// `WANTED` and `DEAD` for each mutant.
    pub fn flags(&self) -> &[AtomicU8] {
        self.bytes(HEADER)
    }

    /// By a point's first mutant: not 0 if the point was executed.
    pub fn reached(&self) -> &[AtomicU8] {
        self.bytes(Layout::new(self.mutants).reached)
    }

    /// By mutant: not 0 if it differed from the original where it was executed.
    pub fn infected(&self) -> &[AtomicU8] {
        self.bytes(Layout::new(self.mutants).infected)
    }

    /// By a point's first mutant: how many mutants the point has.
    pub fn sizes(&self) -> &[AtomicU16] {
        let offset = Layout::new(self.mutants).sizes;
        // SAFETY: the layout has this many there, aligned to 64 bytes.
        unsafe {
            std::slice::from_raw_parts(self.base.add(offset).cast(), self.mutants as usize + 1)
        }
    }

    /// By mutant; 0 is the original's.
    pub fn records(&self) -> &[Record] {
        let offset = Layout::new(self.mutants).records;
        // SAFETY: as above.
        unsafe {
            std::slice::from_raw_parts(self.base.add(offset).cast(), self.mutants as usize + 1)
        }
    }

    /// How many mutants the point at `first` has; 1 if nobody said.
    pub fn size_of_point(&self, first: u32) -> u32 {
        match self.sizes().get(first as usize) {
            Some(size) => u32::from(size.load(Ordering::Relaxed)).max(1),
            None => 1,
        }
    }

    /// The command at hand should run this mutant.
    pub fn is_wanted(&self, mutant: u32) -> bool {
        self.flags()
            .get(mutant as usize)
            .is_some_and(|flags| flags.load(Ordering::Relaxed) & (WANTED | DEAD) == WANTED)
    }

    /// Marks a mutant as needing no more runs; running commands heed it.
    pub fn set_dead(&self, mutant: u32) {
        if let Some(flags) = self.flags().get(mutant as usize) {
            flags.fetch_or(DEAD, Ordering::Relaxed);
        }
    }

    /// Most steps of a mutant, if there is a limit.
    pub fn step_limit(&self) -> Option<u64> {
        limit(&self.header().step_limit)
    }

    /// The limit for a mutant that took the original's steps so far and now differs from it: the
    /// multiple counts for what is left of the original's way, not for what lies behind.
    pub fn step_limit_from(&self, taken: u64) -> Option<u64> {
        let limit = self.step_limit()?;
        let thousandths = self.header().step_factor.load(Ordering::Relaxed);
        if thousandths <= 1000 {
            return Some(limit);
        }
        let behind = taken.saturating_mul(thousandths - 1000) / 1000;
        let least = taken.saturating_add(LEAST_STEPS);
        Some(limit.saturating_sub(behind).max(least))
    }

    /// Most bytes of live heap of a mutant, if there is a limit.
    pub fn heap_limit(&self) -> Option<u64> {
        limit(&self.header().heap_limit)
    }

    /// Most bytes of address space of a mutant, if there is a limit.
    pub fn address_limit(&self) -> Option<u64> {
        limit(&self.header().address_limit)
    }

    /// What the processes of the last command did to the world.
    pub fn effects(&self) -> Effects {
        Effects(self.header().effects.load(Ordering::Relaxed))
    }

    /// Most bytes of a file that is written, if there is a limit.
    pub fn file_limit(&self) -> Option<u64> {
        limit(&self.header().file_limit)
    }

    /// Most threads and processes that a mutant's process may start, if there is a limit.
    pub fn spawn_limit(&self) -> Option<u64> {
        limit(&self.header().spawn_limit)
    }

    /// Most nanoseconds of a run, if there is a limit.
    pub fn time_limit(&self) -> Option<u64> {
        limit(&self.header().time_limit)
    }

    /// A process other than the test's own ran into a limit as this mutant.
    pub fn note_spawned_limit(&self, mutant: u32, limit: TestResult) {
        let word = u64::from(mutant) << 32 | u64::from(limit.code());
        self.header().spawned_limit.store(word, Ordering::Relaxed);
    }

    /// The limit that such a process ran into as this mutant since the command started.
    pub fn spawned_limit(&self, mutant: u32) -> Option<TestResult> {
        let word = self.header().spawned_limit.load(Ordering::Relaxed);
        let limit = TestResult::decode(word as u32, 0);
        (word >> 32 == u64::from(mutant) && limit != TestResult::NotRun).then_some(limit)
    }

    pub fn cancelled(&self) -> bool {
        self.header().cancel.load(Ordering::Relaxed) != 0
    }
}

impl Drop for Board {
    fn drop(&mut self) {
        // SAFETY: nobody can hold a reference into the mapping any more.
        unsafe { sys::unmap(self.base, self.length) }
    }
}

fn limit(field: &AtomicU64) -> Option<u64> {
    match field.load(Ordering::Relaxed) {
        0 | u64::MAX => None,
        limit => Some(limit),
    }
}

fn wrong(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, format!("board: {what}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(name: &str) -> PathBuf {
        let path = std::env::temp_dir().join(format!("{name}-{}", std::process::id()));
        let _ = std::fs::remove_file(&path);
        path
    }

    #[test]
    fn a_new_board_has_all_of_its_space_on_the_disk() {
        use std::os::unix::fs::MetadataExt as _;
        let path = std::env::temp_dir().join(format!("board-space-{}", std::process::id()));
        let board = Board::create(&path, 1000, &[(1, 1000)]).unwrap();
        let metadata = std::fs::metadata(&path).unwrap();
        assert!(metadata.blocks() * 512 >= metadata.len(), "{metadata:?}");
        drop(board);
        std::fs::remove_file(path).unwrap();
    }

    #[test]
    fn two_mappings_of_a_board_show_the_same() {
        let path = path("board-same");
        let one = Board::create(&path, 70, &[(1, 3), (4, 1)]).unwrap();
        let two = Board::open(&path).unwrap();
        assert_eq!(two.mutants(), 70);
        assert_eq!(two.size_of_point(1), 3);
        assert_eq!(two.size_of_point(70), 1);
        one.flags()[70].store(WANTED, Ordering::Relaxed);
        assert!(two.is_wanted(70));
        two.set_dead(70);
        assert!(!one.is_wanted(70));
        assert!(!one.is_wanted(71));
        one.records()[70].set_text("panicked", "a.rs:1:1");
        assert_eq!(two.records()[70].read().message, "panicked");
        std::fs::remove_file(path).unwrap();
    }

    #[test]
    fn the_way_to_a_mutant_is_not_multiplied() {
        let path = path("board-steps");
        let board = Board::create(&path, 1, &[]).unwrap();
        assert_eq!(board.step_limit_from(10), None);
        // Five times a million, and 200,000 to spare.
        board
            .header()
            .step_limit
            .store(5_200_000, Ordering::Relaxed);
        assert_eq!(board.step_limit_from(900_000), Some(5_200_000));
        board.header().step_factor.store(5000, Ordering::Relaxed);
        assert_eq!(board.step_limit_from(0), Some(5_200_000));
        assert_eq!(
            board.step_limit_from(900_000),
            Some(900_000 + 5 * 100_000 + 200_000)
        );
        assert_eq!(board.step_limit_from(1_000_000), Some(1_200_000));
        // A run that is already longer than the original's.
        assert_eq!(
            board.step_limit_from(2_000_000),
            Some(2_000_000 + LEAST_STEPS)
        );
        std::fs::remove_file(path).unwrap();
    }

    #[test]
    fn another_file_or_version_is_refused() {
        let path = path("board-other");
        std::fs::write(&path, [0; 5000]).unwrap();
        assert!(Board::open(&path).is_err());
        std::fs::write(&path, "x").unwrap();
        assert!(Board::open(&path).is_err());
        std::fs::remove_file(&path).unwrap();
        let board = Board::create(&path, 1, &[]).unwrap();
        board.header().version.store(VERSION + 1, Ordering::Relaxed);
        assert!(Board::open(&path).is_err());
        std::fs::remove_file(path).unwrap();
    }
}
