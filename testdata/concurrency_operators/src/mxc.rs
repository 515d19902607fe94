//! A count of threads.

use std::sync::Barrier;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;

/// Two threads arrive, and then look how many have.
pub fn meet() -> [u32; 2] {
    let barrier = Barrier::new(2);
    let arrived = AtomicU32::new(0);
    let arrive = || {
        arrived.fetch_add(1, Ordering::SeqCst);
        barrier.wait();
        arrived.load(Ordering::SeqCst)
    };
    thread::scope(|scope| {
        let threads = [scope.spawn(arrive), scope.spawn(arrive)];
        threads.map(|thread| thread.join().unwrap())
    })
}
