//! Text that is generated, and a number with a sign whose mutant rustc rejects without saying where.

use std::ops::Neg;

/// A function `answer` for a type.
pub fn answer_of(name: &str, number: u32) -> String {
    let answer = number + 2;
    format!("impl {name} {{ pub fn answer() -> u32 {{ {answer} }} }}")
}

/// The name behind `struct`.
pub fn type_name(item: &str) -> &str {
    let mut words = item.split_whitespace().skip_while(|word| *word != "struct");
    let name = words.nth(1).unwrap_or_default();
    name.trim_end_matches(|letter: char| !letter.is_alphanumeric())
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Signed<T>(pub T);

impl<'a, T> Neg for &'a Signed<T>
where
    &'a T: Neg,
{
    type Output = Signed<<&'a T as Neg>::Output>;

    fn neg(self) -> Self::Output {
        Signed(-(&self.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_follow_the_keyword() {
        assert_eq!(type_name("pub struct Deep;"), "Deep");
    }

    #[test]
    fn signs_are_turned() {
        assert_eq!(-&Signed(3), Signed(-3));
    }
}
