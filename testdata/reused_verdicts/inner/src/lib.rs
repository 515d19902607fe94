//! What the outer crate uses of a crate beside it.

/// Twice as many, but no more than the limit.
pub fn doubled(many: u32) -> u32 {
    (many * 2).min(LIMIT)
}

/// Ten below, but never below nothing.
pub fn lowered(many: u32) -> u32 {
    many.saturating_sub(10)
}

const LIMIT: u32 = limit(5);

const fn limit(tens: u32) -> u32 {
    tens * 10
}
