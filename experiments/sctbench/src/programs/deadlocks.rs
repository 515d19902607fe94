//! Threads that wait for each other.

use std::sync::Arc;

use crate::under::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use crate::under::sync::{Condvar, Mutex, RwLock};
use crate::under::thread;

pub const PROGRAMS: &[(&str, fn())] = &[
    ("carter01", carter01),
    ("deadlock01", deadlock01),
    ("dining_philosophers_3", || philosophers(3)),
    ("dining_philosophers_5", || philosophers(5)),
    ("dining_philosophers_7", || philosophers(7)),
    ("phase01", phase01),
    ("sync01", sync01),
    ("sync02", sync02),
    ("nested_reads", nested_reads),
];

/// Two counted groups share a lock: the first of each group takes it, the last gives it back; one takes them in another order.
fn carter01() {
    struct Locks {
        a: Mutex<usize>,
        b: Mutex<usize>,
        shared: Mutex<()>,
    }
    let locks = Arc::new(Locks {
        a: Mutex::new(0),
        b: Mutex::new(0),
        shared: Mutex::new(()),
    });
    let l = locks.clone();
    let first = thread::spawn(move || {
        let mut a = l.a.lock().unwrap();
        *a += 1;
        let _shared = l.shared.lock().unwrap();
        let _b = l.b.lock().unwrap();
    });
    let l = locks.clone();
    let second = thread::spawn(move || {
        let mut b = l.b.lock().unwrap();
        *b += 1;
        let _a = l.a.lock().unwrap();
    });
    first.join().unwrap();
    second.join().unwrap();
}

/// Two locks in two orders.
fn deadlock01() {
    let (one, two) = (Arc::new(Mutex::new(0)), Arc::new(Mutex::new(0)));
    let (a, b) = (one.clone(), two.clone());
    let other = thread::spawn(move || {
        let mut a = a.lock().unwrap();
        let mut b = b.lock().unwrap();
        (*a, *b) = (*a + 1, *b - 1);
    });
    let mut b = two.lock().unwrap();
    let mut a = one.lock().unwrap();
    (*a, *b) = (*a - 1, *b + 1);
    drop((a, b));
    other.join().unwrap();
}

/// Each takes the left fork first.
fn philosophers(count: usize) {
    let forks: Arc<Vec<_>> = Arc::new((0..count).map(|_| Mutex::new(())).collect());
    let threads: Vec<_> = (0..count)
        .map(|me| {
            let forks = forks.clone();
            thread::spawn(move || {
                let _left = forks[me].lock().unwrap();
                let _right = forks[(me + 1) % forks.len()].lock().unwrap();
            })
        })
        .collect();
    threads.into_iter().for_each(|thread| thread.join().unwrap());
}

/// A thread gives back one lock and takes another; the other thread does so in the opposite order.
fn phase01() {
    let (one, two) = (Arc::new(Mutex::new(())), Arc::new(Mutex::new(())));
    let (a, b) = (one.clone(), two.clone());
    let other = thread::spawn(move || {
        let first = a.lock().unwrap();
        drop(first);
        let second = b.lock().unwrap();
        let again = a.lock().unwrap();
        drop((second, again));
    });
    let first = one.lock().unwrap();
    let second = two.lock().unwrap();
    drop((first, second));
    other.join().unwrap();
}

/// A producer and a consumer of one item with one condition; the wait is not in a loop and the notification may come first.
fn sync01() {
    let slot = Arc::new((Mutex::new(0), Condvar::new(), Condvar::new()));
    let s = slot.clone();
    let producer = thread::spawn(move || {
        let mut count = s.0.lock().unwrap();
        if *count > 0 {
            count = s.1.wait(count).unwrap();
        }
        *count += 1;
        s.2.notify_one();
    });
    let (lock, empty, full) = &*slot;
    let mut count = lock.lock().unwrap();
    if *count == 0 {
        drop(count);
        count = lock.lock().unwrap();
        count = full.wait(count).unwrap();
    }
    *count -= 1;
    empty.notify_one();
    drop(count);
    producer.join().unwrap();
}

/// Two producers and a consumer on one condition: a notification wakes the wrong one.
fn sync02() {
    let slot = Arc::new((Mutex::new(0), Condvar::new()));
    let producers = [0, 1].map(|_| {
        let s = slot.clone();
        thread::spawn(move || {
            let mut count = s.0.lock().unwrap();
            while *count > 0 {
                count = s.1.wait(count).unwrap();
            }
            *count += 1;
            s.1.notify_one();
        })
    });
    let consumers = [0, 1].map(|_| {
        let s = slot.clone();
        thread::spawn(move || {
            let mut count = s.0.lock().unwrap();
            while *count == 0 {
                count = s.1.wait(count).unwrap();
            }
            *count -= 1;
            s.1.notify_one();
        })
    });
    producers.into_iter().for_each(|thread| thread.join().unwrap());
    consumers.into_iter().for_each(|thread| thread.join().unwrap());
}

/// A reader reads again while a writer that holds another lock waits.
fn nested_reads() {
    let data = Arc::new((RwLock::new(0), Mutex::new(()), AtomicUsize::new(0)));
    let d = data.clone();
    let writer = thread::spawn(move || {
        let _guard = d.1.lock().unwrap();
        *d.0.write().unwrap() += 1;
        d.2.store(1, SeqCst);
    });
    let read = data.0.read().unwrap();
    if data.2.load(SeqCst) == 0 {
        let _guard = data.1.lock().unwrap();
    }
    drop(read);
    writer.join().unwrap();
}
