//! Published bugs of concurrent crates, one plain test each. `bad` has the versions with the bugs, `fixed` those without.

use std::sync::Arc;
use std::thread;

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
    let lock = Arc::new(spin::RwLock::new(0));
    let theirs = lock.clone();
    let thread = thread::spawn(move || *theirs.write() += 1);
    *lock.write() += 1;
    thread.join().unwrap();
    assert_eq!(*lock.read(), 2);
}

/// RUSTSEC-2019-0009: a vector on the heap that is told to grow to what it has already gives its memory back and goes on with it.
#[test]
fn a_small_vector_grows_to_what_it_has() {
    let mut numbers: smallvec::SmallVec<[u8; 2]> = smallvec::SmallVec::new();
    numbers.extend(0..4);
    numbers.grow(4);
    assert_eq!(std::hint::black_box(&numbers)[3], 3);
}

/// RUSTSEC-2021-0093: a task may be taken twice, by its owner and by a thief.
#[test]
fn a_task_is_stolen_and_taken() {
    let worker = crossbeam_deque::Worker::new_lifo();
    let stealer = worker.stealer();
    for task in 0..3 {
        worker.push(Box::new(task));
    }
    let thread = thread::spawn(move || {
        let own = crossbeam_deque::Worker::new_lifo();
        let stolen = stealer.steal_batch_and_pop(&own).success();
        let mut taken: Vec<i32> = stolen.into_iter().map(|task| *task).collect();
        taken.extend(std::iter::from_fn(|| own.pop()).map(|task| *task));
        taken
    });
    let pop_all = || std::iter::from_fn(|| worker.pop()).map(|task| *task);
    let mut taken: Vec<i32> = pop_all().collect();
    taken.extend(thread.join().unwrap());
    taken.extend(pop_all());
    taken.sort();
    assert_eq!(taken, [0, 1, 2]);
}
