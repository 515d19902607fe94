//! Syntax and meanings of edition 2018: `dyn`, `r#try`, arrays that iterate by reference.

mod inner;

pub use crate::inner::distance;

pub fn total(values: [i32; 3]) -> i32 {
    let mut sum = 0;
    #[allow(array_into_iter)]
    for value in values.into_iter() {
        sum += *value;
    }
    sum
}

pub fn r#try(attempt: &dyn Fn(i32) -> Option<i32>) -> i32 {
    attempt(2).unwrap_or(-1) + 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_works() {
        assert_eq!(total([1, 2, 4]), 7);
        assert_eq!(r#try(&|n| Some(n * 3)), 7);
        assert_eq!(distance(3, 9), 6);
        assert_eq!(distance(9, 3), 6);
    }
}
