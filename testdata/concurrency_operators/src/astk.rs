//! A lock of each object.

use std::sync::Mutex;

#[derive(Default)]
pub struct Purse {
    coins: Mutex<u32>,
}

impl Purse {
    pub fn put(&self) {
        *self.coins.lock().unwrap() += 1;
    }

    pub fn put_two(&self) {
        *self.coins.lock().unwrap() += 2;
    }

    pub fn coins(&self) -> u32 {
        *self.coins.lock().unwrap()
    }
}
