//! Points and mutants for unit tests.

use atropos_mutants::mutant::{Mutant, MutantId, Point, Shape, Span};
use atropos_mutants::operator::Operator;

/// An unnumbered mutant.
pub(crate) fn mutant(span: Span, replacement: &str, letter: char) -> Mutant {
    Mutant {
        id: MutantId(0),
        operator: Operator::Aor,
        span,
        replacement: replacement.to_owned(),
        summary: String::new(),
        letter,
        line: 1,
        column: 1,
        needs_exploration: false,
    }
}

pub(crate) fn point(span: Span, shape: Shape, mutants: Vec<Mutant>) -> Point {
    Point {
        span,
        shape,
        function: String::new(),
        line: 1,
        column: 1,
        cfg: Vec::new(),
        mutants,
    }
}
