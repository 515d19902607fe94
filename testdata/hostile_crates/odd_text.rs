//! Exit code 0, and the mutants are killed: names and texts are not those of English, and lines are long.

pub fn double(a: u32) -> u32 {
    a * 2
}

#[test]
fn doubles() {
    assert_eq!(double(3), 6);
    assert_eq!(double(7), 14);
}

/// Ünïcödé, ‮right to left‬, and a tab	here.
pub fn größe_der_menge(r#fn: u32) -> u32 {
    double(r#fn)
}

#[test]
fn größe() {
    let text = "'\"\\\u{1F600}\0\x1b[31m";
    assert_eq!(text.len() as u32 + größe_der_menge(2), text.len() as u32 + 4);
}
