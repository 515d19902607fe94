//! A cell that any thread may use, and a flag that may publish what is in it.

use std::cell::UnsafeCell;
use std::sync::atomic::{AtomicBool, Ordering};

/// A number without any protection.
#[derive(Default)]
pub struct Unprotected(UnsafeCell<u64>);

// SAFETY: none; that is what the tests are about.
unsafe impl Sync for Unprotected {}

impl Unprotected {
    pub fn add(&self, more: u64) {
        // SAFETY: the caller's matter.
        unsafe { *self.0.get() += more };
    }

    pub fn get(&self) -> u64 {
        // SAFETY: the caller's matter.
        unsafe { *self.0.get() }
    }
}

/// A number that is written once, before it is ready.
#[derive(Default)]
pub struct Published {
    value: Unprotected,
    is_ready: AtomicBool,
}

impl Published {
    pub fn publish(&self, value: u64) {
        self.value.add(value);
        self.is_ready.store(true, Ordering::Release);
    }

    pub fn look(&self) -> Option<u64> {
        self.is_ready
            .load(Ordering::Acquire)
            .then(|| self.value.get())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::thread;

    use super::*;

    #[test]
    fn what_is_published_is_complete() {
        let published = Arc::new(Published::default());
        let theirs = published.clone();
        let thread = thread::spawn(move || theirs.publish(7));
        if let Some(value) = published.look() {
            assert_eq!(value, 7);
        }
        thread.join().unwrap();
    }
}
