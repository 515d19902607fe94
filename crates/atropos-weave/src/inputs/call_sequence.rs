//! A sequence of calls, and the search for the shortest part of it that shows the same.

use atropos_mutants::mutant::Span;
use atropos_values::interface::CAPTURE_ADD;

use super::{SearchedCall, USE_CAPTURE};
use crate::additions::{AddedPiece, Addition, PieceOrder};

/// Calls on a value, and the one whose result counts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallSequence {
    /// The name of the value.
    pub(super) variable: String,
    pub(super) constructor: String,
    /// The calls before the last one, behind the value's name, and whether they give something.
    pub(super) before: Vec<(String, bool)>,
    pub(super) last: String,
    pub(super) last_changes: bool,
}

impl CallSequence {
    /// As statements of a test.
    pub fn call(&self) -> SearchedCall {
        if self.before.is_empty() && !self.last.is_empty() {
            return SearchedCall {
                setup: Vec::new(),
                expression: format!("{}{}", self.constructor, self.last),
            };
        }
        let name = &self.variable;
        let is_mutable = self.last_changes || !self.before.is_empty();
        let mutable = if is_mutable { "mut " } else { "" };
        let mut setup = vec![format!("let {mutable}{name} = {};", self.constructor)];
        setup.extend(self.before.iter().map(|(call, gives)| {
            let ignored = if *gives { "let _ = " } else { "" };
            format!("{ignored}{name}{call};")
        }));
        SearchedCall {
            setup,
            expression: format!("{name}{}", self.last),
        }
    }

    /// How many parts of it there are: all calls before the last one, each kept or left out.
    pub fn parts(&self) -> u32 {
        1 << self.before.len()
    }

    /// The part with this number: each bit stands for a call that is kept.
    pub fn part(&self, number: u32) -> CallSequence {
        let kept = self.before.iter().enumerate();
        let kept = kept.filter(|(index, _)| number & (1 << index) != 0);
        CallSequence {
            before: kept.map(|(_, call)| call.clone()).collect(),
            ..self.clone()
        }
    }

    /// A test that tries all parts, and writes down what the last call of each gives, numbered from `first` on.
    pub fn search(&self, number: u32, first: u32, place: usize) -> Addition {
        let before = self.before.iter().enumerate();
        let before = before.map(|(index, (call, _))| {
            format!(
                "if __part & {} != 0 {{ let _ = __s{call}; }} ",
                1_u32 << index
            )
        });
        let text = format!(
            "\n#[cfg(test)] #[allow(warnings)] mod __atropos_search_{number} {{ use super::*; #[test] fn search() {{ {USE_CAPTURE} \
             for __part in 0..{}u32 {{ let __at = {first} + __part; \
             let __done = ::std::panic::catch_unwind(::std::panic::AssertUnwindSafe(|| {{ let mut __s = {}; {} \
             {{ let __value = &__s{}; (&Capture(__at, __value)).capture(); }} }})); \
             if __done.is_err() {{ {CAPTURE_ADD}(__at, \"panic\", &()); }} }} }} }}",
            self.parts(),
            self.constructor,
            before.collect::<String>(),
            self.last,
        );
        let at = Span::new(place, place);
        Addition {
            id: number,
            span: at,
            part_of: None,
            pieces: vec![AddedPiece {
                place: at,
                order: PieceOrder::AfterStatement(number),
                text,
            }],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sequence_has_a_part_for_each_set_of_its_calls() {
        let sequence = CallSequence {
            variable: "slab".to_owned(),
            constructor: "Slab::new()".to_owned(),
            before: vec![
                (".insert(1)".to_owned(), true),
                (".clear()".to_owned(), false),
            ],
            last: ".len()".to_owned(),
            last_changes: false,
        };
        let texts: Vec<String> = (0..sequence.parts())
            .map(|number| {
                let call = sequence.part(number).call();
                format!("{}{}", call.setup.concat(), call.expression)
            })
            .collect();
        assert_eq!(
            texts,
            [
                "Slab::new().len()",
                "let mut slab = Slab::new();let _ = slab.insert(1);slab.len()",
                "let mut slab = Slab::new();slab.clear();slab.len()",
                "let mut slab = Slab::new();let _ = slab.insert(1);slab.clear();slab.len()",
            ]
        );
        let search = sequence.search(3, 10, 0);
        assert!(syn::parse_file(&search.pieces[0].text).is_ok());
    }
}
