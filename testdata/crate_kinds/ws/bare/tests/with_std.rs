//! An integration test has std, whatever the crate under test has.

#[test]
fn spreads() {
    assert_eq!(format!("{}", bare::spread(2, 9)), "7");
}
