//! The board: a file that the driver and every process of a woven test binary map together.
//!
//! It holds what must pass between them without a message: limits and wanted mutants of the driver,
//! figures and verdicts of the processes. A process can die at any instruction, so everything is
//! atomic and every state of the board is a readable one.
//!
//! Layout, version [`VERSION`]: a header of one page, then for mutants 0 to n
//! the arrays `flags`, `reached`, `infected`, `has_evidence` (one byte each), `sizes` (two bytes each), each
//! rounded up to 64 bytes, then one [`Record`] each. Index 0 is the original. Behind them: a byte for each function, for
//! processes in plain mode, and for each mutant a row: what its run did, and a bit for each function that it has entered.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::fd::AsRawFd;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU8, AtomicU16, AtomicU64, Ordering};

use atropos_values::{MutantId, Numbering, PointId};

use crate::VERSION;
use crate::effect::Effects;
use crate::path_set::{FileUse, PathList, PathSet};
use crate::sys;
use crate::test_run::{Record, RunEvidence, TestResult};
use crate::text::SharedText;

const MAGIC: u64 = u64::from_le_bytes(*b"atropos\0");
const HEADER: usize = 8192;

/// No mutant is stopped earlier than so many steps after it first differs.
const LEAST_STEPS: u64 = 50_000;

/// Functions beyond so many are not told apart, and no run has evidence.
pub const MOST_FUNCTIONS: usize = 1 << 16;
/// Rows of more bytes than this in all are not kept, and no run has evidence.
const MOST_EVIDENCE: usize = 64 << 20;

/// The driver wants this mutant run by the command at hand.
pub const WANTED: u8 = 1;
/// The driver knows that this mutant needs no more running; may be set at any time.
pub const DEAD: u8 = 2;
/// This mutant has changed files outside the directory for temporary files of its run.
pub const CHANGES_FILES: u8 = 4;

/// A test came to this point, or a process that it started.
pub const REACHED_BY_TEST: u8 = 1;
/// The test binary came to this point before `main`, or while it ended.
pub const REACHED_OUTSIDE: u8 = 2;

/// The first page. All numbers; times in nanoseconds, memory in bytes.
#[repr(C)]
pub struct Header {
    magic: AtomicU64,
    version: AtomicU64,
    mutants: AtomicU64,
    /// How many functions are marked when they are entered.
    functions: AtomicU64,

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
    /// What processes in plain mode did, which nothing else goes by than whether their runs have evidence.
    pub plain_effects: AtomicU64,
    pub fork_cost: AtomicU64,
    pub restore_cost: AtomicU64,
    pub restore_bytes: AtomicU64,
    pub forks: AtomicU64,
    pub workers: AtomicU64,
    /// Most steps of a process in plain mode.
    pub spawned_steps: AtomicU64,
    /// The mutant that a process in plain mode stopped for a limit, and which limit.
    pub spawned_limit: AtomicU64,
    /// Not 0: the original has handlers of its own that run when the program ends.
    pub exit_handlers: AtomicU64,

    /// Files outside the test's directory for temporary ones that the original read, looked at, changed, and in whose
    /// directories.
    pub files_read: PathSet,
    pub files_looked_at: PathSet,
    pub files_changed: PathSet,
    pub directories_changed: PathSet,

    /// Files that were there before all tests: the original writes down those that it changes, and a mutant may change these and
    /// no others.
    pub old_files: PathList,

    /// Names of environment variables that were asked for since the board was made.
    pub variables: PathSet,
    /// Paths in the source tree that were read, listed or looked at since the board was made.
    pub tree_files: PathSet,
    /// The source tree, whose files are evidence.
    pub tree: SharedText<128>,
    /// The first effect, as text.
    pub first_effect: SharedText<16>,
    /// Why a worker's verdicts are void, if they are.
    pub void: SharedText<16>,
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
    mutant_count: u32,
    functions: u32,
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
    has_evidence: usize,
    sizes: usize,
    records: usize,
    entered: usize,
    evidence: usize,
    end: usize,
}

impl Layout {
    fn new(mutant_count: u32, functions: u32) -> Layout {
        let count = mutant_count as usize + 1;
        let reached = HEADER + round_up(count);
        let infected = reached + round_up(count);
        let has_evidence = infected + round_up(count);
        let sizes = has_evidence + round_up(count);
        let records = sizes + round_up(2 * count);
        let entered = records + round_up(size_of::<Record>() * count);
        let evidence = entered + round_up(functions as usize);
        Layout {
            reached,
            infected,
            has_evidence,
            sizes,
            records,
            entered,
            evidence,
            end: evidence + (row_length(functions) + 1) * size_of::<u64>() * count,
        }
    }
}

/// How many words hold a bit for each function.
fn row_length(functions: u32) -> usize {
    (functions as usize).div_ceil(64)
}

/// How many functions are marked on a board, if a plan has so many functions and mutants.
fn marked_functions(mutants: u32, functions: u32) -> u32 {
    let bytes = (row_length(functions) + 1) * size_of::<u64>() * (mutants as usize + 1);
    let fits = functions as usize <= MOST_FUNCTIONS && bytes <= MOST_EVIDENCE;
    if fits { functions } else { 0 }
}

impl Board {
    /// Makes the file and maps it.
    pub fn create(path: &Path, numbering: &Numbering) -> io::Result<Board> {
        let count = numbering.mutants;
        let functions = marked_functions(count, numbering.functions);
        let file = OpenOptions::new()
            .read(true)
            .write(true)
            .create_new(true)
            .open(path)?;
        sys::allocate(file.as_raw_fd(), Layout::new(count, functions).end as u64)
            .map_err(|error| io::Error::from_raw_os_error(error.0))?;
        let board = Board::map(&file, path, count, functions)?;
        let header = board.header();
        header.began.store(began(), Ordering::Relaxed);
        header.mutants.store(u64::from(count), Ordering::Relaxed);
        header
            .functions
            .store(u64::from(functions), Ordering::Relaxed);
        header.version.store(VERSION, Ordering::Relaxed);
        header.magic.store(MAGIC, Ordering::Release);
        for point in &numbering.points {
            if let Some(slot) = board.sizes().get(point.id.index()) {
                slot.store(point.size, Ordering::Relaxed);
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
        let probe = Board::map_bytes(&file, path, (0, 0), HEADER)?;
        let header = probe.header();
        if header.magic.load(Ordering::Acquire) != MAGIC {
            return Err(wrong("not a board"));
        }
        if header.version.load(Ordering::Relaxed) != VERSION {
            return Err(wrong("another version"));
        }
        let mutants = header.mutants.load(Ordering::Relaxed) as u32;
        let functions = header.functions.load(Ordering::Relaxed) as u32;
        if (file.metadata()?.len() as usize) < Layout::new(mutants, functions).end {
            return Err(wrong("too short"));
        }
        Board::map(&file, path, mutants, functions)
    }

    fn map(file: &File, path: &Path, mutant_count: u32, functions: u32) -> io::Result<Board> {
        let length = Layout::new(mutant_count, functions).end;
        Board::map_bytes(file, path, (mutant_count, functions), length)
    }

    fn map_bytes(
        file: &File,
        path: &Path,
        (mutant_count, functions): (u32, u32),
        length: usize,
    ) -> io::Result<Board> {
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
            mutant_count,
            functions,
            path: path.to_owned(),
        })
    }

    fn layout(&self) -> Layout {
        Layout::new(self.mutant_count, self.functions)
    }

    /// How many functions are marked when they are entered.
    pub fn functions(&self) -> u32 {
        self.functions
    }

    /// By function: not 0 if a process in plain mode has entered it.
    pub fn entered(&self) -> &[AtomicU8] {
        let offset = self.layout().entered;
        // SAFETY: the layout has this many bytes there.
        unsafe { std::slice::from_raw_parts(self.base.add(offset).cast(), self.functions as usize) }
    }

    /// What the run of a mutant did (its effects), and behind it a bit for each function that it has entered; if that is kept.
    pub fn evidence(&self, mutant: MutantId) -> Option<&[AtomicU64]> {
        if mutant.0 > self.mutant_count || self.functions == 0 {
            return None;
        }
        let length = row_length(self.functions) + 1;
        let offset = self.layout().evidence + mutant.index() * length * size_of::<u64>();
        // SAFETY: the layout has a row for each mutant, aligned to 8 bytes.
        Some(unsafe { std::slice::from_raw_parts(self.base.add(offset).cast(), length) })
    }

    /// The bits of a mutant's row tell all that its run has entered.
    pub fn set_has_evidence(&self, mutant: MutantId) {
        if let Some(byte) = self.bytes(self.layout().has_evidence).get(mutant.index()) {
            byte.store(1, Ordering::Relaxed);
        }
    }

    pub fn has_evidence(&self, mutant: MutantId) -> bool {
        let bytes = self.bytes(self.layout().has_evidence);
        bytes
            .get(mutant.index())
            .is_some_and(|byte| byte.load(Ordering::Relaxed) != 0)
    }

    /// What a mutant's last run had entered is forgotten.
    pub fn forget_evidence(&self, mutant: MutantId) {
        if let Some(byte) = self.bytes(self.layout().has_evidence).get(mutant.index()) {
            byte.store(0, Ordering::Relaxed);
        }
    }

    /// What the run of a mutant depended on, if it was seen to its end.
    pub fn run_evidence(&self, mutant: MutantId) -> Option<RunEvidence> {
        let row = self
            .evidence(mutant)
            .filter(|_| self.has_evidence(mutant))?;
        let mut words = row.iter().map(|word| word.load(Ordering::Relaxed));
        let effects = Effects(words.next()?);
        let entered = words.enumerate().flat_map(|(index, word)| {
            let bits = (0..64).filter(move |bit| word & (1 << bit) != 0);
            bits.map(move |bit| index as u32 * 64 + bit)
        });
        Some(RunEvidence {
            entered: entered.collect(),
            effects,
        })
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Where it lies, so that a copy of all memory can leave it out.
    pub fn range(&self) -> std::ops::Range<usize> {
        self.base as usize..self.base as usize + self.length
    }

    /// How many mutants there are.
    pub fn mutant_count(&self) -> u32 {
        self.mutant_count
    }

    /// All mutants, without the original.
    pub fn mutants(&self) -> impl DoubleEndedIterator<Item = MutantId> + use<> {
        MutantId::up_to(self.mutant_count)
    }

    pub fn header(&self) -> &Header {
        const { assert!(size_of::<Header>() <= HEADER) };
        // SAFETY: the mapping starts with a page for the header; all fields are atomics.
        unsafe { &*self.base.cast::<Header>() }
    }

    fn bytes(&self, offset: usize) -> &[AtomicU8] {
        // SAFETY: the layout has this many bytes there.
        unsafe {
            std::slice::from_raw_parts(self.base.add(offset).cast(), self.mutant_count as usize + 1)
        }
    }

    /// `WANTED`, `DEAD` and `CHANGES_FILES` for each mutant.
    pub fn flags(&self) -> &[AtomicU8] {
        self.bytes(HEADER)
    }

    /// By a point's first mutant: `REACHED_BY_TEST`, `REACHED_OUTSIDE`, both, or 0 if the point was not executed.
    pub fn reached(&self) -> &[AtomicU8] {
        self.bytes(self.layout().reached)
    }

    /// By mutant: not 0 if it differed from the original where it was executed.
    pub fn infected(&self) -> &[AtomicU8] {
        self.bytes(self.layout().infected)
    }

    /// By a point's first mutant: how many mutants the point has.
    pub fn sizes(&self) -> &[AtomicU16] {
        let offset = self.layout().sizes;
        // SAFETY: the layout has this many there, aligned to 64 bytes.
        unsafe {
            std::slice::from_raw_parts(self.base.add(offset).cast(), self.mutant_count as usize + 1)
        }
    }

    /// By mutant; 0 is the original's.
    pub fn records(&self) -> &[Record] {
        let offset = self.layout().records;
        // SAFETY: as above.
        unsafe {
            std::slice::from_raw_parts(self.base.add(offset).cast(), self.mutant_count as usize + 1)
        }
    }

    /// How many mutants the point has; 1 if nobody said.
    pub fn size_of_point(&self, point: PointId) -> u32 {
        match self.sizes().get(point.index()) {
            Some(size) => u32::from(size.load(Ordering::Relaxed)).max(1),
            None => 1,
        }
    }

    /// The command at hand should run this mutant.
    pub fn is_wanted(&self, mutant: MutantId) -> bool {
        self.flags()
            .get(mutant.index())
            .is_some_and(|flags| flags.load(Ordering::Relaxed) & (WANTED | DEAD) == WANTED)
    }

    /// Says of a mutant whether it has changed files that others may meet.
    pub fn set_changes_files(&self, mutant: MutantId, changes: bool) {
        if let Some(flags) = self.flags().get(mutant.index()) {
            match changes {
                true => flags.fetch_or(CHANGES_FILES, Ordering::Relaxed),
                false => flags.fetch_and(!CHANGES_FILES, Ordering::Relaxed),
            };
        }
    }

    pub fn changes_files(&self, mutant: MutantId) -> bool {
        let flags = self.flags().get(mutant.index());
        flags.is_some_and(|flags| flags.load(Ordering::Relaxed) & CHANGES_FILES != 0)
    }

    /// Marks a mutant as needing no more runs; running commands obey it.
    pub fn set_dead(&self, mutant: MutantId) {
        if let Some(flags) = self.flags().get(mutant.index()) {
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

    /// What all of them did, those in plain mode among them.
    pub fn all_effects(&self) -> Effects {
        let plain = self.header().plain_effects.load(Ordering::Relaxed);
        Effects(self.effects().0 | plain)
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
    pub fn note_spawned_limit(&self, mutant: MutantId, limit: TestResult) {
        let word = u64::from(mutant.0) << 32 | u64::from(limit.code());
        self.header().spawned_limit.store(word, Ordering::Relaxed);
    }

    /// The limit that such a process ran into as this mutant since the command started.
    pub fn spawned_limit(&self, mutant: MutantId) -> Option<TestResult> {
        let word = self.header().spawned_limit.load(Ordering::Relaxed);
        let limit = TestResult::decode(word as u32, 0);
        (word >> 32 == u64::from(mutant.0) && limit != TestResult::NotRun).then_some(limit)
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
    use atropos_values::NumberedPoint;

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
        let board = Board::create(
            &path,
            &Numbering::new(1000, &[NumberedPoint::new(MutantId(1), 1000)]),
        )
        .unwrap();
        let metadata = std::fs::metadata(&path).unwrap();
        assert!(metadata.blocks() * 512 >= metadata.len(), "{metadata:?}");
        drop(board);
        std::fs::remove_file(path).unwrap();
    }

    #[test]
    fn two_mappings_of_a_board_show_the_same() {
        let path = path("board-same");
        let points = [(1, 3), (4, 1)];
        let points = points.map(|(first, size)| NumberedPoint::new(MutantId(first), size));
        let one = Board::create(&path, &Numbering::new(70, &points)).unwrap();
        let two = Board::open(&path).unwrap();
        assert_eq!(two.mutant_count(), 70);
        assert_eq!(two.size_of_point(PointId(1)), 3);
        assert_eq!(two.size_of_point(PointId(70)), 1);
        one.flags()[70].store(WANTED, Ordering::Relaxed);
        assert!(two.is_wanted(MutantId(70)));
        two.set_dead(MutantId(70));
        assert!(!one.is_wanted(MutantId(70)));
        assert!(!one.is_wanted(MutantId(71)));
        one.records()[70].set_text("panicked", "a.rs:1:1");
        assert_eq!(two.records()[70].read().message, "panicked");
        std::fs::remove_file(path).unwrap();
    }

    #[test]
    fn each_mutant_has_its_own_row_of_functions() {
        let path = path("board-functions");
        let one = Board::create(&path, &Numbering::new(3, &[]).with_functions(130)).unwrap();
        let two = Board::open(&path).unwrap();
        assert_eq!((two.functions(), two.entered().len()), (130, 130));
        for mutant in 0..=3_u32 {
            let row = one.evidence(MutantId(mutant)).unwrap();
            row[0].store(u64::from(mutant), Ordering::Relaxed);
            row[3].store(1 << (mutant % 2), Ordering::Relaxed);
        }
        assert_eq!(two.run_evidence(MutantId(3)), None);
        one.set_has_evidence(MutantId(3));
        let evidence = RunEvidence {
            entered: vec![129],
            effects: Effects(3),
        };
        assert_eq!(two.run_evidence(MutantId(3)), Some(evidence));
        two.forget_evidence(MutantId(3));
        assert_eq!(one.run_evidence(MutantId(3)), None);
        assert!(one.evidence(MutantId(4)).is_none());
        std::fs::remove_file(&path).unwrap();
        let large = Board::create(&path, &Numbering::new(1, &[]).with_functions(u32::MAX)).unwrap();
        assert_eq!(
            (large.functions(), large.run_evidence(MutantId(1))),
            (0, None)
        );
        std::fs::remove_file(path).unwrap();
    }

    #[test]
    fn the_way_to_a_mutant_is_not_multiplied() {
        let path = path("board-steps");
        let board = Board::create(&path, &Numbering::new(1, &[])).unwrap();
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
        let board = Board::create(&path, &Numbering::new(1, &[])).unwrap();
        board.header().version.store(VERSION + 1, Ordering::Relaxed);
        assert!(Board::open(&path).is_err());
        std::fs::remove_file(path).unwrap();
    }
}
