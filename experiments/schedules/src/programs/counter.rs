//! As in Loom's introduction: two threads count. Broken: by reading and then writing.

use std::sync::Arc;

use super::Version;
use crate::under::sync::atomic::{AtomicUsize, Ordering};
use crate::under::thread;

pub fn run(version: Version) {
    let counter = Arc::new(AtomicUsize::new(0));
    let threads: Vec<_> = (0..2)
        .map(|_| {
            let counter = counter.clone();
            thread::spawn(move || match version {
                Version::Right => {
                    counter.fetch_add(1, Ordering::AcqRel);
                }
                Version::Broken => {
                    let value = counter.load(Ordering::Acquire);
                    counter.store(value + 1, Ordering::Release);
                }
            })
        })
        .collect();
    threads
        .into_iter()
        .for_each(|thread| thread.join().unwrap());
    assert_eq!(counter.load(Ordering::Relaxed), 2);
}
