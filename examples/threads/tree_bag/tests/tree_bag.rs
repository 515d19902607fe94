//! However many threads count, the count is right.

use tree_bag::TreeBag;

fn bag(values: &[i32]) -> TreeBag {
    values.iter().copied().collect()
}

#[test]
fn an_empty_bag_holds_nothing() {
    let bag = bag(&[]);
    assert!(bag.is_empty());
    assert_eq!(bag.find(1, 2), 0);
}

#[test]
fn one_thread_counts_alone() {
    assert_eq!(bag(&[1, 2, 1]).find(1, 1), 2);
}

#[test]
fn a_single_value_is_counted_once_by_two() {
    assert_eq!(bag(&[5]).find(5, 2), 1);
}

#[test]
fn two_threads_share_the_tree() {
    assert_eq!(bag(&[1, 2, 1, 2, 1]).find(1, 2), 3);
}

#[test]
fn two_threads_find_nothing_that_is_not_there() {
    assert_eq!(bag(&[1, 2, 1, 2, 1]).find(3, 2), 0);
}

#[test]
fn two_threads_count_what_is_everywhere() {
    assert_eq!(bag(&[4; 6]).find(4, 2), 6);
}

#[test]
fn three_threads_share_the_tree() {
    assert_eq!(bag(&[1, 2, 3, 1, 2, 3, 1]).find(1, 3), 3);
}

#[test]
fn three_threads_count_the_root_too() {
    assert_eq!(bag(&[9, 1, 1, 9, 1, 9]).find(9, 3), 3);
}

#[test]
fn more_threads_than_values() {
    let bag = bag(&[1, 2]);
    assert_eq!(bag.len(), 2);
    assert_eq!(bag.find(2, 3), 1);
}
