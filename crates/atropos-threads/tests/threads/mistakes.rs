//! Locks that are wrong on request: what goes wrong, over all schedules, and what does not.

use atropos_threads::mistake::{Mistake, request};
use atropos_threads::sync::{Condvar, Mutex, RwLock};
use atropos_threads::{say, thread};

use crate::alone::{check, check_by_states, sc, weak};

/// Locks after a request.
fn bare<T>(lock: &T) -> &T {
    request(Mistake::Bare);
    lock
}

#[test]
fn plain_data_without_the_lock_loses_updates() {
    let test = || {
        let counter = Mutex::new(0_u64);
        thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| *bare(&counter).lock().unwrap() += 1);
            }
        });
        say(&counter.into_inner().unwrap().to_string());
    };
    check(test, &sc(), &["1", "2"]);
    check(test, &weak(), &["1", "2"]);
}

#[test]
fn one_thread_without_the_lock_is_enough() {
    let test = || {
        let counter = RwLock::new(0_u8);
        thread::scope(|scope| {
            scope.spawn(|| *bare(&counter).write().unwrap() += 1);
            scope.spawn(|| *counter.write().unwrap() += 1);
        });
        say(&counter.into_inner().unwrap().to_string());
    };
    check(test, &sc(), &["1", "2"]);
}

#[test]
fn what_is_seen_while_another_holds_the_lock_is_no_state_seen_before() {
    let test = || {
        let list = Mutex::new(vec![0]);
        let seen = Mutex::new(0);
        thread::scope(|scope| {
            scope.spawn(|| list.lock().unwrap().push(1));
            scope.spawn(|| {
                let length = bare(&list).lock().unwrap().len();
                *seen.lock().unwrap() = length;
            });
        });
        say(&seen.into_inner().unwrap().to_string());
    };
    check_by_states(test, &["1", "2"]);
}

#[test]
fn what_is_changed_under_a_holder_is_a_state_of_its_own() {
    let test = || {
        let list = Mutex::new(Vec::new());
        let other = Mutex::new(0);
        thread::scope(|scope| {
            scope.spawn(|| {
                let mut list = list.lock().unwrap();
                *other.lock().unwrap() += 1;
                list.push(1);
            });
            scope.spawn(|| bare(&list).lock().unwrap().push(2));
        });
        say(&format!("{:?}", list.into_inner().unwrap()));
    };
    check_by_states(test, &["[1, 2]", "[2, 1]"]);
}

#[test]
fn fields_that_a_thread_leaves_alone_keep_what_others_write() {
    let test = || {
        let pair = Mutex::new((0_u32, 0_u32));
        thread::scope(|scope| {
            scope.spawn(|| bare(&pair).lock().unwrap().0 = 1);
            scope.spawn(|| bare(&pair).lock().unwrap().1 = 1);
        });
        say(&format!("{:?}", pair.into_inner().unwrap()));
    };
    check(test, &sc(), &["(1, 1)"]);
}

#[test]
fn between_two_accesses_to_owned_data_others_may_come() {
    let test = || {
        let list = Mutex::new(Vec::new());
        thread::scope(|scope| {
            for number in 1..=2 {
                let list = &list;
                scope.spawn(move || {
                    let mut list = bare(list).lock().unwrap();
                    if list.is_empty() {
                        list.push(number);
                    }
                });
            }
        });
        let list = list.into_inner().unwrap();
        say(&format!("{list:?}"));
    };
    check(test, &sc(), &["[1, 2]", "[1]", "[2, 1]", "[2]"]);
}

#[test]
fn the_request_is_for_one_acquisition() {
    let test = || {
        let (first, second) = (Mutex::new(0), Mutex::new(0));
        thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| {
                    drop(bare(&first).lock());
                    *second.lock().unwrap() += 1;
                });
            }
        });
        say(&second.into_inner().unwrap().to_string());
    };
    check(test, &sc(), &["2"]);
}

#[test]
fn waiting_without_the_lock_comes_back_with_it() {
    let test = || {
        let (ready, condition) = (Mutex::new(false), Condvar::new());
        thread::scope(|scope| {
            scope.spawn(|| {
                *ready.lock().unwrap() = true;
                condition.notify_one();
            });
            scope.spawn(|| {
                let mut guard = bare(&ready).lock().unwrap();
                while !*guard {
                    guard = condition.wait(guard).unwrap();
                }
                say(if ready.try_lock().is_err() {
                    "held"
                } else {
                    "not held"
                });
            });
        });
    };
    // Without the lock, the notification may come between the look and the wait.
    check(test, &sc(), &["held", "lost wake-up", "not held"]);
}

#[test]
fn a_lock_that_a_panic_keeps_is_never_free_again() {
    let test = || {
        let mutex = Mutex::new(());
        thread::scope(|scope| {
            let thread = scope.spawn(|| {
                request(Mistake::KeptOnPanic);
                let _guard = mutex.lock().unwrap();
                panic!("on purpose");
            });
            let _ = thread.join();
            drop(mutex.lock());
        });
        say("unlocked");
    };
    check(test, &sc(), &["deadlock"]);
}

#[test]
fn without_a_panic_such_a_guard_unlocks() {
    let test = || {
        let mutex = Mutex::new(0);
        thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| {
                    request(Mistake::KeptOnPanic);
                    *mutex.lock().unwrap() += 1;
                });
            }
        });
        say(&mutex.into_inner().unwrap().to_string());
    };
    check(test, &sc(), &["2"]);
}

#[test]
fn outside_an_exploration_a_request_is_not_heard() {
    let mutex = Mutex::new(1);
    request(Mistake::Bare);
    let guard = mutex.lock().unwrap();
    assert!(mutex.try_lock().is_err());
    drop(guard);
    assert_eq!(
        format!("{mutex:?}"),
        "Mutex { data: 1, poisoned: false, .. }"
    );
}
