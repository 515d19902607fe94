//! Exit code 0, and the mutants are killed: a test ignores all signals that can be ignored.

unsafe extern "C" {
    fn signal(number: i32, handler: usize) -> usize;
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
fn ignores() {
    for number in 1..32 {
        unsafe { signal(number, 1) };
    }
    assert_eq!(double(2), 4);
}
