//! A bounded buffer: producers wait for room, consumers for items.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex};

pub struct Buffer<T> {
    capacity: usize,
    items: Mutex<VecDeque<T>>,
    not_full: Condvar,
    not_empty: Condvar,
}

impl<T> Buffer<T> {
    pub fn new(capacity: usize) -> Buffer<T> {
        Buffer {
            capacity,
            items: Mutex::new(VecDeque::new()),
            not_full: Condvar::new(),
            not_empty: Condvar::new(),
        }
    }

    pub fn put_item(&self, item: T) {
        let mut items = self.items.lock().unwrap();
        while items.len() == self.capacity {
            items = self.not_full.wait(items).unwrap();
        }
        items.push_back(item);
        self.not_empty.notify_all();
    }

    pub fn get_item(&self) -> T {
        let mut items = self.items.lock().unwrap();
        loop {
            if let Some(item) = items.pop_front() {
                self.not_full.notify_all();
                return item;
            }
            items = self.not_empty.wait(items).unwrap();
        }
    }

    pub fn len(&self) -> usize {
        self.items.lock().unwrap().len()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}
