//! Data races that only some orders show. Accesses to plain memory and operations on the counters of an `Arc` are told by hand,
//! as instrumented code tells them.

use std::ffi::c_void;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::SeqCst;

use atropos_threads::sync::{Mutex, RwLock, mpsc};
use atropos_threads::thread;

use crate::alone::{all_ends, alone, ends, weak};

unsafe extern "C" {
    fn __tsan_init();
    fn __tsan_read8(address: *const c_void);
    fn __tsan_write8(address: *const c_void);
    fn __tsan_atomic64_load(place: *const u64, ordering: i32) -> u64;
    fn __tsan_atomic64_fetch_add(place: *mut u64, value: u64, ordering: i32) -> u64;
    fn __tsan_atomic64_fetch_sub(place: *mut u64, value: u64, ordering: i32) -> u64;
    fn __tsan_atomic64_compare_exchange_val(
        place: *mut u64,
        expected: u64,
        new: u64,
        success: i32,
        failure: i32,
    ) -> u64;
    fn __tsan_atomic_thread_fence(ordering: i32);
}

const RELAXED: i32 = 0;
const ACQUIRE: i32 = 2;
const RELEASE: i32 = 3;

/// A word that threads use without any protection. It lies in the heap of the execution.
#[derive(Clone, Copy)]
struct Plain(*mut u64);

// SAFETY: controlled threads take turns.
unsafe impl Send for Plain {}
// SAFETY: as above.
unsafe impl Sync for Plain {}

impl Plain {
    fn new() -> Plain {
        Plain(Box::into_raw(Box::new(0)))
    }

    fn write(self) {
        // SAFETY: the execution ends before the block does.
        unsafe { __tsan_write8(self.0.cast()) };
    }

    fn read(self) {
        // SAFETY: as above.
        unsafe { __tsan_read8(self.0.cast()) };
    }
}

/// The counter of owners in an `Arc`.
#[derive(Clone, Copy)]
struct Owners(Plain);

impl Owners {
    fn new(count: u64) -> Owners {
        Owners(Plain(Box::into_raw(Box::new(count))))
    }

    /// Says whether this was the last one.
    fn drop_one(self) -> bool {
        let Plain(place) = self.0;
        // SAFETY: as in `Plain`.
        unsafe {
            if __tsan_atomic64_fetch_sub(place, 1, RELEASE) != 1 {
                return false;
            }
            __tsan_atomic_thread_fence(ACQUIRE);
            true
        }
    }

    fn clone_one(self) {
        let Plain(place) = self.0;
        // SAFETY: as in `Plain`.
        unsafe { __tsan_atomic64_fetch_add(place, 1, RELAXED) };
    }

    fn count(self, ordering: i32) -> u64 {
        let Plain(place) = self.0;
        // SAFETY: as in `Plain`.
        unsafe { __tsan_atomic64_load(place, ordering) }
    }

    /// As `Arc::try_unwrap` does.
    fn try_unwrap(self) -> bool {
        let Plain(place) = self.0;
        // SAFETY: as in `Plain`.
        unsafe {
            let is_last = __tsan_atomic64_compare_exchange_val(place, 1, 0, RELAXED, RELAXED) == 1;
            if is_last {
                __tsan_atomic_thread_fence(ACQUIRE);
            }
            is_last
        }
    }

    /// As `Weak::upgrade` does.
    fn upgrade(self) -> bool {
        let Plain(place) = self.0;
        let mut count = self.count(RELAXED);
        // SAFETY: as in `Plain`.
        unsafe {
            while count != 0 {
                let next = count + 1;
                let now =
                    __tsan_atomic64_compare_exchange_val(place, count, next, ACQUIRE, RELAXED);
                if now == count {
                    return true;
                }
                count = now;
            }
        }
        false
    }
}

/// Whether `two` lets its threads change sides.
static IS_MIRRORED: AtomicBool = AtomicBool::new(false);

/// Checks whether all schedules, and those that are left after reduction, have a data race somewhere.
#[track_caller]
fn check(test: impl Fn() + Sync, is_racy: bool) {
    for is_mirrored in [false, true] {
        alone(|| {
            IS_MIRRORED.store(is_mirrored, SeqCst);
            // SAFETY: it only notes that it was called.
            unsafe { __tsan_init() };
            let has_race = |ends: &[String]| ends.iter().any(|end| end == "data race");
            assert_eq!(has_race(&all_ends(&test, &weak())), is_racy, "enumeration");
            assert_eq!(has_race(&ends(&test, &weak())), is_racy, "exhaustive");
        });
    }
}

/// Two threads.
fn two(first: impl FnOnce() + Send + 'static, second: impl FnOnce() + Send + 'static) {
    if IS_MIRRORED.load(SeqCst) {
        let second = thread::spawn(second);
        first();
        second.join().unwrap();
    } else {
        let first = thread::spawn(first);
        second();
        first.join().unwrap();
    }
}

#[test]
fn readers_of_a_lock_are_not_ordered_among_themselves() {
    let test = || {
        let shared = Arc::new((RwLock::new(()), Plain::new()));
        let theirs = shared.clone();
        let write = |shared: &(RwLock<()>, Plain)| {
            let _guard = shared.0.read().unwrap();
            shared.1.write();
        };
        two(move || write(&theirs), move || write(&shared));
    };
    check(test, true);
}

#[test]
fn a_reader_comes_after_the_writers_before_it_and_before_those_after_it() {
    let test = || {
        let shared = Arc::new((RwLock::new(()), Plain::new()));
        let theirs = shared.clone();
        let read = move || {
            let _guard = theirs.0.read().unwrap();
            theirs.1.read();
        };
        two(read, move || {
            drop(shared.0.try_read());
            let _guard = shared.0.write().unwrap();
            shared.1.write();
        });
    };
    check(test, false);
}

#[test]
fn senders_are_not_ordered_by_leaving() {
    let test = || {
        let word = Plain::new();
        let (sender, receiver) = mpsc::channel::<()>();
        let other = sender.clone();
        drop(receiver);
        let first = move || {
            word.write();
            drop(other);
        };
        two(first, move || {
            let _ = sender.send(());
            word.write();
        });
    };
    check(test, true);
}

#[test]
fn who_is_not_the_last_owner_is_ordered_with_nobody() {
    // Ordered if the first thread is the first to drop.
    let test = || {
        let (word, owners) = (Plain::new(), Owners::new(2));
        let first = move || {
            word.write();
            owners.drop_one();
        };
        two(first, move || {
            owners.drop_one();
            word.write();
        });
    };
    check(test, true);
}

#[test]
fn the_last_owner_comes_after_all_others() {
    let test = || {
        let (word, owners) = (Plain::new(), Owners::new(3));
        let give_up = move |reads: bool| {
            if reads {
                word.read();
            }
            if owners.drop_one() {
                word.write();
            }
        };
        let other = thread::spawn(move || give_up(true));
        two(move || give_up(true), move || give_up(false));
        other.join().unwrap();
    };
    check(test, false);
}

#[test]
fn one_who_counts_the_owners_is_not_ordered_by_that() {
    let test = || {
        let (word, owners) = (Plain::new(), Owners::new(2));
        let first = move || {
            word.write();
            owners.drop_one();
        };
        two(first, move || {
            if owners.count(RELAXED) == 1 {
                word.write();
            }
        });
    };
    check(test, true);
}

#[test]
fn one_who_unwraps_comes_after_those_who_dropped() {
    let unwrap = |is_checked: bool| {
        move || {
            let (word, owners) = (Plain::new(), Owners::new(2));
            let first = move || {
                word.write();
                owners.drop_one();
            };
            two(first, move || {
                if owners.try_unwrap() || !is_checked {
                    word.write();
                }
            });
        }
    };
    check(unwrap(true), false);
    check(unwrap(false), true);
}

#[test]
fn a_new_owner_may_be_the_last_one() {
    let test = || {
        let (word, owners) = (Plain::new(), Owners::new(1));
        let first = move || {
            if owners.drop_one() {
                word.write();
            }
        };
        // What it writes belongs to the owners only as long as there are any.
        two(first, move || {
            if owners.upgrade() {
                owners.drop_one();
                word.write();
            }
        });
    };
    check(test, true);
}

#[test]
fn cloning_orders_nothing() {
    let test = || {
        let (word, owners) = (Plain::new(), Owners::new(2));
        let first = move || {
            word.write();
            owners.drop_one();
        };
        two(first, move || {
            owners.clone_one();
            // SAFETY: it only tells that there is a fence.
            unsafe { __tsan_atomic_thread_fence(ACQUIRE) };
            word.write();
        });
    };
    check(test, true);
}

#[test]
fn a_thread_that_nobody_joined_is_not_before_who_drops_its_handle() {
    let test = || {
        let (word, lock) = (Plain::new(), Arc::new(Mutex::new(())));
        let theirs = lock.clone();
        let handle = thread::spawn(move || {
            drop(theirs);
            word.write();
        });
        drop(lock.lock());
        drop(handle);
        word.write();
    };
    check(test, true);
}

#[test]
fn who_drops_a_result_comes_after_the_thread_that_made_it() {
    struct Result(Plain);
    impl Drop for Result {
        fn drop(&mut self) {
            self.0.write();
        }
    }
    let test = || {
        let result = Result(Plain::new());
        let handle = thread::spawn(move || {
            result.0.write();
            result
        });
        thread::yield_now();
        drop(handle);
    };
    check(test, false);
}
