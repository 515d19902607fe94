//! Counts down twice.

pub fn before_that(count: u32) -> u32 {
    counted::before(counted::before(count))
}
