//! Event loops: threads that wait for descriptors. What only the program can make ready is under control.

use std::ffi::c_int;
use std::ops::ControlFlow;
use std::time::Duration;

use atropos_threads::atropos_search::{Coverage, Exhaustive};
use atropos_threads::{ControlReport, explore, thread};

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
