//! Each test kills a mutant of the operator that it is named after.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::SeqCst};
use std::sync::{Arc, Barrier, Mutex};
use std::thread;
use std::time::Duration;

use concurrency_operators::*;

fn in_two_threads(deed: impl Fn() + Sync) {
    thread::scope(|scope| {
        scope.spawn(&deed);
        scope.spawn(&deed);
    });
}

fn one_after_the_other(first: impl Fn() + Sync, second: impl Fn() + Sync) {
    thread::scope(|scope| scope.spawn(&first).join().unwrap());
    thread::scope(|scope| scope.spawn(&second).join().unwrap());
}

/// Takes turns with one who comes later and waits until there is nobody to let go first.
fn with_others_waiting(lock: &parking_lot::Mutex, turns: &AtomicU32) -> u32 {
    thread::scope(|scope| {
        let first = scope.spawn(|| msf::take_turns(lock, turns));
        lock.wait_for_holder();
        scope.spawn(|| {
            let turn = lock.lock();
            turns.fetch_add(1, SeqCst);
            drop(turn);
        });
        first.join().unwrap()
    })
}

#[test]
fn mxt() {
    let ready = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            thread::sleep(Duration::from_millis(300));
            ready.store(true, SeqCst);
        });
        assert!(mxt::settle(&ready));
    });
}

#[test]
fn msp() {
    let votes = msp::Votes::default();
    in_two_threads(|| votes.agree());
    assert_eq!(*votes.yes.lock().unwrap(), 2);
}

#[test]
fn esp() {
    let pair = esp::Pair::default();
    thread::scope(|scope| {
        scope.spawn(|| pair.fill());
        scope.spawn(|| assert!(pair.sum().is_multiple_of(2)));
    });
}

#[test]
fn msf() {
    let (lock, turns) = (parking_lot::Mutex::default(), AtomicU32::new(0));
    let seen = with_others_waiting(&lock, &turns);
    assert_eq!(seen, 1);
}

#[test]
fn mxc() {
    assert_eq!(mxc::meet(), [2, 2]);
}

#[test]
fn mbr() {
    let (barrier, opened) = (Barrier::new(2), AtomicU32::new(0));
    in_two_threads(|| mbr::arrive(&barrier, &opened));
    assert_eq!(opened.into_inner(), 1);
}

#[test]
fn rtxc() {
    assert_eq!(rtxc::computed(), 42);
}

#[test]
fn rcxc() {
    let (sender, receiver) = std::sync::mpsc::channel();
    thread::scope(|scope| {
        scope.spawn(move || rcxc::greet(&sender, 3));
        assert_eq!(receiver.recv(), Ok(3));
    });
}

#[test]
fn rna() {
    let gate = rna::Gate::default();
    thread::scope(|scope| {
        scope.spawn(|| gate.pass());
        scope.spawn(|| gate.pass());
        gate.open();
    });
}

#[test]
fn rjs() {
    let ready = Arc::new(AtomicBool::new(false));
    let shared = ready.clone();
    rjs::wait_for(thread::spawn(move || {
        thread::sleep(Duration::from_millis(20));
        shared.store(true, SeqCst);
    }));
    assert!(ready.load(SeqCst));
}

#[test]
fn elpa() {
    let sum = Mutex::new(0);
    in_two_threads(|| elpa::add(&sum));
    assert_eq!(*sum.lock().unwrap(), 2);
}

#[test]
fn ean() {
    let counter = AtomicU32::new(0);
    in_two_threads(|| ean::count(&counter));
    assert_eq!(counter.into_inner(), 2);
}

#[test]
fn astk() {
    let purse = astk::Purse::default();
    thread::scope(|scope| {
        scope.spawn(|| purse.put());
        scope.spawn(|| purse.put_two());
    });
    assert_eq!(purse.coins(), 3);
}

#[test]
fn rstk() {
    let clerks = [rstk::Clerk { number: 1 }, rstk::Clerk { number: 2 }];
    let served = thread::scope(|scope| {
        let threads = clerks.each_ref().map(|clerk| scope.spawn(|| clerk.serve()));
        threads.map(|thread| thread.join().unwrap())
    });
    assert_ne!(served[0], served[1]);
}

#[test]
fn ask() {
    let board = ask::Board::default();
    board.visit(|| one_after_the_other(|| board.pin(), || ()));
}

#[test]
fn rsk() {
    let sum = Mutex::new(0);
    in_two_threads(|| rsk::add(&sum));
    assert_eq!(*sum.lock().unwrap(), 2);
}

#[test]
fn rsb() {
    let (sum, calls) = (Mutex::new(Vec::new()), AtomicU32::new(0));
    in_two_threads(|| rsb::add(&sum, &calls));
    assert_eq!(*sum.lock().unwrap(), [0, 1]);
}

#[test]
fn rvk() {
    let letter = rvk::Letter::default();
    thread::scope(|scope| {
        scope.spawn(|| letter.write(7));
        assert!([None, Some(7)].contains(&letter.read()));
    });
}

#[test]
fn rfu() {
    let stock = Mutex::new(1);
    in_two_threads(|| {
        rfu::take(&stock, 2);
    });
    assert_eq!(*stock.lock().unwrap(), 1);
}

#[test]
fn rxo() {
    let cache = rxo::Cache::default();
    in_two_threads(|| cache.hit());
    assert_eq!(cache.hits.into_inner(), 2);
}

#[test]
fn eelo() {
    let stores = eelo::Stores::default();
    thread::scope(|scope| {
        scope.spawn(|| stores.refill());
        scope.spawn(|| assert!(stores.all().is_multiple_of(2)));
    });
}

#[test]
fn shcr() {
    let (sum, calls) = (Mutex::new(0), AtomicU32::new(0));
    in_two_threads(|| shcr::add(&sum, &calls));
    assert_eq!(*sum.lock().unwrap(), 2);
}

#[test]
fn skcr() {
    let sum = Mutex::new(0);
    in_two_threads(|| skcr::add(&sum));
    assert_eq!(*sum.lock().unwrap(), 2);
}

#[test]
fn excr() {
    let (count, barrier) = (Mutex::new(0), Barrier::new(2));
    in_two_threads(|| excr::count_and_meet(&count, &barrier));
    assert_eq!(*count.lock().unwrap(), 2);
}

#[test]
fn spcr() {
    let sum = Mutex::new(0);
    in_two_threads(|| spcr::add(&sum));
    assert_eq!(*sum.lock().unwrap(), 2);
}

#[test]
fn lazy() {
    let numbers = thread::scope(|scope| {
        let other = scope.spawn(lazy::post);
        [lazy::post(), other.join().unwrap()]
    });
    assert_ne!(numbers[0], numbers[1]);
}

#[test]
fn named() {
    let numbers = thread::scope(|scope| {
        let other = scope.spawn(named::draw);
        [named::draw(), other.join().unwrap()]
    });
    assert_ne!(numbers[0], numbers[1]);
}

#[test]
fn lone() {
    let names = Mutex::new(Vec::new());
    in_two_threads(|| lone::enter(&names, "somebody"));
    assert_eq!(names.lock().unwrap().len(), 2);
}

/// Not an operator: whoever makes two win here ends the process.
#[test]
fn fatal() {
    let seat = fatal::Seat::default();
    let both_alike = thread::scope(|scope| {
        let other = scope.spawn(|| seat.take());
        seat.take() == other.join().unwrap()
    });
    if both_alike {
        std::process::abort();
    }
}

/// Not an operator either: this looks at what it tests only where threads are the system's own.
#[test]
fn ordinary() {
    let seat = fatal::Seat::default();
    thread::scope(|scope| {
        scope.spawn(|| {
            let was_free = seat.take();
            let threads = std::fs::read_dir("/proc/self/task").unwrap().count();
            assert!(was_free || threads == 1);
        });
    });
}
