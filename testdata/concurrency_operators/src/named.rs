//! Something that is initialised by whoever comes first, by a function that has a name.

use std::sync::LazyLock;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

static DRAWN: LazyLock<AtomicU32> = LazyLock::new(AtomicU32::default);

pub fn draw() -> u32 {
    DRAWN.fetch_add(1, Relaxed)
}
