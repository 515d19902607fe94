//! Much of the language, in small pieces; each function's mutants die by one test below.

use std::collections::BTreeMap;
use std::ops::Add;

pub fn largest<T: PartialOrd + Copy>(values: &[T]) -> Option<T> {
    let mut best = *values.first()?;
    for &value in values {
        if value > best {
            best = value;
        }
    }
    Some(best)
}

pub fn sum_of<T, const N: usize>(values: [T; N]) -> T
where
    T: Add<Output = T> + Default,
{
    let mut sum = T::default();
    for value in values {
        sum = sum + value;
    }
    sum
}

pub const fn cube(n: u32) -> u32 {
    n * n * n
}

pub const SIZE: usize = 2 + 2;
pub static TABLE: [u32; SIZE] = [cube(1), cube(2), cube(3), cube(4)];

pub async fn later(n: u32) -> u32 {
    let first = async { n + 1 }.await;
    first * 2
}

pub fn in_chain(left: Option<i32>, right: Option<i32>) -> i32 {
    if let Some(l) = left
        && let Some(r) = right
        && l < r
    {
        r - l
    } else {
        -1
    }
}

macro_rules! twice {
    ($e:expr) => {
        $e + $e
    };
}

pub fn through_macro(n: u32) -> u32 {
    twice!(n) * 3
}

pub fn counted(words: &[&'static str]) -> BTreeMap<&'static str, usize> {
    let mut counts = BTreeMap::new();
    for word in words {
        *counts.entry(*word).or_insert(0) += 1;
    }
    counts
}

pub fn adder(by: i32) -> impl Fn(i32) -> i32 {
    move |n| n + by
}

pub fn evens(limit: u32) -> impl Iterator<Item = u32> {
    (0..limit).filter(|n| n % 2 == 0)
}

pub fn kind(n: i32) -> &'static str {
    match n {
        0 => "none",
        n if n < 0 => "debt",
        _ => "some",
    }
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Wallet {
    coins: u32,
    locked: bool,
}

impl Wallet {
    pub fn spend(&mut self, coins: u32) -> Result<u32, String> {
        if self.locked || coins > self.coins {
            return Err(format!("{coins} are too many"));
        }
        self.coins -= coins;
        Ok(self.coins)
    }
}

/// In this edition rustdoc puts all examples into one program.
///
/// ```
/// assert_eq!(language::documented(3), 12);
/// ```
pub fn documented(n: u32) -> u32 {
    n << 2
}

/// ```
/// assert_eq!(language::documented_too(3), 1);
/// ```
pub fn documented_too(n: u32) -> u32 {
    n >> 1
}

#[cfg(test)]
mod tests {
    use std::pin::pin;
    use std::task::{Context, Poll, Waker};

    use super::*;

    fn finish<F: Future>(future: F) -> F::Output {
        let mut future = pin!(future);
        let mut context = Context::from_waker(Waker::noop());
        match future.as_mut().poll(&mut context) {
            Poll::Ready(value) => value,
            Poll::Pending => panic!("it waits"),
        }
    }

    #[test]
    fn generic_code_works() {
        assert_eq!(largest(&[2, 7, 5]), Some(7));
        assert_eq!(largest(&[0.5, 0.25]), Some(0.5));
        assert_eq!(largest::<char>(&[]), None);
        assert_eq!(sum_of([1, 2, 3]), 6);
    }

    #[test]
    fn constants_stay() {
        assert_eq!(TABLE, [1, 8, 27, 64]);
    }

    #[test]
    fn async_code_works() {
        assert_eq!(finish(later(4)), 10);
    }

    #[test]
    fn chains_and_closures_work() {
        assert_eq!(in_chain(Some(2), Some(5)), 3);
        assert_eq!(in_chain(Some(5), Some(2)), -1);
        assert_eq!(in_chain(None, Some(2)), -1);
        assert_eq!(adder(3)(4), 7);
        assert_eq!(evens(7).collect::<Vec<_>>(), [0, 2, 4, 6]);
        assert_eq!(through_macro(5), 30);
        assert_eq!(counted(&["a", "b", "a"])["a"], 2);
    }

    #[test]
    fn matches_work() {
        assert_eq!([kind(0), kind(-2), kind(3)], ["none", "debt", "some"]);
    }

    #[test]
    fn methods_work() {
        let mut wallet = Wallet { coins: 5, locked: false };
        assert_eq!(wallet.spend(3), Ok(2));
        assert!(wallet.spend(3).is_err());
        assert_eq!(wallet.spend(2), Ok(0));
        wallet.locked = true;
        assert!(wallet.spend(0).is_err());
    }
}
