//! Exit code 4: a test kills its own group without any mutant.

unsafe extern "C" {
    fn kill(pid: i32, signal: i32) -> i32;
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
fn kills_its_group() {
    unsafe { kill(0, 9) };
}
