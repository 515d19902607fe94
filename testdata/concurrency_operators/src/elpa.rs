//! Waiting for a lock.

use std::sync::Mutex;

pub fn add(sum: &Mutex<u32>) {
    *sum.lock().unwrap() += 1;
}
