//! Exit code 0, and the mutants are killed: a test changes the directory and the environment.

pub fn double(a: u32) -> u32 {
    a * 2
}

#[test]
fn doubles() {
    assert_eq!(double(3), 6);
    assert_eq!(double(7), 14);
}

#[test]
fn goes_elsewhere() {
    std::env::set_current_dir("/").unwrap();
    unsafe { std::env::set_var("PATH", "/nowhere") };
    assert_eq!(double(2), 4);
}
