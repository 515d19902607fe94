//! The right atomic.

use std::sync::atomic::{AtomicU32, Ordering};

#[derive(Default)]
pub struct Cache {
    pub hits: AtomicU32,
    pub misses: AtomicU32,
}

impl Cache {
    pub fn hit(&self) {
        self.hits.fetch_add(1, Ordering::SeqCst);
    }
}
