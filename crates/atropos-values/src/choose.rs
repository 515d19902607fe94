//! The value of a mutated expression, given who decides which variant acts.
//!
//! `decide` gets the hit and answers 0 for the original, k for the variant with letter k.

use std::cmp::Ordering;

use crate::hit::{Hit, Key};
use crate::ids::PointId;
use crate::prim::{self, Prim};

/// The value of a condition. Letters: `!` (negated), `T`, `F`.
pub fn condition(
    point: PointId,
    letters: &'static [u8],
    value: bool,
    decide: impl FnOnce(&Hit) -> u32,
) -> bool {
    two_valued(point, letters, value, decide, |letter| match letter {
        b'!' => Some(!value),
        b'T' => Some(true),
        b'F' => Some(false),
        _ => None,
    })
}

/// Whether an operator, given its letter and the left side, goes on to the right side.
fn goes_on(letter: u8, left: bool) -> Option<bool> {
    match letter {
        b'&' => Some(left),
        b'|' => Some(!left),
        b'L' => Some(false),
        b'R' => Some(true),
        _ => None,
    }
}

/// What the original does after the left side of `&&` or `||`.
pub fn original_goes_on(op: u8, left: bool) -> bool {
    goes_on(op, left).unwrap_or(left)
}

/// Whether to evaluate the right side of `&&` or `||` and yield it; otherwise the left is the
/// result. Letters: `&`, `|`, `L` (left alone), `R` (right alone).
pub fn logic(
    point: PointId,
    op: u8,
    letters: &'static [u8],
    left: bool,
    decide: impl FnOnce(&Hit) -> u32,
) -> bool {
    let original = original_goes_on(op, left);
    two_valued(point, letters, original, decide, |letter| {
        goes_on(letter, left)
    })
}

/// Which variant of a comparison acts. Letters: see [`prim::relate`].
pub fn relation(
    point: PointId,
    op: u8,
    letters: &'static [u8],
    operands: Option<(Prim, Prim)>,
    decide: impl FnOnce(&Hit) -> u32,
) -> u32 {
    let case = relation_case(operands);
    by_letter(point, op, letters, case, decide, |letter| {
        let (left, right) = operands?;
        prim::relate(letter, left, right).map(u128::from)
    })
}

/// The case that all variants of a comparison depend on.
pub fn relation_case(operands: Option<(Prim, Prim)>) -> Option<u8> {
    let (left, right) = operands?;
    prim::compare(left, right).map(|order| match order {
        Some(Ordering::Less) => 0,
        Some(Ordering::Equal) => 1,
        Some(Ordering::Greater) => 2,
        None => 3,
    })
}

/// Which variant of an arithmetic operator acts. Letters: see [`prim::arith`].
pub fn arithmetic(
    point: PointId,
    op: u8,
    letters: &'static [u8],
    operands: Option<(Prim, Prim)>,
    decide: impl FnOnce(&Hit) -> u32,
) -> u32 {
    by_letter(point, op, letters, None, decide, |letter| {
        let (left, right) = operands?;
        prim::arith(letter, left, right)?.bits()
    })
}

/// A number behind an operator, with the numbers that stand for it in the variants.
#[derive(Clone, Copy, Debug)]
pub struct Constant {
    /// The operator's letter, as for [`relation`] or [`arithmetic`].
    pub op: u8,
    pub is_compared: bool,
    /// `a` for the first of the other numbers and so on; `.` for those that are gone.
    pub letters: &'static [u8],
    /// The original's number, then the others.
    pub numbers: &'static [i128],
}

impl Constant {
    /// What the operator makes of its left side and one of the numbers.
    fn result(&self, left: Prim, number: i128) -> Option<u128> {
        if self.is_compared {
            return prim::relate(self.op, left, left.like(number)?).map(u128::from);
        }
        let right = match self.op {
            // The amount of a shift has a type of its own.
            b'l' | b'r' => Prim::I128(number),
            _ => left.like(number)?,
        };
        prim::arith(self.op, left, right)?.bits()
    }

    /// The case of a left side that is less, or greater, than all numbers that it is compared with.
    pub fn case(&self, left: Option<Prim>) -> Option<u8> {
        let left = left.filter(|_| self.is_compared)?.integer()?;
        if self.numbers.iter().all(|number| left < *number) {
            Some(0)
        } else if self.numbers.iter().all(|number| left > *number) {
            Some(2)
        } else {
            None
        }
    }
}

/// Which of several numbers stands behind an operator whose left side is known. A variant differs from the original
/// where the operator's result does.
pub fn constant(
    point: PointId,
    constant: Constant,
    left: Option<Prim>,
    decide: impl FnOnce(&Hit) -> u32,
) -> u32 {
    let key = |number: Option<&i128>| {
        Key::of(
            left.zip(number)
                .and_then(|(left, &number)| constant.result(left, number)),
        )
    };
    decide(&Hit {
        point,
        letters: Some(constant.letters),
        original: key(constant.numbers.first()),
        variant: &|letter| key(constant.numbers.get(usize::from(letter - b'a') + 1)),
        case: constant.case(left),
    })
}

fn by_letter(
    point: PointId,
    op: u8,
    letters: &'static [u8],
    case: Option<u8>,
    decide: impl FnOnce(&Hit) -> u32,
    value: impl Fn(u8) -> Option<u128>,
) -> u32 {
    decide(&Hit {
        point,
        letters: Some(letters),
        original: Key::of(value(op)),
        variant: &|letter| Key::of(value(letter)),
        case,
    })
}

fn two_valued(
    point: PointId,
    letters: &'static [u8],
    original: bool,
    decide: impl FnOnce(&Hit) -> u32,
    value: impl Fn(u8) -> Option<bool>,
) -> bool {
    let acting = decide(&Hit {
        point,
        letters: Some(letters),
        original: Key::of(Some(u128::from(original))),
        variant: &|letter| Key::of(value(letter).map(u128::from)),
        // The original tells the two values of the operand apart.
        case: Some(u8::from(original)),
    });
    match acting {
        0 => original,
        k => value(letters[k as usize - 1]).unwrap_or(original),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const POINT: PointId = PointId(7);

    #[test]
    fn the_variant_that_acts_gives_the_value() {
        for value in [false, true] {
            assert_eq!(condition(POINT, b"!TF", value, |_| 0), value);
            assert_eq!(condition(POINT, b"!TF", value, |_| 1), !value);
            assert!(condition(POINT, b"!TF", value, |_| 2));
            assert!(!condition(POINT, b"!TF", value, |_| 3));
            assert_eq!(logic(POINT, b'&', b"|LR", value, |_| 0), value);
            assert_eq!(logic(POINT, b'&', b"|LR", value, |_| 1), !value);
            assert!(!logic(POINT, b'&', b"|LR", value, |_| 2));
            assert!(logic(POINT, b'&', b"|LR", value, |_| 3));
        }
    }

    #[test]
    fn unknown_operands_leave_every_variant_infected() {
        let infected = |hit: &Hit| u32::from(hit.infects(1)) + u32::from(hit.infects(2));
        let operands = Some((Prim::U8(2), Prim::U8(2)));
        assert_eq!(arithmetic(POINT, b'+', b"*-", None, infected), 2);
        assert_eq!(arithmetic(POINT, b'+', b"*-", operands, infected), 1);
    }

    /// Which of 11, 9 and 0 instead of 10 make a difference behind an operator.
    fn infecting(op: u8, is_compared: bool, left: Option<Prim>) -> Vec<u32> {
        let ten = Constant {
            op,
            is_compared,
            letters: b"abc",
            numbers: &[10, 11, 9, 0],
        };
        let mut found = Vec::new();
        constant(POINT, ten, left, |hit| {
            found = (1..=3).filter(|&k| hit.infects(k)).collect();
            0
        });
        found
    }

    #[test]
    fn another_number_makes_a_difference_where_the_result_does() {
        assert_eq!(infecting(b'/', false, Some(Prim::U32(5))), [3]);
        assert_eq!(infecting(b'/', false, Some(Prim::U32(9))), [2, 3]);
        assert_eq!(infecting(b'/', false, Some(Prim::U32(10))), [1, 3]);
        assert_eq!(infecting(b'r', false, Some(Prim::U64(1))), [3]);
        assert_eq!(infecting(b'<', true, Some(Prim::I8(9))), [2, 3]);
        assert_eq!(infecting(b'<', true, Some(Prim::I8(-1))), [0; 0]);
        assert_eq!(infecting(b'=', true, Some(Prim::I8(11))), [1]);
        // What is not known may make a difference.
        assert_eq!(infecting(b'<', true, None), [1, 2, 3]);
        assert_eq!(infecting(b'<', true, Some(Prim::F64(1.0))), [1, 2, 3]);
        // The product overflows, or it does not.
        assert_eq!(infecting(b'*', false, Some(Prim::U8(25))), [1, 2, 3]);
    }

    #[test]
    fn beyond_all_numbers_a_comparison_has_one_result_each() {
        let constant = |op| Constant {
            op,
            is_compared: true,
            letters: b"ab",
            numbers: &[10, 11, 9],
        };
        for op in *b"<>lg=!" {
            for (low, high) in [(-128, 8), (12, 127)] {
                let case = constant(op).case(Some(Prim::I8(low)));
                assert!(case.is_some());
                for left in low..=high {
                    let left = Prim::I8(left);
                    assert_eq!(constant(op).case(Some(left)), case);
                    let results = [10, 11, 9].map(|number| constant(op).result(left, number));
                    let first =
                        [10, 11, 9].map(|number| constant(op).result(Prim::I8(low), number));
                    assert_eq!(results, first);
                }
            }
            assert_eq!(constant(op).case(Some(Prim::I8(10))), None);
        }
        let quotient = Constant {
            is_compared: false,
            ..constant(b'/')
        };
        assert_eq!(quotient.case(Some(Prim::I8(1))), None);
    }

    #[test]
    fn the_case_of_a_comparison_decides_all_its_variants() {
        let floats = [f64::NAN, f64::NEG_INFINITY, -0.0, 0.0, 1.5];
        let values: Vec<Prim> = floats
            .map(Prim::F64)
            .into_iter()
            .chain([3, 4].map(Prim::U8))
            .chain([false, true].map(Prim::Bool))
            .collect();
        let results = |left, right| b"<>=!lgTF".map(|letter| prim::relate(letter, left, right));
        let mut known: [Option<[Option<bool>; 8]>; crate::CASES as usize] = Default::default();
        for (&left, &right) in values
            .iter()
            .flat_map(|left| values.iter().map(move |right| (left, right)))
        {
            if let Some(case) = relation_case(Some((left, right))) {
                let found = results(left, right);
                let first = known[case as usize].get_or_insert(found);
                assert_eq!(*first, found, "{left:?} and {right:?}");
            }
        }
        assert!(known.iter().all(Option::is_some));
        assert_eq!(relation_case(None), None);
        assert_eq!(relation_case(Some((Prim::U8(1), Prim::I8(1)))), None);
    }
}
