//! Litmus tests: exactly the results that the memory model allows, for each shape, ordering and fence.
//!
//! Load buffering is not shown for relaxed accesses, although the model allows it: a load reads a
//! store that has been executed.

use std::ffi::{c_int, c_long};
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::Ordering::{self, AcqRel, Acquire, Relaxed, Release, SeqCst};

use atropos_search::Exhaustive;
use atropos_threads::atomic::{AtomicU32, compiler_fence, fence};
use atropos_threads::{explore, say, thread};

use crate::alone::{alone, check, check_reduced, ends, sc, weak};

/// One step of a thread.
#[derive(Clone, Copy)]
enum Do {
    /// Store a value in a location.
    W(usize, u32, Ordering),
    /// Load a location; the value becomes part of the result.
    R(usize, Ordering),
    /// Add to a location; the old value becomes part of the result.
    Add(usize, u32, Ordering),
    F(Ordering),
    /// A fence for the compiler.
    C(Ordering),
    /// A fence in machine code.
    Asm,
    /// A fence of all threads, made by the kernel.
    All,
}
use Do::{Add, All, Asm, C, F, R, W};

/// What is said at the end besides the loads.
#[derive(Clone, Copy, PartialEq)]
enum Finally {
    Nothing,
    /// The final values of all locations.
    Memory,
}

fn run(threads: &[&[Do]], locations: usize, finally: Finally) {
    let memory: Vec<AtomicU32> = (0..locations).map(|_| AtomicU32::new(0)).collect();
    let memory = &memory;
    let loaded: Vec<String> = thread::scope(|scope| {
        let work = |steps: &[Do]| {
            let mut loaded = String::new();
            for step in steps {
                match *step {
                    W(location, value, ordering) => memory[location].store(value, ordering),
                    R(location, ordering) => loaded += &memory[location].load(ordering).to_string(),
                    Add(location, value, ordering) => {
                        loaded += &memory[location].fetch_add(value, ordering).to_string()
                    }
                    F(ordering) => fence(ordering),
                    C(ordering) => compiler_fence(ordering),
                    // SAFETY: it does nothing.
                    Asm => unsafe { atropos_threads::asm!("") },
                    All => membarrier(),
                }
            }
            loaded
        };
        let handles: Vec<_> = threads
            .iter()
            .map(|steps| scope.spawn(move || work(steps)))
            .collect();
        handles
            .into_iter()
            .map(|handle| handle.join().unwrap())
            .collect()
    });
    say(&loaded.concat());
    if finally == Finally::Memory {
        for location in memory {
            say(&location.load(SeqCst).to_string());
        }
    }
}

fn membarrier() {
    unsafe extern "C" {
        fn syscall(number: c_long, ...) -> c_long;
    }
    #[cfg(target_arch = "x86_64")]
    const MEMBARRIER: c_long = 324;
    #[cfg(target_arch = "aarch64")]
    const MEMBARRIER: c_long = 283;
    const PRIVATE_EXPEDITED: c_int = 8;
    // SAFETY: the call as the kernel wants it.
    unsafe { syscall(MEMBARRIER, PRIVATE_EXPEDITED, 0 as c_int) };
}

/// Calls the kernel's futex, and says whether it succeeded.
fn futex(word: &AtomicU32, operation: c_int, value: u32) -> bool {
    unsafe extern "C" {
        fn syscall(number: c_long, ...) -> c_long;
    }
    #[cfg(target_arch = "x86_64")]
    const FUTEX: c_long = 202;
    #[cfg(target_arch = "aarch64")]
    const FUTEX: c_long = 98;
    // SAFETY: the call as the kernel wants it, without a limit of time.
    unsafe { syscall(FUTEX, word.as_ptr(), operation, value, 0 as c_long) != -1 }
}

/// Checks a shape under weak memory; under sequential consistency exactly `strong` is left.
#[track_caller]
fn litmus(
    threads: &[&[Do]],
    locations: usize,
    finally: Finally,
    strong: &[&str],
    also_weak: &[&str],
) {
    let mut expected: Vec<&str> = strong.iter().chain(also_weak).copied().collect();
    expected.sort_unstable();
    // Enumerating all schedules of more than two threads takes too long.
    let check = |options, expected: &[&str]| match threads.len() {
        2 => check(|| run(threads, locations, finally), &options, expected),
        _ => check_reduced(|| run(threads, locations, finally), &options, expected),
    };
    check(weak(), &expected);
    let mut strong = strong.to_vec();
    strong.sort_unstable();
    check(sc(), &strong);
}

const X: usize = 0;
const Y: usize = 1;

#[test]
fn message_passing_needs_release_and_acquire() {
    let mp = |store, load| {
        [
            vec![W(X, 1, Relaxed), W(Y, 1, store)],
            vec![R(Y, load), R(X, Relaxed)],
        ]
    };
    for (store, load, weak) in [
        (Relaxed, Relaxed, true),
        (Release, Relaxed, true),
        (Relaxed, Acquire, true),
        (Release, Acquire, false),
        (SeqCst, SeqCst, false),
        (Relaxed, SeqCst, true),
        (SeqCst, Acquire, false),
    ] {
        let [writer, reader] = mp(store, load);
        litmus(
            &[&writer, &reader],
            2,
            Finally::Nothing,
            &["00", "01", "11"],
            if weak { &["10"] } else { &[] },
        );
    }
}

#[test]
fn message_passing_works_with_fences() {
    for (first, second, weak) in [
        (Some(Release), Some(Acquire), false),
        (Some(SeqCst), Some(SeqCst), false),
        (Some(AcqRel), Some(AcqRel), false),
        (None, Some(Acquire), true),
        (Some(Release), None, true),
        (Some(Acquire), Some(Release), true),
    ] {
        let writer: Vec<Do> = [Some(W(X, 1, Relaxed)), first.map(F), Some(W(Y, 1, Relaxed))]
            .into_iter()
            .flatten()
            .collect();
        let reader: Vec<Do> = [Some(R(Y, Relaxed)), second.map(F), Some(R(X, Relaxed))]
            .into_iter()
            .flatten()
            .collect();
        litmus(
            &[&writer, &reader],
            2,
            Finally::Nothing,
            &["00", "01", "11"],
            if weak { &["10"] } else { &[] },
        );
    }
}

#[test]
fn store_buffering_needs_sequential_consistency() {
    for (store, load, weak) in [
        (Relaxed, Relaxed, true),
        (Release, Acquire, true),
        (SeqCst, Acquire, true),
        (Release, SeqCst, true),
        (SeqCst, SeqCst, false),
    ] {
        let one = [W(X, 1, store), R(Y, load)];
        let two = [W(Y, 1, store), R(X, load)];
        litmus(
            &[&one, &two],
            2,
            Finally::Nothing,
            &["01", "10", "11"],
            if weak { &["00"] } else { &[] },
        );
    }
}

#[test]
fn store_buffering_works_with_sequentially_consistent_fences_only() {
    for (kind, weak) in [
        (SeqCst, false),
        (AcqRel, true),
        (Release, true),
        (Acquire, true),
    ] {
        let one = [W(X, 1, Relaxed), F(kind), R(Y, Relaxed)];
        let two = [W(Y, 1, Relaxed), F(kind), R(X, Relaxed)];
        litmus(
            &[&one, &two],
            2,
            Finally::Nothing,
            &["01", "10", "11"],
            if weak { &["00"] } else { &[] },
        );
    }
    let fenced = [W(X, 1, Relaxed), F(SeqCst), R(Y, Relaxed)];
    let plain = [W(Y, 1, Relaxed), R(X, Relaxed)];
    litmus(
        &[&fenced, &plain],
        2,
        Finally::Nothing,
        &["01", "10", "11"],
        &["00"],
    );
    let strong = [W(Y, 1, SeqCst), R(X, SeqCst)];
    litmus(
        &[&fenced, &strong],
        2,
        Finally::Nothing,
        &["01", "10", "11"],
        &[],
    );
}

#[test]
fn machine_code_may_be_a_fence() {
    litmus(
        &[
            &[W(X, 1, Relaxed), Asm, R(Y, Relaxed)],
            &[W(Y, 1, Relaxed), F(SeqCst), R(X, Relaxed)],
        ],
        2,
        Finally::Nothing,
        &["01", "10", "11"],
        &[],
    );
}

/// A lock that is taken by machine code and given back by an atomic: what it guards is seen by the next.
#[test]
#[cfg(target_arch = "x86_64")]
fn machine_code_may_change_atomics() {
    let test = || {
        let (lock, first, second) = (AtomicU32::new(0), AtomicU32::new(0), AtomicU32::new(0));
        let work = || {
            let was_locked: u8;
            // SAFETY: it sets a bit of an atomic.
            unsafe {
                atropos_threads::asm!(
                    "lock bts dword ptr [{0:r}], 0",
                    "setc {1}",
                    in(reg) &lock,
                    out(reg_byte) was_locked,
                    options(nostack),
                );
            }
            if was_locked == 0 {
                let value = first.load(Relaxed);
                first.store(value + 1, Relaxed);
                assert_eq!(second.load(Relaxed), value);
                second.store(value + 1, Relaxed);
                lock.fetch_sub(1, Release);
            }
        };
        thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(work);
            }
        });
        say(&second.load(Relaxed).to_string());
    };
    alone(|| {
        for options in [sc(), weak()] {
            // One comes while the other has the lock, or not.
            assert_eq!(ends(&test, &options), ["1", "2"]);
        }
    });
}

/// A thread that looks again and again without a pause must not see an older value after a newer one, though others
/// go on in the middle of a look.
#[test]
fn what_spinning_threads_see_never_goes_back() {
    let test = || {
        let (turn, other) = (AtomicU32::new(0), AtomicU32::new(0));
        let take_turns = |me: u32| {
            let mut last = 0;
            for _ in 0..5 {
                loop {
                    let now = turn.load(Acquire);
                    assert!(now >= last, "{now} after {last}");
                    last = now;
                    if now % 2 == me {
                        break;
                    }
                    other.load(Relaxed);
                }
                turn.store(last + 1, Release);
            }
        };
        thread::scope(|scope| {
            scope.spawn(|| take_turns(1));
            scope.spawn(|| take_turns(0));
        });
    };
    alone(|| {
        let mut executions = 0;
        let mut strategy = Exhaustive::new();
        let report = explore(&test, &weak(), &mut strategy, &mut |_| {
            executions += 1;
            match executions < 500 {
                true => ControlFlow::Continue(()),
                false => ControlFlow::Break(()),
            }
        });
        let failure = report.failure.map(|failure| failure.finding.to_string());
        assert_eq!(failure, None);
    });
}

/// So many crates do it on x86, where it is faster than the instruction for a fence.
#[test]
#[cfg(target_arch = "x86_64")]
fn a_modification_and_a_fence_of_the_compiler_fence_on_x86() {
    let store_buffering = |modify: Do, then: &[Do], weak: &[&str]| {
        let mut first = vec![modify];
        first.extend(then);
        first.push(R(Y, Relaxed));
        litmus(
            &[&first, &[W(Y, 1, Relaxed), F(SeqCst), R(X, Relaxed)]],
            2,
            Finally::Nothing,
            &["001", "010", "011"],
            weak,
        );
    };
    store_buffering(Add(X, 1, SeqCst), &[C(SeqCst)], &[]);
    store_buffering(Add(X, 1, SeqCst), &[], &["000"]);
    store_buffering(Add(X, 1, AcqRel), &[C(SeqCst)], &["000"]);
    store_buffering(Add(X, 1, SeqCst), &[C(Release)], &["000"]);
}

/// As hazard pointers and epochs use it: the frequent side pays nothing.
#[test]
fn the_kernel_fences_all_threads() {
    litmus(
        &[
            &[W(X, 1, Relaxed), C(SeqCst), R(Y, Relaxed)],
            &[W(Y, 1, Relaxed), All, R(X, Relaxed)],
        ],
        2,
        Finally::Nothing,
        &["01", "10", "11"],
        &[],
    );
}

#[test]
fn independent_reads_of_independent_writes_agree_under_seqcst_only() {
    let strong: Vec<String> = (0..16_u32)
        .map(|bits| format!("{bits:04b}"))
        .filter(|result| result != "1010")
        .collect();
    let strong: Vec<&str> = strong.iter().map(String::as_str).collect();
    for (store, load, weak) in [
        (Relaxed, Relaxed, true),
        (Release, Acquire, true),
        (SeqCst, Acquire, true),
        (SeqCst, SeqCst, false),
    ] {
        let readers = ([R(X, load), R(Y, load)], [R(Y, load), R(X, load)]);
        let threads: [&[Do]; 4] = [&[W(X, 1, store)], &[W(Y, 1, store)], &readers.0, &readers.1];
        litmus(
            &threads,
            2,
            Finally::Nothing,
            &strong,
            if weak { &["1010"] } else { &[] },
        );
    }
    let readers = (
        [R(X, Relaxed), F(SeqCst), R(Y, Relaxed)],
        [R(Y, Relaxed), F(SeqCst), R(X, Relaxed)],
    );
    let threads: [&[Do]; 4] = [
        &[W(X, 1, Relaxed)],
        &[W(Y, 1, Relaxed)],
        &readers.0,
        &readers.1,
    ];
    litmus(&threads, 2, Finally::Nothing, &strong, &[]);
}

#[test]
fn reads_of_one_location_never_go_back() {
    for ordering in [Relaxed, Acquire, SeqCst] {
        let threads: [&[Do]; 2] = [
            &[W(X, 1, Relaxed), W(X, 2, Relaxed)],
            &[R(X, ordering), R(X, ordering)],
        ];
        litmus(
            &threads,
            1,
            Finally::Nothing,
            &["00", "01", "02", "11", "12", "22"],
            &[],
        );
    }
}

#[test]
fn two_readers_see_two_writes_to_one_location_in_one_order() {
    let threads: [&[Do]; 4] = [
        &[W(X, 1, Relaxed)],
        &[W(X, 2, Relaxed)],
        &[R(X, Relaxed), R(X, Relaxed)],
        &[R(X, Relaxed), R(X, Relaxed)],
    ];
    let mut strong = Vec::new();
    for a in ["00", "01", "02", "11", "12", "22", "21"] {
        for b in ["00", "01", "02", "11", "12", "22", "21"] {
            if !matches!((a, b), ("12", "21") | ("21", "12")) {
                strong.push(format!("{a}{b}"));
            }
        }
    }
    let strong: Vec<&str> = strong.iter().map(String::as_str).collect();
    litmus(&threads, 1, Finally::Nothing, &strong, &[]);
}

#[test]
fn the_last_write_of_a_thread_wins_over_its_first() {
    let threads: [&[Do]; 2] = [&[W(X, 1, Relaxed), W(X, 2, Relaxed)], &[R(X, Relaxed)]];
    litmus(&threads, 1, Finally::Memory, &["02", "12", "22"], &[]);
    // A thread that has read a write can't put its own write before it.
    let threads: [&[Do]; 2] = [&[W(X, 1, Relaxed)], &[R(X, Relaxed), W(X, 2, Relaxed)]];
    litmus(&threads, 1, Finally::Memory, &["01", "02", "12"], &[]);
}

#[test]
fn two_plus_two_writes_can_both_lose_unless_sequentially_consistent() {
    for (ordering, weak) in [(Relaxed, true), (Release, true), (SeqCst, false)] {
        let one = [W(X, 1, ordering), W(Y, 2, ordering)];
        let two = [W(Y, 1, ordering), W(X, 2, ordering)];
        litmus(
            &[&one, &two],
            2,
            Finally::Memory,
            &["12", "21", "22"],
            if weak { &["11"] } else { &[] },
        );
    }
    let one = [W(X, 1, Relaxed), F(SeqCst), W(Y, 2, Relaxed)];
    let two = [W(Y, 1, Relaxed), F(SeqCst), W(X, 2, Relaxed)];
    litmus(&[&one, &two], 2, Finally::Memory, &["12", "21", "22"], &[]);
}

#[test]
fn causality_passes_through_a_third_thread_with_release_and_acquire() {
    // Results: what the second thread read of x, what the third read of y and then of x.
    for (store, load, weak) in [
        (Relaxed, Relaxed, true),
        (Release, Acquire, false),
        (SeqCst, SeqCst, false),
        (Release, Relaxed, true),
    ] {
        let second = [R(X, load), Add(Y, 1, store)];
        let third = [R(Y, load), R(X, Relaxed)];
        let threads: [&[Do]; 3] = [&[W(X, 1, store)], &second, &third];
        // The old value of y is part of the second thread's result and always 0.
        let all: &[&str] = &["0000", "0001", "0010", "0011", "1000", "1001", "1011"];
        litmus(
            &threads,
            2,
            Finally::Nothing,
            all,
            if weak { &["1010"] } else { &[] },
        );
    }
}

#[test]
fn read_modify_writes_are_never_lost() {
    for ordering in [Relaxed, AcqRel, SeqCst] {
        let threads: [&[Do]; 3] = [
            &[Add(X, 1, ordering)],
            &[Add(X, 1, ordering)],
            &[Add(X, 1, ordering)],
        ];
        litmus(
            &threads,
            1,
            Finally::Memory,
            &["0123", "0213", "1023", "1203", "2013", "2103"],
            &[],
        );
    }
}

#[test]
fn a_release_sequence_goes_through_read_modify_writes() {
    // x is published by the release store; the relaxed addition continues its sequence.
    let threads: [&[Do]; 3] = [
        &[W(X, 1, Relaxed), W(Y, 1, Release)],
        &[Add(Y, 1, Relaxed)],
        &[R(Y, Acquire), R(X, Relaxed)],
    ];
    check_reduced(
        || run(&threads, 2, Finally::Nothing),
        &weak(),
        &["000", "001", "010", "011", "100", "101", "111", "121"],
    );
}

#[test]
fn a_value_that_was_read_often_may_still_be_read_when_it_is_out_of_date() {
    let mut reader = vec![R(X, Relaxed); 12];
    reader.extend([R(Y, Relaxed), R(X, Relaxed)]);
    let threads: [&[Do]; 2] = [&[W(X, 1, Relaxed), W(Y, 1, Relaxed)], &reader];
    let seen = |end: &String| end.starts_with("000000000000") && end.ends_with("10");
    alone(|| {
        let ends = ends(&|| run(&threads, 2, Finally::Nothing), &weak());
        assert!(ends.iter().any(seen), "{ends:?}");
    });
}

#[test]
fn load_buffering_is_not_shown() {
    let threads: [&[Do]; 2] = [
        &[R(X, Relaxed), W(Y, 1, Relaxed)],
        &[R(Y, Relaxed), W(X, 1, Relaxed)],
    ];
    litmus(&threads, 2, Finally::Nothing, &["00", "01", "10"], &[]);
}

#[test]
fn who_is_woken_by_the_kernel_sees_what_the_other_did_before() {
    const WAIT: c_int = 0;
    const WAKE: c_int = 1;
    let test = || {
        let (data, word) = (AtomicU32::new(0), AtomicU32::new(0));
        thread::scope(|scope| {
            scope.spawn(|| {
                data.store(1, Relaxed);
                word.store(1, Relaxed);
                futex(&word, WAKE, 1);
            });
            let how = match futex(&word, WAIT, 0) {
                true => "woken",
                false => "not asleep",
            };
            say(&format!("{how} {}", data.load(Relaxed)));
        });
    };
    // That the word is another says nothing of the data.
    let expected = ["not asleep 0", "not asleep 1", "woken 1"];
    check(test, &weak(), &expected);
}

#[test]
fn who_reads_from_a_pipe_sees_what_the_writer_did_before() {
    use std::io::{Read, Write};
    let test = || {
        let (mut reader, mut writer) = std::io::pipe().unwrap();
        let data = AtomicU32::new(0);
        thread::scope(|scope| {
            scope.spawn(|| {
                data.store(1, Relaxed);
                writer.write_all(b"x").unwrap();
            });
            reader.read_exact(&mut [0]).unwrap();
            say(&data.load(Relaxed).to_string());
        });
    };
    check_reduced(test, &weak(), &["1"]);
}

/// Two threads that each store, fence and load what the other stores; the fence is this.
fn store_buffering_with(fence: fn()) -> usize {
    let test = move || {
        let shared = Arc::new([AtomicU32::new(0), AtomicU32::new(0)]);
        let other = shared.clone();
        let thread = thread::spawn(move || {
            other[0].store(1, Relaxed);
            fence();
            other[1].load(Relaxed)
        });
        shared[1].store(1, Relaxed);
        fence();
        let here = shared[0].load(Relaxed);
        say(&format!("{here}{}", thread.join().unwrap()));
    };
    ends(&test, &weak()).len()
}

#[cfg(target_arch = "x86_64")]
#[test]
fn a_modification_of_a_new_variable_on_its_own_stack_is_a_fence_on_x86() {
    alone(|| {
        assert_eq!(store_buffering_with(|| ()), 4);
        let by_own_variable = || {
            let own = AtomicU32::new(0);
            let _ = own.compare_exchange(0, 1, SeqCst, SeqCst);
        };
        assert_eq!(store_buffering_with(by_own_variable), 3);
        let too_weak = || {
            let own = AtomicU32::new(0);
            let _ = own.compare_exchange(0, 1, AcqRel, Relaxed);
        };
        assert_eq!(store_buffering_with(too_weak), 4);
    });
}
