//! What this process is at the moment: bystander, recorder, original, or a mutant.
//!
//! All state is in atomics because points are reached from any thread, but roles change only while
//! the process has a single thread of ours: at a test's start and right after a fork.

use std::sync::atomic::{AtomicI32, AtomicPtr, AtomicU8, AtomicU32, AtomicU64, Ordering};

use atropos_protocol::{Board, Record, sys};
use atropos_values::{MutantId, PointId};

use crate::{entered, table};

/// What a process does at a mutation point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Role {
    /// Nothing: the program runs as it was written.
    Bystander = 0,
    /// Notes which points are reached and which mutants are infected.
    Recorder = 1,
    /// Runs as the original and forks mutants where they are infected.
    Original = 2,
    /// Acts as one mutant, or as several that have behaved the same so far.
    Mutant = 3,
}

static ROLE: AtomicU8 = AtomicU8::new(Role::Bystander as u8);
static BOARD: AtomicPtr<Board> = AtomicPtr::new(std::ptr::null_mut());
/// The process that may give verdicts; children that the program itself forks may not.
static OWNER: AtomicI32 = AtomicI32::new(0);
/// The thread that the test runs on.
static THREAD: AtomicI32 = AtomicI32::new(0);
/// Distance from the zygote.
static DEPTH: AtomicU64 = AtomicU64::new(0);

static POINT: AtomicU32 = AtomicU32::new(0);
static LEADER: AtomicU32 = AtomicU32::new(0);
static MEMBERS: AtomicU64 = AtomicU64::new(0);

pub fn role() -> Role {
    match ROLE.load(Ordering::Relaxed) {
        1 => Role::Recorder,
        2 => Role::Original,
        3 => Role::Mutant,
        _ => Role::Bystander,
    }
}

/// The board, if there is one.
pub fn board() -> Option<&'static Board> {
    // SAFETY: null, or a board that was leaked for this purpose.
    unsafe { BOARD.load(Ordering::Relaxed).as_ref() }
}

/// Gives this process its board, permanently.
pub fn set_board(board: Board) -> &'static Board {
    table::make(board.mutant_count());
    entered::begin(&board);
    let board = Box::into_raw(Box::new(board));
    BOARD.store(board, Ordering::Relaxed);
    // SAFETY: just leaked.
    unsafe { &*board }
}

/// Some mutants of one point that behave the same: bit k-1 of `members` is the point's k-th
/// mutant. Mutants beyond the 64th are always alone and have no bit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MutantClass {
    pub point: PointId,
    /// Which mutant of the point speaks for the class, from 1.
    pub leader: u32,
    pub members: u64,
}

/// The bit of a point's k-th mutant.
pub fn bit(k: u32) -> u64 {
    if k <= 64 { 1 << (k - 1) } else { 0 }
}

impl MutantClass {
    pub fn single(point: PointId, k: u32) -> MutantClass {
        MutantClass {
            point,
            leader: k,
            members: bit(k),
        }
    }

    /// The class of one mutant, its point found on the board.
    pub fn of_mutant(board: &Board, mutant: MutantId) -> MutantClass {
        let mut point = PointId(mutant.0);
        while point.0 > 1 && board.sizes()[point.index()].load(Ordering::Relaxed) == 0 {
            point.0 -= 1;
        }
        match point.place(mutant) {
            Some(place) if place <= board.size_of_point(point) => MutantClass::single(point, place),
            _ => MutantClass::single(PointId(mutant.0), 1),
        }
    }

    /// The mutant that speaks for the class.
    pub fn leader_id(self) -> MutantId {
        self.point.mutant(self.leader)
    }

    /// The ids of all its mutants, the leader's first.
    pub fn ids(self) -> impl Iterator<Item = MutantId> {
        let others = (1..=64)
            .filter(move |&k| k != self.leader && self.members & bit(k) != 0)
            .map(move |k| self.point.mutant(k));
        std::iter::once(self.leader_id()).chain(others)
    }

    /// The records of all its mutants, the leader's first.
    pub fn records(self, board: &Board) -> impl Iterator<Item = &Record> {
        self.ids().filter_map(|id| board.records().get(id.index()))
    }
}

/// The class that this process acts as (only for the role `Mutant`).
pub fn class() -> MutantClass {
    MutantClass {
        point: PointId(POINT.load(Ordering::Relaxed)),
        leader: LEADER.load(Ordering::Relaxed),
        members: MEMBERS.load(Ordering::Relaxed),
    }
}

/// From now on this process acts as `class` and as nothing else.
pub fn become_mutant(class: MutantClass) {
    POINT.store(class.point.0, Ordering::Relaxed);
    LEADER.store(class.leader, Ordering::Relaxed);
    MEMBERS.store(class.members, Ordering::Relaxed);
    table::cool_all();
    table::mark_hot(class.point);
    ROLE.store(Role::Mutant as u8, Ordering::Relaxed);
}

/// Drops members that have parted from the leader.
pub fn narrow_class(class: MutantClass) {
    MEMBERS.store(class.members, Ordering::Relaxed);
}

pub fn become_recorder() {
    table::heat_all();
    ROLE.store(Role::Recorder as u8, Ordering::Relaxed);
}

/// Runs as the original; only points with wanted mutants are hot.
pub fn become_original(board: &Board) {
    table::cool_all();
    for mutant in board.mutants() {
        if board.is_wanted(mutant) {
            table::mark_hot(MutantClass::of_mutant(board, mutant).point);
        }
    }
    ROLE.store(Role::Original as u8, Ordering::Relaxed);
}

pub fn become_bystander() {
    ROLE.store(Role::Bystander as u8, Ordering::Relaxed);
    table::cool_all();
}

/// This process, at this distance from the zygote, now gives the verdicts; its calling thread
/// runs the test.
pub fn take_charge(depth: u64) {
    OWNER.store(sys::pid(), Ordering::Relaxed);
    THREAD.store(sys::thread_id(), Ordering::Relaxed);
    DEPTH.store(depth, Ordering::Relaxed);
}

pub fn in_charge() -> bool {
    OWNER.load(Ordering::Relaxed) == sys::pid()
}

pub fn on_test_thread() -> bool {
    THREAD.load(Ordering::Relaxed) == sys::thread_id()
}

pub fn depth() -> u64 {
    DEPTH.load(Ordering::Relaxed)
}
