//! One of each kind of function that can be observed. Every exit must still compile.

use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};
use std::fmt::{self, Display};
use std::future::Future;
use std::sync::Mutex;

pub struct Store<T> {
    items: Vec<T>,
    log: RefCell<String>,
    lock: Mutex<u32>,
}

impl<T: Clone + Display> Store<T> {
    pub fn new(items: Vec<T>) -> Self {
        Store {
            items,
            log: RefCell::default(),
            lock: Mutex::new(0),
        }
    }

    pub fn first(&self) -> Option<&T> {
        self.items.first()
    }

    pub fn first_mut(&mut self) -> Option<&mut T> {
        let count = self.items.len();
        if count == 0 {
            return None;
        }
        self.items.get_mut(0)
    }

    pub fn iter(&self) -> impl Iterator<Item = String> + '_ {
        self.items.iter().map(|item| item.to_string())
    }

    pub fn locked(&self) -> u32 {
        *self.lock.lock().unwrap() + self.log.borrow().len() as u32
    }

    pub fn boxed(&self, wide: bool) -> Box<dyn Display> {
        if wide {
            Box::new(format!("{:>9}", self.items.len()))
        } else {
            Box::new(self.items.len())
        }
    }

    pub fn into_items(self) -> Vec<T> {
        self.items
    }

    pub fn add(&mut self, item: T) -> &mut Self {
        self.items.push(item);
        self
    }
}

impl<T> fmt::Display for Store<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} items", self.items.len())
    }
}

pub trait Named {
    fn name(&self) -> String;

    fn greeting(&self) -> String {
        format!("Hello, {}", self.name())
    }
}

impl Named for str {
    fn name(&self) -> String {
        self.to_owned()
    }
}

pub fn parse(text: &str) -> Result<u32, std::num::ParseIntError> {
    let number: u32 = text.trim().parse()?;
    Ok(number + 1)
}

pub fn collect(words: &[&str]) -> BTreeMap<String, usize> {
    let mut counts = HashMap::new();
    for word in words {
        *counts.entry(word.to_string()).or_insert(0) += 1;
    }
    counts.into_iter().collect()
}

pub fn fill(target: &mut Vec<u8>, (count, value): (usize, u8)) {
    if count == 0 {
        return;
    }
    target.extend(std::iter::repeat(value).take(count));
}

pub async fn later(value: u32) -> u32 {
    let inner = async { value + 1 };
    inner.await
}

pub fn stop(why: &str) -> ! {
    panic!("{why}")
}

pub const fn constant(value: u32) -> u32 {
    value + 1
}

pub fn generic<T: Into<u64> + Copy, const N: usize>(values: [T; N]) -> u64 {
    values.iter().map(|&value| value.into()).sum()
}

pub fn adder(by: i32) -> impl Fn(i32) -> i32 {
    move |value| value + by
}

pub fn label(value: i32) -> &'static str {
    match value {
        0 => "none",
        n if n < 0 => {
            let text = "below";
            text
        }
        _ => "above",
    }
}

pub fn poll_once<F: Future>(future: F) -> Option<F::Output> {
    let mut future = Box::pin(future);
    let waker = std::task::Waker::noop();
    match future.as_mut().poll(&mut std::task::Context::from_waker(waker)) {
        std::task::Poll::Ready(value) => Some(value),
        std::task::Poll::Pending => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_is_used() {
        let mut store = Store::new(vec![1, 2, 3]);
        assert_eq!(store.first(), Some(&1));
        *store.first_mut().unwrap() += 1;
        assert_eq!(store.iter().collect::<Vec<_>>(), ["2", "2", "3"]);
        assert_eq!(store.locked(), 0);
        assert_eq!(store.boxed(false).to_string(), "3");
        assert_eq!(store.to_string(), "3 items");
        store.add(4).add(5);
        assert_eq!(store.into_items(), [2, 2, 3, 4, 5]);
        assert_eq!("you".greeting(), "Hello, you");
        assert_eq!(parse(" 6 "), Ok(7));
        assert!(parse("x").is_err());
        assert_eq!(collect(&["a", "b", "a"])["a"], 2);
        let mut target = Vec::new();
        fill(&mut target, (2, 7));
        fill(&mut target, (0, 9));
        assert_eq!(target, [7, 7]);
        assert_eq!(poll_once(later(1)), Some(2));
        assert_eq!(generic([1u8, 2]), 3);
        assert_eq!(adder(2)(3), 5);
        assert_eq!((label(0), label(-1), label(5)), ("none", "below", "above"));
        assert_eq!(constant(1), 2);
    }

    #[test]
    #[should_panic]
    fn stopping_stops() {
        stop("now");
    }
}
