//! What depends on a number that std draws at random, once for each process.

use std::sync::Mutex;

pub fn put_in(sum: &Mutex<u64>, most: u64) {
    let mut sum = sum.lock().unwrap();
    if *sum < most {
        *sum += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::hash::{BuildHasher, RandomState};
    use std::thread;

    #[test]
    fn as_many_as_were_drawn_are_put_in() {
        let drawn = 1 + RandomState::new().hash_one(0_u8) % 1000;
        let sum = Mutex::new(0);
        thread::scope(|scope| {
            scope.spawn(|| (0..drawn).for_each(|_| put_in(&sum, drawn)));
        });
        assert_eq!(*sum.lock().unwrap(), drawn);
    }
}
