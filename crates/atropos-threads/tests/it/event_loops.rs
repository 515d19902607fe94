//! Event loops: threads that wait for descriptors. What only the program can make ready is under control.

use std::ffi::c_int;
use std::net::{TcpListener, UdpSocket};
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use atropos_threads::atropos_search::{Coverage, Exhaustive};
use atropos_threads::{ControlReport, Finding, explore, thread};

use crate::alone::{alone, sc};

#[repr(C, packed)]
struct Event {
    events: u32,
    data: u64,
}

const READABLE: u32 = 1;
const ADD: c_int = 1;

unsafe extern "C" {
    fn epoll_create1(flags: c_int) -> c_int;
    fn epoll_ctl(set: c_int, what: c_int, file: c_int, event: *mut Event) -> c_int;
    fn epoll_wait(set: c_int, events: *mut Event, most: c_int, timeout: c_int) -> c_int;
    fn eventfd(value: u32, flags: c_int) -> c_int;
    fn pipe(ends: *mut c_int) -> c_int;
    fn read(file: c_int, buffer: *mut u8, length: usize) -> isize;
    fn write(file: c_int, buffer: *const u8, length: usize) -> isize;
    fn timerfd_create(clock: c_int, flags: c_int) -> c_int;
    fn timerfd_settime(
        file: c_int,
        flags: c_int,
        new: *const [i64; 4],
        old: *mut [i64; 4],
    ) -> c_int;
    fn signal(number: c_int, handler: extern "C" fn(c_int)) -> usize;
}

/// A set with an event counter in it, as every event loop has one.
fn event_loop() -> (c_int, c_int) {
    // SAFETY: new descriptors.
    unsafe {
        let (set, wake) = (epoll_create1(0), eventfd(0, 0));
        let mut event = Event {
            events: READABLE,
            data: 0,
        };
        assert_eq!(epoll_ctl(set, ADD, wake, &mut event), 0);
        (set, wake)
    }
}

fn wait(set: c_int, timeout: c_int) -> c_int {
    let mut event = Event { events: 0, data: 0 };
    // SAFETY: there is room for one.
    unsafe { epoll_wait(set, &mut event, 1, timeout) }
}

fn wake(file: c_int) {
    // SAFETY: a counter takes eight bytes.
    assert_eq!(unsafe { write(file, (&raw const ONE).cast(), 8) }, 8);
    static ONE: u64 = 1;
}

fn explored(test: &(dyn Fn() + Sync)) -> ControlReport {
    explore(test, &sc(), &mut Exhaustive::new(), &mut |_| {
        ControlFlow::Continue(())
    })
}

#[test]
fn an_event_loop_that_nobody_wakes_is_a_deadlock() {
    alone(|| {
        let report = explored(&|| {
            let (set, _) = event_loop();
            wait(set, -1);
        });
        assert_eq!(report.failure.unwrap().finding.title(), "deadlock");
    });
}

#[test]
fn an_event_loop_is_woken_by_another_thread_that_sleeps_before() {
    alone(|| {
        let report = explored(&|| {
            let (set, file) = event_loop();
            let other = thread::spawn(move || {
                thread::sleep(Duration::from_millis(50));
                wake(file);
            });
            assert_eq!(wait(set, 20), 0, "its time is up before");
            assert_eq!(wait(set, -1), 1);
            other.join().unwrap();
        });
        assert!(report.failure.is_none());
        assert_eq!(report.coverage, Coverage::All);
    });
}

#[test]
fn who_reads_from_a_pipe_of_its_own_waits_for_ever() {
    alone(|| {
        let report = explored(&|| {
            let mut ends = [0; 2];
            let mut byte = 0_u8;
            // SAFETY: there is room for both ends, and for a byte.
            unsafe {
                assert_eq!(pipe(ends.as_mut_ptr()), 0);
                read(ends[0], (&raw mut byte).cast(), 1);
            }
        });
        assert_eq!(report.failure.unwrap().finding.title(), "deadlock");
    });
}

#[test]
fn a_timer_that_is_not_set_never_rings() {
    alone(|| {
        let report = explored(&|| {
            let mut ticks = 0_u64;
            // SAFETY: a new descriptor, and room for a number.
            unsafe {
                let timer = timerfd_create(1, 0);
                read(timer, (&raw mut ticks).cast(), 8);
            }
        });
        assert_eq!(report.failure.unwrap().finding.title(), "deadlock");
    });
}

fn set(timer: c_int, after: Duration) {
    let setting = [0, 0, 0, after.as_nanos() as i64];
    // SAFETY: less than a second from now, once.
    assert_eq!(
        unsafe { timerfd_settime(timer, 0, &setting, std::ptr::null_mut()) },
        0
    );
}

fn add(set: c_int, file: c_int) {
    let mut event = Event {
        events: READABLE,
        data: 1,
    };
    // SAFETY: both are open.
    assert_eq!(unsafe { epoll_ctl(set, ADD, file, &mut event) }, 0);
}

#[test]
fn a_timer_of_the_kernel_rings_in_virtual_time() {
    alone(|| {
        let report = explored(&|| {
            let (set_of_files, _) = event_loop();
            // SAFETY: a new descriptor.
            let timer = unsafe { timerfd_create(1, 0) };
            add(set_of_files, timer);
            // An hour would be too long for any test; so would be two in a row.
            let start = Instant::now();
            set(timer, Duration::from_millis(900));
            assert_eq!(wait(set_of_files, 20), 0, "it is too early");
            assert_eq!(wait(set_of_files, -1), 1);
            let passed = start.elapsed();
            assert!(passed >= Duration::from_millis(900), "{passed:?}");
            assert!(passed < Duration::from_millis(950), "{passed:?}");
            set(timer, Duration::ZERO);
            assert_eq!(wait(set_of_files, 20), 0, "it was stopped");
        });
        assert!(report.failure.is_none());
        assert_eq!(report.coverage, Coverage::All);
    });
}

#[test]
fn who_waits_already_wakes_for_a_timer_that_another_thread_sets() {
    alone(|| {
        let report = explored(&|| {
            let (set_of_files, _) = event_loop();
            // SAFETY: a new descriptor.
            let timer = unsafe { timerfd_create(1, 0) };
            add(set_of_files, timer);
            let other = thread::spawn(move || set(timer, Duration::from_millis(5)));
            assert_eq!(wait(set_of_files, -1), 1);
            other.join().unwrap();
        });
        assert!(report.failure.is_none());
        assert_eq!(report.coverage, Coverage::All);
    });
}

/// What could not be controlled in a test.
fn uncontrolled(test: &(dyn Fn() + Sync)) -> String {
    let report = explored(test);
    let mut findings = report.remarks.iter();
    let uncontrolled = findings.find_map(|finding| match finding {
        Finding::Uncontrolled { what, .. } => Some(what.clone()),
        _ => None,
    });
    uncontrolled.unwrap_or_else(|| panic!("{report:?}"))
}

extern "C" fn nothing(_: c_int) {}

#[test]
fn a_signal_of_others_may_still_come() {
    const USER_DEFINED: c_int = 10;
    alone(|| {
        let what = uncontrolled(&|| {
            let (set, _) = event_loop();
            // SAFETY: the handler does nothing.
            unsafe { signal(USER_DEFINED, nothing) };
            wait(set, -1);
        });
        assert_eq!(what, "epoll_wait");
    });
}

#[test]
fn names_that_others_know_are_not_taken() {
    alone(|| {
        let what = uncontrolled(&|| drop(UdpSocket::bind("127.0.0.1:9")));
        assert_eq!(what, "a socket gets a certain port");
        let what = uncontrolled(&|| drop(std::os::unix::net::UnixListener::bind("/tmp/nobody")));
        assert_eq!(what, "a socket gets a name");
        let report = explored(&|| drop(TcpListener::bind("127.0.0.1:0").unwrap()));
        assert!(report.failure.is_none());
    });
}
