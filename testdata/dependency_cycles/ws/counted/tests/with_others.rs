//! Asks nobody but the packages that use this one.

#[test]
fn a_helper_counts() {
    assert_eq!(helper::next_but_one(1), 3);
}

#[test]
fn a_stranger_counts_down() {
    assert_eq!(stranger::before_that(4), 2);
}
