//! Plain memory that is shared as it should be: nothing may be reported here.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU64, Ordering::*, fence};
use std::sync::{Arc, Barrier, Condvar, LazyLock, Mutex, Once, OnceLock, RwLock, Weak, mpsc};
use std::thread;

use plain_memory::Unprotected;

fn two_threads(work: impl Fn(usize) + Send + Sync + 'static) {
    let work = Arc::new(work);
    let start = |number| {
        let work = work.clone();
        thread::spawn(move || work(number))
    };
    let threads = [0, 1].map(start);
    for thread in threads {
        thread.join().unwrap();
    }
}

#[test]
fn a_lock_protects() {
    let names = Arc::new(Mutex::new(HashMap::new()));
    let theirs = names.clone();
    two_threads(move |number| {
        theirs.lock().unwrap().insert(number, format!("{number}"));
    });
    assert_eq!(names.lock().unwrap().len(), 2);
}

#[test]
fn a_lock_for_readers_protects() {
    let names = Arc::new(RwLock::new(vec![String::from("first")]));
    let theirs = names.clone();
    two_threads(move |number| match number {
        0 => theirs.write().unwrap().push(String::from("second")),
        _ => assert!(!theirs.read().unwrap()[0].is_empty()),
    });
}

#[test]
fn messages_carry_what_they_own() {
    let (sender, receiver) = mpsc::channel();
    two_threads(move |number| sender.send(Box::new(vec![number])).unwrap());
    let mut received: Vec<_> = receiver.iter().map(|message| message[0]).collect();
    received.sort();
    assert_eq!(received, [0, 1]);
}

#[test]
fn messages_that_nobody_takes_are_dropped_by_the_receiver() {
    let (sender, receiver) = mpsc::channel();
    let thread = thread::spawn(move || {
        let _ = sender.send(vec![String::from("never read")]);
    });
    drop(receiver);
    thread.join().unwrap();
}

#[test]
fn a_channel_with_room_for_one_is_a_lock() {
    let number = Arc::new(Unprotected::default());
    let (sender, receiver) = mpsc::sync_channel(1);
    let receiver = Arc::new(Mutex::new(receiver));
    let theirs = number.clone();
    two_threads(move |_| {
        sender.send(()).unwrap();
        theirs.add(1);
        receiver.lock().unwrap().recv().unwrap();
    });
    assert_eq!(number.get(), 2);
}

#[test]
fn scoped_threads_share_a_stack() {
    let mut numbers = [1, 2, 3, 4];
    let (first, second) = numbers.split_at_mut(2);
    thread::scope(|scope| {
        scope.spawn(|| first[0] = 7);
        scope.spawn(|| second[0] = 8);
    });
    assert_eq!(numbers.iter().sum::<i32>(), 7 + 2 + 8 + 4);
}

#[test]
fn scoped_threads_start_others() {
    let count = AtomicU64::new(0);
    thread::scope(|scope| {
        for _ in 0..2 {
            let count = &count;
            scope.spawn(move || scope.spawn(move || count.fetch_add(1, Relaxed)));
        }
    });
    assert_eq!(count.load(Relaxed), 2);
}

#[test]
fn the_last_owner_drops() {
    let shared = Arc::new(Mutex::new(vec![String::from("shared")]));
    let weak: Weak<_> = Arc::downgrade(&shared);
    let theirs = shared.clone();
    let thread = thread::spawn(move || {
        theirs.lock().unwrap().push(String::from("more"));
        drop(theirs);
    });
    drop(shared);
    if let Some(shared) = weak.upgrade() {
        assert!(!shared.lock().unwrap().is_empty());
    }
    drop(thread);
}

#[test]
fn something_is_initialised_once() {
    static CELL: OnceLock<String> = OnceLock::new();
    static LAZY: LazyLock<Vec<u8>> = LazyLock::new(|| vec![1, 2]);
    static ONCE: Once = Once::new();
    two_threads(|_| {
        ONCE.call_once(|| {});
        assert_eq!(LAZY.len() + CELL.get_or_init(|| "a".to_owned()).len(), 3);
    });
}

#[test]
fn a_condition_is_waited_for() {
    let shared = Arc::new((Mutex::new(None), Condvar::new()));
    let theirs = shared.clone();
    let thread = thread::spawn(move || {
        *theirs.0.lock().unwrap() = Some(vec![3]);
        theirs.1.notify_one();
    });
    let mut value = shared.0.lock().unwrap();
    while value.is_none() {
        value = shared.1.wait(value).unwrap();
    }
    assert_eq!(value.take(), Some(vec![3]));
    drop(value);
    thread.join().unwrap();
}

#[test]
fn a_barrier_separates() {
    let shared = Arc::new((Barrier::new(2), Unprotected::default()));
    let theirs = shared.clone();
    let thread = thread::spawn(move || {
        theirs.1.add(1);
        theirs.0.wait();
    });
    shared.0.wait();
    assert_eq!(shared.1.get(), 1);
    thread.join().unwrap();
}

#[test]
fn fences_publish() {
    let shared = Arc::new((AtomicBool::new(false), Unprotected::default()));
    let theirs = shared.clone();
    let thread = thread::spawn(move || {
        theirs.1.add(1);
        fence(Release);
        theirs.0.store(true, Relaxed);
    });
    if shared.0.load(Relaxed) {
        fence(Acquire);
        assert_eq!(shared.1.get(), 1);
    }
    thread.join().unwrap();
}

#[test]
fn a_parked_thread_sees_what_was_done_before() {
    let shared = Arc::new((AtomicBool::new(false), Unprotected::default()));
    let theirs = shared.clone();
    let thread = thread::spawn(move || {
        while !theirs.0.load(Acquire) {
            thread::park();
        }
        assert_eq!(theirs.1.get(), 1);
    });
    shared.1.add(1);
    shared.0.store(true, Release);
    thread.thread().unpark();
    thread.join().unwrap();
}

#[test]
fn nodes_of_a_stack_are_published_by_its_head() {
    struct Node(usize, *mut Node);
    let head = Arc::new(AtomicPtr::new(std::ptr::null_mut::<Node>()));
    let theirs = head.clone();
    two_threads(move |number| {
        let node = Box::into_raw(Box::new(Node(number, std::ptr::null_mut())));
        let mut old = theirs.load(Relaxed);
        loop {
            unsafe { (*node).1 = old };
            match theirs.compare_exchange(old, node, Release, Relaxed) {
                Ok(_) => break,
                Err(now) => old = now,
            }
        }
    });
    let mut at = head.load(Acquire);
    while !at.is_null() {
        let node = unsafe { Box::from_raw(at) };
        assert!(node.0 < 2);
        at = node.1;
    }
}

#[test]
fn every_thread_has_its_own() {
    thread_local!(static OWN: std::cell::RefCell<Vec<usize>> = const { std::cell::RefCell::new(Vec::new()) });
    two_threads(|number| OWN.with(|own| own.borrow_mut().push(number)));
}

#[test]
fn an_atomic_that_nobody_else_has_is_plain_memory() {
    let mut number = Arc::new(AtomicU64::new(0));
    let theirs = number.clone();
    thread::spawn(move || theirs.fetch_add(1, Relaxed))
        .join()
        .unwrap();
    *Arc::get_mut(&mut number).unwrap().get_mut() = 4;
    assert_eq!(number.load(Relaxed), 4);
}

#[test]
fn the_only_owner_left_changes_what_it_has() {
    let mut shared = Arc::new(vec![1]);
    let theirs = shared.clone();
    let thread = thread::spawn(move || theirs.len());
    if let Some(numbers) = Arc::get_mut(&mut shared) {
        numbers.push(2);
    }
    Arc::make_mut(&mut shared).push(3);
    match Arc::try_unwrap(shared) {
        Ok(numbers) => assert!(numbers.len() > 1),
        Err(shared) => drop(shared),
    }
    thread.join().unwrap();
}

#[test]
fn results_that_nobody_takes_are_dropped() {
    let theirs = thread::spawn(|| vec![String::from("never read")]);
    thread::yield_now();
    drop(theirs);
    thread::scope(|scope| {
        scope.spawn(|| vec![String::from("never read")]);
    });
}
