//! Exit code 0, and the mutants are killed: a test lowers its own limits.

unsafe extern "C" {
    fn setrlimit(resource: i32, limit: *const [u64; 2]) -> i32;
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
fn lowers() {
    const DESCRIPTORS: i32 = 7;
    unsafe { setrlimit(DESCRIPTORS, &[8, 8]) };
    assert_eq!(double(2), 4);
}
