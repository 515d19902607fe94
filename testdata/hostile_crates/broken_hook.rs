//! Exit code 0, and the mutants are killed: a test replaces the panic hook by one that panics, aborts nothing and prints nothing.

pub fn double(a: u32) -> u32 {
    a * 2
}

#[test]
fn doubles() {
    assert_eq!(double(3), 6);
    assert_eq!(double(7), 14);
}

#[test]
fn hooks() {
    std::panic::set_hook(Box::new(|_| {}));
    assert!(std::panic::catch_unwind(|| panic!("caught")).is_err());
    assert_eq!(double(2), 4);
}
