//! What a finding says: who waits for what, where, and why it will never come.

use std::ffi::c_long;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::Ordering::SeqCst;
use std::time::Duration;

use atropos_threads::atomic::{AtomicBool, AtomicU32};
use atropos_threads::atropos_search::{
    ExecutionEnd, Exhaustive, Guide, Replay, Search, Strategy, Strictness, System,
};
use atropos_threads::sync::{LazyLock, Mutex, Once, OnceLock, RwLock, mpsc};
use atropos_threads::{
    ControlOptions, FailingRun, Finding, NotedSystem, Notes, ThreadedTest, explore, replay, say,
    thread,
};

use crate::alone::{alone, check_reduced, ends, sc};

/// What fails in a test.
fn failure(test: &(dyn Fn() + Sync)) -> Finding {
    let report = explore(test, &sc(), &mut Exhaustive::new(), &mut |_| {
        ControlFlow::Continue(())
    });
    report.failure.expect("it fails").finding
}

/// Checks that the failure of a test is told with all these words.
#[track_caller]
fn check(test: impl Fn() + Sync, words: &[&str]) {
    alone(|| {
        let text = failure(&test).to_string();
        for words in words {
            assert!(text.contains(words), "no {words:?} in {text}");
        }
    });
}

#[test]
fn a_lock_whose_guard_was_forgotten_says_who_kept_it() {
    let test = || {
        let lock = Arc::new(Mutex::new(0));
        let other = lock.clone();
        let thread = thread::spawn(move || std::mem::forget(other.lock().unwrap()));
        thread.join().unwrap();
        *lock.lock().unwrap() += 1;
    };
    check(
        test,
        &[
            "deadlock:",
            "locks at ",
            "findings.rs",
            "by thread 1, which has ended without giving it back",
        ],
    );
}

#[test]
fn a_receiver_whose_senders_never_go_says_how_many_there_are() {
    let test = || {
        let (sender, receiver) = mpsc::channel::<u32>();
        let another = sender.clone();
        let _ = receiver.recv();
        drop((sender, another));
    };
    check(
        test,
        &[
            "deadlock:",
            "receives at ",
            "findings.rs",
            "and 2 senders are left that could send",
        ],
    );
}

#[test]
fn sending_to_a_receiver_that_is_gone_says_who_dropped_it() {
    let test = || {
        let (sender, receiver) = mpsc::channel();
        let thread = thread::spawn(move || drop(receiver));
        sender.send(1).unwrap();
        thread.join().unwrap();
    };
    check(
        test,
        &[
            "thread 0 \"main\" panicked at",
            "SendError",
            "\n  the receiver for the send at ",
            "was dropped by thread 1 after ",
        ],
    );
}

#[test]
fn a_receiver_without_senders_says_who_dropped_the_last_and_why() {
    let test = || {
        let (sender, receiver) = mpsc::sync_channel::<u32>(1);
        let gate = AtomicBool::new(false);
        thread::scope(|scope| {
            thread::Builder::new()
                .name("worker".to_owned())
                .spawn_scoped(scope, || {
                    let sender = sender;
                    assert!(gate.load(SeqCst), "not yet");
                    sender.send(1).unwrap();
                })
                .unwrap();
            gate.store(true, SeqCst);
            receiver.recv().expect("a number");
        });
    };
    check(
        test,
        &[
            "thread 0 \"main\" panicked at",
            "a number: RecvError",
            "\n  the last sender for the receive at ",
            "was dropped by thread 1 \"worker\" when it panicked at ",
            ": not yet",
        ],
    );
}

#[test]
fn taking_a_poisoned_lock_says_who_poisoned_it_and_where() {
    let test = || {
        let lock = Arc::new(Mutex::new(0));
        let other = lock.clone();
        let thread = thread::spawn(move || {
            let _guard = other.lock().unwrap();
            panic!("with the lock held");
        });
        let _ = thread.join();
        *lock.lock().unwrap() += 1;
    };
    check(
        test,
        &[
            "thread 0 \"main\" panicked at",
            "PoisonError",
            "\n  the lock taken at ",
            "was poisoned by thread 1, which took it at ",
            "and panicked at ",
            ": with the lock held",
        ],
    );
}

#[test]
fn a_poisoned_rwlock_is_told_through_the_threads_that_stumbled_over_it() {
    let test = || {
        let lock = Arc::new(RwLock::new(0));
        let (first, second) = (lock.clone(), lock.clone());
        let poisons = thread::spawn(move || {
            let _guard = first.write().unwrap();
            panic!("halfway");
        });
        let reads = thread::spawn(move || {
            let _ = poisons.join();
            *second.read().unwrap()
        });
        reads.join().unwrap();
    };
    check(
        test,
        &[
            "thread 0 \"main\" panicked at",
            "\n  thread 2, waited for at ",
            "PoisonError",
            "\n  the lock taken at ",
            "was poisoned by thread 1, which took it at ",
            ": halfway",
        ],
    );
    alone(|| {
        let sort = failure(&test).title();
        assert!(sort.starts_with("poisoned lock: "), "{sort}");
    });
}

#[test]
fn a_poisoned_initialisation_is_told_with_who_began_it_where() {
    fn poisoned(instance: &str, use_it: impl Fn() + Send + Sync + 'static) {
        let use_it = Arc::new(use_it);
        let test = || {
            let other = use_it.clone();
            let _ = thread::spawn(move || other()).join();
            use_it();
        };
        let failure = failure(&test);
        let title =
            format!("poisoned initialisation: {instance} instance has previously been poisoned");
        assert_eq!(failure.title(), title);
        let text = failure.to_string();
        for piece in [
            "\n  what is initialised at ",
            "was poisoned by thread 1, which began to initialise it at ",
            "and panicked at ",
            ": no such file",
        ] {
            assert!(text.contains(piece), "{text}");
        }
    }
    static ONCE: Once = Once::new();
    static LAZY: LazyLock<u32> = LazyLock::new(|| panic!("no such file"));
    alone(|| {
        poisoned("Once", || ONCE.call_once(|| panic!("no such file")));
        poisoned("LazyLock", || assert_eq!(*LAZY, 1));
    });
}

#[test]
fn what_panicked_once_may_be_initialised_by_others() {
    let test = || {
        let cell = Arc::new(OnceLock::new());
        let once = Arc::new(Once::new());
        let (other, other_once) = (cell.clone(), once.clone());
        let thread = thread::spawn(move || {
            let _ = std::panic::catch_unwind(|| other_once.call_once(|| panic!("not yet")));
            other.get_or_init(|| -> u32 { panic!("not yet") });
        });
        let _ = thread.join();
        once.call_once_force(|state| assert!(state.is_poisoned()));
        once.call_once(|| unreachable!("it is done"));
        assert_eq!(*cell.get_or_init(|| 7), 7);
    };
    alone(|| {
        let report = explore(&test, &sc(), &mut Exhaustive::new(), &mut |_| {
            ControlFlow::Continue(())
        });
        assert!(report.failure.is_none() && report.remarks.is_empty());
    });
}

#[test]
fn a_panic_that_only_follows_a_closed_channel_stays_a_panic() {
    let test = || {
        let (sender, receiver) = mpsc::channel::<u32>();
        drop(sender);
        assert!(receiver.recv().is_err());
        panic!("for another reason");
    };
    alone(|| {
        let failure = failure(&test);
        assert_eq!(failure.title(), "panic: for another reason");
        assert!(failure.to_string().contains("the last sender"));
    });
}

#[test]
fn what_a_passing_test_ran_into_is_a_remark_and_no_failure() {
    let test = || {
        let lock = Arc::new(Mutex::new(0));
        let other = lock.clone();
        let (sender, receiver) = mpsc::channel();
        let thread = thread::spawn(move || {
            let _guard = other.lock().unwrap();
            drop(receiver);
            panic!("halfway");
        });
        let _ = thread.join();
        let _ = lock.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        let _ = sender.send(1);
    };
    alone(|| {
        let report = explore(&test, &sc(), &mut Exhaustive::new(), &mut |_| {
            ControlFlow::Continue(())
        });
        assert!(report.failure.is_none());
        let titles: Vec<String> = report.remarks.iter().map(|remark| remark.title()).collect();
        assert_eq!(titles, ["poisoned lock", "dropped channel"]);
    });
}

#[test]
fn a_panic_that_is_passed_on_keeps_its_message() {
    let test = || {
        let thread = thread::spawn(|| -> u32 { panic!("in the worker") });
        if let Err(payload) = thread.join() {
            std::panic::resume_unwind(payload);
        }
    };
    check(
        test,
        &["thread 0 \"main\" panicked: in the worker", "thread 1"],
    );
}

#[test]
fn a_schedule_is_told_in_the_numbers_of_a_process_that_runs_nothing_else() {
    let test = || {
        let first = AtomicU32::new(0);
        thread::scope(|scope| {
            for me in 1..=2 {
                let first = &first;
                scope.spawn(move || {
                    let _ = first.compare_exchange(0, me, SeqCst, SeqCst);
                    scope.spawn(move || assert_ne!(first.load(SeqCst), 2));
                });
            }
        });
    };
    alone(|| {
        let report = explore(&test, &sc(), &mut Exhaustive::new(), &mut |_| {
            ControlFlow::Continue(())
        });
        let failure = report.failure.unwrap();
        assert!(failure.replayed);
        // The second thread's child is the fourth of the search, and the third that this schedule starts.
        let (end, notes, _) = replay(&test, &sc(), &failure.schedule);
        assert!(end.is_failure(), "{}", failure.schedule);
        let again = notes.failure.unwrap();
        assert_eq!(again.to_string(), failure.finding.to_string());
    });
}

#[test]
fn threads_that_try_again_and_again_let_each_other_go_on() {
    // Every try changes something, so that nobody takes it for a spin.
    let test = |pause: fn()| {
        let (tries, is_set) = (AtomicU32::new(0), AtomicU32::new(0));
        thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| {
                    while is_set.load(SeqCst) == 0 {
                        tries.fetch_add(1, SeqCst);
                        pause();
                    }
                });
            }
            scope.spawn(|| {
                thread::yield_now();
                is_set.store(1, SeqCst);
            });
        });
    };
    let options = ControlOptions {
        step_limit: 10_000,
        ..sc()
    };
    let check = |test: &(dyn Fn() + Sync)| {
        let strategies: [Box<dyn Strategy>; 3] = [
            Box::new(Exhaustive::new()),
            Box::new(Search::chess(0)),
            Box::new(Replay::new(&"s1:0".parse().unwrap(), Strictness::Lenient)),
        ];
        for mut strategy in strategies {
            let mut executions = 0;
            let report = explore(test, &options, &mut *strategy, &mut |_| {
                executions += 1;
                match executions < 50 {
                    true => ControlFlow::Continue(()),
                    false => ControlFlow::Break(()),
                }
            });
            let failure = report.failure.map(|failure| failure.finding.title());
            assert_eq!(failure, None, "{}", strategy.coverage());
        }
    };
    alone(|| {
        check(&|| test(thread::yield_now));
        check(&|| test(|| ()));
    });
}

/// A test that counts its scheduling points.
struct Counting<'a> {
    test: ThreadedTest<'a>,
    notes: Notes,
    points: u64,
}

impl System for Counting<'_> {
    fn run(&mut self, guide: &mut dyn Guide) -> ExecutionEnd {
        let end = self.test.run(guide);
        let last = self.test.last().take();
        self.points += last.steps;
        self.notes.add(last, end);
        end
    }
}

impl<'a> NotedSystem<'a> for Counting<'a> {
    fn test(&mut self) -> &mut ThreadedTest<'a> {
        &mut self.test
    }

    fn take_notes(&mut self) -> Notes {
        std::mem::take(&mut self.notes)
    }
}

#[test]
fn a_schedule_is_made_short_without_running_endless_ones_to_their_end() {
    let body = || {
        let (one, other, met) = (Mutex::new(()), Mutex::new(()), AtomicU32::new(0));
        thread::scope(|scope| {
            scope.spawn(|| {
                let _one = one.lock().unwrap();
                met.store(1, SeqCst);
                let _other = other.lock().unwrap();
            });
            scope.spawn(|| {
                if met.load(SeqCst) == 0 {
                    // Nobody has come before: this goes on for ever.
                    loop {
                        met.fetch_add(2, SeqCst);
                    }
                }
                let _other = other.lock().unwrap();
                let _one = one.lock().unwrap();
            });
        });
    };
    alone(|| {
        let mut counting = Counting {
            test: ThreadedTest::new(&body, &sc()),
            notes: Notes::default(),
            points: 0,
        };
        let waiting = "s1:0*3,1*3,2*4".parse().unwrap();
        let mut replay = Replay::new(&waiting, Strictness::Lenient);
        replay.begin();
        let end = counting.run(&mut replay);
        replay.end(end);
        let failure = counting.take_notes().failure.expect("it fails");
        assert_eq!(failure.title(), "deadlock");
        counting.points = 0;
        let told = FailingRun::tell(&mut counting, failure, end, replay.schedule(), 2000);
        assert_eq!(told.finding.title(), "deadlock");
        assert!(counting.points < 100_000, "{} points", counting.points);
    });
}

#[test]
fn no_time_passes_while_a_thread_works_hard() {
    let test = || {
        let (number, is_over) = (AtomicU32::new(0), AtomicBool::new(false));
        thread::scope(|scope| {
            scope.spawn(|| {
                thread::sleep(Duration::from_millis(1));
                assert!(is_over.load(SeqCst));
            });
            for _ in 0..5000 {
                number.fetch_add(1, SeqCst);
            }
            is_over.store(true, SeqCst);
        });
        say("over");
    };
    check_reduced(test, &sc(), &["over"]);
}

#[test]
fn a_thread_that_works_hard_may_also_go_on() {
    let test = || {
        let (number, is_set) = (AtomicU32::new(0), AtomicBool::new(false));
        thread::scope(|scope| {
            scope.spawn(|| is_set.store(true, SeqCst));
            for _ in 0..3000 {
                number.fetch_add(1, SeqCst);
            }
            say(&format!("{}", is_set.load(SeqCst)));
        });
    };
    check_reduced(test, &sc(), &["false", "true"]);
}

#[test]
fn more_memory_than_there_is_room_for_is_told_and_more_than_anybody_has_is_refused() {
    alone(|| {
        let test = || {
            assert!(Vec::<u8>::new().try_reserve(1 << 45).is_err());
            drop(Vec::<u8>::with_capacity(8 << 30));
        };
        let report = explore(&test, &sc(), &mut Exhaustive::new(), &mut |_| {
            ControlFlow::Continue(())
        });
        assert_eq!(report.failure.unwrap().finding.title(), "memory limit");
    });
}

#[test]
fn random_numbers_of_the_kernel_are_the_same_in_every_schedule() {
    #[cfg(target_arch = "x86_64")]
    const SYS_GETRANDOM: c_long = 318;
    #[cfg(target_arch = "aarch64")]
    const SYS_GETRANDOM: c_long = 278;
    unsafe extern "C" {
        fn syscall(number: c_long, ...) -> c_long;
    }
    let test = || {
        let number = AtomicU32::new(0);
        thread::scope(|scope| {
            scope.spawn(|| number.fetch_add(1, SeqCst));
            number.fetch_add(1, SeqCst);
        });
        let mut bytes = [0_u8; 8];
        // SAFETY: the buffer has eight bytes.
        let got = unsafe { syscall(SYS_GETRANDOM, bytes.as_mut_ptr(), 8_usize, 0_usize) };
        say(&format!("{got} {bytes:?}"));
    };
    alone(|| assert_eq!(ends(&test, &sc()).len(), 1));
}
