//! Takes out what rustc rejects of the observation.
//!
//! The mutants' own text was accepted before, so every error is due to an insertion. An error that
//! points into one takes it out; else those that it spans; else all of the function around it;
//! else all of the file. Each round takes something out, so the rounds come to an end.

use std::collections::{BTreeMap, BTreeSet};

use atropos_mutants::mutant::Span;
use serde::{Deserialize, Serialize};

use super::weave::Observed;
use crate::diagnostics::RustcDiagnostic;

/// Something that is inserted and can be left out. Functions and blocks are numbered within their
/// file, exits within their function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum InsertedPiece {
    /// All about a function.
    Frame {
        function: u32,
    },
    /// A variable at entry.
    Entry {
        function: u32,
        index: u8,
    },
    /// An exit.
    Exit {
        function: u32,
        site: u32,
    },
    /// A variable at an exit.
    AtExit {
        function: u32,
        site: u32,
        index: u8,
    },
    Block {
        block: u32,
    },
}

/// What is left out of the files of a package, by their names.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ObserveForms {
    dropped: BTreeMap<String, BTreeSet<InsertedPiece>>,
}

impl ObserveForms {
    pub fn dropped(&self, file: &str) -> &BTreeSet<InsertedPiece> {
        static NOTHING: BTreeSet<InsertedPiece> = BTreeSet::new();
        self.dropped.get(file).unwrap_or(&NOTHING)
    }

    /// How many pieces are left out in all.
    pub fn len(&self) -> usize {
        self.dropped.values().map(BTreeSet::len).sum()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn drop(&mut self, file: &str, piece: InsertedPiece) {
        self.dropped
            .entry(file.to_owned())
            .or_default()
            .insert(piece);
    }
}

/// Deals with the errors of a round; tells whether weaving again makes sense.
pub fn roll_back(
    forms: &mut ObserveForms,
    observed: &BTreeMap<String, Observed>,
    errors: &[RustcDiagnostic],
    name: impl Fn(&str) -> Option<String>,
) -> bool {
    let before = forms.len();
    let mut unsure = Vec::new();
    for error in errors {
        let spots = error.places_in(observed, &name);
        let mut pieces: Vec<(String, InsertedPiece)> = Vec::new();
        for (file, span) in &spots {
            let inside = observed[file]
                .pieces
                .iter()
                .filter(|(piece, _)| piece.start <= span.start && span.end <= piece.end);
            pieces.extend(inside.map(|(_, piece)| (file.clone(), *piece)));
        }
        if pieces.is_empty() {
            unsure.push((error, spots));
        }
        for (file, piece) in pieces {
            forms.drop(&file, piece);
        }
    }
    // Errors without a sure cause are often consequences of the others.
    if forms.len() > before {
        return true;
    }
    for (_, spots) in &unsure {
        for (file, span) in spots {
            for piece in around(&observed[file], *span) {
                forms.drop(file, piece);
            }
        }
    }
    if forms.len() > before {
        return true;
    }
    for (_, spots) in &unsure {
        for (file, _) in spots {
            for (_, piece) in &observed[file].pieces {
                forms.drop(file, *piece);
            }
        }
    }
    if forms.len() == before && !errors.is_empty() {
        for (file, observed) in observed {
            for (_, piece) in &observed.pieces {
                forms.drop(file, *piece);
            }
        }
    }
    forms.len() > before
}

/// The exits that a span holds, else the innermost function around it.
fn around(observed: &Observed, span: Span) -> Vec<InsertedPiece> {
    let held: Vec<InsertedPiece> = observed
        .pieces
        .iter()
        .filter(|(piece, _)| span.contains(*piece))
        .map(|(_, piece)| *piece)
        .filter(|piece| {
            matches!(
                piece,
                InsertedPiece::Exit { .. } | InsertedPiece::Entry { .. }
            )
        })
        .collect();
    if !held.is_empty() {
        return held;
    }
    let function = observed
        .functions
        .iter()
        .filter(|(place, _)| place.contains(span))
        .min_by_key(|(place, _)| place.end - place.start);
    function
        .map(|(_, function)| InsertedPiece::Frame {
            function: *function,
        })
        .into_iter()
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostics::DiagnosticSpan;

    const FILE: &str = "a.rs";

    /// `fn f() { AAAA x BBBB }` with an entry and an exit, in a function.
    fn observed() -> BTreeMap<String, Observed> {
        let observed = Observed {
            text: "fn f() { AAAA x BBBB } y".to_owned(),
            pieces: vec![(Span::new(9, 13), ENTRY), (Span::new(16, 20), EXIT)],
            functions: vec![(Span::new(0, 22), 0)],
        };
        BTreeMap::from([(FILE.to_owned(), observed)])
    }

    const ENTRY: InsertedPiece = InsertedPiece::Entry {
        function: 0,
        index: 0,
    };
    const EXIT: InsertedPiece = InsertedPiece::Exit {
        function: 0,
        site: 0,
    };

    fn error(start: usize, end: usize) -> RustcDiagnostic {
        RustcDiagnostic {
            spans: vec![DiagnosticSpan {
                file_name: FILE.to_owned(),
                byte_start: start,
                byte_end: end,
                is_primary: true,
                ..DiagnosticSpan::default()
            }],
            ..RustcDiagnostic::default()
        }
    }

    fn dropped(errors: &[RustcDiagnostic]) -> Vec<InsertedPiece> {
        let mut forms = ObserveForms::default();
        let name = |name: &str| Some(name.to_owned());
        assert!(roll_back(&mut forms, &observed(), errors, name));
        forms.dropped(FILE).iter().copied().collect()
    }

    #[test]
    fn an_error_in_a_piece_takes_it_out() {
        assert_eq!(dropped(&[error(10, 12)]), [ENTRY]);
        assert_eq!(dropped(&[error(10, 12), error(14, 15)]), [ENTRY]);
    }

    #[test]
    fn an_error_around_pieces_takes_these_out_and_one_beside_them_the_function() {
        assert_eq!(dropped(&[error(14, 22)]), [EXIT]);
        assert_eq!(
            dropped(&[error(14, 15)]),
            [InsertedPiece::Frame { function: 0 }]
        );
    }

    #[test]
    fn an_error_elsewhere_takes_everything_out_and_then_there_is_nothing_to_do() {
        assert_eq!(dropped(&[error(23, 24)]), [ENTRY, EXIT]);
        let mut forms = ObserveForms::default();
        let elsewhere = |_: &str| None;
        assert!(roll_back(
            &mut forms,
            &observed(),
            &[error(0, 1)],
            elsewhere
        ));
        assert_eq!(forms.len(), 2);
        assert!(!roll_back(
            &mut forms,
            &observed(),
            &[error(0, 1)],
            elsewhere
        ));
        assert!(!roll_back(&mut forms, &observed(), &[], elsewhere));
    }
}
