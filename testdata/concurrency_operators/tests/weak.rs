//! Each test runs the code of the operator that it is named after, and lets a mutant survive that `good` kills.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::SeqCst};
use std::sync::{Arc, Barrier, Mutex};
use std::thread;

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
        scope.spawn(|| ready.store(true, SeqCst));
        assert!(mxt::settle(&ready));
    });
}

#[test]
fn msp() {
    let votes = msp::Votes::default();
    in_two_threads(|| votes.agree());
    assert!(*votes.yes.lock().unwrap() <= 2);
}

#[test]
fn esp() {
    let pair = esp::Pair::default();
    one_after_the_other(|| pair.fill(), || assert_eq!(pair.sum(), 2));
}

#[test]
fn msf() {
    let (lock, turns) = (parking_lot::Mutex::default(), AtomicU32::new(0));
    let seen = with_others_waiting(&lock, &turns);
    assert!(seen <= 1);
}

#[test]
fn mxc() {
    assert!(mxc::meet().contains(&2));
}

#[test]
fn mbr() {
    let (barrier, opened) = (Barrier::new(2), AtomicU32::new(0));
    in_two_threads(|| mbr::arrive(&barrier, &opened));
    assert!(opened.into_inner() <= 1);
}

#[test]
fn rtxc() {
    assert!([0, 42].contains(&rtxc::computed()));
}

#[test]
fn rcxc() {
    let (sender, receiver) = std::sync::mpsc::channel();
    thread::scope(|scope| {
        scope.spawn(move || rcxc::greet(&sender, 3));
        assert!(receiver.iter().count() <= 1);
    });
}

#[test]
fn rna() {
    let gate = rna::Gate::default();
    thread::scope(|scope| {
        scope.spawn(|| gate.pass());
        gate.open();
    });
}

#[test]
fn rjs() {
    let ready = Arc::new(AtomicBool::new(false));
    let shared = ready.clone();
    rjs::wait_for(thread::spawn(move || shared.store(true, SeqCst)));
    assert!(ready.load(SeqCst));
}

#[test]
fn elpa() {
    let sum = Mutex::new(0);
    one_after_the_other(|| elpa::add(&sum), || elpa::add(&sum));
    assert_eq!(*sum.lock().unwrap(), 2);
}

#[test]
fn ean() {
    let counter = AtomicU32::new(0);
    one_after_the_other(|| ean::count(&counter), || ean::count(&counter));
    assert_eq!(counter.into_inner(), 2);
}

#[test]
fn astk() {
    let purse = astk::Purse::default();
    in_two_threads(|| purse.put());
    assert_eq!(purse.coins(), 2);
}

#[test]
fn rstk() {
    let clerk = rstk::Clerk { number: 1 };
    let served = thread::scope(|scope| {
        let threads = [scope.spawn(|| clerk.serve()), scope.spawn(|| clerk.serve())];
        threads.map(|thread| thread.join().unwrap())
    });
    assert_ne!(served[0], served[1]);
}

#[test]
fn ask() {
    let board = ask::Board::default();
    in_two_threads(|| {
        board.visit(|| ());
    });
}

#[test]
fn rsk() {
    let sum = Mutex::new(0);
    one_after_the_other(|| rsk::add(&sum), || rsk::add(&sum));
    assert_eq!(*sum.lock().unwrap(), 2);
}

#[test]
fn rsb() {
    let (sum, calls) = (Mutex::new(Vec::new()), AtomicU32::new(0));
    one_after_the_other(|| rsb::add(&sum, &calls), || rsb::add(&sum, &calls));
    assert_eq!(*sum.lock().unwrap(), [0, 1]);
}

#[test]
fn rvk() {
    let letter = rvk::Letter::default();
    one_after_the_other(|| letter.write(7), || assert_eq!(letter.read(), Some(7)));
}

#[test]
fn rfu() {
    let stock = Mutex::new(1);
    one_after_the_other(|| assert!(!rfu::take(&stock, 2)), || ());
}

#[test]
fn rxo() {
    let cache = rxo::Cache::default();
    in_two_threads(|| cache.hit());
    assert_eq!(cache.hits.into_inner() + cache.misses.into_inner(), 2);
}

#[test]
fn eelo() {
    let stores = eelo::Stores::default();
    one_after_the_other(|| stores.refill(), || assert_eq!(stores.all(), 2));
}

#[test]
fn shcr() {
    let (sum, calls) = (Mutex::new(0), AtomicU32::new(0));
    one_after_the_other(|| shcr::add(&sum, &calls), || shcr::add(&sum, &calls));
    assert_eq!(*sum.lock().unwrap(), 2);
}

#[test]
fn skcr() {
    let sum = Mutex::new(0);
    one_after_the_other(|| skcr::add(&sum), || skcr::add(&sum));
    assert_eq!(*sum.lock().unwrap(), 2);
}

#[test]
fn excr() {
    let (count, barrier) = (Mutex::new(0), Barrier::new(1));
    in_two_threads(|| excr::count_and_meet(&count, &barrier));
    assert_eq!(*count.lock().unwrap(), 2);
}

#[test]
fn spcr() {
    let sum = Mutex::new(0);
    one_after_the_other(|| spcr::add(&sum), || spcr::add(&sum));
    assert_eq!(*sum.lock().unwrap(), 2);
}

#[test]
fn lazy() {
    in_two_threads(|| assert!(lazy::post() < 2));
}

#[test]
fn named() {
    in_two_threads(|| assert!(named::draw() < 2));
}

#[test]
fn lone() {
    let names = Mutex::new(Vec::new());
    in_two_threads(|| lone::enter(&names, "somebody"));
    assert!(!names.lock().unwrap().is_empty());
}
