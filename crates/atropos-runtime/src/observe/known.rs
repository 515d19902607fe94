//! Types of std that can be looked at without running code of the program's.
//!
//! Collections are looked at up to [`ELEMENTS`] elements from each end: a call must stay cheap.
//! Maps and sets by hash show only their length, because their order is another in each run.

use std::borrow::{Borrow, Cow};
use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet, BinaryHeap, HashMap, HashSet, LinkedList, VecDeque};
use std::ffi::{OsStr, OsString};
use std::num::Wrapping;
use std::ops::{Range, RangeInclusive};
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{self, Ordering};
use std::time::Duration;

use atropos_invariants::ObservedValue;

use super::see::{Seen, join};

/// So many elements of a collection are looked at from each end.
const ELEMENTS: usize = 32;

/// A type that is known all through.
pub trait Deep {
    fn look(&self) -> Seen;
}

/// A type of std that holds something of any type.
pub trait Shallow {
    fn glance(&self) -> Seen;
}

macro_rules! integers {
    ($($integer:ty)*) => {$(
        impl Deep for $integer {
            #[inline]
            fn look(&self) -> Seen {
                match i64::try_from(*self) {
                    Ok(number) => Seen::value(ObservedValue::Number(number)),
                    Err(_) => Seen::hash(*self as u64),
                }
            }
        }

        impl Deep for std::num::NonZero<$integer> {
            fn look(&self) -> Seen {
                self.get().look()
            }
        }
    )*};
}

integers!(u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize);

macro_rules! atomics {
    ($($atomic:ident)*) => {$(
        impl Deep for atomic::$atomic {
            fn look(&self) -> Seen {
                self.load(Ordering::Relaxed).look()
            }
        }
    )*};
}

atomics!(AtomicU8 AtomicU16 AtomicU32 AtomicU64 AtomicUsize AtomicI8 AtomicI16 AtomicI32 AtomicI64 AtomicIsize AtomicBool);

impl Deep for f64 {
    fn look(&self) -> Seen {
        Seen::value(ObservedValue::Float(*self))
    }
}

impl Deep for f32 {
    fn look(&self) -> Seen {
        f64::from(*self).look()
    }
}

impl Deep for bool {
    fn look(&self) -> Seen {
        Seen::value(ObservedValue::Bool(*self))
    }
}

impl Deep for char {
    fn look(&self) -> Seen {
        Seen::value(ObservedValue::Char(*self))
    }
}

impl Deep for () {
    fn look(&self) -> Seen {
        Seen::NOTHING
    }
}

impl Deep for std::cmp::Ordering {
    fn look(&self) -> Seen {
        (*self as i8).look()
    }
}

impl Deep for Duration {
    fn look(&self) -> Seen {
        self.as_nanos().look()
    }
}

impl<T: Deep> Deep for Wrapping<T> {
    fn look(&self) -> Seen {
        self.0.look()
    }
}

impl<T: Deep + Copy> Deep for Cell<T> {
    fn look(&self) -> Seen {
        self.get().look()
    }
}

impl<T: Deep> Deep for RefCell<T> {
    fn look(&self) -> Seen {
        match self.try_borrow() {
            Ok(value) => value.look(),
            Err(_) => Seen::NOTHING,
        }
    }
}

macro_rules! pointers {
    ($($pointer:ty)*) => {$(
        impl<T: Deep + ?Sized> Deep for $pointer {
            #[inline]
            fn look(&self) -> Seen {
                (**self).look()
            }
        }

        impl<T: Shallow + ?Sized> Shallow for $pointer {
            fn glance(&self) -> Seen {
                (**self).glance()
            }
        }
    )*};
}

pointers!(&T &mut T Box<T> Rc<T> Arc<T>);

impl<T: Deep + ToOwned + ?Sized> Deep for Cow<'_, T>
where
    T::Owned: Deep,
{
    fn look(&self) -> Seen {
        match self {
            Cow::Borrowed(value) => value.look(),
            Cow::Owned(value) => {
                // Of a type that is known all through, this is std's own.
                let value: &T = value.borrow();
                value.look()
            }
        }
    }
}

impl<T: Deep> Deep for Option<T> {
    fn look(&self) -> Seen {
        match self {
            None => Seen::tag(0, None),
            Some(value) => Seen::tag(1, Some(value.look())),
        }
    }
}

impl<T: Deep, E> Deep for Result<T, E> {
    fn look(&self) -> Seen {
        match self {
            Ok(value) => Seen::tag(0, Some(value.look())),
            Err(_) => Seen::tag(1, None),
        }
    }
}

impl<T> Shallow for Option<T> {
    fn glance(&self) -> Seen {
        Seen::tag(i64::from(self.is_some()), None)
    }
}

impl<T, E> Shallow for Result<T, E> {
    fn glance(&self) -> Seen {
        Seen::tag(i64::from(self.is_err()), None)
    }
}

/// The length and a hash of some bytes.
fn bytes(bytes: &[u8]) -> Seen {
    let mut hash = 0;
    let head = &bytes[..bytes.len().min(2 * ELEMENTS)];
    let tail = &bytes[bytes.len() - head.len()..];
    for part in [head, tail] {
        for chunk in part.chunks(8) {
            let mut number = [0; 8];
            number[..chunk.len()].copy_from_slice(chunk);
            hash = join(hash, u64::from_le_bytes(number));
        }
    }
    length(bytes.len()).with_hash(hash)
}

fn length(length: usize) -> Seen {
    Seen::value(ObservedValue::Length(length as u64))
}

impl Deep for str {
    fn look(&self) -> Seen {
        bytes(self.as_bytes())
    }
}

impl Deep for String {
    fn look(&self) -> Seen {
        self.as_str().look()
    }
}

impl Deep for OsStr {
    fn look(&self) -> Seen {
        bytes(self.as_encoded_bytes())
    }
}

impl Deep for OsString {
    fn look(&self) -> Seen {
        self.as_os_str().look()
    }
}

impl Deep for Path {
    fn look(&self) -> Seen {
        self.as_os_str().look()
    }
}

impl Deep for PathBuf {
    fn look(&self) -> Seen {
        self.as_os_str().look()
    }
}

/// The length, a hash and the order of elements.
fn elements<'a, T: Deep + 'a>(
    count: usize,
    mut elements: impl DoubleEndedIterator<Item = &'a T>,
) -> Seen {
    let mut seen = length(count);
    let mut last: Option<ObservedValue> = None;
    let mut is_sorted = true;
    let mut is_ordered = count > 1;
    let mut look = |element: &T| {
        let element = element.look();
        seen.hash = join(seen.hash, element.hash);
        let Some(value) = element.value.filter(|value| value.kind().is_ordered()) else {
            is_ordered = false;
            return;
        };
        if let Some(last) = last {
            is_sorted &= is_at_most(last, value);
        }
        last = Some(value);
    };
    for element in elements.by_ref().take(ELEMENTS) {
        look(element);
    }
    let mut end: [Option<&T>; ELEMENTS] = [None; ELEMENTS];
    for (place, element) in end.iter_mut().rev().zip(elements.rev()) {
        *place = Some(element);
    }
    for element in end.into_iter().flatten() {
        look(element);
    }
    Seen {
        is_sorted: is_ordered.then_some(is_sorted),
        ..seen
    }
}

fn is_at_most(a: ObservedValue, b: ObservedValue) -> bool {
    match (a, b) {
        (ObservedValue::Float(a), ObservedValue::Float(b)) => a <= b,
        _ => a.bits() <= b.bits(),
    }
}

impl<T: Deep> Deep for [T] {
    fn look(&self) -> Seen {
        elements(self.len(), self.iter())
    }
}

impl<T: Deep, const N: usize> Deep for [T; N] {
    fn look(&self) -> Seen {
        self.as_slice().look()
    }
}

impl<T: Deep> Deep for Vec<T> {
    fn look(&self) -> Seen {
        self.as_slice().look()
    }
}

impl<T: Deep> Deep for VecDeque<T> {
    fn look(&self) -> Seen {
        elements(self.len(), self.iter())
    }
}

impl<T: Deep> Deep for LinkedList<T> {
    fn look(&self) -> Seen {
        elements(self.len(), self.iter())
    }
}

impl<T: Deep> Deep for BTreeSet<T> {
    fn look(&self) -> Seen {
        let seen = elements(self.len(), self.iter());
        // Its order is not ours to compare.
        Seen {
            is_sorted: None,
            ..seen
        }
    }
}

impl<K: Deep, V: Deep> Deep for BTreeMap<K, V> {
    fn look(&self) -> Seen {
        let pairs = self.iter().take(2 * ELEMENTS);
        let hashes = pairs.map(|(key, value)| join(key.look().hash, value.look().hash));
        let hash = hashes.fold(0, join);
        length(self.len()).with_hash(hash)
    }
}

impl<T: Deep> Deep for Range<T> {
    fn look(&self) -> Seen {
        Seen::hash(join(self.start.look().hash, self.end.look().hash))
    }
}

impl<T: Deep> Deep for RangeInclusive<T> {
    fn look(&self) -> Seen {
        Seen::hash(join(self.start().look().hash, self.end().look().hash))
    }
}

macro_rules! tuples {
    ($(($($part:ident)*))*) => {$(
        impl<$($part: Deep),*> Deep for ($($part,)*) {
            #[allow(non_snake_case)]
            fn look(&self) -> Seen {
                let ($($part,)*) = self;
                let hash = 0;
                $(let hash = join(hash, $part.look().hash);)*
                Seen::hash(hash)
            }
        }
    )*};
}

tuples!((A B) (A B C) (A B C D));

macro_rules! collections {
    ($([$($parameter:ident)*] $collection:ty;)*) => {$(
        impl<$($parameter),*> Shallow for $collection {
            fn glance(&self) -> Seen {
                length(self.len())
            }
        }
    )*};
}

collections! {
    [T] [T];
    [T] Vec<T>;
    [T] VecDeque<T>;
    [T] LinkedList<T>;
    [T] BinaryHeap<T>;
    [T] BTreeSet<T>;
    [K V] BTreeMap<K, V>;
    [K S] HashSet<K, S>;
    [K V S] HashMap<K, V, S>;
}

impl<T, const N: usize> Shallow for [T; N] {
    fn glance(&self) -> Seen {
        length(N)
    }
}
