//! Updates that get lost, and values that are read in the middle of a change.

use std::sync::Arc;

use crate::under::sync::Mutex;
use crate::under::sync::atomic::{AtomicI64, AtomicUsize, Ordering::SeqCst};
use crate::under::thread;

pub const PROGRAMS: &[(&str, fn())] = &[
    ("account", account),
    ("arithmetic_progression", arithmetic_progression),
    ("bluetooth_driver", bluetooth_driver),
    ("fibonacci_3", || fibonacci(3)),
    ("lazy01", lazy01),
    ("lost_updates_8_threads", lost_updates),
    ("one_mistake_in_800_locks", one_mistake_in_many_locks),
    ("qsort_mt", qsort_mt),
    ("stateful01", stateful01),
    ("token_ring", token_ring),
];

/// A deposit and a withdrawal that are each locked, and a balance that is read and written in two steps beside them.
fn account() {
    let balance = Arc::new(AtomicI64::new(10));
    let lock = Arc::new(Mutex::new(()));
    let (b, l) = (balance.clone(), lock.clone());
    let deposit = thread::spawn(move || {
        let _guard = l.lock().unwrap();
        b.store(b.load(SeqCst) + 3, SeqCst);
    });
    let b = balance.clone();
    let withdraw = thread::spawn(move || {
        let seen = b.load(SeqCst);
        b.store(seen - 4, SeqCst);
    });
    deposit.join().unwrap();
    withdraw.join().unwrap();
    assert_eq!(balance.load(SeqCst), 9);
}

/// Adds up 1 to 3 by two threads that hand a number over under a lock; the end is announced before the last number is taken.
fn arithmetic_progression() {
    struct Shared {
        slot: Mutex<Option<u32>>,
        is_done: AtomicUsize,
        sum: AtomicUsize,
    }
    let shared = Arc::new(Shared {
        slot: Mutex::new(None),
        is_done: AtomicUsize::new(0),
        sum: AtomicUsize::new(0),
    });
    let s = shared.clone();
    let producer = thread::spawn(move || {
        for number in 1..=3 {
            loop {
                let mut slot = s.slot.lock().unwrap();
                if slot.is_none() {
                    *slot = Some(number);
                    break;
                }
                drop(slot);
                thread::yield_now();
            }
        }
        s.is_done.store(1, SeqCst);
    });
    let s = shared.clone();
    let consumer = thread::spawn(move || {
        while s.is_done.load(SeqCst) == 0 {
            if let Some(number) = s.slot.lock().unwrap().take() {
                s.sum.fetch_add(number as usize, SeqCst);
            }
            thread::yield_now();
        }
    });
    producer.join().unwrap();
    consumer.join().unwrap();
    assert_eq!(shared.sum.load(SeqCst), 6);
}

/// A driver is stopped between the look at the stopping flag and the count of who is inside.
fn bluetooth_driver() {
    struct Driver {
        inside: AtomicI64,
        is_stopping: AtomicUsize,
        is_stopped: AtomicUsize,
    }
    let driver = Arc::new(Driver {
        inside: AtomicI64::new(1),
        is_stopping: AtomicUsize::new(0),
        is_stopped: AtomicUsize::new(0),
    });
    fn leave(driver: &Driver) {
        if driver.inside.fetch_sub(1, SeqCst) == 1 {
            driver.is_stopped.store(1, SeqCst);
        }
    }
    let d = driver.clone();
    let stop = thread::spawn(move || {
        d.is_stopping.store(1, SeqCst);
        leave(&d);
    });
    if driver.is_stopping.load(SeqCst) == 0 {
        driver.inside.fetch_add(1, SeqCst);
        assert_eq!(driver.is_stopped.load(SeqCst), 0, "work in a stopped driver");
        leave(&driver);
    }
    stop.join().unwrap();
}

/// Two threads add to each other's numbers; only if they take turns at every step is the largest sum reached.
fn fibonacci(rounds: usize) {
    let numbers = Arc::new([AtomicUsize::new(1), AtomicUsize::new(1)]);
    let threads: Vec<_> = (0..2)
        .map(|me| {
            let numbers = numbers.clone();
            thread::spawn(move || {
                for _ in 0..rounds {
                    let other = numbers[1 - me].load(SeqCst);
                    numbers[me].store(numbers[me].load(SeqCst) + other, SeqCst);
                }
            })
        })
        .collect();
    threads.into_iter().for_each(|thread| thread.join().unwrap());
    let mut largest = (1, 1);
    for _ in 0..rounds {
        largest.0 += largest.1;
        largest.1 += largest.0;
    }
    let reached = numbers.iter().map(|number| number.load(SeqCst)).max().unwrap();
    assert!(reached < largest.1, "{reached}");
}

/// Three threads work under one lock, in an order that nothing ensures.
fn lazy01() {
    let data = Arc::new(Mutex::new(0));
    let adds = [1, 2].map(|number| {
        let data = data.clone();
        thread::spawn(move || *data.lock().unwrap() += number)
    });
    let d = data.clone();
    let check = thread::spawn(move || assert!(*d.lock().unwrap() < 3));
    adds.into_iter().for_each(|thread| thread.join().unwrap());
    check.join().unwrap();
}

/// Eight threads; one of them reads and writes in two steps, once.
fn lost_updates() {
    let count = Arc::new(AtomicUsize::new(0));
    let threads: Vec<_> = (0..8)
        .map(|number| {
            let count = count.clone();
            thread::spawn(move || {
                for round in 0..3 {
                    if number == 5 && round == 1 {
                        count.store(count.load(SeqCst) + 1, SeqCst);
                    } else {
                        count.fetch_add(1, SeqCst);
                    }
                }
            })
        })
        .collect();
    threads.into_iter().for_each(|thread| thread.join().unwrap());
    assert_eq!(count.load(SeqCst), 24);
}

/// Eight threads lock a hundred times each; one of them once forgets that it let go between reading and writing.
fn one_mistake_in_many_locks() {
    let count = Arc::new(Mutex::new(0));
    let threads: Vec<_> = (0..8)
        .map(|number| {
            let count = count.clone();
            thread::spawn(move || {
                for round in 0..100 {
                    if number == 3 && round == 50 {
                        let seen = *count.lock().unwrap();
                        *count.lock().unwrap() = seen + 1;
                    } else {
                        *count.lock().unwrap() += 1;
                    }
                }
            })
        })
        .collect();
    threads.into_iter().for_each(|thread| thread.join().unwrap());
    assert_eq!(*count.lock().unwrap(), 800);
}

/// A pool sorts two halves; the count of idle workers is read before the last half is handed out.
fn qsort_mt() {
    struct Pool {
        idle: AtomicUsize,
        work: Mutex<Vec<usize>>,
        sorted: AtomicUsize,
    }
    let pool = Arc::new(Pool {
        idle: AtomicUsize::new(0),
        work: Mutex::new(vec![4]),
        sorted: AtomicUsize::new(0),
    });
    let workers: Vec<_> = (0..2)
        .map(|_| {
            let pool = pool.clone();
            thread::spawn(move || {
                for _ in 0..3 {
                    let next = pool.work.lock().unwrap().pop();
                    match next {
                        Some(1) => {
                            pool.sorted.fetch_add(1, SeqCst);
                        }
                        Some(size) => {
                            pool.work.lock().unwrap().extend([size / 2, size / 2]);
                        }
                        None if pool.idle.fetch_add(1, SeqCst) == 1 => return,
                        None => {
                            thread::yield_now();
                            pool.idle.fetch_sub(1, SeqCst);
                        }
                    }
                }
            })
        })
        .collect();
    workers.into_iter().for_each(|thread| thread.join().unwrap());
    let left: usize = pool.work.lock().unwrap().iter().sum();
    assert!(left + pool.sorted.load(SeqCst) == 4 && pool.sorted.load(SeqCst) < 3);
}

/// Two variables under two locks; the check holds only if one thread is done before the other.
fn stateful01() {
    let (one, two) = (Arc::new(Mutex::new(10)), Arc::new(Mutex::new(10)));
    let (a, b) = (one.clone(), two.clone());
    let first = thread::spawn(move || {
        *a.lock().unwrap() += 1;
        *b.lock().unwrap() += 1;
    });
    let (a, b) = (one.clone(), two.clone());
    let second = thread::spawn(move || {
        *a.lock().unwrap() += 5;
        *b.lock().unwrap() -= 6;
    });
    let seen = *one.lock().unwrap();
    let also = *two.lock().unwrap();
    assert!(seen != 16 || also != 11, "seen in the middle");
    first.join().unwrap();
    second.join().unwrap();
}

/// Four threads copy from their neighbours; after one round all are taken to have the same.
fn token_ring() {
    let ring: Arc<[AtomicUsize; 4]> = Arc::new(std::array::from_fn(|_| AtomicUsize::new(0)));
    let threads: Vec<_> = (0..4)
        .map(|me| {
            let ring = ring.clone();
            thread::spawn(move || {
                let before = ring[(me + 3) % 4].load(SeqCst);
                ring[me].store(before + 1, SeqCst);
            })
        })
        .collect();
    threads.into_iter().for_each(|thread| thread.join().unwrap());
    let last = ring[3].load(SeqCst);
    assert!(last != 4, "all in a row");
}
