//! A time-out.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

/// Gives somebody four hundred milliseconds to get ready.
pub fn settle(ready: &AtomicBool) -> bool {
    thread::sleep(Duration::from_millis(400));
    ready.load(Ordering::SeqCst)
}
