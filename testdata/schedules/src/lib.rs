//! Threads that meet: a counter and a hand-over, right as they stand, and one mistake each in `mistakes`.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::{self, Receiver};
use std::sync::{Condvar, Mutex};
use std::thread;

pub mod mistakes;

#[derive(Default)]
pub struct Counter {
    count: Mutex<u32>,
}

impl Counter {
    /// Counts up and gives the new count.
    pub fn add(&self) -> u32 {
        let mut count = self.count.lock().unwrap();
        *count += 1;
        *count
    }

    pub fn get(&self) -> u32 {
        *self.count.lock().unwrap()
    }
}

/// Hands one number over.
#[derive(Default)]
pub struct Slot {
    number: Mutex<Option<u32>>,
    filled: Condvar,
}

impl Slot {
    pub fn put(&self, number: u32) {
        *self.number.lock().unwrap() = Some(number);
        self.filled.notify_one();
    }

    pub fn take(&self) -> u32 {
        let mut number = self.number.lock().unwrap();
        while number.is_none() {
            number = self.filled.wait(number).unwrap();
        }
        number.take().unwrap()
    }
}

/// Counts without a lock.
#[derive(Default)]
pub struct Tickets {
    next: AtomicU32,
}

impl Tickets {
    pub fn draw(&self) -> u32 {
        self.next.fetch_add(1, Ordering::Relaxed)
    }
}

/// One at a time may enter; who comes meanwhile is turned away.
#[derive(Default)]
pub struct Door {
    entered: Mutex<u32>,
    turned_away: AtomicU32,
}

impl Door {
    pub fn enter(&self) {
        match self.entered.try_lock() {
            Ok(mut entered) => *entered += 1,
            Err(_) => {
                self.turned_away.fetch_add(1, Ordering::Relaxed);
            }
        }
    }

    pub fn came(&self) -> u32 {
        *self.entered.lock().unwrap() + self.turned_away.load(Ordering::Relaxed)
    }
}

/// How much will have been counted when so much more has.
pub fn expected(counter: &Counter, more: i64) -> i64 {
    let count = i64::from(counter.get());
    count + more
}

pub fn total(one: i64, other: i64) -> i64 {
    one + other
}

/// Sends a number from a thread that nobody joins.
pub fn send(number: u32) -> Receiver<u32> {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        let _ = sender.send(number);
        if number > 10 {
            panic!("{number} is too much");
        }
    });
    receiver
}

pub mod parcel;
