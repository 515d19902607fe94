//! What Shuttle is made for: more threads than can be explored, and two locks. Broken: one of them takes the locks in the other
//! order.

use std::sync::Arc;

use super::Version;
use crate::under::sync::Mutex;
use crate::under::thread;

pub fn run(version: Version) {
    let locks = Arc::new((Mutex::new(0), Mutex::new(0)));
    let threads: Vec<_> = (0..4)
        .map(|number| {
            let locks = locks.clone();
            thread::spawn(move || {
                if number == 3 && version == Version::Broken {
                    let mut second = locks.1.lock().unwrap();
                    *locks.0.lock().unwrap() += 1;
                    *second += 1;
                } else {
                    let mut first = locks.0.lock().unwrap();
                    *locks.1.lock().unwrap() += 1;
                    *first += 1;
                }
            })
        })
        .collect();
    threads
        .into_iter()
        .for_each(|thread| thread.join().unwrap());
    assert_eq!(*locks.0.lock().unwrap(), 4);
}
