//! Looks at a value of any type without asking for a trait bound, and without running any code
//! of the program's: no `Debug`, `Hash`, `PartialEq`, `Deref` or `Borrow` of its types.
//!
//! `(&&&See(&value)).see()` finds, by the order in which method lookup adds and removes
//! references, the first of these that fits, in generic code too:
//! 1. [`SeeDeep`]: std's types all through, with what they hold;
//! 2. [`SeeShallow`]: std's collections of anything: how long they are;
//! 3. [`SeeSized`]: anything else: which variant it is, if it is an enum;
//! 4. [`SeeAny`]: what has no size: nothing.

use std::hash::{Hash as _, Hasher};
use std::mem;

use atropos_invariants::ObservedValue;

pub use super::known::{Deep, Shallow};

/// What could be seen of a value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Seen {
    /// A number that stands for it.
    pub value: Option<ObservedValue>,
    /// The number that an `Option` or `Result` holds.
    pub inner: Option<ObservedValue>,
    /// Of at least two elements that have an order: whether they are in it.
    pub is_sorted: Option<bool>,
    /// Of all that could be seen.
    pub hash: u64,
}

impl Seen {
    pub(super) const NOTHING: Seen = Seen {
        value: None,
        inner: None,
        is_sorted: None,
        hash: 0,
    };

    pub(super) fn value(value: ObservedValue) -> Seen {
        Seen {
            value: Some(value),
            hash: mix(value.bits() as u64 ^ (value.kind() as u64) << 57),
            ..Seen::NOTHING
        }
    }

    /// Something of which only a hash is known.
    pub(super) fn hash(hash: u64) -> Seen {
        Seen {
            hash,
            ..Seen::NOTHING
        }
    }

    pub(super) fn with_hash(self, more: u64) -> Seen {
        Seen {
            hash: join(self.hash, more),
            ..self
        }
    }

    /// The variant of an enum, and what it holds.
    pub(super) fn tag(tag: i64, inner: Option<Seen>) -> Seen {
        let seen = Seen::value(ObservedValue::Tag(tag));
        match inner {
            None => seen,
            Some(inner) => Seen {
                inner: inner.value,
                ..seen.with_hash(inner.hash)
            },
        }
    }
}

/// Spreads bits.
pub(super) fn mix(hash: u64) -> u64 {
    let hash = (hash ^ hash >> 32).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (hash ^ hash >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9) ^ hash >> 32
}

pub(super) fn join(hash: u64, next: u64) -> u64 {
    mix(hash.rotate_left(5) ^ next)
}

/// Wraps a reference to a value.
pub struct See<'a, T: ?Sized>(pub &'a T);

/// For types that are known all through.
pub trait SeeDeep {
    fn see(&self) -> Seen;
}

/// For collections.
pub trait SeeShallow {
    fn see(&self) -> Seen;
}

/// For all types that have a size.
pub trait SeeSized {
    fn see(&self) -> Seen;
}

/// For all types.
pub trait SeeAny {
    fn see(&self) -> Seen;
}

impl<T: Deep + ?Sized> SeeDeep for &&See<'_, T> {
    #[inline(never)]
    fn see(&self) -> Seen {
        self.0.look()
    }
}

impl<T: Shallow + ?Sized> SeeShallow for &&&See<'_, T> {
    #[inline(never)]
    fn see(&self) -> Seen {
        self.0.glance()
    }
}

impl<T> SeeSized for &See<'_, T> {
    #[inline(never)]
    fn see(&self) -> Seen {
        match variant(self.0) {
            Some(tag) => Seen::value(ObservedValue::Tag(tag)),
            None => Seen::NOTHING,
        }
    }
}

impl<T: ?Sized> SeeAny for See<'_, T> {
    fn see(&self) -> Seen {
        Seen::NOTHING
    }
}

/// The discriminant of an enum. Of other types it is always 0.
fn variant<T>(value: &T) -> Option<i64> {
    let mut number = Number(None);
    mem::discriminant(value).hash(&mut number);
    number.0
}

/// Takes the number that a discriminant gives to its hasher.
struct Number(Option<i64>);

impl Hasher for Number {
    fn finish(&self) -> u64 {
        0
    }

    fn write(&mut self, bytes: &[u8]) {
        let mut number = [0; 8];
        let length = bytes.len().min(8);
        number[..length].copy_from_slice(&bytes[..length]);
        self.0 = Some(i64::from_le_bytes(number));
    }

    fn write_isize(&mut self, number: isize) {
        self.0 = Some(number as i64);
    }

    fn write_i64(&mut self, number: i64) {
        self.0 = Some(number);
    }
}

#[cfg(test)]
#[allow(clippy::needless_borrow)] // The borrows are what makes the lookup work.
mod tests {
    use super::*;
    use std::collections::{BTreeMap, HashMap, VecDeque};
    use std::rc::Rc;

    macro_rules! see {
        ($value:expr) => {
            (&&&See(&$value)).see()
        };
    }

    fn value(seen: Seen) -> Option<ObservedValue> {
        seen.value
    }

    #[derive(Clone, Copy)]
    #[allow(dead_code)]
    enum Shape {
        Dot,
        Line(u8),
        Square { side: u64 },
    }

    /// Its traits must never be called.
    struct Trap;

    impl std::ops::Deref for Trap {
        type Target = u32;
        fn deref(&self) -> &u32 {
            panic!("code of the program was run")
        }
    }

    impl PartialEq for Trap {
        fn eq(&self, _: &Trap) -> bool {
            panic!("code of the program was run")
        }
    }

    impl PartialOrd for Trap {
        fn partial_cmp(&self, _: &Trap) -> Option<std::cmp::Ordering> {
            panic!("code of the program was run")
        }
    }

    #[test]
    fn numbers_and_their_like_are_seen() {
        assert_eq!(value(see!(7u8)), Some(ObservedValue::Number(7)));
        assert_eq!(value(see!(-7i128)), Some(ObservedValue::Number(-7)));
        assert_eq!(value(see!(u64::MAX)), None);
        assert_ne!(see!(u64::MAX).hash, see!(u64::MAX - 1).hash);
        assert_eq!(value(see!(1.5f32)), Some(ObservedValue::Float(1.5)));
        assert_eq!(value(see!(true)), Some(ObservedValue::Bool(true)));
        assert_eq!(value(see!('x')), Some(ObservedValue::Char('x')));
        assert_eq!(
            value(see!(std::num::NonZeroU8::MAX)),
            Some(ObservedValue::Number(255))
        );
        assert_eq!(
            value(see!(std::cmp::Ordering::Less)),
            Some(ObservedValue::Number(-1))
        );
        assert_eq!(
            value(see!(std::time::Duration::from_millis(2))),
            Some(ObservedValue::Number(2_000_000))
        );
        let counter = std::sync::atomic::AtomicUsize::new(3);
        assert_eq!(value(see!(counter)), Some(ObservedValue::Number(3)));
        assert_eq!(
            value(see!(std::cell::Cell::new(4))),
            Some(ObservedValue::Number(4))
        );
    }

    #[test]
    fn references_and_pointers_are_looked_through() {
        assert_eq!(value(see!(&&7)), Some(ObservedValue::Number(7)));
        assert_eq!(value(see!(Box::new(7))), Some(ObservedValue::Number(7)));
        assert_eq!(value(see!(Rc::new(&mut 7))), Some(ObservedValue::Number(7)));
        assert_eq!(
            value(see!(std::borrow::Cow::Borrowed("abc"))),
            Some(ObservedValue::Length(3))
        );
        let cell = std::cell::RefCell::new(5);
        assert_eq!(value(see!(cell)), Some(ObservedValue::Number(5)));
        let _guard = cell.borrow_mut();
        assert_eq!(value(see!(cell)), None);
    }

    #[test]
    fn lengths_order_and_content_of_collections_are_seen() {
        let sorted = see!(vec![1, 2, 2]);
        assert_eq!(sorted.value, Some(ObservedValue::Length(3)));
        assert_eq!(sorted.is_sorted, Some(true));
        assert_eq!(see!([3, 1]).is_sorted, Some(false));
        assert_eq!(see!([1.0, f64::NAN]).is_sorted, Some(false));
        assert_eq!(see!([3]).is_sorted, None);
        assert_ne!(see!(vec![1, 2]).hash, see!(vec![2, 1]).hash);
        assert_eq!(value(see!("abc")), Some(ObservedValue::Length(3)));
        assert_ne!(see!("abc").hash, see!("abd").hash);
        assert_eq!(
            value(see!(VecDeque::from([1]))),
            Some(ObservedValue::Length(1))
        );
        let map = BTreeMap::from([(1, 'a')]);
        assert_ne!(see!(map).hash, see!(BTreeMap::from([(1, 'b')])).hash);
        assert_eq!(
            value(see!(HashMap::from([(1, 2)]))),
            Some(ObservedValue::Length(1))
        );
    }

    #[test]
    fn variants_and_what_they_hold_are_seen() {
        let some = see!(Some(9));
        assert_eq!(some.value, Some(ObservedValue::Tag(1)));
        assert_eq!(some.inner, Some(ObservedValue::Number(9)));
        assert_eq!(value(see!(None::<i32>)), Some(ObservedValue::Tag(0)));
        assert_eq!(
            value(see!(Err::<u8, Trap>(Trap))),
            Some(ObservedValue::Tag(1))
        );
        assert_eq!(
            value(see!(Shape::Square { side: 2 })),
            Some(ObservedValue::Tag(2))
        );
        assert_eq!(value(see!(Shape::Line(9))), Some(ObservedValue::Tag(1)));
        assert_eq!(value(see!(Some(Trap))), Some(ObservedValue::Tag(1)));
    }

    #[test]
    fn no_code_of_the_program_is_run() {
        assert_eq!(value(see!(Trap)), Some(ObservedValue::Tag(0)));
        assert_eq!(
            value(see!(vec![Trap, Trap])),
            Some(ObservedValue::Length(2))
        );
        assert_eq!(value(see!(&[Trap][..])), Some(ObservedValue::Length(1)));
        assert_eq!(value(see!(Box::new(Trap))), Some(ObservedValue::Tag(0)));
    }

    #[test]
    fn generic_code_sees_what_every_type_shows() {
        fn generic<T>(value: T) -> Seen {
            see!(value)
        }
        fn collection<T>(values: &[T]) -> Seen {
            see!(values)
        }
        fn unsized_too<T: ?Sized>(value: &T) -> Seen {
            (&&&See(value)).see()
        }
        assert_eq!(value(generic(Shape::Line(1))), Some(ObservedValue::Tag(1)));
        assert_eq!(value(generic(7)), Some(ObservedValue::Tag(0)));
        assert_eq!(value(collection(&[1, 2])), Some(ObservedValue::Length(2)));
        assert_eq!(unsized_too("abc"), Seen::NOTHING);
    }

    #[test]
    fn long_collections_are_seen_in_part() {
        let long = vec![1u8; 100_000];
        let mut other = long.clone();
        other[99_999] = 2;
        assert_ne!(see!(long).hash, see!(other).hash, "the end counts");
        assert_eq!(value(see!(long)), Some(ObservedValue::Length(100_000)));
    }
}
