//! `no_std` always; the unit tests bring std back by its name.
#![no_std]

#[cfg(test)]
extern crate std;

pub fn clamp(value: i32, limit: i32) -> i32 {
    if value > limit { limit } else { value }
}

pub fn spread(left: u8, right: u8) -> u8 {
    right - left
}

#[cfg(test)]
mod tests {
    use std::string::ToString;

    #[test]
    fn clamps() {
        assert_eq!(super::clamp(9, 5).to_string(), "5");
        assert_eq!(super::clamp(3, 5).to_string(), "3");
    }
}
