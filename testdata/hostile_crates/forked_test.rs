//! Exit code 0, and the mutants are killed: a test forks, and its child comes back as the test as well.

unsafe extern "C" {
    fn fork() -> i32;
    fn waitpid(pid: i32, status: *mut i32, options: i32) -> i32;
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
fn forks() {
    let child = unsafe { fork() };
    assert_eq!(double(2), 4);
    if child > 0 {
        unsafe { waitpid(child, std::ptr::null_mut(), 0) };
    }
}
