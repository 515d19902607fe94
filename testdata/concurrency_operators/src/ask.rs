//! A method without a lock.

use std::sync::Mutex;

#[derive(Default)]
pub struct Board {
    notes: Mutex<u32>,
    visitors: u32,
}

impl Board {
    pub fn pin(&self) {
        *self.notes.lock().unwrap() += 1;
    }

    /// Does something in front of the board.
    pub fn visit(&self, deed: impl Fn()) -> u32 {
        deed();
        self.visitors
    }
}
