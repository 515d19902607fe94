//! Counts twice.

pub fn next_but_one(count: u32) -> u32 {
    counted::next(counted::next(count))
}
