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

#[test]
fn a_thread_that_nobody_joins_may_panic() {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || sender.send(()).expect("somebody listens"));
    drop(receiver.try_recv());
}

/// The only one that never fails: a thread that panics is what it is about.
#[test]
fn a_pool_outlives_its_jobs() {
    let (sender, receiver) = mpsc::channel();
    for job in 0..2 {
        let sender = sender.clone();
        thread::spawn(move || {
            sender.send(job).expect("the pool is still there");
            assert_ne!(job, 1, "a job that panics on purpose");
        });
    }
    let mut done: Vec<i32> = receiver.iter().take(2).collect();
    done.sort_unstable();
    assert_eq!(done, [0, 1]);
}
