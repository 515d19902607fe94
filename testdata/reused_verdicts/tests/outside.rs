//! Tests that use the crates from outside.

use reused_verdicts::{Shape, Square, Strip, areas, evens, long_line};

#[test]
fn squares_are_larger_than_strips() {
    assert!(Square(3).is_larger(&Strip { length: 3 }));
    assert_eq!(areas(&[&Square(2), &Strip { length: 5 }]), 9);
}

#[test]
fn every_second_number_is_even() {
    assert_eq!(evens(5).count(), 3);
}

#[test]
fn a_long_line_is_found() {
    assert_eq!(long_line("a\nlong\nb", 2), Ok(1));
    assert!(long_line("a\nb", 2).is_err());
}

#[test]
#[should_panic]
fn something_fails() {
    assert_eq!(inner::lowered(15), 6);
}
