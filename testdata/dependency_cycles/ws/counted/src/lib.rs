//! Counts.

pub fn next(count: u32) -> u32 {
    count + 1
}

pub fn before(count: u32) -> u32 {
    count - 1
}
