//! What an execution must not inherit or leave behind.

use std::sync::Arc;

use atropos_search::{
    Exhaustive, Replay, SampleSpec, Search, SearchOrder, Strategy, Strictness, Uniform,
};
use atropos_threads::atomic::{AtomicU32, Ordering::SeqCst};
use atropos_threads::sync::{LazyLock, Mutex};
use atropos_threads::{ControlOptions, explore, replay, say, survey, thread};

use crate::alone::{all_ends, alone, count, ends, resident_kilobytes, sc, weak};

static COUNT: AtomicU32 = AtomicU32::new(5);
static LIST: Mutex<Vec<String>> = Mutex::new(Vec::new());
static LAZY: LazyLock<Vec<u32>> = LazyLock::new(|| vec![COUNT.load(SeqCst)]);

fn uses_statics() {
    let thread = thread::spawn(|| {
        COUNT.fetch_add(1, SeqCst);
        LIST.lock().unwrap().push("thread".to_string());
    });
    LIST.lock().unwrap().push("main".to_string());
    thread.join().unwrap();
    say(&format!(
        "{} {} {:?}",
        COUNT.load(SeqCst),
        LIST.lock().unwrap().len(),
        *LAZY
    ));
}

#[test]
fn statics_are_fresh_in_every_schedule() {
    alone(|| {
        assert_eq!(all_ends(&uses_statics, &sc()), ["6 2 [6]"]);
        assert_eq!(ends(&uses_statics, &weak()), ["6 2 [6]"]);
        // Nor is anything left behind.
        assert_eq!(COUNT.load(SeqCst), 5);
        assert!(LIST.lock().unwrap().is_empty());
    });
}

#[test]
fn what_an_execution_leaves_open_is_closed_before_the_next() {
    let open = || std::fs::read_dir("/proc/self/fd").unwrap().count();
    let test = || {
        std::mem::forget(std::fs::File::open("/dev/null").unwrap());
        let file = std::fs::File::open("/dev/null").unwrap();
        thread::spawn(|| {}).join().unwrap();
        drop(file);
    };
    alone(|| {
        let before = open();
        let own = std::fs::File::open("/dev/null").unwrap();
        let executions = survey(&test, &sc(), &mut Uniform::new(SampleSpec::new(500, 1))).1;
        assert_eq!(executions.progress.executions, 500);
        assert!(open() < before + 20, "{} are open", open());
        assert!(own.metadata().is_ok(), "this was open before");
    });
}

#[test]
fn a_hundred_thousand_schedules_do_not_grow_the_process() {
    let test = || {
        let lists: Vec<_> = (0..2)
            .map(|_| Arc::new(Mutex::new(vec![0_u8; 1000])))
            .collect();
        let (a, b) = (lists[0].clone(), lists[1].clone());
        // Half of the schedules deadlock and leave their stacks and heaps as they are.
        let thread = thread::spawn(move || {
            let _b = b.lock().unwrap();
            let _a = a.lock().unwrap();
        });
        let _a = lists[0].lock().unwrap();
        let _b = lists[1].lock().unwrap();
        drop((_a, _b));
        thread.join().unwrap();
    };
    alone(|| {
        let run = |schedules| {
            survey(
                &test,
                &sc(),
                &mut Uniform::new(SampleSpec::new(schedules, 1)),
            )
            .0
        };
        let ends = run(10_000);
        assert!(ends["deadlock"] > 1000, "{ends:?}");
        let before = resident_kilobytes();
        run(100_000);
        let after = resident_kilobytes();
        assert!(
            after < before + 2000,
            "{before} kB before, {after} kB after"
        );
    });
}

#[test]
fn a_descriptor_that_is_guarded_stays_open() {
    use std::os::fd::{AsRawFd as _, FromRawFd as _, OwnedFd};
    alone(|| {
        let [ours, theirs] = [0, 1].map(|_| std::fs::File::open("/dev/null").unwrap());
        atropos_threads::guard_descriptor(ours.as_raw_fd());
        let numbers = [&ours, &theirs].map(|file| file.as_raw_fd());
        let test = || {
            for number in numbers {
                // SAFETY: both are open; nobody uses them meanwhile.
                drop(unsafe { OwnedFd::from_raw_fd(number) });
            }
        };
        let report = explore(&test, &sc(), &mut Exhaustive::new(), &mut |_| {
            std::ops::ControlFlow::Break(())
        });
        assert!(report.failure.is_none());
        assert!(ours.metadata().is_ok());
        assert!(theirs.metadata().is_err(), "what is not ours is closed");
        std::mem::forget(theirs);
        atropos_threads::guard_descriptor(-1);
    });
}

#[test]
fn more_threads_than_can_be_controlled_are_no_failure() {
    alone(|| {
        let test = || (0..5000).for_each(|_| drop(thread::spawn(|| {})));
        let report = explore(&test, &sc(), &mut Exhaustive::new(), &mut |_| {
            std::ops::ControlFlow::Break(())
        });
        assert!(report.failure.is_none());
        let remarks: Vec<String> = report.remarks.iter().map(|remark| remark.title()).collect();
        assert_eq!(
            remarks,
            ["not under control: it starts more than 4096 threads"]
        );
    });
}

#[test]
fn a_hundred_threads_work() {
    alone(|| {
        let test = || {
            let sum = Arc::new(Mutex::new(0));
            let threads: Vec<_> = (0..100)
                .map(|number| {
                    let sum = sum.clone();
                    thread::spawn(move || *sum.lock().unwrap() += number)
                })
                .collect();
            for thread in threads {
                thread.join().unwrap();
            }
            say(&sum.lock().unwrap().to_string());
        };
        let (ends, _) = survey(&test, &weak(), &mut Uniform::new(SampleSpec::new(50, 3)));
        assert_eq!(ends.into_keys().collect::<Vec<_>>(), ["4950"]);
    });
}

#[test]
fn a_million_scheduling_points_work() {
    alone(|| {
        let test = || {
            let sum = AtomicU32::new(0);
            thread::scope(|scope| {
                for _ in 0..2 {
                    scope.spawn(|| (0..500_000).for_each(|_| _ = sum.fetch_add(1, SeqCst)));
                }
            });
            say(&sum.load(SeqCst).to_string());
        };
        for options in [sc(), weak()] {
            let options = ControlOptions {
                step_limit: 2_000_000,
                ..options
            };
            let (ends, _) = survey(&test, &options, &mut Uniform::new(SampleSpec::new(1, 3)));
            assert_eq!(ends.into_keys().collect::<Vec<_>>(), ["1000000"]);
        }
        let (ends, _) = survey(&test, &sc(), &mut Uniform::new(SampleSpec::new(1, 3)));
        assert_eq!(ends.into_keys().collect::<Vec<_>>(), ["step limit"]);
    });
}

fn locks(n: u32) {
    let counter = Arc::new(Mutex::new(0));
    let other = counter.clone();
    let work = move |counter: &Mutex<u32>| (0..n).for_each(|_| *counter.lock().unwrap() += 1);
    let threads = [
        thread::spawn(move || work(&other)),
        thread::spawn(move || work(&counter)),
    ];
    for thread in threads {
        thread.join().unwrap();
    }
}

#[test]
fn reduction_needs_one_schedule_per_order_of_critical_sections() {
    alone(|| {
        for (n, orders) in [(2, 6), (3, 20), (4, 70), (5, 252)] {
            assert_eq!(
                count(&move || locks(n), &sc(), &mut Exhaustive::new()),
                orders
            );
        }
    });
}

#[test]
fn a_failing_schedule_replays_to_the_same_end_with_a_trace() {
    alone(|| {
        let test = || {
            let (a, b) = (Arc::new(Mutex::new(())), Arc::new(Mutex::new(())));
            let (c, d) = (a.clone(), b.clone());
            let other = thread::Builder::new()
                .name("other".to_string())
                .spawn(move || {
                    let _d = d.lock().unwrap();
                    let _c = c.lock().unwrap();
                });
            let _a = a.lock().unwrap();
            let _b = b.lock().unwrap();
            drop((_a, _b));
            other.unwrap().join().unwrap();
        };
        let report = explore(&test, &sc(), &mut Exhaustive::new(), &mut |_| {
            std::ops::ControlFlow::Continue(())
        });
        let failure = report.failure.expect("it deadlocks");
        assert!(failure.replayed);
        let text = failure.finding.to_string();
        assert!(text.starts_with("deadlock:"), "{text}");
        assert!(
            text.contains("thread 1 \"other\" locks at ")
                && text.contains("held by thread 0 since"),
            "{text}"
        );
        assert!(text.contains("world.rs"), "{text}");
        assert!(
            failure.trace.to_string().contains("starts thread 1"),
            "{}",
            failure.trace
        );
        let parsed = failure.schedule.to_string().parse().unwrap();
        let (end, notes, _) = replay(&test, &sc(), &parsed);
        assert!(end.is_failure());
        assert_eq!(notes.failure.unwrap().to_string(), text);
    });
}

/// Small programs of two or three threads on shared locks, atomics and a channel, from a seed.
fn generated(seed: u64, threads: u64, steps: u64) {
    use atropos_threads::sync::mpsc;
    let mut random = atropos_search::XorShift::new(seed);
    let programs: Vec<Vec<u64>> = (0..threads)
        .map(|_| (0..steps).map(|_| random.below(9)).collect())
        .collect();
    let shared = (Mutex::new(1_u32), [AtomicU32::new(0), AtomicU32::new(0)]);
    let (sender, receiver) = mpsc::channel::<u32>();
    let results: Vec<u32> = thread::scope(|scope| {
        let run = |number: usize, program: &[u64], sender: mpsc::Sender<u32>| {
            let mut seen = 1_u32;
            let mut see = |value: u32| seen = seen.wrapping_mul(31).wrapping_add(value);
            for step in program {
                match step {
                    0 => see(shared.1[0].load(SeqCst)),
                    1 => shared.1[0].store(number as u32 + 1, SeqCst),
                    2 => see(shared.1[1].fetch_add(number as u32 + 1, SeqCst)),
                    3 => see(u32::from(
                        shared.1[1].compare_exchange(0, 7, SeqCst, SeqCst).is_ok(),
                    )),
                    4 => {
                        let mut guard = shared.0.lock().unwrap();
                        *guard = guard.wrapping_mul(3) + number as u32;
                        see(*guard);
                    }
                    5 => see(shared.0.try_lock().map_or(99, |guard| *guard)),
                    6 => sender.send(number as u32).unwrap(),
                    7 => {
                        let guard = shared.0.lock().unwrap();
                        shared.1[0].store(*guard, SeqCst);
                    }
                    _ => see(shared.1[1].swap(number as u32, SeqCst)),
                }
            }
            seen
        };
        let handles: Vec<_> = programs
            .iter()
            .enumerate()
            .map(|(number, program)| {
                let sender = sender.clone();
                scope.spawn(move || run(number, program, sender))
            })
            .collect();
        handles
            .into_iter()
            .map(|handle| handle.join().unwrap())
            .collect()
    });
    drop(sender);
    let messages: Vec<u32> = receiver.iter().collect();
    say(&format!(
        "{results:?} {messages:?} {} {} {}",
        shared.0.lock().unwrap(),
        shared.1[0].load(SeqCst),
        shared.1[1].load(SeqCst)
    ));
}

#[test]
fn all_strategies_find_the_same_ends_of_generated_programs() {
    alone(|| {
        for seed in 0..20 {
            let test = move || generated(seed, 2, 3);
            let run = |strategy: &mut dyn Strategy| {
                let (ends, report) = survey(&test, &sc(), strategy);
                assert_eq!(report.divergence, None, "seed {seed}");
                ends.into_keys().collect::<Vec<_>>()
            };
            let all = run(&mut Search::enumeration());
            assert_eq!(run(&mut Exhaustive::new()), all, "exhaustive, seed {seed}");
            assert_eq!(
                run(&mut Search::stateful(SearchOrder::DepthFirst)),
                all,
                "stateful, seed {seed}"
            );
        }
        for seed in 0..6 {
            let test = move || generated(seed, 3, 2);
            let (reduced, _) = survey(&test, &sc(), &mut Exhaustive::new());
            let (stateful, _) =
                survey(&test, &sc(), &mut Search::stateful(SearchOrder::DepthFirst));
            assert_eq!(
                reduced.keys().collect::<Vec<_>>(),
                stateful.keys().collect::<Vec<_>>(),
                "seed {seed}"
            );
        }
    });
}

#[test]
fn the_same_schedule_gives_the_same_questions() {
    alone(|| {
        let mut first = Uniform::new(SampleSpec::new(1, 5));
        let mut system =
            atropos_threads::ThreadedTest::new(&|| generated(3, 3, 4), &ControlOptions::default());
        assert!(first.begin());
        let end = atropos_search::System::run(&mut system, &mut first);
        first.end(end);
        let mut second = Replay::new(&first.schedule(), Strictness::Exact);
        assert!(second.begin());
        let again = atropos_search::System::run(&mut system, &mut second);
        second.end(again);
        assert_eq!((again, second.divergence()), (end, None));
    });
}

#[test]
fn an_os_thread_that_nobody_controls_is_named() {
    alone(|| {
        // A program that goes behind the facade's back, as foreign code would.
        let test = || std::thread::spawn(|| {}).join().unwrap_or_default();
        let report = explore(&test, &sc(), &mut Exhaustive::new(), &mut |_| {
            std::ops::ControlFlow::Break(())
        });
        let remarks: Vec<String> = report.remarks.iter().map(|remark| remark.title()).collect();
        assert_eq!(
            remarks,
            ["not under control: an OS thread that nobody controls is started"]
        );
    });
}

#[test]
fn what_changes_the_world_outside_is_named() {
    unsafe extern "C" {
        fn kill(process: i32, signal: i32) -> i32;
    }
    fn check(test: impl Fn() + Sync, expected: &[&str]) {
        alone(|| {
            let report = explore(&test, &sc(), &mut Exhaustive::new(), &mut |_| {
                std::ops::ControlFlow::Break(())
            });
            let remarks: Vec<String> = report.remarks.iter().map(|remark| remark.title()).collect();
            assert_eq!(remarks, expected);
        });
    }
    let path = std::env::temp_dir().join(format!("atropos-outside-{}", std::process::id()));
    std::fs::create_dir(&path).unwrap();
    let written = path.join("written");
    check(
        || std::fs::write(&written, "y").unwrap(),
        &["not under control: a file is written"],
    );
    assert!(!written.exists(), "it is not let through");
    std::fs::write(&written, "x").unwrap();
    check(
        || assert_eq!(std::fs::read_to_string(&written).unwrap(), "x"),
        &[],
    );
    check(
        || std::fs::remove_file(&written).unwrap(),
        &["not under control: a file is removed"],
    );
    check(
        || std::fs::remove_dir_all(&path).unwrap(),
        &["not under control: a file is removed"],
    );
    check(
        || std::fs::rename(&written, path.join("renamed")).unwrap(),
        &["not under control: a file is renamed"],
    );
    assert_eq!(std::fs::read_to_string(&written).unwrap(), "x");
    check(
        || std::fs::create_dir(path.join("made")).unwrap(),
        &["not under control: a directory is made"],
    );
    check(
        || std::env::set_current_dir(&path).unwrap(),
        &["not under control: the current directory is changed"],
    );
    // With a signal that is ignored by those who don't listen.
    check(
        || assert_eq!(unsafe { kill(-1, 23) }, 0),
        &["not under control: a signal is sent"],
    );
    check(|| assert_eq!(unsafe { kill(-1, 0) }, 0), &[]);
    check(
        || drop(std::fs::read("/proc/self/statm").unwrap()),
        &["not under control: its memory is measured"],
    );
    check(|| drop(std::fs::read("/proc/self/cgroup")), &[]);
    let null = || std::fs::write("/dev/null", "x").unwrap();
    check(null, &[]);
    std::fs::remove_dir_all(path).unwrap();
}

#[test]
fn a_thread_that_waits_for_a_file_lets_the_others_run() {
    use std::io::{Read, Write};
    #[repr(C)]
    struct PollFile {
        file: i32,
        wanted: i16,
        found: i16,
    }
    unsafe extern "C" {
        fn poll(files: *mut PollFile, count: u64, timeout: i32) -> i32;
    }
    alone(|| {
        let test = || {
            let (mut reader, mut writer) = std::io::pipe().unwrap();
            let thread = thread::spawn(move || writer.write_all(b"x").unwrap());
            let file = std::os::fd::AsRawFd::as_raw_fd(&reader);
            let mut file = PollFile {
                file,
                wanted: 1,
                found: 0,
            };
            // SAFETY: one file with room for its answer.
            assert_eq!(unsafe { poll(&mut file, 1, -1) }, 1);
            // Readable; the other end may be closed by now, which is told too.
            assert_eq!(file.found & 1, 1);
            let mut text = String::new();
            reader.read_to_string(&mut text).unwrap();
            thread.join().unwrap();
            say(&text);
        };
        assert_eq!(ends(&test, &sc()), ["x"]);
    });
}

#[test]
fn a_thread_that_does_not_want_to_wait_for_a_file_is_told_that_nothing_is_there() {
    use std::io::{ErrorKind, Read, Write};
    use std::os::unix::net::UnixStream;
    unsafe extern "C" {
        fn recv(file: i32, buffer: *mut u8, length: usize, flags: i32) -> isize;
    }
    const DONT_WAIT: i32 = 0x40;
    alone(|| {
        let alone = || {
            let (mut reader, _writer) = UnixStream::pair().unwrap();
            let mut byte = [0];
            let file = std::os::fd::AsRawFd::as_raw_fd(&reader);
            // SAFETY: there is room for one byte.
            assert_eq!(unsafe { recv(file, byte.as_mut_ptr(), 1, DONT_WAIT) }, -1);
            reader.set_nonblocking(true).unwrap();
            say(&format!("{:?}", reader.read(&mut byte).unwrap_err().kind()));
        };
        assert_eq!(ends(&alone, &sc()), ["WouldBlock"]);
        // It depends on who goes first.
        let with_another = || {
            let (mut reader, mut writer) = UnixStream::pair().unwrap();
            reader.set_nonblocking(true).unwrap();
            let thread = thread::spawn(move || writer.write_all(b"x").unwrap());
            let mut byte = [0];
            match reader.read(&mut byte) {
                Ok(_) => say("something"),
                Err(error) if error.kind() == ErrorKind::WouldBlock => say("nothing"),
                Err(error) => panic!("{error}"),
            }
            thread.join().unwrap();
        };
        assert_eq!(ends(&with_another, &sc()), ["nothing", "something"]);
    });
}

#[test]
fn an_execution_ends_where_it_waits_for_what_nobody_in_it_sends() {
    alone(|| {
        let test = || {
            let socket = std::net::UdpSocket::bind("127.0.0.1:0").unwrap();
            let _ = socket.recv(&mut [0; 8]);
        };
        let report = explore(&test, &sc(), &mut Exhaustive::new(), &mut |_| {
            std::ops::ControlFlow::Break(())
        });
        let remarks: Vec<String> = report.remarks.iter().map(|remark| remark.title()).collect();
        assert_eq!(remarks, ["not under control: recv"]);
    });
}

#[test]
fn a_thread_that_writes_more_than_there_is_room_for_lets_others_read() {
    use std::io::{Read, Write};
    use std::os::unix::net::{UnixDatagram, UnixStream};
    fn pass(mut from: impl Read, mut to: impl Write + Send + 'static) {
        let thread = thread::spawn(move || assert_eq!(to.write(&[1; 300_000]).unwrap(), 300_000));
        let mut all = Vec::new();
        from.read_to_end(&mut all).unwrap();
        assert_eq!(all.len(), 300_000);
        thread.join().unwrap();
    }
    let pipe = || {
        let (reader, writer) = std::io::pipe().unwrap();
        pass(reader, writer);
    };
    let stream = || {
        let (reader, writer) = UnixStream::pair().unwrap();
        pass(reader, writer);
    };
    let message = || {
        let (reader, writer) = UnixDatagram::pair().unwrap();
        assert_eq!(writer.send(&[1; 10_000]).unwrap(), 10_000);
        assert_eq!(reader.recv(&mut [0; 20_000]).unwrap(), 10_000);
    };
    let tests: [&(dyn Fn() + Sync); 3] = [&pipe, &stream, &message];
    for test in tests {
        alone(|| {
            let mut left = 10;
            let report = explore(test, &sc(), &mut Exhaustive::new(), &mut |_| {
                left -= 1;
                match left {
                    0 => std::ops::ControlFlow::Break(()),
                    _ => std::ops::ControlFlow::Continue(()),
                }
            });
            assert!(report.failure.is_none() && report.remarks.is_empty());
        });
    }
}
