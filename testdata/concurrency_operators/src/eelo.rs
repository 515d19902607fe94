//! The order of two locks with something in between.

use std::sync::Mutex;

#[derive(Default)]
pub struct Stores {
    front: Mutex<u32>,
    back: Mutex<u64>,
}

impl Stores {
    pub fn refill(&self) {
        let mut front = self.front.lock().unwrap();
        let missing = self.missing();
        let mut back = self.back.lock().unwrap();
        *front += missing;
        *back += 1;
    }

    pub fn all(&self) -> u64 {
        let front = self.front.lock().unwrap();
        let back = self.back.lock().unwrap();
        u64::from(*front) + *back
    }

    fn missing(&self) -> u32 {
        1
    }
}
