//! Memory that is lost: `--leaks` tells. No test fails by it else.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::atomic::{AtomicPtr, Ordering::*};
use std::sync::{Arc, Mutex};
use std::thread;

/// One thread's message is overwritten by the other's, and nobody gives it back.
#[test]
fn a_message_is_overwritten() {
    static MESSAGE: AtomicPtr<String> = AtomicPtr::new(std::ptr::null_mut());
    let thread = thread::spawn(|| {
        if MESSAGE.load(Acquire).is_null() {
            MESSAGE.store(Box::into_raw(Box::new(String::from("theirs"))), Release);
        }
    });
    if MESSAGE.load(Acquire).is_null() {
        MESSAGE.store(Box::into_raw(Box::new(String::from("mine"))), Release);
    }
    thread.join().unwrap();
}

#[test]
fn two_owners_own_each_other() {
    struct Node(RefCell<Option<Rc<Node>>>);
    let first = Rc::new(Node(RefCell::new(None)));
    let second = Rc::new(Node(RefCell::new(Some(first.clone()))));
    *first.0.borrow_mut() = Some(second);
}

/// What a static leads to may be meant to last.
#[test]
fn a_static_keeps_what_it_has() {
    static KEPT: Mutex<Vec<&'static str>> = Mutex::new(Vec::new());
    let thread = thread::spawn(|| KEPT.lock().unwrap().push(String::from("theirs").leak()));
    KEPT.lock().unwrap().push(String::from("mine").leak());
    thread.join().unwrap();
}

#[test]
fn everything_is_given_back() {
    let shared = Arc::new(Mutex::new(vec![String::from("a")]));
    let theirs = shared.clone();
    let thread = thread::Builder::new().name(String::from("other"));
    let thread = thread.spawn(move || {
        theirs.lock().unwrap().push(format!("{:?}", thread::current().name()));
    });
    thread.unwrap().join().unwrap();
    assert_eq!(shared.lock().unwrap().len(), 2);
}
