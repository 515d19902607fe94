//! A primality checker. Its test first makes a large prime and a large composite number, which
//! takes long; the check itself is quick. `PRIMES_SIZE` says how large they are.

/// Whether `number` is prime, by trial division.
pub fn is_prime(number: u64) -> bool {
    if number < 2 {
        return false;
    }
    if number.is_multiple_of(2) {
        return number == 2;
    }
    let mut divisor = 3;
    while divisor * divisor <= number {
        if number.is_multiple_of(divisor) {
            return false;
        }
        divisor += 2;
    }
    true
}

#[cfg(test)]
mod tests {
    use super::is_prime;

    /// The largest prime below `size` and the largest composite below it, by the sieve of
    /// Eratosthenes: simple and slow.
    fn numbers(size: usize) -> (u64, u64) {
        let mut composite = vec![false; size];
        for factor in 2..size {
            for multiple in (2 * factor..size).step_by(factor) {
                composite[multiple] = true;
            }
        }
        let prime = (2..size).rev().find(|&number| !composite[number]);
        let other = (2..size).rev().find(|&number| composite[number]);
        (prime.unwrap() as u64, other.unwrap() as u64)
    }

    #[test]
    fn small_and_large_numbers_are_told_apart() {
        let size = std::env::var("PRIMES_SIZE").map_or(1000, |size| size.parse().unwrap());
        let (prime, composite) = numbers(size);
        assert!(!is_prime(0));
        assert!(!is_prime(1));
        assert!(is_prime(2));
        assert!(is_prime(prime));
        assert!(!is_prime(composite));
        assert!(!is_prime(9));
    }
}
