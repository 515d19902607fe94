//! A time-out.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

/// Gives somebody twenty milliseconds to get ready.
pub fn settle(ready: &AtomicBool) -> bool {
    thread::sleep(Duration::from_millis(20));
    ready.load(Ordering::SeqCst)
}
