//! Locks, conditions, channels and threads: how tests that use them end over all schedules.

use std::sync::Arc;
use std::time::Duration;

use atropos_threads::atomic::{AtomicBool, AtomicU32, Ordering::SeqCst, spin_loop};
use atropos_threads::sync::{Barrier, Condvar, LazyLock, Mutex, Once, OnceLock, RwLock, mpsc};
use atropos_threads::{ControlOptions, say, thread};

use crate::alone::{check, check_reduced, sc, weak};

#[test]
fn an_unprotected_counter_loses_updates() {
    let test = || {
        let counter = AtomicU32::new(0);
        thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| counter.store(counter.load(SeqCst) + 1, SeqCst));
            }
        });
        say(&counter.load(SeqCst).to_string());
    };
    check(test, &sc(), &["1", "2"]);
    check(test, &weak(), &["1", "2"]);
}

#[test]
fn a_thread_with_a_stack_that_no_system_has_is_refused() {
    let test = || {
        let spawn = |size| thread::Builder::new().stack_size(size).spawn(|| ());
        let refused = spawn(isize::MAX as usize).err().map(|error| error.kind());
        say(&format!("{refused:?}"));
        spawn(1 << 20).unwrap().join().unwrap();
    };
    check(test, &sc(), &["Some(WouldBlock)"]);
}

#[test]
fn a_mutex_protects() {
    let test = || {
        let counter = Mutex::new(0);
        thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| {
                    for _ in 0..2 {
                        *counter.lock().unwrap() += 1;
                    }
                });
            }
        });
        say(&counter.into_inner().unwrap().to_string());
    };
    check(test, &sc(), &["4"]);
    check_reduced(test, &weak(), &["4"]);
}

#[test]
fn try_lock_fails_only_while_somebody_holds_the_lock() {
    let test = || {
        let mutex = Mutex::new(());
        thread::scope(|scope| {
            scope.spawn(|| drop(mutex.lock()));
            scope.spawn(|| {
                say(if mutex.try_lock().is_ok() {
                    "free"
                } else {
                    "taken"
                })
            });
        });
    };
    check(test, &sc(), &["free", "taken"]);
}

#[test]
fn locks_in_two_orders_deadlock_in_some_schedules() {
    let test = || {
        let (a, b) = (Mutex::new(()), Mutex::new(()));
        thread::scope(|scope| {
            scope.spawn(|| {
                let _a = a.lock().unwrap();
                let _b = b.lock().unwrap();
            });
            scope.spawn(|| {
                let _b = b.lock().unwrap();
                let _a = a.lock().unwrap();
            });
        });
        say("done");
    };
    check(test, &sc(), &["deadlock", "done"]);
}

#[test]
fn a_panic_poisons_the_lock_that_its_thread_holds_and_no_other() {
    let test = || {
        let (held, other) = (Arc::new(Mutex::new(0)), Arc::new(Mutex::new(0)));
        let thread = {
            let held = held.clone();
            thread::spawn(move || {
                let _guard = held.lock().unwrap();
                panic!("on purpose");
            })
        };
        let user = {
            let other = other.clone();
            thread::spawn(move || {
                *other.lock().unwrap() += 1;
                assert!(!thread::panicking());
            })
        };
        let payload = thread.join().unwrap_err();
        assert_eq!(payload.downcast_ref::<&str>(), Some(&"on purpose"));
        user.join().unwrap();
        say(&format!("{} {}", held.is_poisoned(), other.is_poisoned()));
        assert!(held.lock().is_err());
        held.clear_poison();
        assert!(held.try_lock().is_ok());
    };
    check(test, &sc(), &["true false"]);
}

#[test]
fn a_thread_that_runs_while_another_unwinds_is_not_panicking() {
    // The unwinding thread unlocks, which lets others run in the middle of its panic.
    struct Pause(Arc<AtomicU32>);
    impl Drop for Pause {
        fn drop(&mut self) {
            assert!(thread::panicking());
            self.0.store(1, SeqCst);
            self.0.store(2, SeqCst);
            assert!(thread::panicking());
        }
    }
    let test = || {
        let state = Arc::new(AtomicU32::new(0));
        let unwinding = {
            let pause = Pause(state.clone());
            thread::spawn(move || {
                let _pause = pause;
                panic!("unwind");
            })
        };
        let seen = state.load(SeqCst);
        assert!(!thread::panicking());
        let caught = std::panic::catch_unwind(|| panic!("inner"));
        assert!(caught.is_err() && !thread::panicking());
        say(&seen.to_string());
        assert!(unwinding.join().is_err());
    };
    check(test, &sc(), &["0", "1", "2"]);
}

#[test]
fn a_panic_that_nobody_takes_note_of_is_found() {
    let test = || {
        thread::spawn(|| panic!("lost"));
    };
    check(test, &sc(), &["panic: lost"]);
    let joined = || {
        let _ = thread::spawn(|| panic!("joined")).join();
        say("fine");
    };
    check(joined, &sc(), &["fine"]);
    let scoped = || thread::scope(|scope| drop(scope.spawn(|| panic!("inside"))));
    check(scoped, &sc(), &["panic: a scoped thread panicked"]);
}

#[test]
fn readers_share_and_writers_do_not() {
    let test = || {
        let lock = RwLock::new(0);
        let inside = AtomicU32::new(0);
        thread::scope(|scope| {
            scope.spawn(|| {
                let _guard = lock.read().unwrap();
                inside.fetch_add(1, SeqCst);
                inside.fetch_sub(1, SeqCst);
            });
            scope.spawn(|| {
                let guard = lock.read().unwrap();
                say(&format!("r{}", inside.load(SeqCst) + *guard));
            });
        });
    };
    check(test, &sc(), &["r0", "r1"]);
    let test = || {
        let lock = RwLock::new(0);
        thread::scope(|scope| {
            scope.spawn(|| {
                let mut guard = lock.write().unwrap();
                *guard = 1;
                *guard = 2;
                let guard = atropos_threads::sync::RwLockWriteGuard::downgrade(guard);
                assert_eq!(*guard, 2);
            });
            scope.spawn(|| say(&format!("{:?}", lock.try_read().map(|guard| *guard).ok())));
        });
    };
    check(test, &sc(), &["None", "Some(0)", "Some(2)"]);
}

#[test]
fn a_notification_before_the_wait_is_lost() {
    let test = || {
        let pair = Arc::new((Mutex::new(()), Condvar::new()));
        let other = pair.clone();
        thread::spawn(move || other.1.notify_one());
        let guard = pair.0.lock().unwrap();
        drop(pair.1.wait(guard).unwrap());
        say("woken");
    };
    check(test, &sc(), &["lost wake-up", "woken"]);
}

#[test]
fn waiting_for_a_condition_under_its_lock_loses_nothing() {
    let test = || {
        let pair = Arc::new((Mutex::new(false), Condvar::new()));
        let other = pair.clone();
        let thread = thread::spawn(move || {
            *other.0.lock().unwrap() = true;
            other.1.notify_all();
        });
        let guard = pair
            .1
            .wait_while(pair.0.lock().unwrap(), |ready| !*ready)
            .unwrap();
        assert!(*guard);
        drop(guard);
        thread.join().unwrap();
        say("ready");
    };
    check(test, &sc(), &["ready"]);
    check(test, &weak(), &["ready"]);
    check_reduced(
        test,
        &ControlOptions {
            spurious: true,
            ..sc()
        },
        &["ready"],
    );
}

#[test]
fn one_notification_wakes_any_one_of_the_waiting() {
    let test = || {
        let pair = (Mutex::new(0), Condvar::new());
        let first = AtomicU32::new(0);
        thread::scope(|scope| {
            for number in 1..=2 {
                let (pair, first) = (&pair, &first);
                scope.spawn(move || {
                    let mut waiting = pair.0.lock().unwrap();
                    *waiting += 1;
                    drop(pair.1.wait(waiting).unwrap());
                    let _ = first.compare_exchange(0, number, SeqCst, SeqCst);
                    pair.1.notify_one();
                });
            }
            scope.spawn(|| {
                while *pair.0.lock().unwrap() < 2 {
                    thread::yield_now();
                }
                pair.1.notify_one();
            });
        });
        say(&first.load(SeqCst).to_string());
    };
    check_reduced(test, &sc(), &["1", "2"]);
}

#[test]
fn a_barrier_has_one_leader_and_lets_nobody_through_early() {
    let test = || {
        let barrier = Barrier::new(2);
        let arrived = AtomicU32::new(0);
        let work = || {
            arrived.fetch_add(1, SeqCst);
            let leads = barrier.wait().is_leader();
            assert_eq!(arrived.load(SeqCst), 2);
            leads
        };
        let leaders = thread::scope(|scope| {
            let other = scope.spawn(work);
            u32::from(work()) + u32::from(other.join().unwrap())
        });
        say(&leaders.to_string());
    };
    check(test, &sc(), &["1"]);
    check_reduced(test, &weak(), &["1"]);
}

#[test]
fn something_is_initialised_once_whoever_comes_first() {
    let test = || {
        let (once, cell) = (Once::new(), OnceLock::new());
        let lazy = LazyLock::new(|| 7);
        let runs = AtomicU32::new(0);
        thread::scope(|scope| {
            for number in [1, 2] {
                let (once, cell, lazy, runs) = (&once, &cell, &lazy, &runs);
                scope.spawn(move || {
                    once.call_once(|| {
                        runs.fetch_add(1, SeqCst);
                    });
                    let value = *cell.get_or_init(|| number);
                    assert_eq!(cell.get(), Some(&value));
                    assert_eq!(**lazy, 7);
                });
            }
        });
        say(&format!("{} {}", runs.load(SeqCst), cell.get().unwrap()));
    };
    check_reduced(test, &sc(), &["1 1", "1 2"]);
}

#[test]
fn an_initialiser_that_panics_poisons_once_and_leaves_a_cell_empty() {
    let test = || {
        let once = Arc::new(Once::new());
        let cell = Arc::new(OnceLock::new());
        let thread = {
            let (once, cell) = (once.clone(), cell.clone());
            thread::spawn(move || {
                let _ = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
                    cell.get_or_init(|| panic!("no value"))
                }));
                once.call_once(|| panic!("no"));
            })
        };
        assert!(thread.join().is_err());
        assert!(!once.is_completed());
        assert!(
            std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| once.call_once(|| {})))
                .is_err()
        );
        once.call_once_force(|state| assert!(state.is_poisoned()));
        assert!(once.is_completed());
        assert_eq!(*cell.get_or_init(|| 3), 3);
        say("ok");
    };
    check(test, &sc(), &["ok"]);
}

#[test]
fn channels_deliver_in_order_and_end_with_their_senders() {
    let test = || {
        let (sender, receiver) = mpsc::channel();
        for base in [10, 20] {
            let sender = sender.clone();
            thread::spawn(move || {
                sender.send(base).unwrap();
                sender.send(base + 1).unwrap();
            });
        }
        drop(sender);
        let all: Vec<u32> = receiver.iter().collect();
        let of = |base: u32| {
            all.iter()
                .filter(|value| **value / base == 1 && **value >= base)
                .count()
        };
        assert_eq!(all.len(), 4);
        assert!(all.iter().position(|v| *v == 10) < all.iter().position(|v| *v == 11));
        assert!(of(20) >= 2);
        say(&format!("{all:?}"));
    };
    let orders = [
        "[10, 11, 20, 21]",
        "[10, 20, 11, 21]",
        "[10, 20, 21, 11]",
        "[20, 10, 11, 21]",
        "[20, 10, 21, 11]",
        "[20, 21, 10, 11]",
    ];
    check_reduced(test, &sc(), &orders);
}

#[test]
fn a_bounded_channel_makes_its_sender_wait() {
    let test = || {
        let (sender, receiver) = mpsc::sync_channel(1);
        let sent = Arc::new(AtomicU32::new(0));
        let count = sent.clone();
        let thread = thread::spawn(move || {
            for value in 0..3 {
                sender.send(value).unwrap();
                count.fetch_add(1, SeqCst);
            }
            matches!(
                sender.try_send(9),
                Err(mpsc::TrySendError::Full(9))
                    | Ok(())
                    | Err(mpsc::TrySendError::Disconnected(9))
            )
        });
        assert!(sent.load(SeqCst) <= 1);
        assert_eq!(receiver.recv(), Ok(0));
        assert_eq!(receiver.recv(), Ok(1));
        assert_eq!(receiver.recv(), Ok(2));
        drop(receiver);
        assert!(thread.join().unwrap());
        say("ok");
    };
    check_reduced(test, &sc(), &["ok"]);
}

#[test]
fn a_channel_without_room_is_a_meeting() {
    let test = || {
        let (sender, receiver) = mpsc::sync_channel::<u32>(0);
        let taken = Arc::new(AtomicBool::new(false));
        let flag = taken.clone();
        let thread = thread::spawn(move || {
            let first = sender.send(1).is_ok();
            assert!(
                flag.load(SeqCst),
                "send returns when its message has been taken"
            );
            (first, sender.send(2))
        });
        taken.store(true, SeqCst);
        assert_eq!(receiver.recv(), Ok(1));
        drop(receiver);
        assert_eq!(thread.join().unwrap(), (true, Err(mpsc::SendError(2))));
        say("met");
    };
    check(test, &sc(), &["met"]);
}

#[test]
fn a_dropped_receiver_fails_its_senders() {
    let test = || {
        let (sender, receiver) = mpsc::channel();
        let thread = thread::spawn(move || sender.send(1).is_ok());
        drop(receiver);
        say(&thread.join().unwrap().to_string());
    };
    check(test, &sc(), &["false", "true"]);
}

#[test]
fn a_token_given_early_is_not_lost() {
    let test = || {
        let main = thread::current();
        let flag = Arc::new(AtomicBool::new(false));
        let other = flag.clone();
        thread::spawn(move || {
            other.store(true, SeqCst);
            main.unpark();
        });
        while !flag.load(SeqCst) {
            thread::park();
        }
        say("unparked");
    };
    check(test, &sc(), &["unparked"]);
    check_reduced(
        test,
        &ControlOptions {
            spurious: true,
            ..sc()
        },
        &["unparked"],
    );
}

#[test]
fn a_spinning_thread_waits_for_the_one_that_it_looks_at() {
    let test = || {
        let flag = AtomicBool::new(false);
        let count = AtomicU32::new(0);
        thread::scope(|scope| {
            scope.spawn(|| {
                while !flag.load(SeqCst) {
                    spin_loop();
                }
                count.fetch_add(1, SeqCst);
            });
            scope.spawn(|| while !flag.load(SeqCst) {});
            scope.spawn(|| flag.store(true, SeqCst));
        });
        say(&count.load(SeqCst).to_string());
    };
    check_reduced(test, &sc(), &["1"]);
    check_reduced(test, &weak(), &["1"]);
}

#[test]
fn a_thread_that_changes_something_in_each_round_does_not_go_round_for_ever() {
    let test = || {
        let (flag, rounds) = (AtomicBool::new(false), AtomicU32::new(0));
        thread::scope(|scope| {
            scope.spawn(|| {
                while !flag.load(SeqCst) {
                    rounds.fetch_add(1, SeqCst);
                    thread::yield_now();
                }
            });
            scope.spawn(|| flag.store(true, SeqCst));
        });
        say("over");
    };
    check_reduced(test, &sc(), &["over"]);
}

#[test]
fn spinning_for_what_never_comes_is_a_livelock() {
    let test = || {
        let flag = AtomicBool::new(false);
        thread::scope(|scope| {
            scope.spawn(|| {
                while !flag.load(SeqCst) {
                    thread::yield_now();
                }
            });
        });
    };
    check(test, &sc(), &["livelock"]);
}

#[test]
fn bounded_spinning_reaches_the_slow_path_behind_it() {
    let test = || {
        let lock = AtomicBool::new(true);
        thread::scope(|scope| {
            scope.spawn(|| {
                for _ in 0..20 {
                    if !lock.load(SeqCst) {
                        return say("fast");
                    }
                    spin_loop();
                }
                say("slow");
            });
            scope.spawn(|| lock.store(false, SeqCst));
        });
    };
    check_reduced(test, &sc(), &["fast", "slow"]);
}

#[test]
fn thread_locals_belong_to_their_threads_and_are_dropped_with_them() {
    use std::cell::{Cell, RefCell};
    struct Noisy(Arc<AtomicU32>);
    impl Drop for Noisy {
        fn drop(&mut self) {
            self.0.fetch_add(1, SeqCst);
        }
    }
    atropos_threads::thread_local! {
        static COUNT: Cell<u32> = const { Cell::new(0) };
        static NOISY: RefCell<Option<Noisy>> = RefCell::new(None);
    }
    let test = || {
        let dropped = Arc::new(AtomicU32::new(0));
        COUNT.set(10);
        let threads: Vec<_> = (0..2)
            .map(|_| {
                let dropped = dropped.clone();
                thread::spawn(move || {
                    COUNT.set(COUNT.get() + 1);
                    NOISY.set(Some(Noisy(dropped)));
                    COUNT.get()
                })
            })
            .collect();
        let values: Vec<u32> = threads
            .into_iter()
            .map(|thread| thread.join().unwrap())
            .collect();
        say(&format!(
            "{values:?} {} {}",
            COUNT.get(),
            dropped.load(SeqCst)
        ));
    };
    check_reduced(test, &sc(), &["[1, 1] 10 2"]);
}

#[test]
fn names_and_identities_are_those_given() {
    let test = || {
        let handle = thread::Builder::new()
            .name("worker".to_string())
            .spawn(|| thread::current().name().map(str::to_string))
            .unwrap();
        assert_eq!(handle.thread().name(), Some("worker"));
        assert_ne!(handle.thread().id(), thread::current().id());
        assert_eq!(handle.join().unwrap().as_deref(), Some("worker"));
        assert_eq!(thread::current().id(), thread::current().id());
        say(thread::current().name().unwrap());
    };
    check(
        test,
        &ControlOptions {
            name: "a test".to_string(),
            ..sc()
        },
        &["a test"],
    );
}

#[test]
fn a_timed_wait_that_is_notified_does_not_time_out() {
    let test = || {
        let pair = Arc::new((Mutex::new(false), Condvar::new()));
        let other = pair.clone();
        thread::spawn(move || {
            *other.0.lock().unwrap() = true;
            other.1.notify_one();
        });
        let guard = pair.0.lock().unwrap();
        let (guard, result) = pair
            .1
            .wait_timeout_while(guard, Duration::from_secs(1), |ready| !*ready)
            .unwrap();
        say(&format!("{} {}", *guard, result.timed_out()));
    };
    check_reduced(test, &sc(), &["true false"]);
}
