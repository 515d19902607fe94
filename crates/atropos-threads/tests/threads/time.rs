//! Virtual time.

use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use atropos_threads::sync::{Condvar, Mutex, mpsc};
use atropos_threads::{Options, Time, say, thread};

use crate::alone::{check, check_reduced, sc};

#[test]
fn sleeping_orders_threads_and_takes_no_real_time() {
    let start = Instant::now();
    let test = || {
        let log = Arc::new(Mutex::new(Vec::new()));
        let before = Instant::now();
        let threads: Vec<_> = [30_u64, 10, 20]
            .into_iter()
            .map(|seconds| {
                let log = log.clone();
                thread::spawn(move || {
                    thread::sleep(Duration::from_secs(seconds));
                    log.lock().unwrap().push(seconds);
                })
            })
            .collect();
        for thread in threads {
            thread.join().unwrap();
        }
        assert!(before.elapsed() >= Duration::from_secs(30));
        assert!(SystemTime::now() > SystemTime::UNIX_EPOCH);
        say(&format!("{:?}", log.lock().unwrap()));
    };
    check_reduced(test, &sc(), &["[10, 20, 30]"]);
    assert!(start.elapsed() < Duration::from_secs(20));
}

#[test]
fn adversarial_timers_fire_at_any_moment() {
    let test = || {
        let log = Arc::new(Mutex::new(Vec::new()));
        let other = log.clone();
        let thread = thread::spawn(move || {
            thread::sleep(Duration::from_secs(5));
            other.lock().unwrap().push(5);
        });
        thread::sleep(Duration::from_secs(1));
        log.lock().unwrap().push(1);
        thread.join().unwrap();
        say(&format!("{:?}", log.lock().unwrap()));
    };
    check(test, &sc(), &["[1, 5]"]);
    check(
        test,
        &Options {
            time: Time::Adversarial,
            ..sc()
        },
        &["[1, 5]", "[5, 1]"],
    );
}

#[test]
fn timeouts_come_when_nothing_else_does() {
    let test = || {
        let (sender, receiver) = mpsc::channel::<u32>();
        assert_eq!(
            receiver.recv_timeout(Duration::from_secs(3)),
            Err(mpsc::RecvTimeoutError::Timeout)
        );
        let pair = (Mutex::new(()), Condvar::new());
        let guard = pair.0.lock().unwrap();
        let (guard, result) = pair.1.wait_timeout(guard, Duration::from_secs(2)).unwrap();
        assert!(result.timed_out());
        drop(guard);
        thread::park_timeout(Duration::from_secs(1));
        drop(sender);
        assert_eq!(
            receiver.recv_timeout(Duration::from_secs(3)),
            Err(mpsc::RecvTimeoutError::Disconnected)
        );
        say("timed out");
    };
    check(test, &sc(), &["timed out"]);
}

#[test]
fn waiting_by_asking_for_the_time_ends() {
    let test = || {
        let start = Instant::now();
        while start.elapsed() < Duration::from_millis(100) {}
        say("over");
    };
    check(test, &sc(), &["over"]);
}
