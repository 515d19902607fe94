//! An iterator that a mutant can make empty.

use std::iter::FusedIterator;

/// Yields what `I` yields, or nothing.
#[derive(Clone, Debug)]
pub struct MaybeEmpty<I> {
    inner: I,
    empty: bool,
}

impl<I> MaybeEmpty<I> {
    pub fn new(inner: I, empty: bool) -> MaybeEmpty<I> {
        MaybeEmpty { inner, empty }
    }
}

impl<I: Iterator> Iterator for MaybeEmpty<I> {
    type Item = I::Item;

    fn next(&mut self) -> Option<I::Item> {
        if self.empty { None } else { self.inner.next() }
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        if self.empty {
            (0, Some(0))
        } else {
            self.inner.size_hint()
        }
    }

    fn nth(&mut self, n: usize) -> Option<I::Item> {
        if self.empty { None } else { self.inner.nth(n) }
    }
}

impl<I: DoubleEndedIterator> DoubleEndedIterator for MaybeEmpty<I> {
    fn next_back(&mut self) -> Option<I::Item> {
        if self.empty {
            None
        } else {
            self.inner.next_back()
        }
    }
}

impl<I: ExactSizeIterator> ExactSizeIterator for MaybeEmpty<I> {}

impl<I: FusedIterator> FusedIterator for MaybeEmpty<I> {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_a_mutant_it_is_the_iterator_itself() {
        let it = MaybeEmpty::new([1, 2, 3].into_iter(), false);
        assert_eq!(it.len(), 3);
        assert_eq!(it.clone().rev().collect::<Vec<_>>(), [3, 2, 1]);
        assert_eq!(it.collect::<Vec<_>>(), [1, 2, 3]);
    }

    #[test]
    fn made_empty_it_yields_nothing_from_either_end() {
        let mut it = MaybeEmpty::new([1, 2, 3].into_iter(), true);
        assert_eq!(it.len(), 0);
        assert_eq!(it.next(), None);
        assert_eq!(it.next_back(), None);
        assert_eq!(it.nth(1), None);
    }
}
