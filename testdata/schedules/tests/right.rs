//! Tests that pass under every schedule of their threads.

use std::sync::Arc;
use std::thread;
use std::time::Duration;

use schedules::{Counter, Door, Slot, Tickets};

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
