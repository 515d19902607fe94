//! New tests as text: where they go in a file, what they are called, and their assertions.

use std::collections::BTreeMap;

use atropos_mutants::mutant::Span;
use atropos_values::interface::CAPTURE_ADD;
use atropos_weave::additions::{AddedPiece, Addition, PieceOrder};
use atropos_weave::inputs::{SearchedCall, snake_case};

use super::choosing::AssertionChoice;
use super::searching::{FileSearch, last_name};

/// A name that says what the test is, and that the file does not have.
pub(super) fn test_name(function: &str, text: &str) -> String {
    let name = snake_case(last_name(function));
    let owner = function
        .rsplit_once("::")
        .map(|(owner, _)| snake_case(owner));
    let base = match owner {
        Some(owner) => format!("{owner}_{name}_as_it_is_today"),
        None => format!("{name}_as_it_is_today"),
    };
    let mut number = 1;
    let mut unique = base.clone();
    while text.contains(&format!("fn {unique}(")) {
        number += 1;
        unique = format!("{base}_{number}");
    }
    unique
}

/// Where new tests go in a file: before the end of its module of tests, if that sees what it tests; else in a new module.
pub(super) fn place_in(text: &str) -> Option<usize> {
    let start = text.rfind("#[cfg(test)]\nmod ")?;
    let module = &text[start..];
    let sees_all = module.contains("use super::*;");
    // The module is the last thing of the file, as is usual.
    let end = text.trim_end();
    (sees_all && end.ends_with("\n}") && module.matches("\n}").count() == 1).then(|| end.len() - 1)
}

/// A function, and what of the chosen is asserted of which call.
pub(super) type FunctionTests<'s> = (&'s FileSearch, Vec<(usize, SearchedCall)>);

/// The new tests of a file, by name: the function that each is about, and its assertions.
pub(super) struct NewTests<'s> {
    pub file: String,
    /// The end of the module of tests.
    pub place: Option<usize>,
    pub length: usize,
    pub functions: BTreeMap<String, FunctionTests<'s>>,
}

impl NewTests<'_> {
    pub fn position(&self) -> usize {
        self.place.unwrap_or(self.length)
    }

    pub fn text(&self, chosen: &[AssertionChoice]) -> String {
        self.parts(chosen, false)
            .into_iter()
            .map(|(_, text)| text)
            .collect()
    }

    /// The text in its order: what belongs to an assertion with its number, and what is around.
    fn parts(&self, chosen: &[AssertionChoice], is_noted: bool) -> Vec<(Option<usize>, String)> {
        let mut parts = Vec::new();
        if self.place.is_none() {
            let start = "\n#[cfg(test)]\nmod tests_of_today {\n    use super::*;\n";
            parts.push((None, start.to_owned()));
        }
        for (name, (search, assertions)) in &self.functions {
            let of = search.code.name();
            let start = format!(
                "\n    // Written by `cargo atropos write`: what `{of}` gives today. To be read before it is kept.\n    \
                 #[test]\n    fn {name}() {{\n"
            );
            parts.push((None, start));
            for (index, (number, call)) in assertions.iter().enumerate() {
                let mut text = String::new();
                if index > 0 && !call.setup.is_empty() {
                    text.push('\n');
                }
                for line in &call.setup {
                    text.push_str(&format!("        {line}\n"));
                }
                if is_noted {
                    text.push_str(&format!(
                        "        {CAPTURE_ADD}({}, \"\", &());\n",
                        number + 1
                    ));
                }
                let assertion = chosen[*number].form.of(&call.expression);
                text.push_str(&format!("        {assertion};\n"));
                parts.push((Some(*number), text));
            }
            parts.push((None, "    }\n".to_owned()));
        }
        if self.place.is_none() {
            parts.push((None, "}\n".to_owned()));
        }
        parts
    }

    /// The tests as they are proven: rustc may reject each assertion by itself.
    pub fn additions(&self, around: u32, chosen: &[AssertionChoice]) -> Vec<Addition> {
        let position = self.position();
        let mut additions: BTreeMap<u32, Addition> = BTreeMap::new();
        for (order, (number, text)) in (0..).zip(self.parts(chosen, true)) {
            let id = number.map_or(around, |number| number as u32 + 1);
            let addition = additions.entry(id).or_insert(Addition {
                id,
                part_of: (id != around).then_some(around),
                span: Span::new(position, position),
                pieces: Vec::new(),
            });
            addition.pieces.push(AddedPiece {
                place: Span::new(position, position),
                order: match self.place {
                    Some(_) => PieceOrder::BeforeStatement(order),
                    None => PieceOrder::AfterStatement(order),
                },
                text,
            });
        }
        additions.into_values().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn new_tests_go_into_the_module_of_tests_if_it_sees_all() {
        let with = "fn f() {}\n\n#[cfg(test)]\nmod tests {\n    use super::*;\n}\n";
        assert_eq!(place_in(with), Some(with.len() - 2));
        assert_eq!(place_in("fn f() {}\n"), None);
        assert_eq!(
            place_in("#[cfg(test)]\nmod tests {\n    use super::f;\n}\n"),
            None
        );
        assert_eq!(
            place_in("#[cfg(test)]\nmod tests {\n    use super::*;\n}\n\nfn f() {\n}\n"),
            None
        );
    }

    #[test]
    fn a_new_test_has_a_name_of_its_own() {
        assert_eq!(test_name("clamp", ""), "clamp_as_it_is_today");
        assert_eq!(test_name("LineBuffer", ""), "line_buffer_as_it_is_today");
        let taken = "fn line_buffer_push_as_it_is_today() {}";
        assert_eq!(
            test_name("LineBuffer::push", taken),
            "line_buffer_push_as_it_is_today_2"
        );
    }
}
