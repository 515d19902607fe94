//! `no_std` unless it is tested.
#![cfg_attr(not(test), no_std)]

extern crate alloc;

use alloc::string::String;
use alloc::vec::Vec;

pub fn doubled(values: &[i64]) -> Vec<i64> {
    values.iter().map(|value| value * 2).collect()
}

pub fn shout(word: &str) -> String {
    let mut loud = String::from(word);
    loud.push('!');
    loud
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn doubles() {
        assert_eq!(doubled(&[1, -4]), vec![2, -8]);
    }

    #[test]
    fn shouts() {
        assert_eq!(shout("ho"), "ho!");
    }
}
