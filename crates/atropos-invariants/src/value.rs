//! What a variable can show of itself: one number, and what kind of number it is.

/// A value as it was observed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value {
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
pub enum Kind {
    Number = 1,
    Float = 2,
    Bool = 3,
    Char = 4,
    Length = 5,
    Tag = 6,
}

impl Kind {
    /// The kind of which a state keeps the number, if it is one.
    pub(crate) fn of_code(code: u8) -> Option<Kind> {
        [
            Kind::Number,
            Kind::Float,
            Kind::Bool,
            Kind::Char,
            Kind::Length,
            Kind::Tag,
        ]
        .into_iter()
        .find(|kind| *kind as u8 == code)
    }

    /// Whether values have an order that means something to people.
    pub fn is_ordered(self) -> bool {
        matches!(self, Kind::Number | Kind::Float | Kind::Length)
    }

    /// Whether two variables of these kinds can be compared.
    pub(crate) fn compares_with(self, other: Kind) -> bool {
        let is_integer = |kind| matches!(kind, Kind::Number | Kind::Length);
        self == other || is_integer(self) && is_integer(other)
    }
}

impl Value {
    pub fn kind(self) -> Kind {
        match self {
            Value::Number(_) => Kind::Number,
            Value::Float(_) => Kind::Float,
            Value::Bool(_) => Kind::Bool,
            Value::Char(_) => Kind::Char,
            Value::Length(_) => Kind::Length,
            Value::Tag(_) => Kind::Tag,
        }
    }

    /// The value as an integer; a float's bits. Together with the kind it is the value again.
    pub fn bits(self) -> i64 {
        match self {
            Value::Number(number) | Value::Tag(number) => number,
            Value::Float(number) => number.to_bits() as i64,
            Value::Bool(value) => i64::from(value),
            Value::Char(value) => i64::from(u32::from(value)),
            Value::Length(length) => i64::try_from(length).unwrap_or(i64::MAX),
        }
    }

    /// The value of a kind that has these bits.
    pub fn of_bits(kind: Kind, bits: i64) -> Value {
        match kind {
            Kind::Number => Value::Number(bits),
            Kind::Tag => Value::Tag(bits),
            Kind::Float => Value::Float(f64::from_bits(bits as u64)),
            Kind::Bool => Value::Bool(bits != 0),
            Kind::Char => Value::Char(
                u32::try_from(bits)
                    .ok()
                    .and_then(char::from_u32)
                    .unwrap_or('\u{fffd}'),
            ),
            Kind::Length => Value::Length(bits.max(0) as u64),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_its_kind_and_bits() {
        for value in [
            Value::Number(-7),
            Value::Float(-0.5),
            Value::Float(f64::INFINITY),
            Value::Bool(true),
            Value::Char('ß'),
            Value::Length(12),
            Value::Tag(3),
        ] {
            assert_eq!(Value::of_bits(value.kind(), value.bits()), value);
            assert_eq!(Kind::of_code(value.kind() as u8), Some(value.kind()));
        }
        assert_eq!(Kind::of_code(0), None);
        assert_eq!(Kind::of_code(255), None);
    }
}
