//! No block is taken or given back twice.

use std::collections::BTreeSet;
use std::thread;

use allocation::{AllocationVector, Misuse};

/// Two threads take two blocks each; all are different.
fn allocate(size: usize) {
    let vector = AllocationVector::new(size);
    let taken: Vec<usize> = thread::scope(|scope| {
        let take = || [(); 2].map(|()| vector.take_free_block().unwrap());
        let threads = [scope.spawn(take), scope.spawn(take)];
        threads
            .into_iter()
            .flat_map(|thread| thread.join().unwrap())
            .collect()
    });
    assert_eq!(taken.iter().collect::<BTreeSet<_>>().len(), 4);
    assert_eq!(vector.usage().taken, 4);
}

/// Two threads give two blocks each back.
fn free(size: usize) {
    let vector = AllocationVector::new(size);
    for _ in 0..4 {
        vector.take_free_block().unwrap();
    }
    thread::scope(|scope| {
        for first in [0, 2] {
            let vector = &vector;
            scope.spawn(move || {
                assert_eq!(vector.mark_free(first), Ok(()));
                assert_eq!(vector.mark_free(first + 1), Ok(()));
            });
        }
    });
    assert_eq!(vector.usage().taken, 0);
}

/// Two threads take two blocks each, one after the other, and give them back at once.
fn allocate_and_free(size: usize) {
    let vector = AllocationVector::new(size);
    thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                for _ in 0..2 {
                    let index = vector.take_free_block().unwrap();
                    assert_eq!(vector.mark_free(index), Ok(()));
                }
            });
        }
    });
    assert_eq!(vector.free_block_index(), Some(0));
}

#[test]
fn blocks_of_forty_are_taken_once() {
    allocate(40);
}

#[test]
fn blocks_of_eight_are_taken_once() {
    allocate(8);
}

#[test]
fn blocks_of_four_are_taken_once() {
    allocate(4);
}

#[test]
fn blocks_of_forty_are_given_back() {
    free(40);
}

#[test]
fn blocks_of_eight_are_given_back() {
    free(8);
}

#[test]
fn blocks_of_eight_come_and_go() {
    allocate_and_free(8);
}

#[test]
fn blocks_of_four_come_and_go() {
    allocate_and_free(4);
}

#[test]
fn no_block_can_be_taken_twice_by_its_number() {
    let vector = AllocationVector::new(4);
    let outcomes = thread::scope(|scope| {
        let take = || vector.mark_allocated(2);
        let threads = [scope.spawn(take), scope.spawn(take)];
        threads.map(|thread| thread.join().unwrap())
    });
    assert!(outcomes.contains(&Ok(())));
    assert!(outcomes.contains(&Err(Misuse::TakenTwice(2))));
}

#[test]
fn no_block_can_be_given_back_twice() {
    let vector = AllocationVector::new(4);
    assert_eq!(vector.take_free_block(), Some(0));
    let outcomes = thread::scope(|scope| {
        let give = || vector.mark_free(0);
        let threads = [scope.spawn(give), scope.spawn(give)];
        threads.map(|thread| thread.join().unwrap())
    });
    assert!(outcomes.contains(&Ok(())));
    assert!(outcomes.contains(&Err(Misuse::FreedTwice(0))));
}
