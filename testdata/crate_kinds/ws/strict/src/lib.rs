//! Strict about everything.
#![forbid(unsafe_code)]
#![deny(warnings, missing_docs, unused, clippy::all)]
#![deny(unused_parens, unreachable_code, unused_qualifications)]

use derive_answer::Answer;

/// Derives its one function.
#[derive(Answer)]
pub struct Question;

/// The answer, and some more.
#[must_use]
pub fn more(extra: u32) -> u32 {
    Question::answer() + extra
}

/// Whether a number is small and even.
#[must_use]
pub fn is_neat(number: u32) -> bool {
    number < 10 && number % 2 == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strictness_pays() {
        assert_eq!(more(8), 50);
        assert!(is_neat(4));
        assert!(!is_neat(5));
        assert!(!is_neat(10));
        assert!(!is_neat(13));
    }
}
