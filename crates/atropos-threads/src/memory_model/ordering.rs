//! What an `Ordering` asks for.

use std::sync::atomic::Ordering;

/// Whether a read with this ordering synchronises with the store that it reads.
pub fn acquires(ordering: Ordering) -> bool {
    matches!(
        ordering,
        Ordering::Acquire | Ordering::AcqRel | Ordering::SeqCst
    )
}

/// Whether a write with this ordering publishes what happened before it.
pub fn releases(ordering: Ordering) -> bool {
    matches!(
        ordering,
        Ordering::Release | Ordering::AcqRel | Ordering::SeqCst
    )
}

/// Whether the access is part of the one order of all sequentially consistent operations.
pub fn is_sequential(ordering: Ordering) -> bool {
    ordering == Ordering::SeqCst
}
