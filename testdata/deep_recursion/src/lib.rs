//! Goes down and comes up again.

pub fn depth(levels: u64) -> u64 {
    if levels == 0 {
        0
    } else {
        1 + depth(levels - 1)
    }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::depth;

    #[test]
    fn a_test_goes_deep() {
        assert_eq!(depth(200_000), 200_000);
    }

    #[test]
    fn threads_go_deep() {
        let small = thread::Builder::new().stack_size(2 << 20);
        let other = small.spawn(|| depth(20_000)).unwrap();
        let usual = thread::spawn(|| depth(50_000));
        assert_eq!(other.join().unwrap() + usual.join().unwrap(), 70_000);
    }
}
