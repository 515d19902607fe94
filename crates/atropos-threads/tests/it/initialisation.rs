//! Things that are initialised once: who does it, who sees it when, with and without reduction.

use std::sync::atomic::Ordering::Relaxed;

use atropos_threads::atomic::AtomicU32;
use atropos_threads::sync::{LazyLock, Once, OnceLock};
use atropos_threads::{say, thread};

use crate::alone::{check, sc, weak};

#[test]
fn either_of_two_may_initialise_although_the_initialiser_can_be_interrupted() {
    let program = || {
        let (cell, other) = (OnceLock::new(), AtomicU32::new(0));
        let initialise = |number| {
            cell.get_or_init(|| {
                other.store(number, Relaxed);
                number
            });
        };
        thread::scope(|scope| {
            scope.spawn(|| initialise(1));
            scope.spawn(|| initialise(2));
        });
        say(&cell.get().unwrap().to_string());
    };
    check(program, &sc(), &["1", "2"]);
    check(program, &weak(), &["1", "2"]);
}

#[test]
fn whoever_looks_sees_something_initialised_or_not() {
    let program = || {
        let once = Once::new();
        thread::scope(|scope| {
            let looker = scope.spawn(|| (once.is_completed(), once.is_completed()));
            once.call_once(|| thread::yield_now());
            say(&format!("{:?}", looker.join().unwrap()));
        });
    };
    let expected = ["(false, false)", "(false, true)", "(true, true)"];
    check(program, &sc(), &expected);
    let program = || {
        let lazy = LazyLock::new(|| 7);
        thread::scope(|scope| {
            let looker = scope.spawn(|| (LazyLock::get(&lazy).copied(), *lazy));
            let value = *lazy;
            say(&format!("{value} {:?}", looker.join().unwrap()));
        });
    };
    check(program, &sc(), &["7 (None, 7)", "7 (Some(7), 7)"]);
}

#[test]
fn what_was_done_before_initialising_is_seen_by_all_who_see_it_initialised() {
    let program = || {
        let (cell, data) = (OnceLock::new(), AtomicU32::new(0));
        thread::scope(|scope| {
            let looker = scope.spawn(|| match cell.get() {
                Some(()) => data.load(Relaxed).to_string(),
                None => "nothing".to_string(),
            });
            data.store(1, Relaxed);
            cell.set(()).unwrap();
            say(&looker.join().unwrap());
        });
    };
    check(program, &weak(), &["1", "nothing"]);
}

#[test]
fn who_waits_for_something_whose_initialisation_has_panicked_panics_too() {
    let program = || {
        let once = Once::new();
        thread::scope(|scope| {
            let waiter = scope.spawn(|| once.wait());
            let failing = scope.spawn(|| once.call_once(|| panic!("no")));
            say(&format!("{} ", failing.join().is_err()));
            say(&format!("{}", waiter.join().is_err()));
        });
    };
    check(program, &sc(), &["true true"]);
}
