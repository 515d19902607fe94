//! Exit code 4: a test ends its process as if all were well, which `cargo test` takes for a success of half of the tests.

pub fn double(a: u32) -> u32 {
    a * 2
}

#[test]
fn doubles() {
    assert_eq!(double(3), 6);
    assert_eq!(double(7), 14);
}

#[test]
fn a_first_test_exits() {
    assert_eq!(double(2), 4);
    std::process::exit(0);
}
