//! Exit code 0, and the mutants are killed: a test leaves a thread behind that never ends.

pub fn double(a: u32) -> u32 {
    a * 2
}

#[test]
fn doubles() {
    assert_eq!(double(3), 6);
    assert_eq!(double(7), 14);
}

#[test]
fn leaves_a_thread() {
    std::thread::spawn(|| loop {
        std::thread::park();
    });
    assert_eq!(double(2), 4);
}
