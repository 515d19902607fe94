//! A pair of numbers that a reader takes without a lock, and again if the writer was at it. Broken: it does not look again.

use std::sync::Arc;

use super::Version;
use crate::under::sync::atomic::{AtomicUsize, Ordering, fence};
use crate::under::thread;

struct Seqlock {
    sequence: AtomicUsize,
    pair: [AtomicUsize; 2],
}

impl Seqlock {
    fn write(&self, value: usize) {
        let before = self.sequence.load(Ordering::Relaxed);
        self.sequence.store(before + 1, Ordering::Relaxed);
        fence(Ordering::Release);
        self.pair[0].store(value, Ordering::Relaxed);
        self.pair[1].store(value, Ordering::Relaxed);
        self.sequence.store(before + 2, Ordering::Release);
    }

    fn read(&self, version: Version) -> (usize, usize) {
        loop {
            let before = self.sequence.load(Ordering::Acquire);
            let pair = (
                self.pair[0].load(Ordering::Relaxed),
                self.pair[1].load(Ordering::Relaxed),
            );
            fence(Ordering::Acquire);
            let after = self.sequence.load(Ordering::Relaxed);
            if before.is_multiple_of(2) && (before == after || version == Version::Broken) {
                return pair;
            }
            thread::yield_now();
        }
    }
}

pub fn run(version: Version) {
    let seqlock = Arc::new(Seqlock {
        sequence: AtomicUsize::new(0),
        pair: [AtomicUsize::new(0), AtomicUsize::new(0)],
    });
    let writer = {
        let seqlock = seqlock.clone();
        thread::spawn(move || seqlock.write(1))
    };
    let (first, second) = seqlock.read(version);
    assert_eq!(first, second);
    writer.join().unwrap();
}
