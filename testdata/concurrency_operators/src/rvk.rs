//! A memory ordering.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

#[derive(Default)]
pub struct Letter {
    text: AtomicU32,
    is_there: AtomicBool,
}

impl Letter {
    pub fn write(&self, text: u32) {
        self.text.store(text, Ordering::Relaxed);
        self.is_there.store(true, Ordering::Release);
    }

    pub fn read(&self) -> Option<u32> {
        let is_there = self.is_there.load(Ordering::Acquire);
        is_there.then(|| self.text.load(Ordering::Relaxed))
    }
}
