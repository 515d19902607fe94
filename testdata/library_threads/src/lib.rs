//! What it lets the library add up runs in the library's threads; what it lets it do, in threads, too, but is its own.

pub fn mean(values: &[u32]) -> u32 {
    pool::sum(values) / values.len() as u32
}

pub fn square(value: u32) -> u32 {
    pool::apart(|| value * value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mean_lies_between() {
        assert_eq!(mean(&[2, 4, 6]), 4);
    }

    #[test]
    fn a_square_is_a_product() {
        assert_eq!(square(3), 9);
    }
}
