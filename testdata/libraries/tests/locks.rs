//! Counters and a gate on parking_lot, under threads.

use std::thread;

use libraries::locks::{Counter, Gate};

#[test]
fn all_that_is_added_is_there() {
    let counter = Counter::default();
    thread::scope(|scope| {
        scope.spawn(|| counter.add(1));
        scope.spawn(|| counter.add(2));
    });
    assert_eq!((counter.total(), counter.entries()), (3, 2));
}

#[test]
fn fair_and_patient_additions_count_too() {
    let counter = Counter::default();
    thread::scope(|scope| {
        scope.spawn(|| counter.add_fairly(1));
        scope.spawn(|| assert!(counter.add_soon(2)));
    });
    assert_eq!(counter.total(), 3);
}

#[test]
fn two_wait_at_the_gate() {
    let gate = Gate::default();
    thread::scope(|scope| {
        scope.spawn(|| gate.pass());
        scope.spawn(|| gate.pass());
        gate.open();
    });
}
