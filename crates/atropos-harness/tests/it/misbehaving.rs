//! Mutants that do what mutants do: each must get its exact verdict, and harm nobody else.

use std::path::PathBuf;
use std::process::{Child, Command};
use std::sync::OnceLock;
use std::time::Duration;

use atropos_protocol::{Effect, FailureKind, Limits, RunMode, STACK_OVERFLOW, TestResult};

use crate::support::{Driver, Kind, compile, limits};

const PROGRAM: &str = r#"
use atropos_runtime::{at, step};
use std::io::Write as _;

unsafe extern "C" {
    fn close(fd: i32) -> i32;
    fn raise(signal: i32) -> i32;
    fn kill(process: i32, signal: i32) -> i32;
    fn getppid() -> i32;
    fn write(fd: i32, bytes: *const u8, count: usize) -> isize;
    fn eventfd(value: u32, flags: i32) -> i32;
    fn epoll_create1(flags: i32) -> i32;
    fn epoll_ctl(epoll: i32, operation: i32, fd: i32, event: *const [u32; 4]) -> i32;
    fn epoll_wait(epoll: i32, events: *mut [u32; 4], most: i32, timeout: i32) -> i32;
}

struct Bomb(&'static str);
impl Drop for Bomb {
    fn drop(&mut self) { panic!("{}", self.0) }
}

fn recurse(n: u64) -> u64 {
    step(0);
    if n == u64::MAX { 0 } else { recurse(n + 1) + 1 }
}

#[allow(unconditional_recursion)]
fn overflow(n: u64) -> u64 {
    let frame = std::hint::black_box([n; 4096]);
    overflow(n + 1) + frame[(n % 4096) as usize]
}

/// Nothing happens to those who don't listen.
const SIGURG: i32 = 23;

fn sleep_forever() {
    std::thread::sleep(std::time::Duration::from_secs(3600));
}

/// Two threads that are almost always found waiting.
fn pass_around(rounds: u32) -> u32 {
    let (there, other) = std::sync::mpsc::channel();
    let (back, here) = std::sync::mpsc::channel();
    std::thread::spawn(move || for ball in other { back.send(ball).unwrap(); });
    for ball in 0..rounds {
        there.send(ball).unwrap();
        assert_eq!(here.recv(), Ok(ball));
        std::thread::sleep(std::time::Duration::from_micros(200));
    }
    7
}

/// An event loop with one source of events.
fn wait_for_event(prepare: impl FnOnce(i32)) -> u32 {
    unsafe {
        let (event, epoll) = (eventfd(0, 0), epoll_create1(0));
        assert_eq!(epoll_ctl(epoll, 1, event, &[1, 0, 0, 0]), 0);
        prepare(event);
        6 + epoll_wait(epoll, &mut [0; 4], 1, -1) as u32
    }
}

fn wait_busily(time: std::time::Duration) {
    let start = std::time::Instant::now();
    while start.elapsed() < time {
        (0..1000).for_each(|_| step(0));
    }
}

/// Gives what writing the last block said.
fn fill(blocks: u32) -> std::io::Result<()> {
    let path = std::env::temp_dir().join("filled");
    let mut file = std::fs::File::create(path)?;
    (0..blocks).try_for_each(|_| file.write_all(&[7; 1 << 16]))
}

fn misbehave() -> u32 {
    step(0);
    match at(1) {
        1 => loop { step(0); },
        2 => recurse(0) as u32,
        3 => overflow(0) as u32,
        4 => std::process::abort(),
        5 => { let _bomb = Bomb("second"); panic!("first") }
        6 => unsafe { std::arch::asm!("", options(nomem)); *std::hint::black_box(16 as *mut u32) },
        7 => std::process::exit(0),
        8 => { let mut all = vec![]; loop { all.push(vec![1u8; 100_000]); } }
        9 => { for fd in 0..3 { unsafe { close(fd); } } 7 }
        10 => { for fd in 0..2000 { unsafe { close(fd); } } 8 }
        11 => {
            let line = "x".repeat(1000);
            for _ in 0..8000 { println!("{line}"); eprintln!("{line}"); }
            7
        }
        12 => { std::env::set_current_dir("/proc").unwrap(); 7 }
        13 => { unsafe { std::env::set_var("MISBEHAVED", "1"); } 7 }
        14 => { let _bomb = Bomb("in drop"); 7 }
        15 => loop { std::hint::spin_loop(); },
        16 => { sleep_forever(); 7 }
        17 => std::process::exit(3),
        18 => { let huge: Vec<u8> = Vec::with_capacity(1 << 46); huge.capacity() as u32 }
        19 => { std::thread::spawn(sleep_forever); 7 }
        20 => { std::thread::spawn(sleep_forever); 8 }
        21 => { unsafe { raise(9); } 7 }
        22 => { std::process::Command::new("sleep").arg("3571").spawn().unwrap(); 7 }
        23 => {
            std::process::Command::new("setsid").args(["sh", "-c", "sleep 3572 & sleep 3573"])
                .spawn().unwrap();
            8
        }
        24 => { std::thread::spawn(|| panic!("elsewhere")).join().unwrap(); 7 }
        25 => { let _ = std::panic::catch_unwind(|| panic!("caught")); 7 }
        26 => std::panic::panic_any(17),
        27 => {
            std::panic::set_hook(Box::new(|_| ()));
            panic!("with another hook")
        }
        28 => unsafe { extern "C" fn no_unwind() { panic!("cannot unwind") } no_unwind(); 7 },
        30 => {
            let lock = std::sync::Mutex::new(());
            let _first = lock.lock();
            let _second = lock.lock();
            7
        }
        31 => { std::thread::spawn(|| std::thread::park()).join().unwrap(); 7 }
        32 => pass_around(2000),
        33 => wait_for_event(|_| ()),
        34 => wait_for_event(|event| {
            std::thread::spawn(move || {
                std::thread::sleep(std::time::Duration::from_millis(600));
                unsafe { write(event, 1u64.to_ne_bytes().as_ptr(), 8) }
            });
        }),
        35 => { let _ = fill(u32::MAX); 7 }
        38 => { unsafe { kill(-1, SIGURG); } 7 }
        39 => { unsafe { kill(getppid(), SIGURG); } 7 }
        40 => { unsafe { kill(0, SIGURG); kill(-1, 0); } 7 }
        41 => {
            let mut child = std::process::Command::new("sleep").arg("3575").spawn().unwrap();
            unsafe { kill(child.id() as i32, 9); }
            if child.wait().unwrap().success() { 8 } else { 7 }
        }
        36 => loop { std::thread::spawn(sleep_forever); },
        37 => loop { std::process::Command::new("sleep").arg("3574").spawn().unwrap(); },
        42 => { wait_busily(std::time::Duration::from_millis(300)); 7 }
        43 => { wait_busily(std::time::Duration::ZERO); loop { step(0); } }
        29 => { std::io::stdout().write_all(&[0xff; 10]).unwrap(); 7 }
        _ => 7,
    }
}

#[test]
fn seven() {
    assert_eq!(std::env::var_os("MISBEHAVED"), None);
    assert_ne!(std::env::current_dir().unwrap().to_str(), Some("/proc"));
    assert_eq!(misbehave(), 7);
}

#[test]
#[should_panic(expected = "seven")]
fn panics_if_seven() {
    if misbehave() == 7 { panic!("seven") }
}

#[test]
fn binds_a_port() { let _ = std::net::TcpListener::bind(("127.0.0.1", 47613)); }

#[test]
fn binds_any_port() { std::net::UdpSocket::bind(("::", 0)).unwrap(); }

#[test]
fn original_fills() { fill(100).unwrap() }

#[test]
fn original_exits() { std::process::exit(0) }

#[test]
fn original_aborts() { std::process::abort() }

#[test]
fn original_hangs() { sleep_forever() }
"#;

const POINTS: &[(u32, u16)] = &[(1, 43)];

fn driver() -> Driver {
    static PROGRAM_PATH: OnceLock<PathBuf> = OnceLock::new();
    let program = PROGRAM_PATH.get_or_init(|| compile(PROGRAM, Kind::Test));
    Driver::start(program, POINTS)
}

/// Runs one mutant in all three ways; each must say the same.
fn check(mutant: u32, expected: TestResult, message: &str) {
    check_within(mutant, expected, message, &limits());
}

fn check_within(mutant: u32, expected: TestResult, message: &str, limits: &Limits) {
    let mut driver = driver();
    for way in [RunMode::Fork, RunMode::Each, RunMode::Batch] {
        let (test_runs, _) = driver.run_with(way, "seven", &[mutant], limits);
        let test_run = &test_runs[&mutant];
        // Whether it had the processors depends on what else the machine does.
        let is_expected = match expected {
            expected if expected.is_of_the_clock() => test_run.result.is_of_the_clock(),
            expected => test_run.result == expected,
        };
        assert!(is_expected, "{way:?}: {test_run:?}");
        assert!(test_run.message.contains(message), "{way:?}: {test_run:?}");
        assert_harmless(&mut driver);
    }
}

fn in_a_hurry() -> Limits {
    Limits {
        time: Duration::from_millis(700),
        ..limits()
    }
}

/// As `check`, for what only a process of its own may do.
fn check_own(mutant: u32, expected: TestResult, message: &str) {
    let mut driver = driver();
    for way in [RunMode::Fork, RunMode::Batch] {
        let test_run = &driver.run(way, "seven", &[mutant])[&mutant];
        assert_eq!(test_run.result, TestResult::NeedsOwnProcess, "{way:?}");
        assert_harmless(&mut driver);
    }
    let test_run = &driver.run(RunMode::Each, "seven", &[mutant])[&mutant];
    assert_eq!(test_run.result, expected, "{test_run:?}");
    assert!(test_run.message.contains(message), "{test_run:?}");
    assert_harmless(&mut driver);
}

/// The zygote still works, has no children, and the original still passes.
fn assert_harmless(driver: &mut Driver) {
    let pid = driver.client.id();
    let children = std::fs::read_to_string(format!("/proc/{pid}/task/{pid}/children")).unwrap();
    assert_eq!(children, "");
    let baseline = driver.baseline("seven");
    assert!(baseline.passed(), "{baseline:?}");
}

#[test]
fn an_endless_loop_runs_into_the_step_limit() {
    check(1, TestResult::failed(FailureKind::StepLimit), "");
}

/// Its steps are as many as the machine makes in the time that it waits for.
#[test]
fn who_looks_at_the_clock_all_the_time_may_take_any_number_of_steps() {
    let limits = Limits {
        steps: 100_000,
        ..limits()
    };
    check_within(42, TestResult::Passed, "", &limits);
    check_within(43, TestResult::failed(FailureKind::StepLimit), "", &limits);
}

#[test]
fn endless_recursion_runs_into_the_step_limit() {
    check(2, TestResult::failed(FailureKind::StepLimit), "");
}

#[test]
fn a_stack_overflow_is_told_from_other_crashes() {
    check(3, TestResult::crashed(STACK_OVERFLOW), "");
}

#[test]
fn an_abort_is_a_crash() {
    check(4, TestResult::crashed(6), "");
}

#[test]
fn a_double_panic_is_a_crash_with_a_message() {
    check(5, TestResult::crashed(6), "second");
}

#[test]
fn a_segmentation_fault_is_a_crash() {
    check(6, TestResult::crashed(11), "");
}

#[test]
fn an_exit_with_success_in_the_middle_is_noticed() {
    check(7, TestResult::exited(0), "");
}

#[test]
fn a_memory_explosion_runs_into_the_memory_limit() {
    check(8, TestResult::failed(FailureKind::MemoryLimit), "");
}

#[test]
fn a_file_without_end_runs_into_the_file_limit() {
    check_own(35, TestResult::failed(FailureKind::FileLimit), "");
}

#[test]
fn an_original_that_writes_large_files_is_told_from_others() {
    let mut driver = driver();
    assert!(driver.baseline("original_fills").passed());
    let index = driver.index("original_fills");
    let capture = driver.scratch.join("captured");
    for (file_size, is_enough) in [(1 << 20, false), (1 << 23, true)] {
        let limits = Limits {
            file_size,
            ..Limits::only_time(Duration::from_secs(10))
        };
        let baseline = driver.client.baseline(index, &limits, &capture).unwrap();
        assert_eq!(baseline.passed(), is_enough);
        let is_noted = baseline.effects.contains(Effect::LargeFiles);
        assert_eq!(is_noted, !is_enough);
    }
}

#[test]
fn threads_without_end_run_into_the_spawn_limit() {
    let mut driver = driver();
    for way in [RunMode::Fork, RunMode::Each] {
        let outcomes = driver.outcomes(way, "seven", &[36]);
        assert_eq!(
            outcomes[&36],
            TestResult::failed(FailureKind::SpawnLimit),
            "{way:?}"
        );
        assert_harmless(&mut driver);
    }
}

#[test]
fn processes_without_end_run_into_the_spawn_limit_and_are_ended() {
    check_own(37, TestResult::failed(FailureKind::SpawnLimit), "");
    assert!(!is_running("3574"));
}

#[test]
fn signals_reach_nobody_but_the_test() {
    check_own(38, TestResult::Harm, "kill -1");
    check_own(39, TestResult::Harm, "kill ");
    check_own(40, TestResult::Passed, "");
    check_own(41, TestResult::Passed, "");
}

#[test]
fn who_wants_a_certain_port_is_in_its_own_way() {
    let mut driver = driver();
    let certain = driver.baseline("binds_a_port").files;
    assert!(certain.is_in_the_way_of(&certain));
    let any = driver.baseline("binds_any_port").files;
    assert!(!any.is_in_the_way_of(&any) && !any.is_in_the_way_of(&certain));
}

#[test]
fn closing_the_standard_streams_passes_if_the_test_passes() {
    check(9, TestResult::Passed, "");
}

#[test]
fn closing_all_descriptors_does_not_silence_the_verdict() {
    check(
        10,
        TestResult::failed(FailureKind::Panicked),
        "left == right",
    );
}

#[test]
fn megabytes_of_output_go_nowhere() {
    check(11, TestResult::Passed, "");
}

#[test]
fn changing_the_directory_touches_nobody_else() {
    let mut driver = driver();
    for way in [RunMode::Fork, RunMode::Each] {
        assert_eq!(
            driver.outcomes(way, "seven", &[12])[&12],
            TestResult::Passed
        );
        assert_harmless(&mut driver);
    }
    let outcomes = driver.outcomes(RunMode::Batch, "seven", &[12]);
    assert_eq!(outcomes[&12], TestResult::NeedsOwnProcess);
}

#[test]
fn changing_the_environment_touches_nobody_else() {
    check(13, TestResult::Passed, "");
    let mut driver = driver();
    for way in [RunMode::Fork, RunMode::Each, RunMode::Batch] {
        let outcomes = driver.outcomes(way, "seven", &[13, 25, 29]);
        assert!(
            outcomes
                .values()
                .all(|&outcome| outcome == TestResult::Passed)
        );
    }
}

#[test]
fn a_panic_in_drop_fails_the_test() {
    check(14, TestResult::failed(FailureKind::Panicked), "in drop");
}

#[test]
fn a_loop_without_steps_runs_into_the_time_limit() {
    check_within(
        15,
        TestResult::failed(FailureKind::TimeLimit),
        "",
        &in_a_hurry(),
    );
}

/// Programs that want to run all the time, more of them than there are processors.
struct Strangers(Vec<Child>);

impl Strangers {
    fn come() -> Strangers {
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        let start = |_| {
            let mut shell = Command::new("sh");
            shell.args(["-c", "while :; do :; done"]).spawn().unwrap()
        };
        Strangers((0..3 * processors).map(start).collect())
    }
}

impl Drop for Strangers {
    fn drop(&mut self) {
        for child in &mut self.0 {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

#[test]
fn what_takes_long_beside_strangers_is_told_apart() {
    let mut driver = driver();
    let strangers = Strangers::come();
    let (test_runs, _) = driver.run_with(RunMode::Each, "seven", &[15], &in_a_hurry());
    drop(strangers);
    // Few kernels don't count how long threads wait.
    if std::fs::exists("/proc/self/schedstat").unwrap() {
        assert_eq!(test_runs[&15].result, TestResult::Starved);
    }
}

#[test]
fn sleeping_runs_into_the_time_limit() {
    check_within(
        16,
        TestResult::failed(FailureKind::TimeLimit),
        "",
        &in_a_hurry(),
    );
}

/// Long before any limit of time.
#[test]
fn threads_that_wait_for_each_other_are_a_deadlock() {
    const WORDS: &str = "all its threads wait for each other";
    check(30, TestResult::failed(FailureKind::Deadlock), WORDS);
    let outcomes = driver().outcomes(RunMode::Each, "seven", &[31, 32]);
    assert_eq!(outcomes[&31], TestResult::failed(FailureKind::Deadlock));
    assert_eq!(outcomes[&32], TestResult::Passed);
}

/// As event loops wait: a thread may still come and wake it.
#[test]
fn an_event_loop_that_nobody_wakes_is_a_deadlock() {
    let outcomes = driver().outcomes(RunMode::Each, "seven", &[33, 34]);
    assert_eq!(outcomes[&33], TestResult::failed(FailureKind::Deadlock));
    assert_eq!(outcomes[&34], TestResult::Passed);
}

#[test]
fn an_exit_keeps_its_status() {
    check(17, TestResult::exited(3), "");
}

#[test]
fn one_absurd_allocation_is_the_memory_limit() {
    check(18, TestResult::failed(FailureKind::MemoryLimit), "");
}

#[test]
fn a_thread_left_behind_ends_with_the_process() {
    let mut driver = driver();
    for way in [RunMode::Fork, RunMode::Each] {
        let outcomes = driver.outcomes(way, "seven", &[19, 20]);
        assert_eq!(outcomes[&19], TestResult::Passed);
        assert_eq!(outcomes[&20], TestResult::failed(FailureKind::Panicked));
        assert_harmless(&mut driver);
    }
    let outcomes = driver.outcomes(RunMode::Batch, "seven", &[19]);
    assert_eq!(outcomes[&19], TestResult::NeedsOwnProcess);
}

#[test]
fn a_kill_from_within_is_a_crash() {
    check(21, TestResult::crashed(9), "");
}

fn is_running(argument: &str) -> bool {
    std::fs::read_dir("/proc").unwrap().flatten().any(|entry| {
        let line = std::fs::read(entry.path().join("cmdline")).unwrap_or_default();
        line == format!("sleep\0{argument}\0").as_bytes()
    })
}

#[test]
fn a_child_process_left_behind_is_ended() {
    check_own(22, TestResult::Passed, "");
    assert!(!is_running("3571"));
}

#[test]
fn daemons_are_ended_too() {
    check_own(
        23,
        TestResult::failed(FailureKind::Panicked),
        "left == right",
    );
    assert!(!is_running("3572") && !is_running("3573"));
}

#[test]
fn a_panic_in_another_thread_counts_where_it_is_joined() {
    let mut driver = driver();
    for way in [RunMode::Fork, RunMode::Each] {
        let test_run = &driver.run(way, "seven", &[24])[&24];
        assert_eq!(test_run.result, TestResult::failed(FailureKind::Panicked));
        assert!(test_run.message.contains("unwrap"), "{test_run:?}");
    }
}

#[test]
fn a_caught_panic_is_no_failure() {
    check(25, TestResult::Passed, "");
}

#[test]
fn a_panic_without_text_still_has_a_verdict() {
    check(26, TestResult::failed(FailureKind::Panicked), "no text");
}

#[test]
fn a_panic_under_a_hook_of_the_test_keeps_its_message() {
    check(
        27,
        TestResult::failed(FailureKind::Failed),
        "with another hook",
    );
}

#[test]
fn a_panic_that_cannot_unwind_is_a_crash() {
    check(28, TestResult::crashed(6), "");
}

#[test]
fn a_test_that_should_panic_judges_misbehaviour_too() {
    let mut driver = driver();
    for way in [RunMode::Fork, RunMode::Each, RunMode::Batch] {
        let outcomes = driver.outcomes(way, "panics_if_seven", &[1, 4, 5, 7, 9, 14, 26]);
        assert_eq!(
            outcomes[&1],
            TestResult::failed(FailureKind::StepLimit),
            "{way:?}"
        );
        assert_eq!(outcomes[&4], TestResult::crashed(6), "{way:?}");
        assert_eq!(outcomes[&7], TestResult::exited(0), "{way:?}");
        assert_eq!(outcomes[&9], TestResult::Passed, "{way:?}");
        assert_eq!(
            outcomes[&14],
            TestResult::failed(FailureKind::Failed),
            "{way:?}"
        );
        assert_eq!(
            outcomes[&26],
            TestResult::failed(FailureKind::Failed),
            "{way:?}"
        );
    }
}

#[test]
fn an_original_that_misbehaves_has_a_verdict_too() {
    let mut driver = driver();
    assert_eq!(
        driver.baseline("original_exits").test_run.result,
        TestResult::exited(0)
    );
    assert_eq!(
        driver.baseline("original_aborts").test_run.result,
        TestResult::crashed(6)
    );
    let limits = Limits::only_time(Duration::from_millis(200));
    let index = driver.index("original_hangs");
    let capture = driver.scratch.join("captured");
    let baseline = driver.client.baseline(index, &limits, &capture).unwrap();
    assert!(baseline.test_run.result.is_of_the_clock());
}

#[test]
fn one_misbehaving_mutant_does_not_change_the_verdicts_of_others() {
    let mut driver = driver();
    let wanted: Vec<u32> = (1..=29)
        .filter(|&mutant| ![15, 16].contains(&mutant))
        .collect();
    let each = driver.outcomes(RunMode::Each, "seven", &wanted);
    for way in [RunMode::Fork, RunMode::Batch] {
        for (mutant, outcome) in driver.outcomes(way, "seven", &wanted) {
            if outcome != TestResult::NeedsOwnProcess {
                assert_eq!(outcome, each[&mutant], "{way:?} {mutant}");
            }
        }
    }
}
