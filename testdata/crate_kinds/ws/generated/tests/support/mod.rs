//! A module of a test: no mutants in it.

pub fn long_lines() -> usize {
    1 + 1
}
