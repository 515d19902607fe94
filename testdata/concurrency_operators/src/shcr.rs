//! Where a critical region lies.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};

pub fn add(sum: &Mutex<u32>, calls: &AtomicU32) {
    let mut sum = sum.lock().unwrap();
    let before = *sum;
    *sum = before + 1;
    drop(sum);
    calls.fetch_add(1, Ordering::SeqCst);
}
