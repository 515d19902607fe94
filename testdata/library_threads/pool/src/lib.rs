//! A library that works in threads of its own.

use std::thread;

/// The sum of all, each half in a thread.
pub fn sum(values: &[u32]) -> u32 {
    let (one, other) = values.split_at(values.len() / 2);
    thread::scope(|scope| {
        let one = scope.spawn(|| one.iter().sum::<u32>());
        let other = scope.spawn(|| other.iter().sum::<u32>());
        one.join().unwrap() + other.join().unwrap()
    })
}

/// Runs this in a thread.
pub fn apart<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    thread::scope(|scope| scope.spawn(work).join().unwrap())
}
