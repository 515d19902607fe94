//! A file that is there only with the feature `loud`.

pub fn loud(a: i32, b: i32) -> i32 {
    a + b
}
