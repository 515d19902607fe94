//! Arrays of all sorts end up sorted.

use bubble_sort::{is_permutation, is_sorted, sort};

fn check(unsorted: &[i32]) {
    let sorted = sort(unsorted.to_vec());
    assert!(is_sorted(&sorted));
    assert!(is_permutation(&sorted, unsorted));
}

#[test]
fn positive_numbers() {
    check(&[3, 2, 1]);
}

#[test]
fn negative_numbers() {
    check(&[-1, -2, -3]);
}

#[test]
fn numbers_of_both_signs() {
    check(&[1, 0, -1]);
}

#[test]
fn numbers_that_occur_twice() {
    check(&[2, 1, 2]);
}

#[test]
fn two_numbers() {
    check(&[5, 4]);
}

#[test]
fn no_numbers() {
    check(&[]);
}
