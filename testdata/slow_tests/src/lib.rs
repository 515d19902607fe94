//! A little arithmetic whose tests take their time, each on a thread of its own, so that every
//! mutant costs a whole run.

pub fn price(pieces: u32, each: u32, member: bool) -> u32 {
    let sum = pieces * each;
    if member && sum > 100 { sum - 10 } else { sum + 5 }
}

pub fn is_large(pieces: u32) -> bool {
    pieces >= 50
}

#[cfg(test)]
mod tests {
    use std::thread;
    use std::time::Duration;

    use super::*;

    fn slowly<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
        let worker = thread::spawn(|| {
            thread::sleep(Duration::from_millis(120));
            work()
        });
        worker.join().unwrap()
    }

    #[test]
    fn members_pay_less() {
        assert_eq!(slowly(|| price(30, 5, true)), 140);
    }

    #[test]
    fn others_pay_more() {
        assert_eq!(slowly(|| price(3, 5, false)), 20);
    }

    /// What it asserts depends on a file that is read when it runs.
    #[test]
    fn large_orders_are_told() {
        let strict = std::fs::read_to_string("limit.txt").unwrap().trim() == "strict";
        let large = is_large(50);
        assert!(large || !strict);
    }
}
