//! Which functions a run has entered: the evidence by which its verdict is used again when the code has changed elsewhere.
//!
//! A byte for each function, in the process's own memory: what a run forked from has entered counts for it as well, and
//! what it enters itself counts for no other, also where a worker's memory is put back between two runs. A process in plain
//! mode marks the bytes of the board instead: it may end in any way, and programs that it starts belong to the same run.

use std::sync::atomic::{AtomicPtr, AtomicU8, AtomicU32, Ordering};

use atropos_protocol::Board;
use atropos_protocol::board::MOST_FUNCTIONS;
use atropos_values::MutantId;

use crate::effects;
use crate::role::MutantClass;

static OWN: [AtomicU8; MOST_FUNCTIONS] = [const { AtomicU8::new(0) }; MOST_FUNCTIONS];
static MARKS: AtomicPtr<AtomicU8> = AtomicPtr::new(OWN.as_ptr().cast_mut());
/// How many functions are marked. What runs before there is a board, such as constructors, counts for every test.
static COUNT: AtomicU32 = AtomicU32::new(MOST_FUNCTIONS as u32);

/// This process is to mark the functions of a board.
pub fn begin(board: &Board) {
    COUNT.store(board.functions(), Ordering::Relaxed);
}

/// From here on the bytes of the board are marked; what was entered before is marked there, too.
pub fn mark_on(board: &'static Board) {
    for (mark, before) in board.entered().iter().zip(&OWN) {
        mark.fetch_or(before.load(Ordering::Relaxed), Ordering::Relaxed);
    }
    MARKS.store(board.entered().as_ptr().cast_mut(), Ordering::Relaxed);
}

#[inline(always)]
pub fn mark(function: u32) {
    if function < COUNT.load(Ordering::Relaxed) {
        let marks = MARKS.load(Ordering::Relaxed);
        // SAFETY: there are as many bytes as functions, here and on the board, for ever.
        unsafe { (*marks.add(function as usize)).store(1, Ordering::Relaxed) };
    }
}

/// Writes down what this run has entered, as that of a mutant (or of the original).
pub fn write_down(board: &Board, mutant: MutantId) {
    let count = COUNT.load(Ordering::Relaxed) as usize;
    let Some(row) = board.evidence(mutant) else {
        return;
    };
    row[0].store(effects::seen().0, Ordering::Relaxed);
    for (word, marks) in row[1..].iter().zip(OWN[..count].chunks(64)) {
        let mut bits = 0;
        for (place, mark) in marks.iter().enumerate() {
            bits |= u64::from(mark.load(Ordering::Relaxed) != 0) << place;
        }
        word.store(bits, Ordering::Relaxed);
    }
    board.set_has_evidence(mutant);
}

/// What is written down for the leader of a class holds for its other members.
pub fn spread(board: &Board, class: MutantClass) {
    let leader = class.leader_id();
    let Some(from) = board
        .evidence(leader)
        .filter(|_| board.has_evidence(leader))
    else {
        return;
    };
    for member in class.ids().skip(1) {
        let Some(to) = board.evidence(member) else {
            continue;
        };
        for (to, from) in to.iter().zip(from) {
            to.store(from.load(Ordering::Relaxed), Ordering::Relaxed);
        }
        board.set_has_evidence(member);
    }
}
