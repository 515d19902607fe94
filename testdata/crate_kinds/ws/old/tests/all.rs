//! Edition 2015, too.
extern crate old;

use old::exotic::{async, Plus};

#[test]
fn all_works() {
    assert_eq!(old::raised(10), 7);
    assert_eq!(async(&Plus(4)), 14);
    assert_eq!(::old::room(3), 18);
}
