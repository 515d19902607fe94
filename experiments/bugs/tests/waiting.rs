//! Published deadlocks and lost wake-ups: something waits for good. One plain test each.

use std::future::Future;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Wake, Waker};
use std::thread;
use std::time::Duration;

use pollster::block_on;

/// event-listener 2.3.3: a listener in the place that is kept ready loses those after it.
#[test]
fn listeners_come_and_go() {
    let event = event_listener_2::Event::new();
    let first = event.listen();
    let second = event.listen();
    drop(first);
    let third = event.listen();
    let fourth = event.listen();
    drop(third);
    let thread = thread::spawn(move || event.notify(2));
    second.wait();
    fourth.wait();
    thread.join().unwrap();
}

/// async-lock 1.1.2: who has waited for long takes the lock without noticing.
#[test]
fn a_lock_is_taken_again_by_who_kept_it_for_long() {
    let lock = async_lock::Lock::new(0);
    let theirs = lock.clone();
    let thread = thread::spawn(move || block_on(async { *theirs.lock().await += 1 }));
    block_on(async {
        let guard = lock.lock().await;
        thread::sleep(Duration::from_millis(1));
        drop(guard);
        *lock.lock().await += 1;
    });
    thread.join().unwrap();
    assert_eq!(*lock.try_lock().unwrap(), 2);
}

/// tokio 0.2.2 (#1898): a lock that was waited for and given up stays locked.
#[test]
fn waiting_for_a_lock_is_given_up() {
    let lock = Arc::new(tokio_02::sync::Mutex::new(0));
    let theirs = lock.clone();
    let thread = thread::spawn(move || {
        let mut waiting = Box::pin(theirs.lock());
        let mut context = Context::from_waker(Waker::noop());
        drop(waiting.as_mut().poll(&mut context));
        drop(waiting);
    });
    *block_on(lock.lock()) += 1;
    thread.join().unwrap();
    assert_eq!(*block_on(lock.lock()), 1);
}

/// A waker that owns what it is woken for.
struct Owning(#[allow(dead_code)] Mutex<Option<tokio_1::sync::broadcast::Receiver<u32>>>);

impl Wake for Owning {
    fn wake(self: Arc<Self>) {}
}

/// tokio 1.28.2 (#5578): a waker that drops a receiver of the same channel is dropped under the channel's lock.
#[test]
fn a_waker_owns_a_receiver_of_its_channel() {
    let (sender, mut receiver) = tokio_1::sync::broadcast::channel(2);
    let waker = Waker::from(Arc::new(Owning(Mutex::new(Some(sender.subscribe())))));
    let thread = thread::spawn(move || sender.send(1).unwrap());
    {
        let mut receiving = Box::pin(receiver.recv());
        let polled = receiving.as_mut().poll(&mut Context::from_waker(&waker));
        drop(waker);
        if polled.is_pending() {
            let mut context = Context::from_waker(Waker::noop());
            let _ = receiving.as_mut().poll(&mut context);
        }
    }
    thread.join().unwrap();
}

/// parking_lot 0.7.1: who upgrades a lock waits for readers that have left.
#[test]
fn a_lock_is_upgraded_while_another_one_reads() {
    let lock = Arc::new(parking_lot_07::RwLock::new(0));
    let threads: Vec<_> = (0..2)
        .map(|_| {
            let lock = lock.clone();
            thread::spawn(move || *lock.read())
        })
        .collect();
    let guard = lock.upgradable_read();
    *parking_lot_07::RwLockUpgradableReadGuard::upgrade(guard) += 1;
    for thread in threads {
        assert!(thread.join().unwrap() < 2);
    }
}

/// flume 0.11.0: a message that comes just before its sender goes is lost.
#[test]
fn a_message_comes_before_its_sender_goes() {
    let (sender, receiver) = flume::unbounded();
    let mut receiving = receiver.recv_async();
    let mut poll = || {
        let mut context = Context::from_waker(Waker::noop());
        std::pin::Pin::new(&mut receiving).poll(&mut context)
    };
    assert!(poll().is_pending());
    let thread = thread::spawn(move || sender.send(1).unwrap());
    assert_ne!(poll(), Poll::Ready(Err(flume::RecvError::Disconnected)));
    thread.join().unwrap();
}
