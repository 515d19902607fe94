//! Published data races: accesses that nothing orders, by too weak an ordering, a missing lock or a missing bound. One plain
//! test each.

use std::cell::Cell;
use std::sync::Arc;
use std::thread;

// Where the repaired version refuses to compile what is wrong, its test has the nearest that compiles.
#[cfg(feature = "unsound")]
use std::rc::Rc as Counted;
#[cfg(not(feature = "unsound"))]
use std::sync::Arc as Counted;
// The repair of parking_lot 0.11.1 was not whole: the version that repairs the other bug of its kind is.
#[cfg(not(feature = "unsound"))]
use parking_lot_12 as parking_lot_11;
#[cfg(feature = "unsound")]
type Looks = Cell<u32>;
#[cfg(not(feature = "unsound"))]
type Looks = std::sync::Mutex<u32>;

/// RUSTSEC-2022-0006: iterating over a `ThreadLocal` reads what another thread has just made, with too weak an ordering.
#[test]
fn thread_locals_are_iterated_while_one_is_made() {
    let locals = Arc::new(thread_local::ThreadLocal::with_capacity(0));
    let theirs = locals.clone();
    let thread = thread::spawn(move || {
        theirs.get_or(|| Box::new(5));
    });
    for value in locals.iter() {
        assert_eq!(**value, 5);
    }
    thread.join().unwrap();
}

/// RUSTSEC-2019-0013: the orderings of the `RwLock` let two threads in.
#[test]
fn a_spinning_lock_is_taken_by_two_writers() {
    let lock = Arc::new(spin_05::RwLock::new(0));
    let theirs = lock.clone();
    let thread = thread::spawn(move || *theirs.write() += 1);
    *lock.write() += 1;
    thread.join().unwrap();
    assert_eq!(*lock.read(), 2);
}

/// RUSTSEC-2023-0031: an initialisation that fails lets those who wait for it go on as if it had not.
#[test]
fn a_value_is_read_whose_initialisation_failed() {
    let once = Arc::new(spin_09::Once::<Box<u32>>::new());
    let theirs = once.clone();
    let thread = thread::spawn(move || theirs.try_call_once(|| Err(())).map(|_| ()));
    let value = once.try_call_once(|| Ok::<_, ()>(Box::new(5)));
    assert_eq!(value.map(|value| **value), Ok(5));
    let _ = thread.join().unwrap();
}

/// RUSTSEC-2021-0124: a closed channel is sent to while its receiver looks.
#[test]
fn a_closed_oneshot_is_sent_to_and_received_from() {
    let (sender, mut receiver) = tokio_1::sync::oneshot::channel();
    receiver.close();
    let thread = thread::spawn(move || sender.send(Box::new(5)).is_ok());
    let received = receiver.try_recv();
    thread.join().unwrap();
    assert!(received.is_err() || received.is_ok_and(|value| *value == 5));
}

/// Counts its clones, for one thread at a time.
struct CountsClones(Cell<u32>);

impl Clone for CountsClones {
    fn clone(&self) -> CountsClones {
        self.0.set(self.0.get() + 1);
        CountsClones(Cell::new(0))
    }
}

/// RUSTSEC-2025-0023: receivers clone a value at the same time that need not be `Sync`.
#[test]
fn a_broadcast_value_is_cloned_by_two_receivers() {
    let (sender, mut receiver) = tokio_1::sync::broadcast::channel(1);
    let mut theirs = sender.subscribe();
    assert!(sender.send(CountsClones(Cell::new(0))).is_ok());
    let thread = thread::spawn(move || theirs.try_recv().is_ok());
    assert!(receiver.try_recv().is_ok());
    assert!(thread.join().unwrap());
}

/// parking_lot 0.11.1: a writer that waits for readers does not acquire what they release.
#[test]
fn a_writer_waits_for_a_reader() {
    let lock = Arc::new(parking_lot_11::RwLock::new(0));
    let theirs = lock.clone();
    let thread = thread::spawn(move || *theirs.read());
    *lock.write() += 1;
    assert!(thread.join().unwrap() < 2);
}

/// parking_lot 0.12.1: so does one that is about to be parked.
#[test]
fn a_writer_is_parked_for_a_reader() {
    let lock = Arc::new(parking_lot_12::RwLock::new(0));
    let theirs = lock.clone();
    let thread = thread::spawn(move || *theirs.read());
    *lock.write() += 1;
    assert!(thread.join().unwrap() < 2);
}

/// sync_cow 0.1.2: all orderings were relaxed.
#[test]
fn a_value_is_read_that_was_just_edited() {
    let cow = Arc::new(sync_cow::SyncCow::new(Box::new(1)));
    let theirs = cow.clone();
    let thread = thread::spawn(move || theirs.edit(|value| **value = 2));
    assert!([1, 2].contains(&**cow.read()));
    thread.join().unwrap();
}

/// basedrop 0.1.3: what is collected was queued with too weak an ordering.
#[test]
fn what_another_thread_dropped_is_collected() {
    let mut collector = basedrop::Collector::new();
    let handle = collector.handle();
    let owned = [
        basedrop::Owned::new(&handle, 1),
        basedrop::Owned::new(&handle, 2),
    ];
    let thread = thread::spawn(move || {
        let [mut first, second] = owned;
        *first += 1;
        drop(first);
        drop(second);
    });
    collector.collect();
    thread.join().unwrap();
    collector.collect();
}

/// oneshot 0.1.12: who is the last to leave a channel frees it, without acquiring what the other one did.
#[test]
fn both_ends_of_a_oneshot_leave() {
    let (sender, receiver) = oneshot::channel::<Box<u32>>();
    let thread = thread::spawn(move || drop(sender));
    drop(receiver);
    thread.join().unwrap();
}

/// triple_buffer 5.0.6: the buffer that the consumer gives back is not released to the producer.
#[test]
fn a_buffer_is_read_and_given_back() {
    let (mut input, mut output) = triple_buffer::TripleBuffer::new(0).split();
    let thread = thread::spawn(move || {
        for value in 1..4 {
            input.write(value);
        }
    });
    assert!(*output.read() < 4);
    assert!(*output.read() < 4);
    thread.join().unwrap();
}

/// RUSTSEC-2022-0029: who waits for a value gets it by too weak an ordering.
#[test]
fn a_value_is_waited_for() {
    let queue = Arc::new(crossbeam_sync::sync::MsQueue::new());
    let theirs = queue.clone();
    let thread = thread::spawn(move || theirs.push(5));
    assert_eq!(queue.pop(), 5);
    thread.join().unwrap();
}

/// RUSTSEC-2020-0044: what must stay in its thread goes through an `Atom` to another one.
#[test]
fn a_counter_of_one_thread_goes_to_another() {
    let mine = Counted::new(5);
    let atom = atom::Atom::new(Box::new(mine.clone()));
    let thread = thread::spawn(move || atom.take().map(|theirs| **theirs));
    let another = mine.clone();
    assert_eq!(*another, 5);
    assert_eq!(thread.join().unwrap(), Some(5));
}

/// Counts how often it was looked at.
#[derive(Default)]
struct Watched(Looks);

impl Watched {
    fn look(&self) {
        #[cfg(feature = "unsound")]
        self.0.set(self.0.get() + 1);
        #[cfg(not(feature = "unsound"))]
        drop(self.0.lock().map(|mut looks| *looks += 1));
    }
}

impl PartialEq for Watched {
    fn eq(&self, _other: &Watched) -> bool {
        true
    }
}

impl Eq for Watched {}

impl std::hash::Hash for Watched {
    fn hash<H: std::hash::Hasher>(&self, _state: &mut H) {}
}

/// RUSTSEC-2021-0036: an interned value is shared that must not be.
#[test]
fn an_interned_value_is_looked_at_by_two_threads() {
    let value = internment::Intern::new(Watched::default());
    let theirs = value.clone();
    let thread = thread::spawn(move || theirs.look());
    value.look();
    thread.join().unwrap();
}

/// arc-swap 1.9.0 and 1.9.1: the proofs of some orderings were wrong.
#[test]
fn a_value_is_borrowed_while_it_is_replaced() {
    let shared = Arc::new(arc_swap::ArcSwap::from_pointee(1));
    let theirs = shared.clone();
    let thread = thread::spawn(move || theirs.store(Arc::new(2)));
    assert!([1, 2].contains(&**shared.load()));
    thread.join().unwrap();
}
