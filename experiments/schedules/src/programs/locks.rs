//! Two threads, each n times lock, add one, unlock. Broken: the lock is given up between reading and writing.

use std::sync::Arc;

use super::Version;
use crate::under::sync::Mutex;
use crate::under::thread;

pub fn run(n: usize, version: Version) {
    let counter = Arc::new(Mutex::new(0));
    let threads: Vec<_> = (0..2)
        .map(|_| {
            let counter = counter.clone();
            thread::spawn(move || {
                for _ in 0..n {
                    match version {
                        Version::Right => *counter.lock().unwrap() += 1,
                        Version::Broken => {
                            let value = *counter.lock().unwrap();
                            *counter.lock().unwrap() = value + 1;
                        }
                    }
                }
            })
        })
        .collect();
    threads
        .into_iter()
        .for_each(|thread| thread.join().unwrap());
    assert_eq!(*counter.lock().unwrap(), 2 * n);
}
