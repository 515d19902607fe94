//! Each function does harm only if it is told to, or if a mutant makes it; no test tells it to.

pub mod harm;
pub mod manners;

#[cfg(test)]
mod tests {
    use std::thread;

    use super::manners::*;

    #[test]
    fn sequential_one() {
        assert_eq!(rounded(17), 20);
        assert_eq!(rounded(13), 10);
    }

    #[test]
    fn sequential_two() {
        assert_eq!(rounded(15), 20);
    }

    #[test]
    fn sequential_three() {
        assert_eq!(join(&["a", "b"], "-"), "a-b");
        assert_eq!(rounded(29), 30);
    }

    #[test]
    fn sequential_four() {
        assert_eq!(evens(3), [4, 2, 0]);
    }

    #[test]
    fn threaded() {
        let workers: Vec<_> = (1..4).map(|n| thread::spawn(move || weight(n))).collect();
        let sum: u32 = workers.into_iter().map(|worker| worker.join().unwrap()).sum();
        assert_eq!(sum, 6 * 12);
    }

    #[test]
    #[should_panic(expected = "too much")]
    fn too_much_panics() {
        refuse(7);
    }

    #[test]
    fn little_does_not_panic() {
        assert_eq!(refuse(3), 2);
    }

    #[test]
    fn a_result_can_be_returned() -> Result<(), String> {
        let number = read("41")?;
        if number == 42 { Ok(()) } else { Err(format!("it is {number}")) }
    }

    #[test]
    #[ignore = "for another day"]
    fn ignored() {
        assert_eq!(neglected(2), 3);
    }
}
