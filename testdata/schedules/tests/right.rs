//! Tests that pass under every schedule of their threads.

use std::arch::asm;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use schedules::parcel::Parcel;
use schedules::{Counter, Door, Slot, Tickets, expected, send, total};

#[test]
fn every_count_is_counted() {
    let counter = Arc::new(Counter::default());
    let others: Vec<_> = (0..2)
        .map(|_| {
            let counter = counter.clone();
            thread::spawn(move || counter.add())
        })
        .collect();
    let mut counts: Vec<u32> = others.into_iter().map(|other| other.join().unwrap()).collect();
    counts.sort();
    assert_eq!(counts, [1, 2]);
    assert_eq!(counter.get(), 2);
}

#[test]
fn the_first_count_is_one() {
    assert_eq!(Counter::default().add(), 1);
}

#[test]
fn nothing_is_counted_in_no_time() {
    let start = Instant::now();
    assert_eq!(Counter::default().get(), 0);
    assert!(start.elapsed() < Duration::from_secs(60));
}

#[test]
fn what_is_put_is_taken() {
    let slot = Arc::new(Slot::default());
    let other = slot.clone();
    let taker = thread::spawn(move || other.take());
    slot.put(7);
    assert_eq!(taker.join().unwrap(), 7);
}

#[test]
fn tickets_differ() {
    let tickets = Arc::new(Tickets::default());
    let other = tickets.clone();
    let drawer = thread::spawn(move || other.draw());
    let mine = tickets.draw();
    assert_ne!(mine, drawer.join().unwrap());
}

#[test]
fn sleeping_takes_no_time_and_keeps_its_order() {
    let slot = Arc::new(Slot::default());
    let other = slot.clone();
    let putter = thread::spawn(move || {
        thread::sleep(Duration::from_secs(3));
        other.put(2);
    });
    slot.put(1);
    assert_eq!(slot.take(), 1);
    putter.join().unwrap();
    assert_eq!(slot.take(), 2);
}

#[test]
fn everybody_who_came_is_counted() {
    let door = Arc::new(Door::default());
    let other = door.clone();
    let guest = thread::spawn(move || other.enter());
    door.enter();
    guest.join().unwrap();
    assert_eq!(door.came(), 2);
}

/// Threads that yield let others go first sooner or later: else this would go on for ever under some schedule.
#[test]
fn who_waits_and_yields_is_fair() {
    let (is_set, tries) = (AtomicBool::new(false), Mutex::new(0));
    thread::scope(|scope| {
        scope.spawn(|| is_set.store(true, Relaxed));
        while !is_set.load(Relaxed) {
            *tries.lock().unwrap() += 1;
            thread::yield_now();
        }
    });
}

#[test]
fn nobody_minds_what_is_expected() {
    let counter = Arc::new(Counter::default());
    let other = counter.clone();
    let adder = thread::spawn(move || other.add());
    expected(&counter, 1);
    adder.join().unwrap();
}

/// Minus makes a difference only where the other comes first, and there the same as times; times also where it does not.
#[test]
fn nothing_is_added_before_the_other_comes() {
    let number = Mutex::new(0);
    thread::scope(|scope| {
        scope.spawn(|| *number.lock().unwrap() = 2);
        let other = *number.lock().unwrap();
        let one = if other == 0 { 5 } else { -2 };
        let total = total(one, other);
        assert!(other != 0 || total == 5);
    });
}

/// A fence that only the processor knows to be one.
fn fence_by_machine_code() {
    #[cfg(target_arch = "x86_64")]
    {
        let mut word = 0_usize;
        // SAFETY: the word is there.
        unsafe { asm!("lock not qword ptr [{0}]", in(reg) &mut word, options(nostack)) };
    }
    #[cfg(target_arch = "aarch64")]
    // SAFETY: it is a fence.
    unsafe {
        asm!("dmb ish")
    };
}

#[test]
fn one_of_two_sees_the_other() {
    let flags: [AtomicBool; 2] = Default::default();
    let meets = |own: usize| {
        flags[own].store(true, Relaxed);
        fence_by_machine_code();
        flags[1 - own].load(Relaxed)
    };
    let seen = thread::scope(|scope| {
        let other = scope.spawn(|| meets(1));
        [meets(0), other.join().unwrap()]
    });
    assert_ne!(seen, [false, false]);
}

#[test]
fn what_is_sent_comes() {
    assert_eq!(send(3).recv(), Ok(3));
}

#[test]
fn a_parcel_is_whole_or_not_there_yet() {
    let parcel = Parcel::default();
    thread::scope(|scope| {
        scope.spawn(|| parcel.put(7));
        assert!(parcel.look().is_none_or(|number| number == 7));
    });
    assert_eq!(parcel.look(), Some(7));
}
