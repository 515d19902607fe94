//! Three philosophers and three forks; each eats once. Broken: all take the left fork first.

use std::sync::Arc;

use super::Version;
use crate::under::sync::Mutex;
use crate::under::thread;

const SEATS: usize = 3;

pub fn run(version: Version) {
    let forks: Arc<[Mutex<u32>; SEATS]> = Arc::new(std::array::from_fn(|_| Mutex::new(0)));
    let threads: Vec<_> = (0..SEATS)
        .map(|seat| {
            let forks = forks.clone();
            thread::spawn(move || {
                let (left, right) = (seat, (seat + 1) % SEATS);
                let (first, second) = match version {
                    Version::Right => (left.min(right), left.max(right)),
                    Version::Broken => (left, right),
                };
                let mut first = forks[first].lock().unwrap();
                let mut second = forks[second].lock().unwrap();
                *first += 1;
                *second += 1;
            })
        })
        .collect();
    threads
        .into_iter()
        .for_each(|thread| thread.join().unwrap());
    let uses: u32 = forks.iter().map(|fork| *fork.lock().unwrap()).sum();
    assert_eq!(uses, 2 * SEATS as u32);
}
