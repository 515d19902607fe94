//! These pass nearly always, too. They fail if a thread leaves something behind that another runs into.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::thread;

#[test]
fn a_lock_may_be_poisoned() {
    let balance = Arc::new(Mutex::new(5_u32));
    let other = balance.clone();
    let thread = thread::spawn(move || {
        if *other.lock().unwrap() >= 3 {
            let mut balance = other.lock().unwrap();
            *balance = balance.checked_sub(3).expect("enough money");
        }
    });
    {
        let mut balance = balance.lock().unwrap();
        *balance = balance.saturating_sub(3);
    }
    let _ = thread.join();
    assert!(*balance.lock().unwrap() <= 2);
}

#[test]
fn a_receiver_may_be_dropped() {
    let (sender, receiver) = mpsc::channel();
    let open = Arc::new(AtomicBool::new(true));
    let theirs = open.clone();
    let thread = thread::spawn(move || {
        theirs.store(false, Ordering::SeqCst);
        drop(receiver);
    });
    if open.load(Ordering::SeqCst) {
        sender.send(1).expect("somebody listens");
    }
    thread.join().unwrap();
}
