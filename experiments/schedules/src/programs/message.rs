//! What Loom is made for: a value and a flag that says it is there. Broken: the flag is stored relaxed, which only a weak
//! memory shows.

use std::sync::Arc;

use super::Version;
use crate::under::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use crate::under::thread;

pub fn run(version: Version) {
    let ordering = match version {
        Version::Right => Ordering::Release,
        Version::Broken => Ordering::Relaxed,
    };
    let shared = Arc::new((AtomicUsize::new(0), AtomicBool::new(false)));
    let writer = {
        let shared = shared.clone();
        thread::spawn(move || {
            shared.0.store(42, Ordering::Relaxed);
            shared.1.store(true, ordering);
        })
    };
    if shared.1.load(Ordering::Acquire) {
        assert_eq!(shared.0.load(Ordering::Relaxed), 42);
    }
    writer.join().unwrap();
}
