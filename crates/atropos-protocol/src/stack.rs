//! How much stack a thread of a woven program gets. It does not set it.

/// The stack of a thread that would have `size` bytes without mutants. Frames of woven code are several times those of
/// the original (five times where functions do much, twelve where they do little, if nothing is optimised), and what the
/// original finds room for must not overflow for that. Only addresses are taken; but an endless recursion fills them all,
/// so there is an end to it.
pub fn woven_stack(size: usize) -> usize {
    const FACTOR: usize = 16;
    const MOST: usize = 512 << 20;
    size.max(size.saturating_mul(FACTOR).min(MOST))
}

#[cfg(test)]
mod tests {
    use super::woven_stack;

    #[test]
    fn stacks_grow_within_bounds_and_never_shrink() {
        assert_eq!(woven_stack(2 << 20), 32 << 20);
        assert_eq!(woven_stack(64 << 20), 512 << 20);
        assert_eq!(woven_stack(1 << 30), 1 << 30);
        assert_eq!(woven_stack(usize::MAX), usize::MAX);
    }
}
