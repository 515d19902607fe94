//! What an assertion in existing tests could be about: expressions whose values tests compute and do not look at.
//!
//! [`find`] goes through the functions of test code. A candidate is a variable that a statement binds, what can be read of a
//! value of the package's types after a statement ([`types`]), a call whose value a statement drops, or a call within a
//! statement. [`AssertionCandidate::capture`] is the addition that writes its value down, [`AssertionCandidate::asserted`] the one that
//! asserts it. Whether a candidate makes sense is for rustc and the tests to say.

mod statements;
mod types;

use atropos_mutants::mutant::Span;
use atropos_values::interface::CAPTURE_ADD;
use serde::{Deserialize, Serialize};

pub use self::types::PackageTypes;
use crate::additions::{AddedPiece, Addition, PieceOrder, around};
use crate::observe::with_file;

/// An expression of a test that an assertion could be about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AssertionCandidate {
    pub place: CandidatePlace,
    /// As it would stand in the assertion.
    pub expression: String,
    /// The statement beside which it would stand.
    pub statement: Span,
    /// The statement ends its block without a semicolon: nothing can follow it.
    pub is_last: bool,
    /// The function around it.
    pub function: String,
}

/// Where the value comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum CandidatePlace {
    /// A call whose value the statement drops: it is asserted in place.
    Dropped(Span),
    /// A variable that the statement binds or may change.
    Variable,
    /// What can be read of a variable after the statement.
    State,
    /// A call within the statement: the assertion makes it a second time.
    Within(Span),
}

/// Which functions of a text are test code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TestCode {
    /// All: the text is that of a test target.
    Whole,
    /// Those in modules that are there for tests only.
    TestModules,
}

/// Finds the candidates in a text, in the order of the text. None in what is not Rust.
pub fn find(text: &str, code: TestCode, types: &PackageTypes) -> Vec<AssertionCandidate> {
    let found = with_file(text, |file, base| {
        statements::find(text, base, file, code, &types.with_makers_of(file))
    });
    found.unwrap_or_default()
}

impl AssertionCandidate {
    /// Writes the value down, under this number.
    pub fn capture(&self, id: u32) -> Addition {
        const USE: &str = "#[allow(unused_imports)] use ::atropos_runtime::capture::{Capture, Hidden as _, Shown as _};";
        let pieces = match self.place {
            CandidatePlace::Dropped(span) | CandidatePlace::Within(span) => around(
                span,
                "(match (".to_owned(),
                format!(
                    ") {{ __atropos_v => {{ {USE} (&Capture({id}, &__atropos_v)).capture(); __atropos_v }} }})"
                ),
            ),
            CandidatePlace::Variable | CandidatePlace::State => {
                let text = format!(
                    " {{ {USE} (&Capture({id}, &{})).capture(); }}",
                    self.expression
                );
                vec![self.beside(id, text)]
            }
        };
        Addition {
            id,
            span: self.statement,
            part_of: None,
            pieces,
        }
    }

    /// Asserts the value. What `assertion` makes of an expression is a statement without its semicolon. The number is
    /// written down before it is evaluated.
    pub fn asserted(&self, id: u32, assertion: &dyn Fn(&str) -> String) -> Addition {
        let text = assertion(&self.expression);
        let noted = format!("{CAPTURE_ADD}({id}, \"\", &());");
        let pieces = match self.place {
            CandidatePlace::Dropped(span) => vec![AddedPiece {
                place: span,
                order: PieceOrder::BeforeStatement(id),
                text: format!("{{ {noted} {text} }}"),
            }],
            _ => vec![self.beside(id, format!(" {noted} {text};"))],
        };
        Addition {
            id,
            span: self.statement,
            part_of: None,
            pieces,
        }
    }

    /// Where the assertion goes in the text of the test, and its text there.
    pub fn written(&self, assertion: &dyn Fn(&str) -> String) -> (Span, String) {
        let text = assertion(&self.expression);
        match self.place {
            CandidatePlace::Dropped(span) => (span, text),
            _ if self.is_last => {
                let start = self.statement.start;
                (Span::new(start, start), format!("{text};\n"))
            }
            _ => {
                let end = self.statement.end;
                (Span::new(end, end), format!("\n{text};"))
            }
        }
    }

    /// A statement behind that of the candidate, or before it if it is the last one.
    fn beside(&self, id: u32, text: String) -> AddedPiece {
        let Span { start, end } = self.statement;
        match self.is_last {
            true => AddedPiece {
                place: Span::new(start, start),
                order: PieceOrder::BeforeStatement(id),
                text: format!("{} ", text.trim_start()),
            },
            false => AddedPiece {
                place: Span::new(end, end),
                order: PieceOrder::AfterStatement(id),
                text,
            },
        }
    }
}

#[cfg(test)]
mod tests;
