//! Exit code 0, and the mutants are killed: a test prints ten megabytes, with control characters and no text.

pub fn double(a: u32) -> u32 {
    a * 2
}

#[test]
fn doubles() {
    assert_eq!(double(3), 6);
    assert_eq!(double(7), 14);
}

#[test]
fn prints() {
    use std::io::Write as _;
    let noise = [0u8, 27, b'[', b'2', b'J', 255, 10, 7].repeat(128);
    for _ in 0..10_000 {
        std::io::stdout().write_all(&noise).unwrap();
    }
    assert_eq!(double(2), 4);
}
