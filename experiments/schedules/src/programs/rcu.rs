//! Read, copy, update: a writer publishes a new value and gives the old one up when no reader is left. Broken: a reader
//! takes the value before it has made itself known.

use std::sync::Arc;

use super::Version;
use crate::under::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use crate::under::thread;

struct Rcu {
    current: AtomicUsize,
    readers: AtomicUsize,
    is_gone: [AtomicBool; 2],
}

impl Rcu {
    fn read(&self, version: Version) {
        let early = self.current.load(Ordering::SeqCst);
        self.readers.fetch_add(1, Ordering::SeqCst);
        let value = match version {
            Version::Right => self.current.load(Ordering::SeqCst),
            Version::Broken => early,
        };
        assert!(!self.is_gone[value].load(Ordering::SeqCst));
        self.readers.fetch_sub(1, Ordering::SeqCst);
    }

    fn update(&self) {
        self.current.store(1, Ordering::SeqCst);
        while self.readers.load(Ordering::SeqCst) > 0 {
            thread::yield_now();
        }
        self.is_gone[0].store(true, Ordering::SeqCst);
    }
}

pub fn run(version: Version) {
    let rcu = Arc::new(Rcu {
        current: AtomicUsize::new(0),
        readers: AtomicUsize::new(0),
        is_gone: [AtomicBool::new(false), AtomicBool::new(false)],
    });
    let writer = {
        let rcu = rcu.clone();
        thread::spawn(move || rcu.update())
    };
    let reader = {
        let rcu = rcu.clone();
        thread::spawn(move || rcu.read(version))
    };
    rcu.read(version);
    writer.join().unwrap();
    reader.join().unwrap();
}
