//! Exit code 4: a test fails without any mutant.

pub fn double(a: u32) -> u32 {
    a * 2
}

#[test]
fn doubles() {
    assert_eq!(double(3), 6);
    assert_eq!(double(7), 14);
}

#[test]
fn fails() {
    assert_eq!(double(2), 5);
}
