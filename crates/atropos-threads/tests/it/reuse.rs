//! Atomics in memory that held another one before, with the value that the old one had in the end: nobody writes there
//! as far as the memory model can see, so that it takes them for one atomic. That is right as long as every way in which
//! threads tell each other that the memory is free orders what they did, in every schedule.

use std::cell::UnsafeCell;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};

use atropos_threads::atomic::{AtomicBool, AtomicU32, fence};
use atropos_threads::sync::{Barrier, Condvar, Mutex, Once, OnceLock, RwLock, mpsc};
use atropos_threads::{say, thread};

use crate::alone::{check_reduced, weak};

/// A way in which one thread tells another that it is done.
enum Signal {
    Condition(Mutex<bool>, Condvar),
    Shared(RwLock<bool>),
    Channel(mpsc::Sender<()>, Mutex<mpsc::Receiver<()>>),
    Rendezvous(mpsc::SyncSender<()>, Mutex<mpsc::Receiver<()>>),
    Barrier(Barrier),
    Once(OnceLock<()>),
    PolledOnce(OnceLock<()>),
    CalledOnce(Once),
    Flag(AtomicBool),
    Fences(AtomicBool),
}

const SIGNALS: [fn() -> Signal; 10] = [
    || Signal::Condition(Mutex::new(false), Condvar::new()),
    || Signal::Shared(RwLock::new(false)),
    || {
        let (sender, receiver) = mpsc::channel();
        Signal::Channel(sender, Mutex::new(receiver))
    },
    || {
        let (sender, receiver) = mpsc::sync_channel(0);
        Signal::Rendezvous(sender, Mutex::new(receiver))
    },
    || Signal::Barrier(Barrier::new(2)),
    || Signal::Once(OnceLock::new()),
    || Signal::PolledOnce(OnceLock::new()),
    || Signal::CalledOnce(Once::new()),
    || Signal::Flag(AtomicBool::new(false)),
    || Signal::Fences(AtomicBool::new(false)),
];

impl Signal {
    fn give(&self) {
        match self {
            Signal::Condition(done, changed) => {
                *done.lock().unwrap() = true;
                changed.notify_one();
            }
            Signal::Shared(done) => *done.write().unwrap() = true,
            Signal::Channel(sender, _) => sender.send(()).unwrap(),
            Signal::Rendezvous(sender, _) => sender.send(()).unwrap(),
            Signal::Barrier(barrier) => drop(barrier.wait()),
            Signal::Once(done) | Signal::PolledOnce(done) => done.set(()).unwrap(),
            Signal::CalledOnce(done) => done.call_once(|| {}),
            Signal::Flag(done) => done.store(true, Release),
            Signal::Fences(done) => {
                fence(Release);
                done.store(true, Relaxed);
            }
        }
    }

    fn take(&self) {
        match self {
            Signal::Condition(done, changed) => {
                let guard = done.lock().unwrap();
                drop(changed.wait_while(guard, |done| !*done).unwrap());
            }
            Signal::Shared(done) => wait_until(|| *done.read().unwrap()),
            Signal::Channel(_, receiver) | Signal::Rendezvous(_, receiver) => {
                receiver.lock().unwrap().recv().unwrap();
            }
            Signal::Barrier(barrier) => drop(barrier.wait()),
            Signal::Once(done) => {
                done.wait();
            }
            Signal::PolledOnce(done) => wait_until(|| done.get().is_some()),
            Signal::CalledOnce(done) => done.wait(),
            Signal::Flag(done) => wait_until(|| done.load(Acquire)),
            Signal::Fences(done) => {
                wait_until(|| done.load(Relaxed));
                fence(Acquire);
            }
        }
    }
}

fn wait_until(condition: impl Fn() -> bool) {
    while !condition() {
        thread::yield_now();
    }
}

struct Slot(UnsafeCell<AtomicU32>);

// SAFETY: the atomic is exchanged while nobody else uses it, which the signals see to.
unsafe impl Sync for Slot {}

impl Slot {
    fn atomic(&self) -> &AtomicU32 {
        // SAFETY: as above.
        unsafe { &*self.0.get() }
    }
}

#[test]
fn a_new_atomic_in_used_memory_does_not_have_the_values_of_the_old_one() {
    for signal in SIGNALS {
        let program = || {
            let slot = Slot(UnsafeCell::new(AtomicU32::new(0)));
            let (free, filled) = (signal(), signal());
            thread::scope(|scope| {
                scope.spawn(|| {
                    slot.atomic().store(1, Relaxed);
                    slot.atomic().store(0, Relaxed);
                    free.give();
                });
                scope.spawn(|| {
                    filled.take();
                    say(&slot.atomic().load(Relaxed).to_string());
                });
                free.take();
                // SAFETY: the first thread is done and the second has not begun.
                unsafe { slot.0.get().write(AtomicU32::new(0)) };
                filled.give();
            });
        };
        check_reduced(program, &weak(), &["0"]);
    }
}

#[test]
fn a_new_atomic_in_a_loop_does_not_have_the_values_of_the_last_round() {
    let program = || {
        for _ in 0..3 {
            let flag = AtomicU32::new(0);
            thread::scope(|scope| {
                scope.spawn(|| {
                    flag.store(1, Relaxed);
                    flag.store(0, Relaxed);
                });
            });
            let flag = AtomicU32::new(0);
            let parked = thread::current();
            let waker = thread::spawn(move || parked.unpark());
            thread::park();
            say(&flag.load(Relaxed).to_string());
            waker.join().unwrap();
        }
    };
    check_reduced(program, &weak(), &["000"]);
}
