//! The lock of a block.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};

pub fn add(sum: &Mutex<Vec<u32>>, calls: &AtomicU32) {
    {
        let mut sum = sum.lock().unwrap();
        let next = sum.len() as u32;
        sum.push(next);
    }
    calls.fetch_add(1, Ordering::SeqCst);
}
