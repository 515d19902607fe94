//! How long a critical region is.

use std::sync::Mutex;

pub fn add(sum: &Mutex<u32>) {
    let mut sum = sum.lock().unwrap();
    let before = *sum;
    *sum = before + 1;
}
