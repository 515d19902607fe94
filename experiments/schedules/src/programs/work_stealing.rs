//! A queue of work after Chase and Lev: its owner takes from the bottom, a thief from the top. Broken: the owner takes the last
//! piece without asking whether the thief has it.

use std::sync::Arc;

use super::Version;
use crate::under::sync::atomic::{AtomicUsize, Ordering};
use crate::under::thread;

/// Pieces of work; piece number `n` lies at place `n`.
const PIECES: usize = 2;

struct Work {
    top: AtomicUsize,
    bottom: AtomicUsize,
    taken: [AtomicUsize; PIECES],
}

impl Work {
    fn pop(&self, version: Version) -> Option<usize> {
        let bottom = self.bottom.load(Ordering::SeqCst);
        if bottom == 0 {
            return None;
        }
        let last = bottom - 1;
        self.bottom.store(last, Ordering::SeqCst);
        let top = self.top.load(Ordering::SeqCst);
        if top < last {
            return Some(last);
        }
        let is_mine = top == last && (version == Version::Broken || self.advance(top));
        self.bottom.store(bottom, Ordering::SeqCst);
        is_mine.then_some(last)
    }

    fn steal(&self) -> Option<usize> {
        let top = self.top.load(Ordering::SeqCst);
        let bottom = self.bottom.load(Ordering::SeqCst);
        (top < bottom && self.advance(top)).then_some(top)
    }

    fn advance(&self, top: usize) -> bool {
        self.top
            .compare_exchange(top, top + 1, Ordering::SeqCst, Ordering::SeqCst)
            .is_ok()
    }

    fn perform(&self, piece: Option<usize>) {
        if let Some(piece) = piece {
            assert_eq!(self.taken[piece].fetch_add(1, Ordering::Relaxed), 0);
        }
    }
}

pub fn run(version: Version) {
    let work = Arc::new(Work {
        top: AtomicUsize::new(0),
        bottom: AtomicUsize::new(PIECES),
        taken: std::array::from_fn(|_| AtomicUsize::new(0)),
    });
    let thief = {
        let work = work.clone();
        thread::spawn(move || (0..2).for_each(|_| work.perform(work.steal())))
    };
    (0..2).for_each(|_| work.perform(work.pop(version)));
    thief.join().unwrap();
}
