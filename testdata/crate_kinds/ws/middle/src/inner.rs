//! A module in a file of its own.

pub fn distance(a: i32, b: i32) -> i32 {
    if a < b { b - a } else { a - b }
}
