//! Takes a file of the library for its own module.

#[path = "../src/shared.rs"]
mod shared;

use shared::Height;

#[test]
fn heights_are_raised() {
    assert_eq!(shared::raised(Height(1)), Height(3));
}
