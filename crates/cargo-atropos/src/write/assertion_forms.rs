//! From a captured value to the ways in which a test could assert it, the most readable first.
//!
//! Whether what is written compiles and holds is for the proof to say: here only the text is made.

use super::debug_text::{DebugValue, NamedType, named_type, value};

/// Longer texts are no assertion that anyone wants to read.
const LONGEST: usize = 160;
const MOST_ELEMENTS: usize = 16;

/// One way to assert a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AssertionForm {
    True,
    False,
    /// After so many `*`.
    Equals(usize, String),
    /// A method without parameters that must give true.
    Holds(&'static str),
    Matches(String),
    /// Its `Debug` text: where there is no other way.
    DebugText(String),
}

impl AssertionForm {
    /// The assertion about an expression, without a semicolon.
    pub fn of(&self, expression: &str) -> String {
        match self {
            AssertionForm::True => format!("assert!({expression})"),
            AssertionForm::False => format!("assert!(!{expression})"),
            AssertionForm::Equals(stars, literal) => {
                let stars = "*".repeat(*stars);
                format!("assert_eq!({stars}{expression}, {literal})")
            }
            AssertionForm::Holds(method) => format!("assert!({expression}.{method}())"),
            AssertionForm::Matches(pattern) => {
                format!("assert!(matches!({expression}, {pattern}))")
            }
            AssertionForm::DebugText(text) => {
                let is_name = expression
                    .chars()
                    .all(|letter| letter.is_alphanumeric() || letter == '_');
                match is_name {
                    true => format!("assert_eq!(format!(\"{{{expression}:?}}\"), {text:?})"),
                    false => format!("assert_eq!(format!(\"{{:?}}\", {expression}), {text:?})"),
                }
            }
        }
    }

    /// What of a value the form is about, from its `Debug` text: where it is the same, the assertion holds.
    pub fn aspect<'v>(&self, text: &'v str) -> &'v str {
        match self {
            AssertionForm::Matches(_)
            | AssertionForm::Holds("is_some" | "is_none" | "is_ok" | "is_err") => {
                let end = text.find(|letter: char| !letter.is_alphanumeric() && letter != '_');
                &text[..end.unwrap_or(text.len())]
            }
            AssertionForm::Holds("is_empty") => match text {
                "[]" | "\"\"" | "{}" => "",
                _ => "not empty",
            },
            _ => text,
        }
    }

    /// How much a reader has to put up with; less is better.
    pub fn cost(&self) -> usize {
        match self {
            AssertionForm::True | AssertionForm::False => 0,
            AssertionForm::Holds("is_empty") => 0,
            AssertionForm::Equals(_, literal) => 1 + literal.len() / 40,
            AssertionForm::Holds(_) => 3,
            AssertionForm::Matches(_) => 3,
            AssertionForm::DebugText(text) => 6 + text.len() / 40,
        }
    }
}

/// What the text around tells about names.
pub struct NamesInTest<'t> {
    /// The file that the assertion stands in.
    pub text: &'t str,
    /// Of the crate that it is part of; none for a test target.
    pub crate_name: Option<&'t str>,
}

impl NamesInTest<'_> {
    /// How a type could be written, the shortest first.
    fn paths(&self, path: &str) -> Vec<String> {
        let name = path.rsplit("::").next().unwrap_or(path);
        let is_word = |text: &str, at: usize| {
            let letter =
                |found: Option<char>| found.is_some_and(|l| l.is_alphanumeric() || l == '_');
            !letter(text[..at].chars().next_back())
                && !letter(text[at + name.len()..].chars().next())
        };
        let mut all = Vec::new();
        let is_named = self
            .text
            .match_indices(name)
            .any(|(at, _)| is_word(self.text, at));
        if is_named || self.text.contains("::*") {
            all.push(name.to_owned());
        }
        let (first, rest) = path.split_once("::").unwrap_or((path, ""));
        let written = match first {
            "core" | "alloc" => format!("std::{rest}"),
            _ if Some(first) == self.crate_name => format!("crate::{rest}"),
            _ => path.to_owned(),
        };
        // Types are often public under their crate's name alone.
        if !["core", "alloc", "std"].contains(&first) && self.crate_name != Some(first) {
            all.push(format!("{first}::{name}"));
        }
        all.push(written);
        all.dedup();
        all
    }

    /// As the file makes strings.
    fn owned(&self, literal: &str) -> String {
        let count = |way: &str| self.text.matches(way).count();
        let (to_string, to_owned, from) = (
            count(".to_string()"),
            count(".to_owned()"),
            count("String::from("),
        );
        match () {
            () if from > to_string && from > to_owned => format!("String::from({literal})"),
            () if to_owned > to_string => format!("{literal}.to_owned()"),
            () => format!("{literal}.to_string()"),
        }
    }
}

/// All forms for a value, the best first.
pub fn forms(type_name: &str, text: &str, names: &NamesInTest<'_>) -> Vec<AssertionForm> {
    let mut found = Vec::new();
    let Some(ty) = named_type(type_name) else {
        return found;
    };
    let (references, base) = behind_references(&ty);
    let parsed = value(text);
    if let Some(parsed) = &parsed {
        of_value(parsed, base, references, names, &mut found);
    }
    let is_told = !text.contains("0x") && !text.contains(".. }") && !text.is_empty();
    // A `Debug` that is not derived may be meant to be read; that of numbers and texts is asserted above.
    if is_told && text.len() <= LONGEST && !is_plain(base) && text != "()" {
        found.push(AssertionForm::DebugText(text.to_owned()));
    }
    found.retain(|form| match form {
        AssertionForm::Equals(_, literal) => literal.len() <= LONGEST,
        _ => true,
    });
    found
}

fn is_plain(ty: &NamedType) -> bool {
    const PLAIN: &[&str] = &["bool", "char", "str", "alloc::string::String", "f32", "f64"];
    match ty {
        NamedType::Path(path, _) => PLAIN.contains(&path.as_str()) || is_integer(path),
        _ => false,
    }
}

fn is_integer(path: &str) -> bool {
    const BITS: &[&str] = &["8", "16", "32", "64", "128", "size"];
    let mut kinds = ["i", "u"].iter();
    kinds.any(|kind| {
        path.strip_prefix(kind)
            .is_some_and(|bits| BITS.contains(&bits))
    })
}

fn behind_references(ty: &NamedType) -> (usize, &NamedType) {
    match ty {
        NamedType::Reference(inner) => {
            let (references, base) = behind_references(inner);
            (references + 1, base)
        }
        _ => (0, ty),
    }
}

fn of_value(
    parsed: &DebugValue,
    base: &NamedType,
    references: usize,
    names: &NamesInTest<'_>,
    found: &mut Vec<AssertionForm>,
) {
    let unsized_base = matches!(base, NamedType::Slice(_)) || base.name() == "str";
    let stars = references.saturating_sub(usize::from(unsized_base));
    match parsed {
        DebugValue::Tuple(parts) if parts.is_empty() => return,
        DebugValue::Word(word) if base.name() == "bool" && stars == 0 => {
            found.push(match word.as_str() {
                "true" => AssertionForm::True,
                _ => AssertionForm::False,
            });
            return;
        }
        DebugValue::Number(number) if number == "NaN" => {
            found.push(AssertionForm::Holds("is_nan"));
            return;
        }
        DebugValue::List(parts) if parts.is_empty() => {
            found.push(AssertionForm::Holds("is_empty"));
            return;
        }
        DebugValue::Text(text) if text == "\"\"" => {
            found.push(AssertionForm::Holds("is_empty"));
            return;
        }
        _ => {}
    }
    // One alternative for each way to write the names of types.
    let mut literals = Vec::new();
    for way in 0..3 {
        let renderer = Renderer { names, way };
        if let Some(literal) = renderer.top(parsed, base)
            && !literals.contains(&literal)
        {
            literals.push(literal);
        }
    }
    let equals = literals.into_iter();
    found.extend(equals.map(|literal| AssertionForm::Equals(stars, literal)));
    let (DebugValue::Word(name) | DebugValue::Called(name, _) | DebugValue::Fields(name, _)) =
        parsed
    else {
        return;
    };
    match (base.name(), name.as_str()) {
        ("Option", "None") => found.push(AssertionForm::Holds("is_none")),
        ("Option", "Some") => found.push(AssertionForm::Holds("is_some")),
        ("Result", "Ok") => found.push(AssertionForm::Holds("is_ok")),
        ("Result", "Err") => found.push(AssertionForm::Holds("is_err")),
        (owner, _) if owner != name && !owner.is_empty() => {
            if let NamedType::Path(path, _) = base
                && !is_plain(base)
            {
                let data = match parsed {
                    DebugValue::Word(_) => "",
                    _ => " { .. }",
                };
                let paths = names.paths(path).into_iter();
                found.extend(
                    paths.map(|path| AssertionForm::Matches(format!("{path}::{name}{data}"))),
                );
            }
        }
        _ => {}
    }
}

/// Writes values as Rust.
struct Renderer<'n> {
    names: &'n NamesInTest<'n>,
    /// Which of the ways to write a type's name is taken.
    way: usize,
}

impl Renderer<'_> {
    /// A value that is compared as it is.
    fn top(&self, value: &DebugValue, ty: &NamedType) -> Option<String> {
        match (value, ty.name()) {
            (DebugValue::Text(text), "str" | "String" | "Cow") => Some(text.clone()),
            (DebugValue::Text(text), "Path" | "PathBuf") => {
                Some(format!("std::path::Path::new({text})"))
            }
            (DebugValue::List(parts), name) => {
                let element = match ty {
                    NamedType::Slice(element) | NamedType::Array(element) => Some(&**element),
                    _ if ["Vec", "VecDeque"].contains(&name) => ty.argument(0),
                    _ => return None,
                };
                self.list(parts, element).map(|list| format!("[{list}]"))
            }
            _ => self.nested(value, Some(ty)),
        }
    }

    fn list(&self, parts: &[DebugValue], ty: Option<&NamedType>) -> Option<String> {
        if parts.len() > MOST_ELEMENTS {
            return None;
        }
        let parts = parts.iter().map(|part| self.nested(part, ty));
        Some(parts.collect::<Option<Vec<String>>>()?.join(", "))
    }

    /// A value within another, or compared with one of just its type. Of fields the type is not known.
    fn nested(&self, value: &DebugValue, ty: Option<&NamedType>) -> Option<String> {
        if let Some(NamedType::Reference(inner)) = ty {
            let text = self.nested(value, Some(inner))?;
            return match (value, inner.name()) {
                (_, "str") => Some(text),
                (DebugValue::List(_), _) if matches!(**inner, NamedType::Slice(_)) => {
                    Some(format!("&[{text}][..]"))
                }
                _ => Some(format!("&{text}")),
            };
        }
        match value {
            DebugValue::Number(number) => self.number(number, ty),
            DebugValue::Char(char) => ty
                .is_none_or(|ty| ty.name() == "char")
                .then(|| char.clone()),
            DebugValue::Text(text) => match ty.map(NamedType::name) {
                Some("str") => Some(text.clone()),
                Some("Cow") => Some(format!("{text}.into()")),
                Some("String") | None => Some(self.names.owned(text)),
                Some(_) => None,
            },
            DebugValue::List(parts) => match ty {
                Some(NamedType::Slice(element)) => self.list(parts, Some(element)),
                Some(NamedType::Array(element)) => {
                    Some(format!("[{}]", self.list(parts, Some(element))?))
                }
                Some(ty) if ty.name() == "Vec" => {
                    Some(format!("vec![{}]", self.list(parts, ty.argument(0))?))
                }
                Some(_) => None,
                None => Some(format!("vec![{}]", self.list(parts, None)?)),
            },
            DebugValue::Tuple(parts) => self.tuple(parts, ty),
            DebugValue::Word(word) => self.word(word, ty),
            DebugValue::Called(name, parts) => self.called(name, parts, ty),
            DebugValue::Fields(name, fields) => {
                let fields = fields.iter().map(|(field, value)| {
                    let value = self.nested(value, None)?;
                    Some(match value == *field {
                        true => value,
                        false => format!("{field}: {value}"),
                    })
                });
                let fields = fields.collect::<Option<Vec<String>>>()?.join(", ");
                Some(format!("{} {{ {fields} }}", self.path(name, ty)?))
            }
        }
    }

    fn number(&self, number: &str, ty: Option<&NamedType>) -> Option<String> {
        let is_float = ty.is_some_and(|ty| ["f32", "f64"].contains(&ty.name()));
        let name = ty.map_or("f64", NamedType::name);
        match number {
            "NaN" => None,
            "inf" => is_float.then(|| format!("{name}::INFINITY")),
            "-inf" => is_float.then(|| format!("{name}::NEG_INFINITY")),
            _ => (is_float || ty.is_none_or(|ty| is_integer(ty.name()))).then(|| number.to_owned()),
        }
    }

    fn tuple(&self, parts: &[DebugValue], ty: Option<&NamedType>) -> Option<String> {
        let types = match ty {
            Some(NamedType::Tuple(types)) => types.as_slice(),
            Some(_) => return None,
            None => &[],
        };
        let parts = parts.iter().enumerate();
        let parts = parts.map(|(index, part)| self.nested(part, types.get(index)));
        let parts = parts.collect::<Option<Vec<String>>>()?;
        Some(match parts.as_slice() {
            [one] => format!("({one},)"),
            _ => format!("({})", parts.join(", ")),
        })
    }

    fn word(&self, word: &str, ty: Option<&NamedType>) -> Option<String> {
        match (word, ty.map(NamedType::name)) {
            ("true" | "false", None | Some("bool")) => Some(word.to_owned()),
            ("None", None | Some("Option")) => Some(word.to_owned()),
            _ => self.path(word, ty),
        }
    }

    fn called(&self, name: &str, parts: &[DebugValue], ty: Option<&NamedType>) -> Option<String> {
        let argument = match (name, ty.map(NamedType::name)) {
            ("Some", None | Some("Option")) | ("Ok", None | Some("Result")) => {
                ty.and_then(|ty| ty.argument(0))
            }
            ("Err", None | Some("Result")) => ty.and_then(|ty| ty.argument(1)),
            _ => {
                let parts = self.list(parts, None)?;
                return Some(format!("{}({parts})", self.path(name, ty)?));
            }
        };
        let [part] = parts else { return None };
        Some(format!("{name}({})", self.nested(part, argument)?))
    }

    /// The path of a struct or a variant with this name.
    fn path(&self, name: &str, ty: Option<&NamedType>) -> Option<String> {
        let Some(NamedType::Path(path, _)) = ty else {
            return None;
        };
        if is_plain(ty?) {
            return None;
        }
        let paths = self.names.paths(path);
        let path = paths.get(self.way)?;
        Some(match ty?.name() == name {
            true => path.clone(),
            false => format!("{path}::{name}"),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NAMES: NamesInTest<'_> = NamesInTest {
        text: "use bank::{Account, Refusal}; let x = \"a\".to_owned();",
        crate_name: None,
    };

    fn first(ty: &str, text: &str) -> String {
        let forms = forms(ty, text, &NAMES);
        forms.first().map_or_else(String::new, |form| form.of("x"))
    }

    #[test]
    fn values_are_asserted_as_people_write_it() {
        for (ty, text, expected) in [
            ("i64", "-5", "assert_eq!(x, -5)"),
            ("&&u8", "5", "assert_eq!(**x, 5)"),
            ("bool", "true", "assert!(x)"),
            ("bool", "false", "assert!(!x)"),
            ("f64", "NaN", "assert!(x.is_nan())"),
            ("f32", "inf", "assert_eq!(x, f32::INFINITY)"),
            ("&str", "\"a\\n\"", "assert_eq!(x, \"a\\n\")"),
            ("alloc::string::String", "\"a\"", "assert_eq!(x, \"a\")"),
            (
                "core::option::Option<&str>",
                "Some(\"a\")",
                "assert_eq!(x, Some(\"a\"))",
            ),
            (
                "core::option::Option<alloc::string::String>",
                "Some(\"a\")",
                "assert_eq!(x, Some(\"a\".to_owned()))",
            ),
            (
                "core::option::Option<&u32>",
                "Some(3)",
                "assert_eq!(x, Some(&3))",
            ),
            (
                "core::result::Result<(), bank::Refusal>",
                "Ok(())",
                "assert_eq!(x, Ok(()))",
            ),
            (
                "alloc::vec::Vec<alloc::vec::Vec<u8>>",
                "[[1], []]",
                "assert_eq!(x, [vec![1], vec![]])",
            ),
            ("&[u8]", "[1, 2]", "assert_eq!(x, [1, 2])"),
            ("alloc::vec::Vec<u8>", "[]", "assert!(x.is_empty())"),
            ("(i32, char)", "(1, 'a')", "assert_eq!(x, (1, 'a'))"),
            (
                "core::cmp::Ordering",
                "Less",
                "assert_eq!(x, std::cmp::Ordering::Less)",
            ),
            (
                "bank::account::Refusal",
                "BeyondLimit { missing: 1 }",
                "assert_eq!(x, Refusal::BeyondLimit { missing: 1 })",
            ),
            (
                "core::time::Duration",
                "1.5s",
                "assert_eq!(format!(\"{x:?}\"), \"1.5s\")",
            ),
            ("()", "()", ""),
        ] {
            assert_eq!(first(ty, text), expected, "{ty}: {text}");
        }
    }

    #[test]
    fn what_can_not_be_compared_is_matched() {
        let found = forms(
            "core::result::Result<u8, std::io::error::Error>",
            "Err(Kind(NotFound))",
            &NAMES,
        );
        assert!(found.contains(&AssertionForm::Holds("is_err")), "{found:?}");
        let found = forms("a::E", "Many([1], 0x1)", &NAMES);
        assert!(found.is_empty(), "{found:?}");
        let found = forms("a::E", "Many({})", &NAMES);
        assert_eq!(found, [AssertionForm::DebugText("Many({})".to_owned())]);
    }

    #[test]
    fn a_form_is_about_a_part_of_the_value() {
        let is_ok = AssertionForm::Holds("is_ok");
        assert_eq!(is_ok.aspect("Ok(1)"), is_ok.aspect("Ok(2)"));
        assert_ne!(is_ok.aspect("Ok(1)"), is_ok.aspect("Err(1)"));
        let equals = AssertionForm::Equals(0, "1".to_owned());
        assert_ne!(equals.aspect("1"), equals.aspect("2"));
        let empty = AssertionForm::Holds("is_empty");
        assert_ne!(empty.aspect("[]"), empty.aspect("[1]"));
    }
}
