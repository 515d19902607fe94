//! Something that is initialised by whoever comes first.

use std::sync::LazyLock;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

static POSTED: LazyLock<AtomicU32> = LazyLock::new(|| AtomicU32::new(0));

pub fn post() -> u32 {
    POSTED.fetch_add(1, Relaxed)
}
