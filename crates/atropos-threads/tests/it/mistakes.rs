//! Locks that are wrong on request: what goes wrong, over all schedules, and what does not.

use atropos_threads::atomic::AtomicU32;
use atropos_threads::injected_faults::{InjectedFault, race, request};
use atropos_threads::sync::{Condvar, LazyLock, Mutex, RwLock};
use atropos_threads::{say, thread};
use std::sync::atomic::Ordering::SeqCst;

use crate::alone::{check, check_by_states, sc, weak};

/// Locks after a request.
fn bare<T>(lock: &T) -> &T {
    request(InjectedFault::Bare);
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
    check_by_states(test, &["[1, 2]", "[2, 1]", "[2]"]);
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
fn a_push_without_the_lock_gets_lost() {
    let test = || {
        let list = Mutex::new(Vec::new());
        thread::scope(|scope| {
            for number in 1..=2 {
                let list = &list;
                scope.spawn(move || bare(list).lock().unwrap().push(number));
            }
        });
        say(&format!("{:?}", list.into_inner().unwrap()));
    };
    check(test, &sc(), &["[1, 2]", "[1]", "[2, 1]", "[2]"]);
    check_by_states(test, &["[1, 2]", "[1]", "[2, 1]", "[2]"]);
}

#[test]
fn two_pops_without_the_lock_may_get_the_same_element() {
    let test = || {
        let list = Mutex::new(vec![1, 2]);
        let sum = Mutex::new(0);
        thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| {
                    let popped = bare(&list).lock().unwrap().pop();
                    *sum.lock().unwrap() += popped.unwrap();
                });
            }
        });
        say(&sum.into_inner().unwrap().to_string());
    };
    check(test, &sc(), &["3", "4"]);
}

#[test]
fn what_two_threads_take_out_is_freed_twice() {
    let test = || {
        let list = Mutex::new(vec![Box::new(1)]);
        thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| drop(bare(&list).lock().unwrap().pop()));
            }
        });
        say("both ended");
    };
    check(test, &sc(), &["both ended", "double free"]);
}

#[test]
fn fields_of_owned_data_that_a_thread_leaves_alone_keep_what_others_write() {
    let test = || {
        let pair = Mutex::new((String::new(), vec![0]));
        thread::scope(|scope| {
            scope.spawn(|| bare(&pair).lock().unwrap().0.push('a'));
            scope.spawn(|| bare(&pair).lock().unwrap().1.push(1));
        });
        say(&format!("{:?}", pair.into_inner().unwrap()));
    };
    check(test, &sc(), &["(\"a\", [0, 1])"]);
}

#[test]
fn references_from_before_stay_good() {
    let test = || {
        let words = RwLock::new(vec![String::from("one")]);
        thread::scope(|scope| {
            scope.spawn(|| words.write().unwrap().clear());
            scope.spawn(|| {
                let list = bare(&words).read().unwrap();
                let all = list.iter();
                let length = list.len();
                say(&format!("{:?} {length}", all.collect::<Vec<_>>()));
            });
        });
    };
    check(test, &sc(), &["[\"one\"] 0", "[\"one\"] 1", "[] 0"]);
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
                request(InjectedFault::KeptOnPanic);
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
                    request(InjectedFault::KeptOnPanic);
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
    request(InjectedFault::Bare);
    let guard = mutex.lock().unwrap();
    assert!(mutex.try_lock().is_err());
    drop(guard);
    assert_eq!(
        format!("{mutex:?}"),
        "Mutex { data: 1, poisoned: false, .. }"
    );
}

static MADE: AtomicU32 = AtomicU32::new(0);

fn make() -> u32 {
    MADE.fetch_add(1, SeqCst) + 1
}

#[test]
fn what_is_initialised_in_a_race_may_be_initialised_twice() {
    static LAZY: LazyLock<u32> = LazyLock::new(|| {
        race();
        make()
    });
    let test = || {
        let seen = thread::scope(|scope| {
            let threads = [0, 1].map(|_| scope.spawn(|| *LAZY));
            threads.map(|thread| thread.join().unwrap())
        });
        let later = *LAZY;
        say(&format!("{seen:?} {later}"));
    };
    // Afterwards it is what the one made who was the first to begin.
    check(
        test,
        &sc(),
        &["[1, 1] 1", "[1, 2] 1", "[1, 2] 2", "[2, 1] 1", "[2, 1] 2"],
    );
}

#[test]
fn a_closure_with_something_of_its_own_is_called_once() {
    let test = || {
        let text = String::from("made");
        let lazy = LazyLock::new(move || {
            race();
            text
        });
        thread::scope(|scope| {
            scope.spawn(|| say(&lazy));
            scope.spawn(|| assert_eq!(*lazy, "made"));
        });
    };
    check(test, &sc(), &["made"]);
}
