//! Harm under exploration.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::Arc;
use std::thread;

#[test]
fn a_thread_under_control() {
    let count = Arc::new(AtomicU32::new(0));
    let theirs = count.clone();
    let thread = thread::spawn(move || {
        theirs.fetch_add(1, Ordering::SeqCst);
        harmful_mutants::ways::all();
    });
    count.fetch_add(1, Ordering::SeqCst);
    let _ = thread.join();
}
