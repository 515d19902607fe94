//! Invariants and values in words that people read.

use std::fmt;

use crate::invariant::{Invariant, Property, Relation};
use crate::point::Variable;
use crate::value::{ObservedValue, ValueKind};

impl fmt::Display for ObservedValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ObservedValue::Number(number) => write!(f, "{number}"),
            ObservedValue::Float(number) => write!(f, "{number:?}"),
            ObservedValue::Bool(value) => write!(f, "{value}"),
            ObservedValue::Char(value) => write!(f, "{value:?}"),
            ObservedValue::Length(length) => write!(f, "{length}"),
            ObservedValue::Tag(tag) => write!(f, "variant {tag}"),
        }
    }
}

impl Invariant {
    /// The invariant with the names of its variables. Numbers are written as integers; see
    /// [`Invariant::describe_as`] for variables of other kinds.
    pub fn describe(&self, name: &dyn Fn(Variable) -> String) -> String {
        self.describe_as(name, ValueKind::Number)
    }

    /// The same, for a variable whose values are of this kind.
    pub fn describe_as(&self, name: &dyn Fn(Variable) -> String, kind: ValueKind) -> String {
        match *self {
            Invariant::Of(variable, property) => property.describe(&name(variable), kind),
            Invariant::Between(x, y, relation) => {
                let is_same_field = x.when != y.when && y.index > 0;
                relation.describe(&name(x), &name(y), is_same_field)
            }
        }
    }
}

impl Property {
    fn describe(self, name: &str, kind: ValueKind) -> String {
        let value = |bits: i64| ObservedValue::of_bits(kind, bits).to_string();
        match self {
            Property::OneOf { values, count: 1 } => format!("{name} = {}", value(values[0])),
            Property::OneOf { values, count } => {
                let values = values.iter().take(count.into());
                let values: Vec<String> = values.map(|&bits| value(bits)).collect();
                format!("{name} is one of {}", values.join(", "))
            }
            Property::AtLeast(low) => format!("{name} ≥ {}", value(low)),
            Property::AtMost(high) => format!("{name} ≤ {}", value(high)),
            Property::Within(low, high) => format!("{} ≤ {name} ≤ {}", value(low), value(high)),
            Property::NonZero => format!("{name} ≠ 0"),
            Property::NonEmpty => format!("{name} > 0"),
            Property::Modulus { modulus, remainder } => {
                format!("{name} mod {modulus} = {remainder}")
            }
            Property::WithoutBits(never) => format!("{name} & {never:#x} = 0"),
            Property::NeverNan => format!("{name} is not NaN"),
            Property::Finite => format!("{name} is finite"),
            Property::Tags(tags) => {
                let tags = (0..64).filter(|tag| tags >> tag & 1 == 1);
                let tags: Vec<String> = tags.map(|tag| format!("variant {tag}")).collect();
                format!("{name} is {}", tags.join(" or "))
            }
            Property::Sorted => format!("{name} is sorted"),
        }
    }
}

impl Relation {
    fn describe(self, x: &str, y: &str, is_same_field: bool) -> String {
        let sign = match self {
            Relation::Equal if is_same_field => return format!("{y} is unchanged"),
            Relation::Less if is_same_field => return format!("{y} grows"),
            Relation::Greater if is_same_field => return format!("{y} shrinks"),
            Relation::AtMost if is_same_field => return format!("{y} never shrinks"),
            Relation::AtLeast if is_same_field => return format!("{y} never grows"),
            Relation::Linear { first, second } => return line(x, y, first, second),
            Relation::Equal => "=",
            Relation::Less => "<",
            Relation::AtMost => "≤",
            Relation::Greater => ">",
            Relation::AtLeast => "≥",
            Relation::NotEqual => "≠",
        };
        format!("{x} {sign} {y}")
    }
}

/// `y = 2·x + 1`, with a fraction where there is no whole slope.
fn line(x: &str, y: &str, first: [i64; 2], second: [i64; 2]) -> String {
    let [x0, y0] = first.map(i128::from);
    let [x1, y1] = second.map(i128::from);
    let (dx, dy) = (x1 - x0, y1 - y0);
    let plus = |number: i128| match number {
        0 => String::new(),
        1.. => format!(" + {number}"),
        _ => format!(" - {}", -number),
    };
    if dx != 0 && dy % dx == 0 {
        let slope = dy / dx;
        let times = match slope {
            1 => x.to_owned(),
            -1 => format!("-{x}"),
            _ => format!("{slope}·{x}"),
        };
        return format!("{y} = {times}{}", plus(y0 - slope * x0));
    }
    format!("{dx}·({y}{}) = {dy}·({x}{})", plus(-y0), plus(-x0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_written_as_people_write_it() {
        assert_eq!(line("x", "y", [0, 1], [1, 3]), "y = 2·x + 1");
        assert_eq!(line("x", "y", [0, 0], [1, 1]), "y = x");
        assert_eq!(line("x", "y", [0, -2], [1, -3]), "y = -x - 2");
        assert_eq!(line("x", "y", [0, 0], [2, 1]), "2·(y) = 1·(x)");
    }

    #[test]
    fn properties_have_names_and_values() {
        let name = |_| "size".to_owned();
        let check = |property, kind, expected: &str| {
            let invariant = Invariant::Of(Variable::entry(0), property);
            assert_eq!(invariant.describe_as(&name, kind), expected);
        };
        let one = |value| Property::OneOf {
            values: [value, 0, 0],
            count: 1,
        };
        check(one(7), ValueKind::Number, "size = 7");
        check(one(1), ValueKind::Bool, "size = true");
        check(one(97), ValueKind::Char, "size = 'a'");
        check(Property::AtLeast(-1), ValueKind::Number, "size ≥ -1");
        check(
            Property::WithoutBits(3),
            ValueKind::Number,
            "size & 0x3 = 0",
        );
        check(
            Property::Tags(5),
            ValueKind::Tag,
            "size is variant 0 or variant 2",
        );
    }

    #[test]
    fn a_field_that_is_seen_twice_changes_or_not() {
        let name = |_| "self.len".to_owned();
        let check = |relation, expected: &str| {
            let invariant = Invariant::Between(Variable::entry(0), Variable::exit(1), relation);
            assert_eq!(invariant.describe(&name), expected);
        };
        check(Relation::Equal, "self.len is unchanged");
        check(Relation::AtMost, "self.len never shrinks");
    }
}
