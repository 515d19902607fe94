//! Tests with so many schedules that several processes share them: C(14, 7) orders of two threads that lock seven times.

use std::sync::Mutex;
use std::thread;

#[test]
fn two_threads_lock_seven_times_each() {
    let counter = Mutex::new(0);
    thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| (0..7).for_each(|_| *counter.lock().unwrap() += 1));
        }
    });
    assert_eq!(counter.into_inner().unwrap(), 14);
}

#[test]
fn some_late_orders_fail() {
    let order = Mutex::new(Vec::new());
    thread::scope(|scope| {
        for thread in [1, 2] {
            let order = &order;
            scope.spawn(move || (0..7).for_each(|_| order.lock().unwrap().push(thread)));
        }
    });
    let order = order.into_inner().unwrap();
    assert!(order[..3] != [2, 2, 1] || order[9..] != [1, 2, 1, 2, 1]);
}
