//! A lock that serves threads in the order of their tickets. Broken: a ticket is taken in two steps, so that two threads can
//! have the same.

use std::sync::Arc;

use super::Version;
use crate::under::sync::atomic::{AtomicUsize, Ordering};
use crate::under::thread;

struct TicketLock {
    next: AtomicUsize,
    serving: AtomicUsize,
    counter: AtomicUsize,
}

impl TicketLock {
    fn lock(&self, version: Version) -> usize {
        let ticket = match version {
            Version::Right => self.next.fetch_add(1, Ordering::Relaxed),
            Version::Broken => {
                let ticket = self.next.load(Ordering::Relaxed);
                self.next.store(ticket + 1, Ordering::Relaxed);
                ticket
            }
        };
        // A ticket that was given out twice is served late, too.
        while self.serving.load(Ordering::Acquire) < ticket {
            thread::yield_now();
        }
        ticket
    }

    fn unlock(&self, ticket: usize) {
        self.serving.store(ticket + 1, Ordering::Release);
    }
}

pub fn run(version: Version) {
    let lock = Arc::new(TicketLock {
        next: AtomicUsize::new(0),
        serving: AtomicUsize::new(0),
        counter: AtomicUsize::new(0),
    });
    let threads: Vec<_> = (0..2)
        .map(|_| {
            let lock = lock.clone();
            thread::spawn(move || {
                let ticket = lock.lock(version);
                let value = lock.counter.load(Ordering::Relaxed);
                lock.counter.store(value + 1, Ordering::Relaxed);
                lock.unlock(ticket);
            })
        })
        .collect();
    threads
        .into_iter()
        .for_each(|thread| thread.join().unwrap());
    assert_eq!(lock.counter.load(Ordering::Relaxed), 2);
}
