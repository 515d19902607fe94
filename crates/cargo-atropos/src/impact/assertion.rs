//! Invariants as assertions in Rust.

use atropos_invariants::{
    EntryOrExit, Invariant, ObservedValue, Property, Relation, ValueKind, Variable,
};
use atropos_weave::observe::{Function, Returned};

use super::suggest::name_of;

/// What an assertion is about.
pub struct AssertedExpression<'a> {
    pub function: &'a Function,
    /// Whether a field can be asked for by a method of its name.
    pub getters: &'a dyn Fn(&str) -> bool,
}

/// The code that a test (or, for what a function is called with, the function) should hold.
pub fn of(
    subject: &AssertedExpression<'_>,
    invariant: &Invariant,
    kind: &dyn Fn(Variable) -> ValueKind,
) -> String {
    let variable = invariant.variable();
    let place = |variable: Variable| subject.place(variable);
    let condition = match *invariant {
        Invariant::Of(variable, property) => {
            let place = place(variable);
            let returned = subject.returned(variable);
            match condition(&place, property, kind(variable), returned) {
                Some(condition) => condition,
                // Nobody can type the names of variants for us.
                None => return subject.about_variants(variable, &place),
            }
        }
        Invariant::Between(x, y, relation) => {
            let value = |variable| {
                let place = place(variable);
                match kind(variable) {
                    ValueKind::Length => format!("{place}.len()"),
                    _ => place,
                }
            };
            let is_same_field = x.when != y.when && y.index > 0;
            let before = match is_same_field {
                true => "before".to_owned(),
                false => value(x),
            };
            relate(&before, &value(y), relation)
        }
    };
    match variable.when {
        EntryOrExit::Entry => format!(
            "// in `{}`:\ndebug_assert!({condition});",
            subject.function.name
        ),
        EntryOrExit::Exit => {
            let is_returned = variable.index == 0 || subject.is_of_result(variable);
            match (call(subject.function), is_returned) {
                (None, _) => String::new(),
                (Some(call), true) => format!("let result = {call};\nassert!({condition});"),
                (Some(call), false) => format!("{call};\nassert!({condition});"),
            }
        }
    }
}

impl AssertedExpression<'_> {
    /// What to look at where only the user knows the names of the variants that are meant.
    fn about_variants(&self, variable: Variable, place: &str) -> String {
        let words = format!("// assert which variant `{place}` is");
        match (variable.when, call(self.function)) {
            (EntryOrExit::Entry, _) => format!("// in `{}`:\n{words}", self.function.name),
            (EntryOrExit::Exit, None) => String::new(),
            (EntryOrExit::Exit, Some(call))
                if variable.index == 0 || self.is_of_result(variable) =>
            {
                format!("let result = {call};\n{words}")
            }
            (EntryOrExit::Exit, Some(call)) => format!("{call};\n{words}"),
        }
    }

    fn is_of_result(&self, variable: Variable) -> bool {
        let index = usize::from(variable.index);
        let known = index
            .checked_sub(1)
            .and_then(|index| self.function.exit.get(index));
        known.is_some_and(|known| known.name.starts_with('.'))
    }

    /// How a test can write the variable.
    fn place(&self, variable: Variable) -> String {
        let name = name_of(self.function, variable);
        if variable.when == EntryOrExit::Exit {
            if let Some(field) = name.strip_prefix("result.")
                && (self.getters)(field)
            {
                return format!("result.{field}()");
            }
            if let Some(field) = name.strip_prefix("self.") {
                let receiver = receiver(self.function);
                return match (self.getters)(field) {
                    true => format!("{receiver}.{field}()"),
                    false => format!("{receiver}.{field}"),
                };
            }
        }
        name
    }

    /// The name of the returned type, for the value that is returned.
    fn returned(&self, variable: Variable) -> &str {
        match &self.function.returned {
            Returned::Typed(ty) if (variable.when, variable.index) == (EntryOrExit::Exit, 0) => ty,
            _ => "",
        }
    }
}

/// `account`, for a method of `Account`.
fn receiver(function: &Function) -> String {
    let owner = function.name.rsplit("::").nth(1).unwrap_or("value");
    let owner = owner
        .trim_start_matches('<')
        .split(' ')
        .next()
        .unwrap_or("value");
    let mut name = String::new();
    for letter in owner.chars() {
        if letter.is_uppercase() && !name.is_empty() {
            name.push('_');
        }
        name.extend(letter.to_lowercase());
    }
    name
}

/// A call of a function, with the names of its parameters. None of a closure: nobody can call it from outside.
pub fn call(function: &Function) -> Option<String> {
    let parameters = function.entry.iter().map(|variable| variable.name.as_str());
    let parameters: Vec<&str> = parameters
        .filter(|name| !name.starts_with("self."))
        .collect();
    let parameters = parameters.join(", ");
    let last = function.name.rsplit("::").next().unwrap_or_default();
    match (function.is_closure, function.is_method) {
        (true, _) => None,
        (false, true) => Some(format!("{}.{last}({parameters})", receiver(function))),
        (false, false) => Some(format!("{}({parameters})", function.name)),
    }
}

/// None where it takes names that only the user knows.
fn condition(place: &str, property: Property, kind: ValueKind, ty: &str) -> Option<String> {
    let value = |bits: i64| ObservedValue::of_bits(kind, bits).to_string();
    let subject = match kind {
        ValueKind::Length => format!("{place}.len()"),
        _ => place.to_owned(),
    };
    Some(match property {
        Property::OneOf { values, count: 1 } => match (kind, values[0]) {
            (ValueKind::Bool, 0) => format!("!{subject}"),
            (ValueKind::Bool, _) => subject,
            (ValueKind::Length, 0) => format!("{place}.is_empty()"),
            (_, constant) => format!("{subject} == {}", value(constant)),
        },
        Property::OneOf { values, count } => {
            let values = values.iter().take(count.into());
            let values: Vec<String> = values.map(|&bits| value(bits)).collect();
            format!("[{}].contains(&{subject})", values.join(", "))
        }
        Property::AtLeast(low) => format!("{subject} >= {}", value(low)),
        Property::AtMost(high) => format!("{subject} <= {}", value(high)),
        Property::Within(low, high) => {
            format!("({}..={}).contains(&{subject})", value(low), value(high))
        }
        Property::NonZero => format!("{subject} != 0"),
        Property::NonEmpty => format!("!{place}.is_empty()"),
        Property::Modulus { modulus, remainder } => format!("{subject} % {modulus} == {remainder}"),
        Property::WithoutBits(never) => format!("{subject} & {never:#x} == 0"),
        Property::NeverNan => format!("!{subject}.is_nan()"),
        Property::Finite => format!("{subject}.is_finite()"),
        Property::Sorted => format!("{place}.is_sorted()"),
        Property::Tags(tags) => {
            let of = |name: &str| ty.trim_start_matches("std :: ").starts_with(name);
            match tags {
                1 if of("Option") => format!("{place}.is_none()"),
                2 if of("Option") => format!("{place}.is_some()"),
                1 if ty.contains("Result") => format!("{place}.is_ok()"),
                2 if ty.contains("Result") => format!("{place}.is_err()"),
                _ => return None,
            }
        }
    })
}

fn relate(x: &str, y: &str, relation: Relation) -> String {
    let sign = match relation {
        Relation::Equal => "==",
        Relation::Less => ">",
        Relation::AtMost => ">=",
        Relation::Greater => "<",
        Relation::AtLeast => "<=",
        Relation::NotEqual => "!=",
        Relation::Linear { first, second } => {
            let [x0, y0] = first.map(i128::from);
            let [x1, y1] = second.map(i128::from);
            let (dx, dy) = (x1 - x0, y1 - y0);
            return match dx != 0 && dy % dx == 0 {
                true => {
                    let slope = dy / dx;
                    format!("{y} == {slope} * {x} + {}", y0 - slope * x0)
                }
                false => format!("({y} - {y0}) * {dx} == ({x} - {x0}) * {dy}"),
            };
        }
    };
    format!("{y} {sign} {x}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use atropos_weave::observe::{ObservedFile, Structs};

    const SOURCE: &str = "
        pub struct Context { size: i64, nodes: Vec<u8> }
        impl Context {
            pub fn new(nodes: Vec<u8>) -> Context { make(nodes) }
            pub fn size(&self) -> i64 { self.size }
            pub fn push(&mut self, node: u8) { self.nodes.push(node); }
            pub fn first(&self) -> Option<u8> { self.nodes.first() }
        }
    ";

    fn check(function: usize, invariant: Invariant, kind: ValueKind, expected: &str) {
        let file = ObservedFile::of(SOURCE, &Structs::of([SOURCE]));
        let subject = AssertedExpression {
            function: &file.functions[function],
            getters: &|field| field == "size",
        };
        assert_eq!(of(&subject, &invariant, &|_| kind), expected);
    }

    #[test]
    fn a_returned_field_is_asked_for_by_its_getter() {
        check(
            0,
            Invariant::Of(Variable::exit(1), Property::AtLeast(0)),
            ValueKind::Number,
            "let result = Context::new(nodes);\nassert!(result.size() >= 0);",
        );
    }

    #[test]
    fn what_a_method_changes_is_asserted_afterwards() {
        check(
            2,
            Invariant::Between(Variable::entry(1), Variable::exit(1), Relation::Less),
            ValueKind::Length,
            "context.push(node);\nassert!(context.nodes.len() > before);",
        );
    }

    #[test]
    fn variants_of_std_have_their_questions() {
        check(
            3,
            Invariant::Of(Variable::exit(0), Property::Tags(2)),
            ValueKind::Tag,
            "let result = context.first();\nassert!(result.is_some());",
        );
    }

    #[test]
    fn nothing_is_to_be_typed_whose_name_only_the_user_knows() {
        check(
            2,
            Invariant::Of(Variable::exit(1), Property::Tags(4)),
            ValueKind::Tag,
            "context.push(node);\n// assert which variant `context.nodes` is",
        );
        check(
            2,
            Invariant::Of(Variable::entry(0), Property::Tags(4)),
            ValueKind::Tag,
            "// in `Context::push`:\n// assert which variant `node` is",
        );
    }

    #[test]
    fn what_a_function_is_called_with_is_asserted_inside() {
        let within = Property::Within(1, 9);
        check(
            2,
            Invariant::Of(Variable::entry(0), within),
            ValueKind::Number,
            "// in `Context::push`:\ndebug_assert!((1..=9).contains(&node));",
        );
    }
}
