//! Edition 2015, too.
extern crate old;

use old::exotic::{changed, Plus};

#[test]
fn all_works() {
    assert_eq!(old::async(10), 7);
    assert_eq!(changed(&Plus(4)), 14);
    assert_eq!(::old::room(3), 18);
}
