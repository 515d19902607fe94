//! Waiting for a thread.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;

pub fn computed() -> u32 {
    let result = Arc::new(AtomicU32::new(0));
    let shared = result.clone();
    let worker = thread::spawn(move || shared.store(42, Ordering::SeqCst));
    worker.join().unwrap();
    result.load(Ordering::SeqCst)
}
