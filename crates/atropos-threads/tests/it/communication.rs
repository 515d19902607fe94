//! What threads tell each other over all schedules of a test, by line.

use std::ops::ControlFlow;
use std::sync::Arc;

use atropos_protocol::communication::InteractionKind;
use atropos_threads::atomic::{AtomicU32, Ordering, Ordering::Relaxed, Ordering::SeqCst};
use atropos_threads::atropos_search::{Exhaustive, Search, Strategy, explore_with};
use atropos_threads::communication::Fact;
use atropos_threads::injected_faults::{InjectedFault, request};
use atropos_threads::sync::{Condvar, Mutex, mpsc};
use atropos_threads::unsafe_cell::UnsafeCell;
use atropos_threads::{ControlOptions, ThreadedTest, thread};

use crate::alone::{alone, sc, weak};

/// The facts of all schedules, as sorts and lines; reduction leaves none out.
fn facts(test: impl Fn() + Sync, options: &ControlOptions) -> Vec<(InteractionKind, Vec<u32>)> {
    let all = facts_by(&test, options, &mut Search::enumeration());
    assert_eq!(facts_by(&test, options, &mut Exhaustive::new()), all);
    all
}

fn facts_by(
    test: &(dyn Fn() + Sync),
    options: &ControlOptions,
    strategy: &mut dyn Strategy,
) -> Vec<(InteractionKind, Vec<u32>)> {
    let mut system = ThreadedTest::new(test, options);
    system.record_communication(true);
    explore_with(&mut system, strategy, &mut |_, _| ControlFlow::Continue(()));
    let facts = system.record_communication(false);
    let lines = |fact: &Fact| fact.acts.iter().map(|act| act.site.line()).collect();
    facts
        .values()
        .map(|fact| (fact.kind, lines(fact)))
        .collect()
}

#[test]
fn a_counter_that_is_loaded_and_stored_is_written_in_between() {
    alone(|| {
        let (load, store) = (line!() + 4, line!() + 5);
        let test = || {
            let counter = AtomicU32::new(0);
            let count = || {
                let old = counter.load(SeqCst);
                counter.store(old + 1, SeqCst);
            };
            thread::scope(|scope| {
                scope.spawn(count);
                scope.spawn(count);
            });
        };
        let expected = vec![
            (InteractionKind::Flow, vec![load]),
            (InteractionKind::Flow, vec![store, load]),
            (InteractionKind::Between, vec![load, store, store]),
        ];
        assert_eq!(facts(test, &sc()), expected);
        assert_eq!(facts(test, &weak()), expected);
    });
}

#[test]
fn a_relaxed_reader_may_miss_what_was_published() {
    alone(|| {
        let store = line!() + 7;
        let test = |ordering| {
            move || {
                let (data, flag) = (Arc::new(AtomicU32::new(0)), Arc::new(AtomicU32::new(0)));
                let writer = {
                    let (data, flag) = (data.clone(), flag.clone());
                    thread::spawn(move || {
                        data.store(7, Relaxed);
                        flag.store(1, ordering);
                    })
                };
                if flag.load(SeqCst) == 1 {
                    data.load(Relaxed);
                }
                writer.join().unwrap();
            }
        };
        let load = store + 5;
        let ordered = facts(test(SeqCst), &weak());
        assert!(ordered.contains(&(InteractionKind::Flow, vec![store, load])));
        assert!(!ordered.contains(&(InteractionKind::Flow, vec![load])));
        let relaxed = facts(test(Relaxed), &weak());
        assert!(relaxed.contains(&(InteractionKind::Flow, vec![load])));
    });
}

#[test]
fn a_lock_that_excludes_nobody_lets_others_in_between() {
    alone(|| {
        let line = line!() + 8;
        let test = |is_bare: bool| {
            move || {
                let counter = Mutex::new(0_u64);
                let count = || {
                    if is_bare {
                        request(InjectedFault::Bare);
                    }
                    *counter.lock().unwrap() += 1;
                };
                thread::scope(|scope| {
                    scope.spawn(count);
                    scope.spawn(count);
                });
            }
        };
        let locked = [
            (InteractionKind::Flow, vec![line]),
            (InteractionKind::Flow, vec![line, line]),
        ];
        assert_eq!(facts(test(false), &sc()), locked);
        let bare = facts(test(true), &sc());
        assert_eq!(bare[..2], locked);
        assert_eq!(
            bare[2..],
            [(InteractionKind::Between, vec![line, line, line])]
        );
    });
}

#[test]
fn orders_of_locks_wake_ups_and_messages_are_told() {
    alone(|| {
        let first = line!() + 10;
        let test = || {
            let pair = Arc::new((Mutex::new(false), Condvar::new(), Mutex::new(0)));
            let (sender, receiver) = mpsc::channel();
            let other = pair.clone();
            let thread = thread::spawn(move || {
                sender.send(1).unwrap();
                *other.0.lock().unwrap() = true;
                other.1.notify_one();
            });
            let mut ready = pair.0.lock().unwrap();
            let _second = pair.2.lock().unwrap();
            while !*ready {
                ready = pair.1.wait(ready).unwrap();
            }
            receiver.recv().unwrap();
            drop(ready);
            thread.join().unwrap();
        };
        let facts = facts(test, &sc());
        for expected in [
            (InteractionKind::LockOrder, vec![first, first + 1]),
            (InteractionKind::WakeUp, vec![first - 2, first + 3]),
            (InteractionKind::Flow, vec![first - 4, first + 5]),
        ] {
            assert!(facts.contains(&expected), "{expected:?} in {facts:?}");
        }
    });
}

/// A number that one thread hands to another.
struct Parcel {
    is_there: AtomicU32,
    number: UnsafeCell<u64>,
}

// SAFETY: for the tests; whether it is true is what they look at.
unsafe impl Sync for Parcel {}

impl Parcel {
    const fn new() -> Parcel {
        Parcel {
            is_there: AtomicU32::new(0),
            number: UnsafeCell::new(0),
        }
    }

    /// A `const fn`, as such methods often are.
    #[track_caller]
    const fn place(&self) -> *mut u64 {
        self.number.get()
    }
}

fn unordered(test: impl Fn() + Sync, options: &ControlOptions) -> Vec<Vec<u32>> {
    let mut facts = facts(test, options);
    facts.retain(|(kind, _)| *kind == InteractionKind::Unordered);
    facts.into_iter().map(|(_, lines)| lines).collect()
}

#[test]
fn plain_memory_is_ordered_by_who_publishes_it() {
    alone(|| {
        let change = line!() + 6;
        let test = |store: Ordering, load: Ordering| {
            move || {
                let parcel = Parcel::new();
                thread::scope(|scope| {
                    scope.spawn(|| {
                        unsafe { *parcel.place() = 7 };
                        parcel.is_there.store(1, store);
                    });
                    if parcel.is_there.load(load) == 1 {
                        let _ = unsafe { *parcel.place() };
                    }
                });
            }
        };
        let (release, acquire) = (Ordering::Release, Ordering::Acquire);
        let none: [Vec<u32>; 0] = [];
        let both = [vec![change, change + 4]];
        assert_eq!(unordered(test(release, acquire), &weak()), none);
        assert_eq!(unordered(test(SeqCst, SeqCst), &weak()), none);
        assert_eq!(unordered(test(Relaxed, acquire), &weak()), both);
        assert_eq!(unordered(test(release, Relaxed), &weak()), both);
        // Without weak memory everything is in order.
        assert_eq!(unordered(test(Relaxed, Relaxed), &sc()), none);
    });
}

#[test]
fn who_only_reads_needs_no_order() {
    alone(|| {
        let test = || {
            let parcel = Parcel::new();
            let read = || {
                parcel.is_there.load(Relaxed);
                unsafe { *parcel.place() }
            };
            thread::scope(|scope| {
                scope.spawn(read);
                scope.spawn(read);
            });
        };
        assert!(unordered(test, &weak()).is_empty());
    });
}

#[test]
fn a_change_long_after_the_place_was_asked_for_is_seen() {
    alone(|| {
        let asked = line!() + 6;
        let test = |store: Ordering| {
            move || {
                let parcel = Parcel::new();
                thread::scope(|scope| {
                    scope.spawn(|| {
                        let place = parcel.place();
                        parcel.is_there.load(Relaxed);
                        parcel.is_there.load(Relaxed);
                        unsafe { *place = 7 };
                        parcel.is_there.store(1, store);
                    });
                    if parcel.is_there.load(Ordering::Acquire) == 1 {
                        let _ = unsafe { *parcel.place() };
                    }
                });
            }
        };
        assert!(unordered(test(Ordering::Release), &weak()).is_empty());
        let both = [vec![asked, asked + 7]];
        assert_eq!(unordered(test(Relaxed), &weak()), both);
    });
}

#[test]
fn locks_and_joins_order_plain_memory_and_atomics_in_a_cell_are_none() {
    alone(|| {
        let locked = || {
            let (lock, number) = (Mutex::new(()), Parcel::new());
            let count = || {
                let _held = lock.lock().unwrap();
                unsafe { *number.place() += 1 };
            };
            thread::scope(|scope| {
                scope.spawn(count);
                scope.spawn(count);
            });
            unsafe { *number.place() += 1 };
        };
        assert!(unordered(locked, &weak()).is_empty());
        struct Shared(UnsafeCell<AtomicU32>);
        // SAFETY: only the atomic in it is used.
        unsafe impl Sync for Shared {}
        let atomic = || {
            let cell = Shared(UnsafeCell::new(AtomicU32::new(0)));
            let cell = &cell;
            let count = || unsafe { (*cell.0.get()).fetch_add(1, Relaxed) };
            thread::scope(|scope| {
                scope.spawn(count);
                scope.spawn(count);
            });
        };
        assert!(unordered(atomic, &weak()).is_empty());
    });
}

#[test]
fn who_reads_from_a_pipe_may_use_what_the_writer_changed_before() {
    use std::io::{Read, Write};
    alone(|| {
        let test = || {
            let (mut reader, mut writer) = std::io::pipe().unwrap();
            let parcel = Parcel::new();
            thread::scope(|scope| {
                scope.spawn(|| {
                    unsafe { *parcel.place() = 7 };
                    writer.write_all(b"x").unwrap();
                });
                reader.read_exact(&mut [0]).unwrap();
                let _ = unsafe { *parcel.place() };
            });
        };
        assert!(unordered(test, &weak()).is_empty());
    });
}
