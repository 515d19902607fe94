//! A program whose global allocator counts with atomics: it runs for the runtime's allocations too.

#[path = "../it/alone.rs"]
#[allow(dead_code, reason = "shared with the other tests")]
mod alone;

use std::alloc::{GlobalAlloc, Layout, System};

use alone::{all_ends, alone, check, sc, weak};
use atropos_threads::atomic::AtomicUsize;
use atropos_threads::atomic::Ordering::{Acquire, Relaxed, Release, SeqCst};
use atropos_threads::{say, thread};

struct Counting;

static TAKEN: AtomicUsize = AtomicUsize::new(0);

// SAFETY: the system's allocator does the work.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        TAKEN.fetch_add(layout.size(), SeqCst);
        // SAFETY: the caller's promise.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        TAKEN.fetch_sub(layout.size(), SeqCst);
        // SAFETY: the caller's promise.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

#[test]
fn what_the_runtime_allocates_is_not_seen_by_a_program_that_counts() {
    let program = || {
        let before = TAKEN.load(Relaxed);
        let kept = thread::scope(|scope| {
            let other = scope.spawn(|| Box::new([0_u8; 1000]));
            let mine = Box::new([0_u8; 500]);
            (mine, other.join().unwrap())
        });
        let taken = TAKEN.load(Relaxed) - before;
        // What threads leave allocated for themselves counts too.
        assert!((1500..1700).contains(&taken), "{taken}");
        drop(kept);
        say(&taken.to_string());
    };
    alone(|| assert_eq!(all_ends(&program, &sc()).len(), 1));
}

#[test]
fn what_the_runtime_allocates_does_not_disturb_the_clocks_of_a_program_that_counts() {
    static DATA: AtomicUsize = AtomicUsize::new(0);
    static READY: AtomicUsize = AtomicUsize::new(0);
    let program = || {
        let writer = thread::spawn(|| {
            DATA.store(1, Relaxed);
            READY.store(1, Release);
        });
        let ready = READY.load(Acquire);
        let data = DATA.load(Relaxed);
        assert!(ready == 0 || data == 1);
        writer.join().unwrap();
        say(&format!("{ready}{data}"));
    };
    check(program, &weak(), &["00", "01", "11"]);
}
