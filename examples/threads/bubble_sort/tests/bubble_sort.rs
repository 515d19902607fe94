//! Arrays of all sorts end up sorted.

use bubble_sort::sort;

#[test]
fn positive_numbers() {
    assert_eq!(sort(vec![3, 2, 1]), [1, 2, 3]);
}

#[test]
fn negative_numbers() {
    assert_eq!(sort(vec![-1, -2, -3]), [-3, -2, -1]);
}

#[test]
fn numbers_of_both_signs() {
    assert_eq!(sort(vec![1, 0, -1]), [-1, 0, 1]);
}

#[test]
fn numbers_that_occur_twice() {
    assert_eq!(sort(vec![2, 1, 2]), [1, 2, 2]);
}

#[test]
fn two_numbers() {
    assert_eq!(sort(vec![5, 4]), [4, 5]);
}

#[test]
fn no_numbers() {
    assert_eq!(sort(Vec::new()), []);
}
