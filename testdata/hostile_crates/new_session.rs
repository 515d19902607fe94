//! Exit code 0, and the mutants are killed: a test leaves its session and its group.

unsafe extern "C" {
    fn setsid() -> i32;
    fn setpgid(pid: i32, group: i32) -> i32;
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
fn leaves() {
    unsafe {
        setsid();
        setpgid(0, 0);
    }
    assert_eq!(double(2), 4);
}
