//! Functions that do harm if `really`, each called by a thread of a test.

use std::hint::black_box;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};
use std::{env, process, thread};

unsafe extern "C" {
    fn close(descriptor: i32) -> i32;
}

pub fn loop_for_ever(really: bool) -> u64 {
    let mut turns = 0;
    while really {
        turns = black_box(turns + 1);
    }
    turns
}

pub fn wait_for_ever(really: bool, count: &AtomicU32) {
    while really {
        count.fetch_add(1, Ordering::SeqCst);
    }
}

pub fn yield_for_ever(really: bool) {
    while really {
        thread::yield_now();
    }
}

pub fn spawn_for_ever(really: bool) {
    let mut threads = Vec::new();
    while really {
        threads.push(thread::spawn(|| ()));
    }
    for thread in threads {
        thread.join().unwrap();
    }
}

pub fn lock_twice(really: bool, count: &Mutex<u32>) {
    let mut first = count.lock().unwrap();
    if really {
        *first += *count.lock().unwrap();
    }
    *first += 1;
}

pub fn recurse(depth: u64) -> u64 {
    let frame = black_box([depth; 512]);
    if depth < 3 { 0 } else { recurse(depth - 1) + frame[7] - depth }
}

pub fn eat_memory(really: bool) -> usize {
    let mut hoard = Vec::new();
    while really {
        hoard.push(vec![1u8; 1 << 20]);
    }
    hoard.len()
}

pub fn leave(really: bool) {
    if really {
        let end = process::exit;
        end(0);
    }
}

pub fn abort(really: bool) {
    if really {
        let end = process::abort;
        end();
    }
}

pub fn write_to_nowhere(really: bool) {
    if really {
        unsafe { black_box(std::ptr::null_mut::<u32>()).write_volatile(1) };
    }
}

struct Bomb;

impl Drop for Bomb {
    fn drop(&mut self) {
        panic!("while dropping");
    }
}

pub fn panic_twice(really: bool) {
    if really {
        let _bomb = Bomb;
        panic!("the first");
    }
}

pub fn close_descriptors(really: bool) {
    if really {
        for descriptor in 0..1024 {
            unsafe { close(descriptor) };
        }
    }
}

pub fn wander(really: bool) {
    if really {
        env::set_current_dir("/").unwrap();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Beside another thread, so that there are schedules.
    fn in_a_thread<T: Send>(work: impl FnOnce() -> T + Send) -> T {
        let count = AtomicU32::new(0);
        thread::scope(|scope| {
            let working = scope.spawn(|| {
                count.fetch_add(1, Ordering::SeqCst);
                work()
            });
            count.fetch_add(1, Ordering::SeqCst);
            working.join().unwrap()
        })
    }

    #[test]
    fn loops_end() {
        assert_eq!(in_a_thread(|| loop_for_ever(false)), 0);
    }

    #[test]
    fn waiting_ends() {
        in_a_thread(|| wait_for_ever(false, &AtomicU32::new(0)));
        in_a_thread(|| yield_for_ever(false));
    }

    #[test]
    fn spawning_ends() {
        in_a_thread(|| spawn_for_ever(false));
    }

    #[test]
    fn a_lock_is_taken_once() {
        let count = Mutex::new(0);
        in_a_thread(|| lock_twice(false, &count));
        assert_eq!(*count.lock().unwrap(), 1);
    }

    #[test]
    fn recursion_ends() {
        assert_eq!(in_a_thread(|| recurse(5)), 0);
    }

    #[test]
    fn memory_suffices() {
        assert_eq!(in_a_thread(|| eat_memory(false)), 0);
    }

    #[test]
    fn the_process_stays() {
        in_a_thread(|| leave(false));
        in_a_thread(|| abort(false));
        in_a_thread(|| write_to_nowhere(false));
        in_a_thread(|| panic_twice(false));
    }

    #[test]
    fn descriptors_stay() {
        in_a_thread(|| close_descriptors(false));
    }

    #[test]
    fn nobody_wanders() {
        in_a_thread(|| wander(false));
    }
}
