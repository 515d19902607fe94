//! What a variable can show of itself: one number, and what kind of number it is.

/// A value as it was observed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ObservedValue {
    /// An integer that fits; others are not observed.
    Number(i64),
    Float(f64),
    Bool(bool),
    Char(char),
    /// How many elements or bytes a collection or string has.
    Length(u64),
    /// Which variant an enum is.
    Tag(i64),
}

/// The kind of a value. All values of a variable should be of one kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum ValueKind {
    Number = 1,
    Float = 2,
    Bool = 3,
    Char = 4,
    Length = 5,
    Tag = 6,
}

impl ValueKind {
    /// The kind of which a state keeps the number, if it is one.
    pub(crate) fn of_code(code: u8) -> Option<ValueKind> {
        [
            ValueKind::Number,
            ValueKind::Float,
            ValueKind::Bool,
            ValueKind::Char,
            ValueKind::Length,
            ValueKind::Tag,
        ]
        .into_iter()
        .find(|kind| *kind as u8 == code)
    }

    /// Whether values have an order that means something to people.
    pub fn is_ordered(self) -> bool {
        matches!(
            self,
            ValueKind::Number | ValueKind::Float | ValueKind::Length
        )
    }

    /// Whether two variables of these kinds can be compared.
    pub(crate) fn compares_with(self, other: ValueKind) -> bool {
        let is_integer = |kind| matches!(kind, ValueKind::Number | ValueKind::Length);
        self == other || is_integer(self) && is_integer(other)
    }
}

impl ObservedValue {
    pub fn kind(self) -> ValueKind {
        match self {
            ObservedValue::Number(_) => ValueKind::Number,
            ObservedValue::Float(_) => ValueKind::Float,
            ObservedValue::Bool(_) => ValueKind::Bool,
            ObservedValue::Char(_) => ValueKind::Char,
            ObservedValue::Length(_) => ValueKind::Length,
            ObservedValue::Tag(_) => ValueKind::Tag,
        }
    }

    /// The value as an integer; a float's bits. Together with the kind it is the value again.
    pub fn bits(self) -> i64 {
        match self {
            ObservedValue::Number(number) | ObservedValue::Tag(number) => number,
            ObservedValue::Float(number) => number.to_bits() as i64,
            ObservedValue::Bool(value) => i64::from(value),
            ObservedValue::Char(value) => i64::from(u32::from(value)),
            ObservedValue::Length(length) => i64::try_from(length).unwrap_or(i64::MAX),
        }
    }

    /// The value of a kind that has these bits.
    pub fn of_bits(kind: ValueKind, bits: i64) -> ObservedValue {
        match kind {
            ValueKind::Number => ObservedValue::Number(bits),
            ValueKind::Tag => ObservedValue::Tag(bits),
            ValueKind::Float => ObservedValue::Float(f64::from_bits(bits as u64)),
            ValueKind::Bool => ObservedValue::Bool(bits != 0),
            ValueKind::Char => ObservedValue::Char(
                u32::try_from(bits)
                    .ok()
                    .and_then(char::from_u32)
                    .unwrap_or('\u{fffd}'),
            ),
            ValueKind::Length => ObservedValue::Length(bits.max(0) as u64),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_its_kind_and_bits() {
        for value in [
            ObservedValue::Number(-7),
            ObservedValue::Float(-0.5),
            ObservedValue::Float(f64::INFINITY),
            ObservedValue::Bool(true),
            ObservedValue::Char('ß'),
            ObservedValue::Length(12),
            ObservedValue::Tag(3),
        ] {
            assert_eq!(ObservedValue::of_bits(value.kind(), value.bits()), value);
            assert_eq!(ValueKind::of_code(value.kind() as u8), Some(value.kind()));
        }
        assert_eq!(ValueKind::of_code(0), None);
        assert_eq!(ValueKind::of_code(255), None);
    }
}
