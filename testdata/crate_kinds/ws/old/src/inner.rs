//! A module whose paths start at the crate.

pub fn halved(n: i32) -> i32 {
    n / ::inner::two()
}

pub fn two() -> i32 {
    2
}
