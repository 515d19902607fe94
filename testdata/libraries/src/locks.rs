//! On parking_lot.

use std::time::Duration;

use parking_lot::{Condvar, Mutex, MutexGuard, RwLock};

#[derive(Default)]
pub struct Counter {
    total: Mutex<u32>,
    log: RwLock<Vec<u32>>,
}

impl Counter {
    pub fn add(&self, amount: u32) {
        let mut total = self.total.lock();
        *total += amount;
        self.log.write().push(*total);
    }

    pub fn total(&self) -> u32 {
        *self.total.lock()
    }

    pub fn entries(&self) -> usize {
        self.log.read().len()
    }

    pub fn add_fairly(&self, amount: u32) {
        let mut total = self.total.lock();
        *total += amount;
        MutexGuard::unlock_fair(total);
    }

    pub fn add_soon(&self, amount: u32) -> bool {
        match self.total.try_lock_for(Duration::from_secs(1)) {
            Some(mut total) => {
                *total += amount;
                true
            }
            None => false,
        }
    }
}

/// Opened once for all.
#[derive(Default)]
pub struct Gate {
    open: Mutex<bool>,
    opened: Condvar,
}

impl Gate {
    pub fn open(&self) {
        *self.open.lock() = true;
        self.opened.notify_all();
    }

    pub fn pass(&self) {
        let mut open = self.open.lock();
        while !*open {
            self.opened.wait(&mut open);
        }
    }
}
