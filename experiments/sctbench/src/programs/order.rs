//! Orders between threads that nothing ensures.

use std::sync::Arc;

use crate::under::sync::Mutex;
use crate::under::sync::atomic::{AtomicI64, AtomicUsize, Ordering::SeqCst};
use crate::under::thread;

pub const PROGRAMS: &[(&str, fn())] = &[
    ("reorder_3", || reorder(2, 1)),
    ("reorder_5", || reorder(4, 1)),
    ("reorder_10", || reorder(9, 1)),
    ("reorder_20", || reorder(19, 1)),
    ("twostage", || twostage(1, 1)),
    ("twostage_20", || twostage(19, 1)),
    ("wronglock_3", || wronglock(1, 3)),
    ("wronglock_8", || wronglock(1, 8)),
    ("bounded_by_depth_3", depth_3),
    ("goes_on_after_yield", goes_on_after_yield),
];

/// Setters write one variable after the other; a checker sees the second without the first's partner.
fn reorder(setters: usize, checkers: usize) {
    let pair = Arc::new((AtomicI64::new(0), AtomicI64::new(0)));
    let mut threads = Vec::new();
    for _ in 0..setters {
        let pair = pair.clone();
        threads.push(thread::spawn(move || {
            pair.0.store(1, SeqCst);
            pair.1.store(-1, SeqCst);
        }));
    }
    for _ in 0..checkers {
        let pair = pair.clone();
        threads.push(thread::spawn(move || {
            let (a, b) = (pair.0.load(SeqCst), pair.1.load(SeqCst));
            assert!((a, b) == (0, 0) || (a, b) == (1, -1), "{a} {b}");
        }));
    }
    threads.into_iter().for_each(|thread| thread.join().unwrap());
}

/// Two variables are each written under a lock of their own; a reader comes between the two.
fn twostage(writers: usize, readers: usize) {
    let data = Arc::new((Mutex::new(0), Mutex::new(0)));
    let mut threads = Vec::new();
    for _ in 0..writers {
        let data = data.clone();
        threads.push(thread::spawn(move || {
            *data.0.lock().unwrap() = 1;
            *data.1.lock().unwrap() = 2;
        }));
    }
    for _ in 0..readers {
        let data = data.clone();
        threads.push(thread::spawn(move || {
            let first = *data.0.lock().unwrap();
            if first == 0 {
                return;
            }
            let second = *data.1.lock().unwrap();
            assert_eq!(second, 2);
        }));
    }
    threads.into_iter().for_each(|thread| thread.join().unwrap());
}

/// Some threads lock one lock, some another, for the same data.
fn wronglock(right: usize, wrong: usize) {
    let data = Arc::new((AtomicUsize::new(0), Mutex::new(()), Mutex::new(())));
    let mut threads = Vec::new();
    for number in 0..right + wrong {
        let data = data.clone();
        threads.push(thread::spawn(move || {
            let _guard = match number < right {
                true => data.1.lock().unwrap(),
                false => data.2.lock().unwrap(),
            };
            let seen = data.0.load(SeqCst);
            data.0.store(seen + 1, SeqCst);
            assert_eq!(data.0.load(SeqCst), seen + 1);
        }));
    }
    threads.into_iter().for_each(|thread| thread.join().unwrap());
}

/// Three orders have to be met, each between other work.
fn depth_3() {
    let stage = Arc::new(AtomicUsize::new(0));
    let noise = Arc::new(AtomicUsize::new(0));
    let s = stage.clone();
    let n = noise.clone();
    let other = thread::spawn(move || {
        for round in 0..6 {
            n.fetch_add(1, SeqCst);
            if s.load(SeqCst) == 1 && round == 3 {
                s.store(2, SeqCst);
            }
        }
    });
    for round in 0..6 {
        noise.fetch_add(1, SeqCst);
        if round == 2 {
            stage.store(1, SeqCst);
        }
        if round == 3 {
            assert_ne!(stage.load(SeqCst), 2);
            stage.store(3, SeqCst);
        }
    }
    other.join().unwrap();
}

/// Fails only if the thread that yields goes on all the same, before the other has begun.
fn goes_on_after_yield() {
    let flag = Arc::new(AtomicUsize::new(0));
    let f = flag.clone();
    let other = thread::spawn(move || f.store(1, SeqCst));
    thread::yield_now();
    let seen = flag.load(SeqCst);
    other.join().unwrap();
    assert_eq!(seen, 1);
}
