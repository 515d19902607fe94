//! The order of two locks.

use std::sync::Mutex;

#[derive(Default)]
pub struct Pair {
    left: Mutex<u32>,
    right: Mutex<u64>,
}

impl Pair {
    pub fn fill(&self) {
        let mut left = self.left.lock().unwrap();
        let mut right = self.right.lock().unwrap();
        *left += 1;
        *right += 1;
    }

    pub fn sum(&self) -> u64 {
        let left = self.left.lock().unwrap();
        let right = self.right.lock().unwrap();
        u64::from(*left) + *right
    }
}
