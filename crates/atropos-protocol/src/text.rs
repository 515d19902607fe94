//! A short text in shared memory: bounded, always valid UTF-8 when read, written without allocation.

use std::sync::atomic::{AtomicU64, Ordering};

/// Room for `8 * WORDS` bytes.
#[repr(C)]
pub struct SharedText<const WORDS: usize> {
    length: AtomicU64,
    words: [AtomicU64; WORDS],
}

impl<const WORDS: usize> SharedText<WORDS> {
    pub const CAPACITY: usize = 8 * WORDS;

    /// Stores as much of `text` as fits, cut at a character boundary.
    pub fn set(&self, text: &str) {
        let bytes = cut(text, Self::CAPACITY).as_bytes();
        self.length.store(0, Ordering::Relaxed);
        for (word, chunk) in self.words.iter().zip(bytes.chunks(8)) {
            let mut eight = [0; 8];
            eight[..chunk.len()].copy_from_slice(chunk);
            word.store(u64::from_le_bytes(eight), Ordering::Relaxed);
        }
        self.length.store(bytes.len() as u64, Ordering::Relaxed);
    }

    pub fn get(&self) -> String {
        let length = (self.length.load(Ordering::Relaxed) as usize).min(Self::CAPACITY);
        let mut bytes = Vec::with_capacity(length + 8);
        for word in &self.words[..length.div_ceil(8)] {
            bytes.extend(word.load(Ordering::Relaxed).to_le_bytes());
        }
        bytes.truncate(length);
        String::from_utf8_lossy(&bytes).into_owned()
    }

    pub fn copy_from(&self, other: &SharedText<WORDS>) {
        for (to, from) in self.words.iter().zip(&other.words) {
            to.store(from.load(Ordering::Relaxed), Ordering::Relaxed);
        }
        let length = other.length.load(Ordering::Relaxed);
        self.length.store(length, Ordering::Relaxed);
    }

    pub fn is_empty(&self) -> bool {
        self.length.load(Ordering::Relaxed) == 0
    }
}

/// The longest part of `text` from its start that has at most `most` bytes.
fn cut(text: &str, most: usize) -> &str {
    let mut end = text.len().min(most);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_cut_at_character_boundaries() {
        let text: SharedText<2> = SharedText {
            length: AtomicU64::new(0),
            words: Default::default(),
        };
        assert!(text.is_empty());
        text.set("a");
        assert_eq!(text.get(), "a");
        text.set(&format!("a{}", "ä".repeat(10)));
        assert_eq!(text.get(), "aäääääää");
        text.set("");
        assert_eq!(text.get(), "");
        assert_eq!(cut("aä", 2), "a");
    }
}
