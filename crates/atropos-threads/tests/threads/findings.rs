//! What a finding says: who waits for what, where, and why it will never come.

use std::ops::ControlFlow;
use std::sync::Arc;

use atropos_threads::atropos_explore::Exhaustive;
use atropos_threads::sync::{Mutex, mpsc};
use atropos_threads::{explore, thread};

use crate::alone::{alone, sc};

/// Checks that the failure of a test is told with all these words.
#[track_caller]
fn check(test: impl Fn() + Sync, words: &[&str]) {
    alone(|| {
        let report = explore(&test, &sc(), &mut Exhaustive::new(), &mut |_| {
            ControlFlow::Continue(())
        });
        let text = report.failure.expect("it fails").finding.to_string();
        for words in words {
            assert!(text.contains(words), "no {words:?} in {text}");
        }
    });
}

#[test]
fn a_lock_whose_guard_was_forgotten_says_who_kept_it() {
    let test = || {
        let lock = Arc::new(Mutex::new(0));
        let other = lock.clone();
        let thread = thread::spawn(move || std::mem::forget(other.lock().unwrap()));
        thread.join().unwrap();
        *lock.lock().unwrap() += 1;
    };
    check(
        test,
        &[
            "deadlock:",
            "locks at ",
            "findings.rs",
            "by thread 1, which has ended without giving it back",
        ],
    );
}

#[test]
fn a_receiver_whose_senders_never_go_says_how_many_there_are() {
    let test = || {
        let (sender, receiver) = mpsc::channel::<u32>();
        let another = sender.clone();
        let _ = receiver.recv();
        drop((sender, another));
    };
    check(
        test,
        &[
            "deadlock:",
            "receives at ",
            "findings.rs",
            "and 2 senders are left that could send",
        ],
    );
}

#[test]
fn sending_to_a_receiver_that_is_gone_is_told_with_its_place() {
    let test = || {
        let (sender, receiver) = mpsc::channel();
        let thread = thread::spawn(move || drop(receiver));
        sender.send(1).unwrap();
        thread.join().unwrap();
    };
    check(test, &["panicked at", "findings.rs", "SendError"]);
}

#[test]
fn taking_a_poisoned_lock_is_told_with_its_place() {
    let test = || {
        let lock = Arc::new(Mutex::new(0));
        let other = lock.clone();
        let thread = thread::spawn(move || {
            let _guard = other.lock().unwrap();
            panic!("with the lock held");
        });
        let _ = thread.join();
        *lock.lock().unwrap() += 1;
    };
    check(test, &["panicked at", "findings.rs", "PoisonError"]);
}
