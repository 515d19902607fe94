//! Locks that are made of atomics alone, as those of other libraries are, made wrong on request.

use std::cell::UnsafeCell;
use std::ops::{Deref, DerefMut};
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};

use atropos_threads::atomic::AtomicU8;
use atropos_threads::injected_faults::{InjectedFault, request_of_foreign};
use atropos_threads::{say, thread};

use crate::alone::{check, sc, weak};

struct Lock<T> {
    state: AtomicU8,
    data: UnsafeCell<T>,
}

// SAFETY: the data is given to one thread at a time.
unsafe impl<T: Send> Sync for Lock<T> {}

struct Guard<'a, T> {
    lock: &'a Lock<T>,
}

impl<T> Lock<T> {
    fn new(data: T) -> Lock<T> {
        Lock {
            state: AtomicU8::new(0),
            data: UnsafeCell::new(data),
        }
    }

    fn lock(&self) -> Guard<'_, T> {
        while self
            .state
            .compare_exchange_weak(0, 1, Acquire, Relaxed)
            .is_err()
        {
            thread::yield_now();
        }
        Guard { lock: self }
    }

    fn wrongly(&self, fault: InjectedFault) -> &Lock<T> {
        request_of_foreign(fault, self.data.get());
        self
    }
}

impl<T> Deref for Guard<'_, T> {
    type Target = T;
    fn deref(&self) -> &T {
        // SAFETY: the lock is held, or no other thread runs until the next announced operation.
        unsafe { &*self.lock.data.get() }
    }
}

impl<T> DerefMut for Guard<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        // SAFETY: as above.
        unsafe { &mut *self.lock.data.get() }
    }
}

impl<T> Drop for Guard<'_, T> {
    fn drop(&mut self) {
        let given_back = self.lock.state.compare_exchange(1, 0, Release, Relaxed);
        assert!(given_back.is_ok());
    }
}

#[test]
fn plain_data_without_the_lock_loses_updates() {
    let test = |first: bool, second: bool| {
        move || {
            let counter = Lock::new(0_u32);
            thread::scope(|scope| {
                for is_wrong in [first, second] {
                    let counter = &counter;
                    scope.spawn(move || {
                        let lock = match is_wrong {
                            true => counter.wrongly(InjectedFault::Bare),
                            false => counter,
                        };
                        *lock.lock() += 1;
                    });
                }
            });
            say(&counter.lock().to_string());
        }
    };
    check(test(false, false), &sc(), &["2"]);
    check(test(true, false), &sc(), &["1", "2"]);
    check(test(true, true), &sc(), &["1", "2"]);
    check(test(true, true), &weak(), &["1", "2"]);
}

#[test]
fn others_come_between_what_a_thread_reads_and_what_it_writes() {
    let test = || {
        let (counter, log) = (Lock::new(0_u32), Lock::new(Vec::new()));
        thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| {
                    let mut counter = counter.wrongly(InjectedFault::Bare).lock();
                    *counter += 1;
                    log.lock().push(*counter);
                });
            }
        });
        say(&format!("{} {:?}", *counter.lock(), *log.lock()));
    };
    check(test, &sc(), &["1 [1, 1]", "2 [1, 2]"]);
}

#[test]
fn fields_that_a_thread_leaves_alone_keep_what_others_write() {
    let test = || {
        let pair = Lock::new((0_u32, 0_u32));
        thread::scope(|scope| {
            scope.spawn(|| pair.wrongly(InjectedFault::Bare).lock().0 = 1);
            scope.spawn(|| pair.wrongly(InjectedFault::Bare).lock().1 = 1);
        });
        say(&format!("{:?}", *pair.lock()));
    };
    check(test, &sc(), &["(1, 1)"]);
}

#[test]
fn a_push_without_the_lock_gets_lost() {
    let test = || {
        let list = Lock::new(Vec::new());
        thread::scope(|scope| {
            for number in 1..=2 {
                let list = &list;
                scope.spawn(move || list.wrongly(InjectedFault::Bare).lock().push(number));
            }
        });
        say(&format!("{:?}", *list.lock()));
    };
    check(test, &sc(), &["[1, 2]", "[1]", "[2, 1]", "[2]"]);
}

#[test]
fn a_lock_that_is_kept_on_panic_is_given_back_otherwise() {
    let test = |panics: bool| {
        move || {
            let lock = Lock::new(0_u32);
            let ended = thread::scope(|scope| {
                let holder = || {
                    let mut data = lock.wrongly(InjectedFault::KeptOnPanic).lock();
                    *data = 7;
                    assert!(!panics, "on the way out");
                };
                scope.spawn(holder).join().is_ok()
            });
            let is_free = lock.state.load(Relaxed) == 0;
            say(&format!("{ended} {is_free}"));
        }
    };
    check(test(false), &sc(), &["true true"]);
    check(test(true), &sc(), &["false false"]);
}

#[test]
fn what_a_lock_of_atomics_guards_is_told_apart_by_states() {
    let test = || {
        let number = Lock::new(1_u32);
        thread::scope(|scope| {
            scope.spawn(|| *number.lock() += 1);
            scope.spawn(|| *number.lock() *= 2);
        });
        say(&number.lock().to_string());
    };
    crate::alone::check_by_states(test, &["3", "4"]);
}
