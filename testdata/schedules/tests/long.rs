//! A test with so many schedules that several processes share them: C(14, 7) orders of two threads that lock seven times.

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
