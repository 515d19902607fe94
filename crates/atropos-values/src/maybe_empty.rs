//! An iterator that a mutant can make empty.

use std::iter::FusedIterator;

/// Yields what `I` yields, or nothing. Woven code makes it, so that a function has one type to return with the mutant and
/// without.
#[derive(Clone, Debug)]
pub struct MaybeEmpty<I>(pub Option<I>);

impl<I: Iterator> Iterator for MaybeEmpty<I> {
    type Item = I::Item;

    fn next(&mut self) -> Option<I::Item> {
        self.0.as_mut()?.next()
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.0.as_ref().map_or((0, Some(0)), I::size_hint)
    }

    fn nth(&mut self, n: usize) -> Option<I::Item> {
        self.0.as_mut()?.nth(n)
    }
}

impl<I: DoubleEndedIterator> DoubleEndedIterator for MaybeEmpty<I> {
    fn next_back(&mut self) -> Option<I::Item> {
        self.0.as_mut()?.next_back()
    }
}

impl<I: ExactSizeIterator> ExactSizeIterator for MaybeEmpty<I> {}

impl<I: FusedIterator> FusedIterator for MaybeEmpty<I> {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_a_mutant_it_is_the_iterator_itself() {
        let it = MaybeEmpty(Some([1, 2, 3].into_iter()));
        assert_eq!(it.len(), 3);
        assert_eq!(it.clone().rev().collect::<Vec<_>>(), [3, 2, 1]);
        assert_eq!(it.collect::<Vec<_>>(), [1, 2, 3]);
    }

    #[test]
    fn made_empty_it_yields_nothing_from_either_end() {
        let mut it = MaybeEmpty(None::<std::array::IntoIter<u8, 3>>);
        assert_eq!(it.len(), 0);
        assert_eq!(it.next(), None);
        assert_eq!(it.next_back(), None);
        assert_eq!(it.nth(1), None);
    }
}
