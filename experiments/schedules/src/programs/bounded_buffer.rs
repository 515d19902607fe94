//! A buffer for one item, a producer of two and two consumers of one each. Broken: all wait on one condition and only one is
//! notified, who may be the wrong one.

use std::sync::Arc;

use super::Version;
use crate::under::sync::{Condvar, Mutex};
use crate::under::thread;

struct Buffer {
    item: Mutex<Option<u32>>,
    changed: [Condvar; 2],
    version: Version,
}

impl Buffer {
    /// The condition to wait on for an item (0) or for room (1).
    fn condition(&self, which: usize) -> &Condvar {
        match self.version {
            Version::Right => &self.changed[which],
            Version::Broken => &self.changed[0],
        }
    }

    fn put(&self, value: u32) {
        let mut item = self.item.lock().unwrap();
        while item.is_some() {
            item = self.condition(1).wait(item).unwrap();
        }
        *item = Some(value);
        self.condition(0).notify_one();
    }

    fn take(&self) -> u32 {
        let mut item = self.item.lock().unwrap();
        loop {
            match item.take() {
                Some(value) => {
                    self.condition(1).notify_one();
                    return value;
                }
                None => item = self.condition(0).wait(item).unwrap(),
            }
        }
    }
}

pub fn run(version: Version) {
    let buffer = Arc::new(Buffer {
        item: Mutex::new(None),
        changed: [Condvar::new(), Condvar::new()],
        version,
    });
    let producer = {
        let buffer = buffer.clone();
        thread::spawn(move || (1..=2).for_each(|value| buffer.put(value)))
    };
    let consumers: Vec<_> = (0..2)
        .map(|_| {
            let buffer = buffer.clone();
            thread::spawn(move || buffer.take())
        })
        .collect();
    producer.join().unwrap();
    let taken: u32 = consumers
        .into_iter()
        .map(|thread| thread.join().unwrap())
        .sum();
    assert_eq!(taken, 3);
}
