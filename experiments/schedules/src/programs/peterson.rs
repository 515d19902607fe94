//! Peterson's lock for two threads. Broken: a thread looks at the other's flag before it sets its own.

use std::sync::Arc;

use super::Version;
use crate::under::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use crate::under::thread;

struct Peterson {
    wants: [AtomicBool; 2],
    turn: AtomicUsize,
    counter: AtomicUsize,
}

impl Peterson {
    fn lock(&self, me: usize, version: Version) {
        let other = 1 - me;
        if version == Version::Broken {
            while self.wants[other].load(Ordering::SeqCst) {
                thread::yield_now();
            }
            return self.wants[me].store(true, Ordering::SeqCst);
        }
        self.wants[me].store(true, Ordering::SeqCst);
        self.turn.store(other, Ordering::SeqCst);
        while self.wants[other].load(Ordering::SeqCst) && self.turn.load(Ordering::SeqCst) == other
        {
            thread::yield_now();
        }
    }

    fn unlock(&self, me: usize) {
        self.wants[me].store(false, Ordering::SeqCst);
    }
}

pub fn run(version: Version) {
    let peterson = Arc::new(Peterson {
        wants: [AtomicBool::new(false), AtomicBool::new(false)],
        turn: AtomicUsize::new(0),
        counter: AtomicUsize::new(0),
    });
    let threads: Vec<_> = (0..2)
        .map(|me| {
            let peterson = peterson.clone();
            thread::spawn(move || {
                peterson.lock(me, version);
                let value = peterson.counter.load(Ordering::Relaxed);
                peterson.counter.store(value + 1, Ordering::Relaxed);
                peterson.unlock(me);
            })
        })
        .collect();
    threads
        .into_iter()
        .for_each(|thread| thread.join().unwrap());
    assert_eq!(peterson.counter.load(Ordering::Relaxed), 2);
}
