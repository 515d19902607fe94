//! Data races and memory errors. No assertion fails by them.

use std::hint::black_box;
use std::sync::{Arc, Mutex, RwLock, mpsc};
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU64, Ordering::*};
use std::thread;

use plain_memory::Unprotected;

static mut COUNT: u64 = 0;

#[test]
fn two_threads_add_without_a_lock() {
    let number = Arc::new(Unprotected::default());
    let theirs = number.clone();
    let thread = thread::spawn(move || theirs.add(1));
    number.add(1);
    thread.join().unwrap();
}

#[test]
fn two_threads_use_a_static() {
    let thread = thread::spawn(|| unsafe { COUNT += 1 });
    unsafe { COUNT += 1 };
    thread.join().unwrap();
}

#[test]
fn a_flag_does_not_publish() {
    let shared = Arc::new((Unprotected::default(), AtomicBool::new(false)));
    let theirs = shared.clone();
    let thread = thread::spawn(move || {
        theirs.0.add(1);
        theirs.1.store(true, Relaxed);
    });
    if shared.1.load(Acquire) {
        assert!(shared.0.get() < 2);
    }
    thread.join().unwrap();
}

#[test]
fn an_atomic_is_read_as_if_it_were_none() {
    let number = Arc::new(AtomicU64::new(0));
    let theirs = number.clone();
    let thread = thread::spawn(move || theirs.fetch_add(1, SeqCst));
    let value = unsafe { std::ptr::read(Arc::as_ptr(&number).cast::<u64>()) };
    assert!(value < 2);
    thread.join().unwrap();
}

#[test]
fn a_block_is_used_after_it_was_freed() {
    let shared = Arc::new(AtomicPtr::new(Box::into_raw(Box::new(5_u64))));
    let theirs = shared.clone();
    let thread = thread::spawn(move || {
        let block = theirs.swap(std::ptr::null_mut(), AcqRel);
        drop(unsafe { Box::from_raw(block) });
    });
    let block = shared.load(Acquire);
    thread.join().unwrap();
    if !block.is_null() {
        assert_ne!(unsafe { *block }, 77);
    }
}

#[test]
fn a_block_is_freed_twice() {
    let block = black_box(Box::into_raw(Box::new(5_u64)));
    drop(unsafe { Box::from_raw(block) });
    drop(unsafe { Box::from_raw(black_box(block)) });
}

#[test]
fn what_is_freed_is_no_block() {
    let block = black_box(Box::into_raw(Box::new([5_u64; 4])));
    drop(unsafe { Box::from_raw(black_box(block.cast::<[u64; 2]>().wrapping_add(1))) });
}

#[test]
fn an_access_goes_beyond_its_block() {
    let numbers = black_box(vec![1_u32; 5]);
    assert_ne!(unsafe { *numbers.as_ptr().add(5) }, 77);
}

#[test]
fn a_place_on_a_stack_is_used_when_its_function_has_returned() {
    static PLACE: AtomicPtr<u64> = AtomicPtr::new(std::ptr::null_mut());
    #[inline(never)]
    fn lend() {
        // The lowest place lies below what the thread's next functions use.
        let mut own = [5; 4000];
        PLACE.store(own.as_mut_ptr(), Release);
        thread::yield_now();
        black_box(&own);
    }
    let thread = thread::spawn(|| {
        lend();
        thread::park();
    });
    let place = PLACE.load(Acquire);
    thread::yield_now();
    if !place.is_null() {
        assert_ne!(unsafe { *place }, 77);
    }
    thread.thread().unpark();
    thread.join().unwrap();
}

#[test]
fn a_place_on_the_stack_of_a_thread_that_has_ended_is_used() {
    let place = thread::spawn(|| {
        let own = black_box(5_u64);
        black_box(&raw const own) as usize
    });
    let place = place.join().unwrap() as *const u64;
    assert_ne!(unsafe { *place }, 77);
}

#[test]
fn what_is_freed_lies_on_the_stack() {
    let mut own = black_box(5_u64);
    drop(unsafe { Box::from_raw(black_box(&raw mut own)) });
}

/// A lock whose data is `Sync` by mistake: readers may write it.
#[test]
fn two_readers_write() {
    let number = Arc::new(RwLock::new(Unprotected::default()));
    let theirs = number.clone();
    let thread = thread::spawn(move || theirs.read().unwrap().add(1));
    number.read().unwrap().add(1);
    thread.join().unwrap();
}

/// The count is right, but looking at it orders nothing.
#[test]
fn the_only_owner_left_takes_what_others_wrote() {
    let number = Arc::new(Unprotected::default());
    let theirs = number.clone();
    let thread = thread::spawn(move || {
        theirs.add(1);
        drop(theirs);
    });
    if Arc::strong_count(&number) == 1 {
        assert!(number.get() < 2);
    }
    thread.join().unwrap();
}

/// Only if the first one to drop its `Arc` is the one who drops it last in the text.
#[test]
fn dropping_an_arc_orders_only_what_the_last_owner_does() {
    let number = Box::leak(Box::new(Unprotected::default()));
    let number: &'static Unprotected = number;
    let shared = Arc::new(());
    let theirs = shared.clone();
    let thread = thread::spawn(move || {
        number.add(1);
        drop(theirs);
    });
    drop(shared);
    number.add(1);
    thread.join().unwrap();
}

static mut LOCK: Mutex<u64> = Mutex::new(0);

/// What std's own primitives are made of is memory, too.
#[test]
fn a_lock_is_replaced_while_another_thread_takes_it() {
    let lock = &raw const LOCK;
    let thread = thread::spawn(|| *unsafe { &*(&raw const LOCK) }.lock().unwrap() += 1);
    unsafe { lock.cast_mut().write(Mutex::new(5)) };
    thread.join().unwrap();
}

/// Adds when it is dropped.
struct AddsLast(Arc<Unprotected>);

impl Drop for AddsLast {
    fn drop(&mut self) {
        self.0.add(1);
    }
}

/// A primitive of std drops a message, and that is the program's code.
#[test]
fn a_channel_drops_what_races() {
    let number = Arc::new(Unprotected::default());
    let (sender, receiver) = mpsc::channel();
    sender.send(AddsLast(number.clone())).unwrap();
    let thread = thread::spawn(move || drop(receiver));
    number.add(1);
    thread.join().unwrap();
    drop(sender);
}
