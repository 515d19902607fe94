//! A bounded buffer: producers wait for room, consumers for items.
//!
//! Nobody is notified of what he could know: only the first item that comes into an empty buffer is announced, and only
//! the first place in a full one. So all who wait must hear of it: there may be work for more than one of them.

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
        if items.len() == 1 {
            self.not_empty.notify_all();
        }
    }

    pub fn get_item(&self) -> T {
        let mut items = self.items.lock().unwrap();
        while items.is_empty() {
            items = self.not_empty.wait(items).unwrap();
        }
        if items.len() == self.capacity {
            self.not_full.notify_all();
        }
        items.pop_front().unwrap()
    }

    pub fn len(&self) -> usize {
        self.items.lock().unwrap().len()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}
