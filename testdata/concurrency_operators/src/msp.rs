//! The right lock.

use std::sync::Mutex;

#[derive(Default)]
pub struct Votes {
    pub yes: Mutex<u32>,
    pub no: Mutex<u32>,
}

impl Votes {
    pub fn agree(&self) {
        *self.yes.lock().unwrap() += 1;
    }
}
