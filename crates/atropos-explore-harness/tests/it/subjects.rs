//! Tests that are explored, written against the facade as if it were std; the mutants in them are asked for by number.

use std::collections::HashMap;
use std::sync::Arc;

use atropos_explore_harness::on;
use atropos_threads::atomic::{AtomicU64, Ordering::SeqCst};
use atropos_threads::sync::Mutex;
use atropos_threads::thread;

pub fn passes_under_every_schedule() {
    let count = Arc::new(Mutex::new(0));
    let theirs = count.clone();
    let thread = thread::spawn(move || *theirs.lock().unwrap() += 1);
    *count.lock().unwrap() += 1;
    thread.join().unwrap();
    assert_eq!(*count.lock().unwrap(), 2);
}

/// Mutant 1 adds without reading anew; without it every update counts.
fn add(count: &AtomicU64) {
    if on(1) {
        let old = count.load(SeqCst);
        count.store(old + 1, SeqCst);
    } else {
        count.fetch_add(1, SeqCst);
    }
}

pub fn has_many_schedules() {
    let count = Arc::new(AtomicU64::new(0));
    let start = |number| {
        let count = count.clone();
        thread::spawn(move || {
            for _ in 0..3 + number / 2 {
                add(&count);
            }
        })
    };
    let threads: Vec<_> = (0..3).map(start).collect();
    for thread in threads {
        thread.join().unwrap();
    }
    assert_eq!(count.load(SeqCst), 10);
}

/// Fails for one order of a map in four.
pub fn depends_on_the_order_of_a_map() {
    let map: HashMap<u32, ()> = (0..8).map(|key| (key, ())).collect();
    let first = map.keys().next().unwrap() % 4;
    let other = thread::spawn(move || assert_ne!(first, 1));
    other.join().unwrap();
}

pub fn loses_an_update() {
    let count = Arc::new(AtomicU64::new(0));
    let theirs = count.clone();
    let thread = thread::spawn(move || {
        let old = theirs.load(SeqCst);
        theirs.store(old + 1, SeqCst);
    });
    let old = count.load(SeqCst);
    count.store(old + 1, SeqCst);
    thread.join().unwrap();
    assert_eq!(count.load(SeqCst), 2);
}

/// Calls `end` under a few of its many schedules.
fn rarely(end: fn()) {
    let count = Arc::new(AtomicU64::new(0));
    let start = |_| {
        let count = count.clone();
        thread::spawn(move || {
            for _ in 0..4 {
                let old = count.load(SeqCst);
                count.store(old + 1, SeqCst);
            }
        })
    };
    let threads: Vec<_> = (0..2).map(start).collect();
    for thread in threads {
        thread.join().unwrap();
    }
    if count.load(SeqCst) == 2 {
        end();
    }
}

pub fn aborts_rarely() {
    rarely(|| {
        eprintln!("about to abort");
        std::process::abort()
    });
}

pub fn exits_rarely() {
    rarely(|| std::process::exit(0));
}

pub fn panics_while_it_panics() {
    struct Panics;
    impl Drop for Panics {
        fn drop(&mut self) {
            panic!("once more");
        }
    }
    rarely(|| {
        let _panics = Panics;
        panic!("for the first time");
    });
}

/// Mutant 2 ends the process where two threads meet.
pub fn aborts_under_its_mutant() {
    let count = Arc::new(AtomicU64::new(0));
    let theirs = count.clone();
    let thread = thread::spawn(move || theirs.fetch_add(1, SeqCst));
    let met = count.fetch_add(1, SeqCst) == 1;
    if met && on(2) {
        std::process::abort();
    }
    thread.join().unwrap();
}

/// Mutant 3 makes a directory, the path of which is in the environment, by a system call that is not the library's.
#[cfg(target_arch = "x86_64")]
pub fn goes_past_the_library() {
    let count = Arc::new(AtomicU64::new(0));
    let theirs = count.clone();
    let thread = thread::spawn(move || theirs.fetch_add(1, SeqCst));
    if on(3) {
        let path = std::env::var("HARM").unwrap() + "\0";
        const MKDIR: i64 = 83;
        // SAFETY: the path ends with a zero byte, and the kernel only reads it.
        unsafe {
            std::arch::asm!(
                "syscall",
                inlateout("rax") MKDIR => _,
                in("rdi") path.as_ptr(), in("rsi") 0o700,
                out("rcx") _, out("r11") _,
            );
        }
    }
    thread.join().unwrap();
}

#[cfg(not(target_arch = "x86_64"))]
pub fn goes_past_the_library() {}
