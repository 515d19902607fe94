//! What is compiled depends on the features and on the machine.

#[cfg(feature = "loud")]
pub mod loud;

#[cfg(feature = "calm")]
pub fn calm(a: i32, b: i32) -> i32 {
    a + b
}

#[cfg(windows)]
pub fn elsewhere(a: i32, b: i32) -> i32 {
    a + b
}

#[cfg(all(unix, not(feature = "loud")))]
pub fn quiet(a: i32, b: i32) -> i32 {
    a + b
}

pub fn within(a: i32, b: i32) -> i32 {
    #[cfg(feature = "loud")]
    let a = a * 3;
    a + b
}

#[cfg(test)]
mod tests {
    #[test]
    fn sums() {
        assert_eq!(super::calm(2, 3), 5);
        #[cfg(not(feature = "loud"))]
        assert_eq!(super::quiet(2, 3), 5);
        #[cfg(not(feature = "loud"))]
        assert_eq!(super::within(2, 3), 5);
        #[cfg(feature = "loud")]
        assert_eq!(super::within(2, 3), 9);
        #[cfg(feature = "loud")]
        assert_eq!(super::loud::loud(2, 3), 5);
    }
}
