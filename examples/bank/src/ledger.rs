//! A ledger that many threads write to.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

/// One line of the ledger.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    pub number: u64,
    pub text: String,
}

/// Numbered entries in the order of their numbers.
#[derive(Default)]
pub struct Ledger {
    next: AtomicU64,
    entries: Mutex<Vec<Entry>>,
}

impl Ledger {
    pub fn new() -> Ledger {
        Ledger::default()
    }

    /// Writes an entry and gives its number, counted from 1.
    pub fn write(&self, text: &str) -> u64 {
        let number = self.next.fetch_add(1, Ordering::Relaxed) + 1;
        let entry = Entry {
            number,
            text: text.to_owned(),
        };
        let mut entries = self.entries.lock().unwrap();
        let place = entries.partition_point(|other| other.number < number);
        entries.insert(place, entry);
        number
    }

    pub fn len(&self) -> usize {
        self.entries.lock().unwrap().len()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The entries whose number is at least `number`.
    pub fn since(&self, number: u64) -> Vec<Entry> {
        let entries = self.entries.lock().unwrap();
        entries
            .iter()
            .filter(|entry| entry.number >= number)
            .cloned()
            .collect()
    }
}
