//! Values of primitive types and what each variant of an operator makes of them.
//!
//! Pure: operands in, results out, exact for the type's width. A result is `None` when it can't
//! be known here: overflow (a panic or a wrapped value, depending on how the program was
//! compiled), division by zero, shifts out of range, and NaN (whose bits are not determined).

use std::cmp::Ordering;

/// A primitive value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Prim {
    Bool(bool),
    Char(char),
    I8(i8),
    I16(i16),
    I32(i32),
    I64(i64),
    I128(i128),
    Isize(isize),
    U8(u8),
    U16(u16),
    U32(u32),
    U64(u64),
    U128(u128),
    Usize(usize),
    F32(f32),
    F64(f64),
}

/// Types that have a `Prim`: the primitives, and references to them.
pub trait ToPrim {
    fn to_prim(&self) -> Prim;
}

macro_rules! to_prim {
    ($($type:ty => $variant:ident,)*) => {
        $(impl ToPrim for $type {
            #[cfg_attr(feature = "inline", inline)]
            fn to_prim(&self) -> Prim {
                Prim::$variant(*self)
            }
        })*
    };
}

to_prim! {
    bool => Bool, char => Char,
    i8 => I8, i16 => I16, i32 => I32, i64 => I64, i128 => I128, isize => Isize,
    u8 => U8, u16 => U16, u32 => U32, u64 => U64, u128 => U128, usize => Usize,
    f32 => F32, f64 => F64,
}

impl<T: ToPrim + ?Sized> ToPrim for &T {
    #[cfg_attr(feature = "inline", inline)]
    fn to_prim(&self) -> Prim {
        (**self).to_prim()
    }
}

impl<T: ToPrim + ?Sized> ToPrim for &mut T {
    #[cfg_attr(feature = "inline", inline)]
    fn to_prim(&self) -> Prim {
        (**self).to_prim()
    }
}

impl Prim {
    /// What tells this value from others of its type; none for NaN.
    pub fn bits(self) -> Option<u128> {
        Some(match self {
            Prim::Bool(value) => u128::from(value),
            Prim::Char(value) => value as u128,
            Prim::I8(value) => value as u128,
            Prim::I16(value) => value as u128,
            Prim::I32(value) => value as u128,
            Prim::I64(value) => value as u128,
            Prim::I128(value) => value as u128,
            Prim::Isize(value) => value as u128,
            Prim::U8(value) => value as u128,
            Prim::U16(value) => value as u128,
            Prim::U32(value) => value as u128,
            Prim::U64(value) => value as u128,
            Prim::U128(value) => value,
            Prim::Usize(value) => value as u128,
            Prim::F32(value) if value.is_nan() => return None,
            Prim::F64(value) if value.is_nan() => return None,
            Prim::F32(value) => u128::from(value.to_bits()),
            Prim::F64(value) => u128::from(value.to_bits()),
        })
    }

    /// The value of an integer, if it is none of the largest.
    pub fn integer(self) -> Option<i128> {
        Some(match self {
            Prim::I8(value) => value.into(),
            Prim::I16(value) => value.into(),
            Prim::I32(value) => value.into(),
            Prim::I64(value) => value.into(),
            Prim::I128(value) => value,
            Prim::Isize(value) => value as i128,
            Prim::U8(value) => value.into(),
            Prim::U16(value) => value.into(),
            Prim::U32(value) => value.into(),
            Prim::U64(value) => value.into(),
            Prim::U128(value) => value.try_into().ok()?,
            Prim::Usize(value) => value as i128,
            Prim::Bool(_) | Prim::Char(_) | Prim::F32(_) | Prim::F64(_) => return None,
        })
    }

    /// A number of the same type, if that can hold it; none if this is no integer.
    pub fn like(self, number: i128) -> Option<Prim> {
        Some(match self {
            Prim::I8(_) => Prim::I8(number.try_into().ok()?),
            Prim::I16(_) => Prim::I16(number.try_into().ok()?),
            Prim::I32(_) => Prim::I32(number.try_into().ok()?),
            Prim::I64(_) => Prim::I64(number.try_into().ok()?),
            Prim::I128(_) => Prim::I128(number),
            Prim::Isize(_) => Prim::Isize(number.try_into().ok()?),
            Prim::U8(_) => Prim::U8(number.try_into().ok()?),
            Prim::U16(_) => Prim::U16(number.try_into().ok()?),
            Prim::U32(_) => Prim::U32(number.try_into().ok()?),
            Prim::U64(_) => Prim::U64(number.try_into().ok()?),
            Prim::U128(_) => Prim::U128(number.try_into().ok()?),
            Prim::Usize(_) => Prim::Usize(number.try_into().ok()?),
            Prim::Bool(_) | Prim::Char(_) | Prim::F32(_) | Prim::F64(_) => return None,
        })
    }

    /// The value as the amount of a shift; none if it is negative or no integer.
    fn amount(self) -> Option<u32> {
        match self {
            Prim::I8(value) => value.try_into().ok(),
            Prim::I16(value) => value.try_into().ok(),
            Prim::I32(value) => value.try_into().ok(),
            Prim::I64(value) => value.try_into().ok(),
            Prim::I128(value) => value.try_into().ok(),
            Prim::Isize(value) => value.try_into().ok(),
            Prim::U8(value) => Some(value.into()),
            Prim::U16(value) => Some(value.into()),
            Prim::U32(value) => Some(value),
            Prim::U64(value) => value.try_into().ok(),
            Prim::U128(value) => value.try_into().ok(),
            Prim::Usize(value) => value.try_into().ok(),
            Prim::Bool(_) | Prim::Char(_) | Prim::F32(_) | Prim::F64(_) => None,
        }
    }
}

/// The result of an arithmetic operator, by its letter: `+ - * / % & | ^`, `l` (<<), `r` (>>),
/// `L` and `R` (an operand alone), `=` (the right one).
pub fn arith(letter: u8, left: Prim, right: Prim) -> Option<Prim> {
    match letter {
        b'L' => return Some(left),
        b'R' | b'=' => {
            let same = std::mem::discriminant(&left) == std::mem::discriminant(&right);
            return same.then_some(right);
        }
        b'l' => return shift_left(left, right.amount()?),
        b'r' => return shift_right(left, right.amount()?),
        _ => {}
    }
    macro_rules! integers {
        ($($variant:ident)*) => {
            match (left, right) {
                $((Prim::$variant(left), Prim::$variant(right)) => Prim::$variant(match letter {
                    b'+' => left.checked_add(right)?,
                    b'-' => left.checked_sub(right)?,
                    b'*' => left.checked_mul(right)?,
                    b'/' => left.checked_div(right)?,
                    b'%' => left.checked_rem(right)?,
                    b'&' => left & right,
                    b'|' => left | right,
                    b'^' => left ^ right,
                    _ => return None,
                }),)*
                (Prim::Bool(left), Prim::Bool(right)) => Prim::Bool(match letter {
                    b'&' => left & right,
                    b'|' => left | right,
                    b'^' => left ^ right,
                    _ => return None,
                }),
                (Prim::F32(left), Prim::F32(right)) => Prim::F32(match letter {
                    b'+' => left + right,
                    b'-' => left - right,
                    b'*' => left * right,
                    b'/' => left / right,
                    b'%' => left % right,
                    _ => return None,
                }),
                (Prim::F64(left), Prim::F64(right)) => Prim::F64(match letter {
                    b'+' => left + right,
                    b'-' => left - right,
                    b'*' => left * right,
                    b'/' => left / right,
                    b'%' => left % right,
                    _ => return None,
                }),
                _ => return None,
            }
        };
    }
    Some(integers!(I8 I16 I32 I64 I128 Isize U8 U16 U32 U64 U128 Usize))
}

macro_rules! shift {
    ($name:ident, $method:ident) => {
        fn $name(left: Prim, amount: u32) -> Option<Prim> {
            Some(match left {
                Prim::I8(left) => Prim::I8(left.$method(amount)?),
                Prim::I16(left) => Prim::I16(left.$method(amount)?),
                Prim::I32(left) => Prim::I32(left.$method(amount)?),
                Prim::I64(left) => Prim::I64(left.$method(amount)?),
                Prim::I128(left) => Prim::I128(left.$method(amount)?),
                Prim::Isize(left) => Prim::Isize(left.$method(amount)?),
                Prim::U8(left) => Prim::U8(left.$method(amount)?),
                Prim::U16(left) => Prim::U16(left.$method(amount)?),
                Prim::U32(left) => Prim::U32(left.$method(amount)?),
                Prim::U64(left) => Prim::U64(left.$method(amount)?),
                Prim::U128(left) => Prim::U128(left.$method(amount)?),
                Prim::Usize(left) => Prim::Usize(left.$method(amount)?),
                Prim::Bool(_) | Prim::Char(_) | Prim::F32(_) | Prim::F64(_) => return None,
            })
        }
    };
}

shift!(shift_left, checked_shl);
shift!(shift_right, checked_shr);

/// The result of a comparison, by its letter: `<`, `>`, `=` (==), `!` (!=), `l` (<=), `g` (>=),
/// `T`, `F`.
pub fn relate(letter: u8, left: Prim, right: Prim) -> Option<bool> {
    macro_rules! compare {
        ($($variant:ident)*) => {
            match (left, right) {
                $((Prim::$variant(left), Prim::$variant(right)) => match letter {
                    b'<' => left < right,
                    b'>' => left > right,
                    b'=' => left == right,
                    b'!' => left != right,
                    b'l' => left <= right,
                    b'g' => left >= right,
                    _ => return None,
                },)*
                _ => return None,
            }
        };
    }
    match letter {
        b'T' => Some(true),
        b'F' => Some(false),
        _ => Some(compare!(Bool Char I8 I16 I32 I64 I128 Isize U8 U16 U32 U64 U128 Usize F32 F64)),
    }
}

/// How two values of one type stand to each other; inside, none where a NaN is among them.
pub fn compare(left: Prim, right: Prim) -> Option<Option<Ordering>> {
    macro_rules! compare {
        ($($variant:ident)*) => {
            match (left, right) {
                $((Prim::$variant(left), Prim::$variant(right)) => left.partial_cmp(&right),)*
                _ => return None,
            }
        };
    }
    Some(compare!(Bool Char I8 I16 I32 I64 I128 Isize U8 U16 U32 U64 U128 Usize F32 F64))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(letter: char, left: impl ToPrim, right: impl ToPrim, expected: Option<Prim>) {
        let (left, right) = (left.to_prim(), right.to_prim());
        assert_eq!(
            arith(letter as u8, left, right),
            expected,
            "{left:?} {letter} {right:?}"
        );
    }

    #[test]
    fn integer_results_are_exact_and_overflow_is_unknown() {
        check('+', 250u8, 5u8, Some(Prim::U8(255)));
        check('+', 250u8, 6u8, None);
        check('-', 0usize, 1usize, None);
        check('-', i8::MIN, 1i8, None);
        check('*', i64::MAX, 2i64, None);
        check('*', -3i16, 4i16, Some(Prim::I16(-12)));
        check('/', 7i32, 0i32, None);
        check('/', i32::MIN, -1i32, None);
        check('%', i128::MIN, -1i128, None);
        check('%', -7isize, 3isize, Some(Prim::Isize(-1)));
        check('+', u128::MAX, 0u128, Some(Prim::U128(u128::MAX)));
        check('^', 6u32, 3u32, Some(Prim::U32(5)));
    }

    #[test]
    fn shifts_take_any_integer_as_amount() {
        check('l', 1u8, 7i64, Some(Prim::U8(128)));
        check('l', 1u8, 8i64, None);
        check('l', 3i8, 7u8, Some(Prim::I8(-128)));
        check('r', -1i32, 31u128, Some(Prim::I32(-1)));
        check('r', 1i32, -1i32, None);
        check('l', 1u64, u128::MAX, None);
    }

    #[test]
    fn operands_alone_must_have_the_result_type() {
        check('L', 1u8, 2u32, Some(Prim::U8(1)));
        check('R', 1u8, 2u32, None);
        check('=', 1u8, 2u8, Some(Prim::U8(2)));
    }

    #[test]
    fn references_stand_for_their_values() {
        let (one, mut two) = (1i32, 2i32);
        let (one, two): (&&i32, &mut i32) = (&&one, &mut two);
        check('+', one, two, Some(Prim::I32(3)));
    }

    #[test]
    fn floats_compare_by_bits_and_nan_is_unknown() {
        let zero = arith(b'*', Prim::F64(0.0), Prim::F64(-1.0)).unwrap();
        assert_ne!(zero.bits(), Prim::F64(0.0).bits());
        let nan = arith(b'/', Prim::F32(0.0), Prim::F32(0.0)).unwrap();
        assert_eq!(nan.bits(), None);
        check('&', 1.0f32, 2.0f32, None);
    }

    #[test]
    fn relations_know_nan_and_order() {
        let nan = Prim::F64(f64::NAN);
        assert_eq!(relate(b'l', nan, nan), Some(false));
        assert_eq!(relate(b'!', nan, nan), Some(true));
        assert_eq!(relate(b'g', Prim::Char('b'), Prim::Char('a')), Some(true));
        assert_eq!(
            relate(b'<', Prim::Bool(false), Prim::Bool(true)),
            Some(true)
        );
        assert_eq!(relate(b'<', Prim::I8(-1), Prim::U8(1)), None);
        assert_eq!(relate(b'T', Prim::I8(-1), Prim::U8(1)), Some(true));
    }

    #[test]
    fn equal_bits_mean_equal_values_of_one_type() {
        assert_eq!(Prim::I8(-1).bits(), Prim::I8(-1).bits());
        assert_ne!(Prim::I64(i64::MIN).bits(), Prim::I64(0).bits());
    }
}
