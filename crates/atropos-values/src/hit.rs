//! A visit to a mutation point.
//!
//! Values decide first. A variant whose value equals the original's is not infected at this hit
//! and goes on as part of the original; variants that are equal to each other may be run together,
//! until a later hit parts them. A value that can't be known makes its variant a class of its own.

use crate::ids::PointId;

/// What a variant makes of the operands, as far as it can be told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Key {
    /// Two variants (of one hit) with the same number behave the same from here on.
    Known(u128),
    /// It may do anything, also panic.
    Unknown,
    /// There is no such variant in the program.
    Gone,
}

impl Key {
    pub fn of(value: Option<u128>) -> Key {
        value.map_or(Key::Unknown, Key::Known)
    }

    /// Surely the same as `other`.
    pub fn same(self, other: Key) -> bool {
        matches!((self, other), (Key::Known(one), Key::Known(two)) if one == two)
    }
}

/// A visit to a mutation point.
pub struct Hit<'a> {
    pub point: PointId,
    /// The variants' letters, `.` for those that are gone; none if values play no part.
    pub letters: Option<&'static [u8]>,
    pub original: Key,
    /// The key of the variant with this letter.
    pub variant: &'a dyn Fn(u8) -> Key,
    /// What all keys depend on, where that is one of a few cases (below [`CASES`]): true or false,
    /// less, equal, greater. A case that was looked at once need not be looked at again.
    pub case: Option<u8>,
}

/// How many cases a point may have.
pub const CASES: u8 = 4;

impl Hit<'_> {
    /// A visit to a point where values play no part.
    pub fn blind(point: PointId) -> Hit<'static> {
        Hit {
            point,
            letters: None,
            original: Key::Unknown,
            variant: &|_| Key::Unknown,
            case: None,
        }
    }

    /// What variant `k`, counted from 1, makes of the operands.
    pub fn key(&self, k: u32) -> Key {
        match self.letters {
            None => Key::Unknown,
            Some(letters) => match letters.get(k as usize - 1) {
                None | Some(b'.') => Key::Gone,
                Some(&letter) => (self.variant)(letter),
            },
        }
    }

    /// Whether variant `k` may differ from the original at this visit.
    pub fn infects(&self, k: u32) -> bool {
        let key = self.key(k);
        key != Key::Gone && !key.same(self.original)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hit<'a>(letters: &'static [u8], original: Key, variant: &'a dyn Fn(u8) -> Key) -> Hit<'a> {
        Hit {
            point: PointId(10),
            letters: Some(letters),
            original,
            variant,
            case: None,
        }
    }

    #[test]
    fn a_variant_equal_to_the_original_is_not_infected() {
        let variant = |letter| match letter {
            b'a' => Key::Known(1),
            b'b' => Key::Known(2),
            _ => Key::Unknown,
        };
        let hit = hit(b"abu.", Key::Known(1), &variant);
        assert!(!hit.infects(1));
        assert!(hit.infects(2));
        assert!(hit.infects(3));
        assert!(!hit.infects(4), "gone");
        assert!(!hit.infects(5), "beyond the letters");
    }

    #[test]
    fn an_unknown_original_is_infected_by_every_variant() {
        let hit = hit(b"ab", Key::Unknown, &|_| Key::Known(1));
        assert!(hit.infects(1) && hit.infects(2));
        assert!(Hit::blind(PointId(7)).infects(1));
    }
}
