//! Each test ends its process in some orders of its threads.

use std::hint::black_box;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::thread;

/// Does this if the second of two threads comes first.
fn if_second_comes_first(end: impl FnOnce() + Send) {
    let came = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| came.store(true, SeqCst));
        scope.spawn(|| {
            if !came.load(SeqCst) {
                end();
            }
        });
    });
}

#[test]
fn aborts() {
    if_second_comes_first(|| std::process::abort());
}

#[test]
fn exits() {
    if_second_comes_first(|| std::process::exit(3));
}

#[test]
fn exits_well() {
    if_second_comes_first(|| std::process::exit(0));
}

#[test]
fn reads_at_null() {
    if_second_comes_first(|| {
        let place = black_box(std::ptr::null::<u64>());
        black_box(unsafe { std::ptr::read_volatile(place) });
    });
}

#[test]
fn reads_where_nothing_is() {
    if_second_comes_first(|| {
        let place = black_box(0x1234_5678_usize) as *const u8;
        black_box(unsafe { *place });
    });
}

#[test]
fn breaks_a_precondition() {
    if_second_comes_first(|| {
        let values = black_box(vec![1, 2, 3]);
        black_box(unsafe { values.get_unchecked(black_box(7)) });
    });
}

struct PanicsAtTheEnd;

impl Drop for PanicsAtTheEnd {
    fn drop(&mut self) {
        panic!("the second one");
    }
}

#[test]
fn panics_while_it_panics() {
    if_second_comes_first(|| {
        let _last = PanicsAtTheEnd;
        panic!("the first one");
    });
}

extern "C" fn panics_for_c() {
    panic!("nobody may unwind from here");
}

#[test]
fn panics_across_c() {
    if_second_comes_first(|| panics_for_c());
}

#[expect(unconditional_recursion)]
fn descends(depth: u64) -> u64 {
    black_box(depth) + descends(black_box(depth + 1))
}

#[test]
fn overflows_its_stack() {
    if_second_comes_first(|| {
        black_box(descends(0));
    });
}
