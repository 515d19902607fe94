//! The keys of std's hash maps: two numbers per OS thread, drawn at random when the thread makes its first map, and the
//! first of them one more for each map after that. What a program does may depend on them (the order of a map, a random
//! number drawn from a hash, as tokio does), so a schedule that was found in one process would lead elsewhere in another.
//! They are set to what they are in every process.
//!
//! std does not tell where they are. They are found by looking, as the count of panics is: one word of the thread-local
//! block is one more after each map, and one beside it changes hashes. If that is not so, nothing is set.

use std::hash::{BuildHasher as _, RandomState};

use atropos_search::spread;

use super::tls_words::TlsWords;

/// What the keys are set to.
const KEYS: [usize; 2] = [0x00a7_0905, 0x7e57];

/// Where the keys are, among the words of thread-local variables.
#[derive(Clone, Copy, Debug)]
pub struct HashKeys {
    first: usize,
    second: usize,
}

/// Sets the keys of this OS thread, in its block of thread-local variables. Says where they are, if that worked.
pub fn set(words: &TlsWords) -> Option<HashKeys> {
    let first = counter(words)?;
    let neighbours = [Some(first + 1), first.checked_sub(1)]
        .into_iter()
        .flatten();
    let mut neighbours = neighbours.filter(|&place| place < words.count());
    let second = neighbours.find(|&place| is_key(words, first, place))?;
    words.set(first, KEYS[0]);
    words.set(second, KEYS[1]);
    Some(HashKeys { first, second })
}

impl HashKeys {
    /// Sets the second key for a stream of random data: other streams, other orders of maps.
    pub fn vary(self, words: &TlsWords, random_data: u32) {
        let key = KEYS[1] ^ spread(u64::from(random_data)) as usize;
        words.set(self.second, key);
    }

    /// Whether a map was made since they were set.
    pub fn were_used(self, words: &TlsWords) -> bool {
        words.get(self.first) != KEYS[0]
    }
}

/// The one word that is one more after each map.
fn counter(words: &TlsWords) -> Option<usize> {
    // The first one may draw the keys.
    let _ = RandomState::new();
    let mut before: Vec<usize> = words.all().collect();
    let mut candidates: Vec<usize> = (0..words.count()).collect();
    for _ in 0..3 {
        let _ = RandomState::new();
        candidates.retain(|&place| words.get(place) == before[place].wrapping_add(1));
        before = words.all().collect();
    }
    match candidates[..] {
        [only] => Some(only),
        _ => None,
    }
}

/// Whether this word is the second key: hashes are others when it is another.
fn is_key(words: &TlsWords, counter: usize, place: usize) -> bool {
    let (count, value) = (words.get(counter), words.get(place));
    let hash = || {
        words.set(counter, count);
        RandomState::new().hash_one(0_u8)
    };
    let before = hash();
    words.set(place, !value);
    let with_another = hash();
    words.set(place, value);
    before != with_another && before == hash()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::image::ImageLayout;

    #[test]
    fn hashes_are_the_same_on_every_thread_of_every_process() {
        let hash = || {
            let layout = ImageLayout::of_this_program();
            assert!(set(&TlsWords::of(&layout.thread_local)).is_some());
            RandomState::new().hash_one("a")
        };
        let here = hash();
        assert_eq!(here, hash());
        assert_eq!(std::thread::spawn(hash).join().unwrap(), here);
        assert_ne!(RandomState::new().hash_one("a"), here);
    }
}
