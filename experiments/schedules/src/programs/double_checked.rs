//! Initialisation by whoever comes first, with a look at a flag before the lock is taken. Broken: the flag is set before the
//! value.

use std::sync::Arc;

use super::Version;
use crate::under::sync::Mutex;
use crate::under::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use crate::under::thread;

struct Lazy {
    is_set: AtomicBool,
    value: AtomicUsize,
    initializations: Mutex<u32>,
}

impl Lazy {
    fn get(&self, version: Version) -> usize {
        if !self.is_set.load(Ordering::Acquire) {
            let mut initializations = self.initializations.lock().unwrap();
            if !self.is_set.load(Ordering::Relaxed) {
                *initializations += 1;
                if version == Version::Broken {
                    self.is_set.store(true, Ordering::Release);
                }
                self.value.store(42, Ordering::Relaxed);
                self.is_set.store(true, Ordering::Release);
            }
        }
        self.value.load(Ordering::Relaxed)
    }
}

pub fn run(version: Version) {
    let lazy = Arc::new(Lazy {
        is_set: AtomicBool::new(false),
        value: AtomicUsize::new(0),
        initializations: Mutex::new(0),
    });
    let threads: Vec<_> = (0..2)
        .map(|_| {
            let lazy = lazy.clone();
            thread::spawn(move || assert_eq!(lazy.get(version), 42))
        })
        .collect();
    threads
        .into_iter()
        .for_each(|thread| thread.join().unwrap());
    assert_eq!(*lazy.initializations.lock().unwrap(), 1);
}
