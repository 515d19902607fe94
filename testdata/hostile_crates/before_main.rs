//! Exit code 0, and the mutants are killed: code runs before `main` and at the end.

unsafe extern "C" {
    fn atexit(function: extern "C" fn()) -> i32;
}

pub fn double(a: u32) -> u32 {
    a * 2
}

#[test]
fn doubles() {
    assert_eq!(double(3), 6);
    assert_eq!(double(7), 14);
}

extern "C" fn begin() {
    unsafe { atexit(end) };
    std::hint::black_box(double(1));
}

extern "C" fn end() {
    std::hint::black_box(double(1));
}

#[used]
#[unsafe(link_section = ".init_array")]
static BEGIN: extern "C" fn() = begin;
