//! Exit code 0, and the mutants are killed: a test closes every descriptor that it did not open.

unsafe extern "C" {
    fn close(descriptor: i32) -> i32;
}

pub fn double(a: u32) -> u32 {
    a * 2
}

#[test]
fn doubles() {
    assert_eq!(double(3), 6);
    assert_eq!(double(7), 14);
}

#[test]
fn closes() {
    assert_eq!(double(2), 4);
    for descriptor in 3..64 {
        unsafe { close(descriptor) };
    }
    assert_eq!(double(1), 2);
}
