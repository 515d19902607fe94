//! A barrier that two threads spin at, twice. Broken: arrivals are not counted anew for the second time, so that nobody waits
//! there.

use std::sync::Arc;

use super::Version;
use crate::under::sync::atomic::{AtomicUsize, Ordering};
use crate::under::thread;

const THREADS: usize = 2;

struct Barrier {
    arrived: AtomicUsize,
    opened: AtomicUsize,
    /// What each thread did before it came to the barrier.
    done: [AtomicUsize; THREADS],
}

impl Barrier {
    fn wait(&self, round: usize, version: Version) {
        if self.arrived.fetch_add(1, Ordering::AcqRel) + 1 >= THREADS {
            match version {
                Version::Right => self.arrived.store(0, Ordering::Relaxed),
                Version::Broken => {}
            }
            self.opened.fetch_add(1, Ordering::Release);
        }
        while self.opened.load(Ordering::Acquire) < round {
            thread::yield_now();
        }
    }
}

pub fn run(version: Version) {
    let barrier = Arc::new(Barrier {
        arrived: AtomicUsize::new(0),
        opened: AtomicUsize::new(0),
        done: std::array::from_fn(|_| AtomicUsize::new(0)),
    });
    let threads: Vec<_> = (0..THREADS)
        .map(|me| {
            let barrier = barrier.clone();
            thread::spawn(move || {
                for round in 1..=2 {
                    barrier.done[me].store(round, Ordering::Relaxed);
                    barrier.wait(round, version);
                    assert!(barrier.done[1 - me].load(Ordering::Relaxed) >= round);
                }
            })
        })
        .collect();
    threads
        .into_iter()
        .for_each(|thread| thread.join().unwrap());
}
