//! Lists that threads build and take apart hold what they should.

use std::thread;

use linked_list::List;

fn built(ranges: &[(i32, i32)]) -> List {
    let list = List::new();
    list.build(ranges);
    list
}

fn sorted(list: &List) -> Vec<i32> {
    let mut values = list.values();
    values.sort();
    values
}

#[test]
fn a_new_list_is_empty() {
    assert_eq!(List::new().size(), 0);
}

#[test]
fn one_builder_keeps_the_order() {
    assert_eq!(built(&[(0, 3)]).values(), [0, 1, 2]);
}

#[test]
fn two_builders_lose_nothing() {
    assert_eq!(sorted(&built(&[(0, 2), (2, 4)])), [0, 1, 2, 3]);
}

#[test]
fn two_builders_make_the_right_size() {
    assert_eq!(built(&[(0, 2), (5, 7)]).size(), 4);
}

#[test]
fn two_builders_of_the_same_range() {
    assert_eq!(sorted(&built(&[(0, 2), (0, 2)])), [0, 0, 1, 1]);
}

#[test]
fn three_builders_lose_nothing() {
    assert_eq!(sorted(&built(&[(0, 1), (1, 2), (2, 3)])), [0, 1, 2]);
}

#[test]
fn three_builders_make_the_right_size() {
    assert_eq!(built(&[(0, 1), (0, 1), (0, 1)]).size(), 3);
}

#[test]
fn each_builder_keeps_its_own_order() {
    let list = built(&[(0, 2), (10, 12), (20, 22)]);
    for value in [0, 10, 20] {
        assert!(list.index_of(value) < list.index_of(value + 1));
    }
}

#[test]
fn an_empty_range_adds_nothing() {
    assert_eq!(built(&[(0, 0), (1, 3)]).values(), [1, 2]);
}

#[test]
fn what_was_added_is_found() {
    let list = built(&[(0, 2), (2, 3)]);
    assert!((0..3).all(|value| list.find(value)));
    assert!(!list.find(3));
}

#[test]
fn the_one_before_is_found() {
    let list = built(&[(4, 7)]);
    assert_eq!(list.find_previous(6), Some(5));
    assert_eq!(list.find_previous(4), None);
    assert_eq!(list.find_previous(7), None);
}

#[test]
fn two_threads_remove_different_values() {
    let list = built(&[(0, 3)]);
    thread::scope(|scope| {
        scope.spawn(|| assert!(list.remove(0)));
        scope.spawn(|| assert!(list.remove(2)));
    });
    assert_eq!(list.values(), [1]);
}

#[test]
fn only_one_of_two_threads_removes_a_value() {
    let list = built(&[(0, 2)]);
    let removed = thread::scope(|scope| {
        let remove = || list.remove(1);
        let threads = [scope.spawn(remove), scope.spawn(remove)];
        threads.map(|thread| thread.join().unwrap())
    });
    assert_ne!(removed[0], removed[1]);
    assert_eq!(list.values(), [0]);
}

#[test]
fn adding_and_removing_at_once() {
    let list = built(&[(0, 1)]);
    thread::scope(|scope| {
        scope.spawn(|| list.add_last(1));
        scope.spawn(|| assert!(list.remove(0)));
    });
    assert_eq!(list.values(), [1]);
}

#[test]
fn clearing_and_adding_at_once() {
    let list = built(&[(0, 2)]);
    thread::scope(|scope| {
        scope.spawn(|| list.clear());
        scope.spawn(|| list.add_last(2));
    });
    assert!([&[2][..], &[]].contains(&&list.values()[..]));
}

#[test]
fn a_cleared_list_can_be_built_again() {
    let list = built(&[(0, 2)]);
    list.clear();
    assert_eq!(list.size(), 0);
    list.build(&[(3, 4), (4, 5)]);
    assert_eq!(sorted(&list), [3, 4]);
}
