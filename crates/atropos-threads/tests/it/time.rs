//! Virtual time.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant, SystemTime};

use atropos_threads::atomic::{AtomicBool, AtomicU32};
use atropos_threads::atropos_search::{SampleSpec, Uniform, explore};
use atropos_threads::sync::{Condvar, Mutex, mpsc};
use atropos_threads::{ControlOptions, LastExecution, ThreadedTest, Time, say, thread};

use crate::alone::{alone, check, check_reduced, sc, weak};

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
fn a_sleep_after_a_look_at_the_clock_is_seen_in_full_however_often_somebody_looked() {
    let test = || {
        let time = Duration::from_millis(50);
        for _ in 0..3 {
            let start = Instant::now();
            let thread = thread::spawn(move || thread::sleep(time));
            thread.join().unwrap();
            assert!(start.elapsed() >= time);
        }
        say("slept");
    };
    check_reduced(test, &sc(), &["slept"]);
}

#[test]
fn what_was_stored_before_time_passes_is_seen_after_it() {
    /// Two stores, and a relaxed load that nothing orders after them but time.
    fn test(sleep: bool) {
        let number = Arc::new(AtomicU32::new(0));
        let other = number.clone();
        let thread = thread::spawn(move || {
            other.store(1, Ordering::Relaxed);
            other.store(2, Ordering::Relaxed);
            thread::sleep(Duration::from_secs(9));
            other.store(3, Ordering::Relaxed);
        });
        if sleep {
            thread::sleep(Duration::from_secs(1));
        }
        say(&number.load(Ordering::Relaxed).to_string());
        thread.join().unwrap();
    }
    check(|| test(false), &weak(), &["0", "1", "2"]);
    check(|| test(true), &weak(), &["2"]);
}

#[test]
fn threads_that_wake_at_the_same_time_race() {
    let test = || {
        let number = Arc::new(AtomicU32::new(0));
        let threads: Vec<_> = (0..2)
            .map(|_| {
                let number = number.clone();
                thread::spawn(move || {
                    thread::sleep(Duration::from_secs(1));
                    let before = number.load(Ordering::SeqCst);
                    number.store(before + 1, Ordering::SeqCst);
                })
            })
            .collect();
        for thread in threads {
            thread.join().unwrap();
        }
        say(&number.load(Ordering::SeqCst).to_string());
    };
    check(test, &sc(), &["1", "2"]);
    check(test, &weak(), &["1", "2"]);
}

#[test]
fn threads_that_wake_in_a_row_race_with_those_that_are_awake() {
    let test = || {
        let number = Arc::new(AtomicU32::new(0));
        let threads: Vec<_> = [1, 2]
            .into_iter()
            .map(|seconds| {
                let number = number.clone();
                thread::spawn(move || {
                    thread::sleep(Duration::from_secs(seconds));
                    let before = number.load(Ordering::SeqCst);
                    thread::sleep(Duration::from_secs(2 - seconds));
                    number.store(before + seconds as u32, Ordering::SeqCst);
                })
            })
            .collect();
        for thread in threads {
            thread.join().unwrap();
        }
        say(&number.load(Ordering::SeqCst).to_string());
    };
    // At second 2 the first thread stores 1 while the second loads and stores.
    check(test, &sc(), &["1", "2", "3"]);
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
        &ControlOptions {
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

/// As a channel that delivers at some time waits for that.
#[test]
fn whoever_looks_at_the_clock_again_sees_that_time_has_passed() {
    let test = || {
        let start = Instant::now();
        let deadline = Instant::now() + Duration::from_millis(50);
        let mut sleeps = 0;
        let fired = loop {
            let now = Instant::now();
            if now >= deadline {
                break now;
            }
            thread::sleep(deadline - now);
            sleeps += 1;
        };
        assert!(start + Duration::from_millis(50) < deadline);
        assert!(fired < Instant::now());
        assert!(fired - start < Duration::from_millis(51));
        say(&sleeps.to_string());
    };
    check(test, &sc(), &["1"]);
}

/// As thread pools do it, and tickers.
#[test]
fn the_test_is_over_although_a_thread_waits_again_and_again() {
    let test = || {
        thread::spawn(|| {
            let pair = (Mutex::new(()), Condvar::new());
            let mut guard = pair.0.lock().unwrap();
            loop {
                let waited = pair.1.wait_timeout(guard, Duration::from_millis(500));
                guard = waited.unwrap().0;
            }
        });
        thread::spawn(|| {
            loop {
                thread::sleep(Duration::from_millis(100));
            }
        });
        say("over");
    };
    check_reduced(test, &sc(), &["over"]);
}

#[test]
fn the_test_is_over_although_a_thread_works_on() {
    let test = || {
        thread::spawn(|| {
            let number = AtomicU32::new(0);
            loop {
                number.fetch_add(1, Ordering::SeqCst);
            }
        });
    };
    run_once(&test, &sc(), |last| {
        assert!(last.steps < 10_000, "{} steps", last.steps);
        assert!(!last.findings.iter().any(|found| found.is_failure()));
    });
}

/// What a random execution of a test leaves.
fn run_once(test: &(dyn Fn() + Sync), options: &ControlOptions, check: impl FnOnce(LastExecution)) {
    alone(|| {
        let mut system = ThreadedTest::new(test, options);
        explore(&mut system, &mut Uniform::new(SampleSpec::new(1, 7)));
        check(system.last().take());
    });
}

/// It looks more often than a thread may that does nothing else, but time passes by its own sleep only.
#[test]
fn who_sleeps_between_its_looks_does_not_spin() {
    let test = || {
        let is_over = AtomicBool::new(false);
        let looks = thread::scope(|scope| {
            let looking = scope.spawn(|| {
                let mut looks = 0;
                while !(0..20).any(|_| is_over.load(Ordering::SeqCst)) {
                    looks += 1;
                    thread::sleep(Duration::from_millis(1));
                }
                looks
            });
            thread::sleep(Duration::from_secs(1));
            is_over.store(true, Ordering::SeqCst);
            looking.join().unwrap()
        });
        assert!((1000..=1002).contains(&looks), "{looks}");
    };
    run_once(&test, &sc(), |last| {
        assert!(last.findings.is_empty(), "{:?}", last.findings);
    });
}

/// Nobody else can run, so that time passes for it: a little at first, then more.
#[test]
fn who_yields_until_it_is_time_comes_to_an_end_soon_however_long_that_is() {
    for seconds in [1, 10, 600] {
        let time = Duration::from_secs(seconds);
        let test = || {
            let start = Instant::now();
            while start.elapsed() < time {
                thread::yield_now();
            }
            assert!(start.elapsed() < time + time / 100);
        };
        run_once(&test, &sc(), |last| {
            assert!(last.findings.is_empty(), "{:?}", last.findings);
        });
    }
}

/// Options under which time also passes while threads run on.
fn hurried() -> ControlOptions {
    ControlOptions {
        hurry: true,
        ..sc()
    }
}

#[test]
fn who_works_until_a_sleeper_says_stop_comes_to_an_end_if_time_is_hurried() {
    let test = || {
        let (number, is_over) = (AtomicU32::new(0), AtomicBool::new(false));
        thread::scope(|scope| {
            scope.spawn(|| {
                while !is_over.load(Ordering::SeqCst) {
                    number.fetch_add(1, Ordering::SeqCst);
                }
            });
            thread::sleep(Duration::from_secs(1));
            is_over.store(true, Ordering::SeqCst);
        });
    };
    run_once(&test, &hurried(), |last| {
        assert!(last.findings.is_empty(), "{:?}", last.findings);
        assert!(last.was_hurried && last.was_fair);
    });
    run_once(&test, &sc(), |last| {
        assert_eq!(last.findings.len(), 1, "{:?}", last.findings);
        assert!(!last.was_hurried);
    });
}

#[test]
fn who_works_until_a_deadline_comes_to_an_end_if_time_is_hurried() {
    let test = || {
        let number = Mutex::new(0);
        let start = Instant::now();
        while start.elapsed() < Duration::from_millis(50) {
            *number.lock().unwrap() += 1;
        }
    };
    run_once(&test, &hurried(), |last| {
        assert!(last.findings.is_empty(), "{:?}", last.findings);
        assert!(last.was_hurried && last.was_fair);
    });
    run_once(&test, &sc(), |last| {
        assert_eq!(last.findings.len(), 1, "{:?}", last.findings);
    });
}

#[test]
fn nobody_is_told_that_others_took_too_long_because_time_is_hurried() {
    let test = || {
        let (sender, receiver) = mpsc::channel();
        thread::scope(|scope| {
            let number = AtomicU32::new(0);
            scope.spawn(move || {
                for _ in 0..20_000 {
                    number.fetch_add(1, Ordering::SeqCst);
                }
                sender.send(number.into_inner()).unwrap();
            });
            scope.spawn(|| thread::sleep(Duration::from_secs(2)));
            assert_eq!(receiver.recv_timeout(Duration::from_secs(1)), Ok(20_000));
        });
    };
    run_once(&test, &hurried(), |last| {
        assert!(last.findings.is_empty(), "{:?}", last.findings);
    });
}
