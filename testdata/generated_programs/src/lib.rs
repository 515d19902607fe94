//! A cell that threads share. What they compute (`functions`) and what they do (`tests/programs.rs`) is drawn at random.

use std::sync::Mutex;
use std::sync::atomic::{AtomicI64, Ordering};

pub mod functions;

#[derive(Default)]
pub struct Cell {
    locked: Mutex<i64>,
    atomic: AtomicI64,
}

impl Cell {
    pub fn get(&self) -> i64 {
        *self.locked.lock().unwrap()
    }

    pub fn set(&self, value: i64) {
        *self.locked.lock().unwrap() = value;
    }

    /// Gives the value before.
    pub fn update(&self, change: impl Fn(i64) -> i64) -> i64 {
        let mut value = self.locked.lock().unwrap();
        let before = *value;
        *value = change(before);
        before
    }

    pub fn load(&self) -> i64 {
        self.atomic.load(Ordering::SeqCst)
    }

    pub fn store(&self, value: i64) {
        self.atomic.store(value, Ordering::SeqCst);
    }

    pub fn add(&self, more: i64) -> i64 {
        self.atomic.fetch_add(more, Ordering::SeqCst)
    }
}
