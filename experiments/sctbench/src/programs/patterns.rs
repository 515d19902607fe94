//! What went wrong in large projects, in the few lines that matter.

use std::sync::Arc;

use crate::under::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use crate::under::sync::mpsc::channel;
use crate::under::sync::{Condvar, Mutex};
use crate::under::thread;

pub const PROGRAMS: &[(&str, fn())] = &[
    ("pool_evictor_deadlock", pool_evictor_deadlock),
    ("async_appender_lost_notify", async_appender),
    ("registry_check_then_act", registry),
    ("double_checked_init", double_checked),
    ("close_while_sending", close_while_sending),
    ("shutdown_misses_last_job", shutdown),
    ("three_locks_cycle", three_locks),
    ("counted_reference_drop", counted_reference),
    ("latch_counted_twice", latch),
];

/// A pool returns a connection under the pool's lock and then the connection's; the evictor takes them the other way round.
fn pool_evictor_deadlock() {
    let locks = Arc::new((Mutex::new(vec![1, 2]), Mutex::new(0)));
    let l = locks.clone();
    let evictor = thread::spawn(move || {
        for _ in 0..2 {
            let mut connection = l.1.lock().unwrap();
            *connection += 1;
            l.0.lock().unwrap().pop();
        }
    });
    for _ in 0..2 {
        let mut pool = locks.0.lock().unwrap();
        pool.push(3);
        if pool.len() > 2 {
            *locks.1.lock().unwrap() += 1;
        }
    }
    evictor.join().unwrap();
}

/// The dispatcher looks whether there is work before it takes the lock under which it waits.
fn async_appender() {
    struct Appender {
        buffer: Mutex<usize>,
        more: Condvar,
        is_closed: AtomicBool,
    }
    let appender = Arc::new(Appender {
        buffer: Mutex::new(0),
        more: Condvar::new(),
        is_closed: AtomicBool::new(false),
    });
    let a = appender.clone();
    let dispatcher = thread::spawn(move || {
        loop {
            if a.is_closed.load(SeqCst) {
                return;
            }
            let mut buffer = a.buffer.lock().unwrap();
            if *buffer == 0 {
                buffer = a.more.wait(buffer).unwrap();
            }
            *buffer = 0;
        }
    });
    *appender.buffer.lock().unwrap() += 1;
    appender.more.notify_one();
    appender.is_closed.store(true, SeqCst);
    appender.more.notify_one();
    dispatcher.join().unwrap();
}

/// Whether a name is there is asked in one critical section, and it is added in another.
fn registry() {
    let names = Arc::new(Mutex::new(Vec::new()));
    let threads = [0, 1, 2].map(|_| {
        let names = names.clone();
        thread::spawn(move || {
            let is_there = names.lock().unwrap().contains(&7);
            if !is_there {
                names.lock().unwrap().push(7);
            }
        })
    });
    threads.into_iter().for_each(|thread| thread.join().unwrap());
    assert_eq!(names.lock().unwrap().len(), 1);
}

/// The flag is set before what it announces is there.
fn double_checked() {
    let value = Arc::new((AtomicBool::new(false), AtomicUsize::new(0), Mutex::new(())));
    let threads = [0, 1].map(|_| {
        let value = value.clone();
        thread::spawn(move || {
            if !value.0.load(SeqCst) {
                let _guard = value.2.lock().unwrap();
                if !value.0.load(SeqCst) {
                    value.0.store(true, SeqCst);
                    value.1.store(42, SeqCst);
                }
            }
            assert_eq!(value.1.load(SeqCst), 42);
        })
    });
    threads.into_iter().for_each(|thread| thread.join().unwrap());
}

/// The receiver goes when it has what it wanted; a sender takes it that it stays.
fn close_while_sending() {
    let (sender, receiver) = channel();
    let threads = [1, 2].map(|number| {
        let sender = sender.clone();
        thread::spawn(move || sender.send(number).unwrap())
    });
    assert!(receiver.recv().unwrap() > 0);
    drop(receiver);
    threads.into_iter().for_each(|thread| thread.join().unwrap());
}

/// A worker ends when it is told to and the queue was empty before that.
fn shutdown() {
    let pool = Arc::new((Mutex::new(Vec::new()), AtomicBool::new(false), AtomicUsize::new(0)));
    let p = pool.clone();
    let worker = thread::spawn(move || {
        for _ in 0..30 {
            let job: Option<usize> = p.0.lock().unwrap().pop();
            match job {
                Some(_) => {
                    p.2.fetch_add(1, SeqCst);
                }
                None if p.1.load(SeqCst) => return,
                None => thread::yield_now(),
            }
        }
    });
    for job in 0..2 {
        pool.0.lock().unwrap().push(job);
    }
    pool.1.store(true, SeqCst);
    worker.join().unwrap();
    let left = pool.0.lock().unwrap().len();
    assert!(left == 0 || pool.2.load(SeqCst) + left != 2, "a job is left");
}

/// Three threads, three locks, a cycle; each has some other work with them before.
fn three_locks() {
    let locks: Arc<[Mutex<usize>; 3]> = Arc::new(std::array::from_fn(|_| Mutex::new(0)));
    let threads: Vec<_> = (0..3)
        .map(|me| {
            let locks = locks.clone();
            thread::spawn(move || {
                for lock in locks.iter() {
                    *lock.lock().unwrap() += 1;
                }
                let _one = locks[me].lock().unwrap();
                let _two = locks[(me + 1) % 3].lock().unwrap();
            })
        })
        .collect();
    threads.into_iter().for_each(|thread| thread.join().unwrap());
}

/// The last one to go is found by two steps instead of one.
fn counted_reference() {
    let count = Arc::new((AtomicUsize::new(2), AtomicUsize::new(0)));
    let threads = [0, 1].map(|_| {
        let count = count.clone();
        thread::spawn(move || {
            count.0.fetch_sub(1, SeqCst);
            if count.0.load(SeqCst) == 0 {
                count.1.fetch_add(1, SeqCst);
            }
        })
    });
    threads.into_iter().for_each(|thread| thread.join().unwrap());
    assert_eq!(count.1.load(SeqCst), 1, "freed once");
}

/// A latch for three of which one counts down twice if it is slow.
fn latch() {
    let latch = Arc::new((Mutex::new(3), Condvar::new(), AtomicUsize::new(0)));
    let threads: Vec<_> = (0..3)
        .map(|number| {
            let latch = latch.clone();
            thread::spawn(move || {
                let is_late = latch.2.fetch_add(1, SeqCst) == 2;
                let mut left = latch.0.lock().unwrap();
                *left -= 1;
                if number == 0 && is_late && *left == 1 {
                    *left -= 1;
                }
                latch.1.notify_all();
            })
        })
        .collect();
    let mut left = latch.0.lock().unwrap();
    while *left > 0 {
        left = latch.1.wait(left).unwrap();
    }
    assert_eq!(latch.2.load(SeqCst), 3);
    drop(left);
    for thread in threads {
        thread.join().unwrap();
    }
    assert_eq!(*latch.0.lock().unwrap(), 0);
}
