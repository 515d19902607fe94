//! What can't be controlled: these wait for the world outside, leave the threads that we know of, or trust in how fast
//! they are.

use std::ffi::{c_int, c_void};
use std::fs::File;
use std::io::Read;
use std::os::fd::FromRawFd;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;
use std::time::{Duration, Instant};

unsafe extern "C" {
    fn timerfd_create(clock: c_int, flags: c_int) -> c_int;
    fn timerfd_settime(
        file: c_int,
        flags: c_int,
        new: *const [i64; 4],
        old: *mut [i64; 4],
    ) -> c_int;
    fn pthread_create(
        thread: *mut usize,
        attributes: *const c_void,
        start: extern "C" fn(*mut c_void) -> *mut c_void,
        argument: *mut c_void,
    ) -> c_int;
    fn pthread_join(thread: usize, result: *mut *mut c_void) -> c_int;
}

#[test]
fn a_timer_of_the_kernel_goes_on() {
    let waiting = thread::spawn(|| {
        // SAFETY: the clock that only goes forward; every second, from ten milliseconds from now on.
        let mut timer = unsafe {
            let timer = timerfd_create(1, 0);
            timerfd_settime(timer, 0, &[1, 0, 0, 10_000_000], std::ptr::null_mut());
            File::from_raw_fd(timer)
        };
        let mut times = [0; 8];
        timer.read_exact(&mut times).unwrap();
        u64::from_ne_bytes(times)
    });
    assert_eq!(waiting.join().unwrap(), 1);
}

static COUNT: AtomicU32 = AtomicU32::new(0);

extern "C" fn count(_: *mut c_void) -> *mut c_void {
    COUNT.fetch_add(1, Ordering::SeqCst);
    std::ptr::null_mut()
}

#[test]
fn a_thread_is_started_by_the_c_library() {
    let mut thread = 0;
    // SAFETY: the function takes no argument and is waited for.
    unsafe {
        pthread_create(&mut thread, std::ptr::null(), count, std::ptr::null_mut());
        pthread_join(thread, std::ptr::null_mut());
    }
    assert_eq!(COUNT.load(Ordering::SeqCst), 1);
}

#[test]
fn a_thread_has_finished_by_then() {
    let done = AtomicU32::new(0);
    thread::scope(|scope| {
        scope.spawn(|| {
            for _ in 0..20_000 {
                done.fetch_add(1, Ordering::SeqCst);
            }
        });
        thread::sleep(Duration::from_millis(500));
        assert_eq!(done.load(Ordering::SeqCst), 20_000);
    });
}

#[test]
fn work_takes_time() {
    let start = Instant::now();
    let work = thread::spawn(|| COUNT.fetch_add(1, Ordering::SeqCst));
    work.join().unwrap();
    assert!(start.elapsed().as_micros() > 0);
}

#[cfg(target_arch = "x86_64")]
#[test]
fn the_processor_is_asked_for_the_time() {
    // SAFETY: every processor of this kind has the instruction.
    let ticks = || unsafe { std::arch::x86_64::_rdtsc() };
    let before = ticks();
    let pause = thread::spawn(|| thread::sleep(Duration::from_millis(20)));
    pause.join().unwrap();
    assert!(ticks() > before + 10_000_000);
}
