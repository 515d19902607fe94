//! Exit code 0, and the mutants are killed: a test leaves a program behind that would run for hours.

pub fn double(a: u32) -> u32 {
    a * 2
}

#[test]
fn doubles() {
    assert_eq!(double(3), 6);
    assert_eq!(double(7), 14);
}

#[test]
fn leaves_a_program() {
    let _ = std::process::Command::new("sleep").arg("3500").spawn();
    assert_eq!(double(2), 4);
}
