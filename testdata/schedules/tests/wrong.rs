//! These pass nearly always.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;

use schedules::mistakes;

#[test]
fn counts_may_get_lost() {
    let count = Arc::new(AtomicU32::new(0));
    let other = count.clone();
    let thread = thread::spawn(move || mistakes::count(&other));
    mistakes::count(&count);
    thread.join().unwrap();
    assert_eq!(count.load(Ordering::SeqCst), 2);
}

#[test]
fn swaps_may_wait_for_each_other() {
    let (left, right) = (Arc::new(Mutex::new(1)), Arc::new(Mutex::new(2)));
    let (mine, yours) = (left.clone(), right.clone());
    let thread = thread::spawn(move || mistakes::swap(&mine, &yours));
    mistakes::swap(&right, &left);
    thread.join().unwrap();
}
