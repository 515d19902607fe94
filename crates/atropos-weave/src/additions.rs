//! Text that is added to the woven text of test code: calls that capture values, or assertions that are to be proven.
//!
//! An addition is made of pieces, each at a place of the *source*. The mutants' forms are settled before, so an error of
//! rustc is about an addition, and that is left out: the smallest that the error lies in, else those of the statement
//! around it, else all of the file. Each round takes something out, so the rounds come to an end.

use std::collections::{BTreeMap, BTreeSet};

use atropos_mutants::mutant::Span;
use serde::{Deserialize, Serialize};

use crate::diagnostics::RustcDiagnostic;
use crate::weave::FileWeave;

/// What is added, in all its pieces or not at all.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Addition {
    pub id: u32,
    /// The part of the source that it is about.
    pub span: Span,
    /// The addition that it stands in, and goes with.
    #[serde(default)]
    pub part_of: Option<u32>,
    pub pieces: Vec<AddedPiece>,
}

/// One text of an addition.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct AddedPiece {
    /// What it replaces in the source; mostly nothing.
    pub place: Span,
    /// The order of pieces at the same place.
    pub order: PieceOrder,
    pub text: String,
}

/// How pieces at the same place follow each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum PieceOrder {
    /// Behind an expression of so many bytes: the smallest first.
    Closes(usize),
    AfterStatement(u32),
    BeforeStatement(u32),
    /// Before an expression; of so many bytes less than the file has: the largest first.
    Opens(usize),
}

/// The two pieces around an expression.
pub fn around(span: Span, before: String, after: String) -> Vec<AddedPiece> {
    let length = span.end - span.start;
    vec![
        AddedPiece {
            place: Span::new(span.start, span.start),
            order: PieceOrder::Opens(usize::MAX - length),
            text: before,
        },
        AddedPiece {
            place: Span::new(span.end, span.end),
            order: PieceOrder::Closes(length),
            text: after,
        },
    ]
}

/// A text with additions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AddedText {
    pub text: String,
    /// The places of all pieces, with the additions that they are of.
    pieces: Vec<(Span, u32)>,
    /// From the first piece of each addition to its last.
    extents: Vec<(Span, u32)>,
    /// Additions whose places the weave has changed.
    pub without_place: Vec<u32>,
}

/// The additions that rustc rejected, with what it said.
pub type Rejected = BTreeMap<u32, String>;

/// Writes additions into a woven text, but for those that were rejected.
pub fn add(woven: &FileWeave, additions: &[Addition], rejected: &Rejected) -> AddedText {
    let mut result = AddedText::default();
    let mut pieces = Vec::new();
    for addition in additions {
        let is_rejected = |id: &u32| rejected.contains_key(id);
        if is_rejected(&addition.id) || addition.part_of.as_ref().is_some_and(is_rejected) {
            continue;
        }
        let placed = addition.pieces.iter();
        let placed: Option<Vec<(Span, &AddedPiece)>> = placed
            .map(|piece| Some((woven_place(woven, piece)?, piece)))
            .collect();
        match placed {
            Some(placed) => pieces.extend(
                placed
                    .into_iter()
                    .map(|(at, piece)| (at, piece, addition.id)),
            ),
            None => result.without_place.push(addition.id),
        }
    }
    pieces.sort_by_key(|(at, piece, id)| (at.start, piece.order, *id));
    let source = &woven.text;
    let mut position = 0;
    for (at, piece, id) in pieces {
        if at.start < position {
            // It overlaps with another one's replacement.
            result.without_place.push(id);
            continue;
        }
        result.text.push_str(&source[position..at.start]);
        let start = result.text.len();
        result.text.push_str(&piece.text);
        result
            .pieces
            .push((Span::new(start, result.text.len()), id));
        position = at.end;
    }
    result.text.push_str(&source[position..]);
    let mut extents: BTreeMap<u32, Span> = BTreeMap::new();
    for (span, id) in &result.pieces {
        let extent = extents.entry(*id).or_insert(*span);
        *extent = Span::new(extent.start.min(span.start), extent.end.max(span.end));
    }
    result.extents = extents.into_iter().map(|(id, span)| (span, id)).collect();
    result
}

/// Where a piece goes in the woven text.
fn woven_place(woven: &FileWeave, piece: &AddedPiece) -> Option<Span> {
    let Span { start, end } = piece.place;
    let behind = matches!(
        piece.order,
        PieceOrder::Closes(_) | PieceOrder::AfterStatement(_)
    );
    if start < end {
        let (first, last) = (
            woven.map.woven_offset(start)?,
            woven.map.woven_offset(end - 1)?,
        );
        let is_whole = last - first == end - 1 - start;
        return is_whole.then(|| Span::new(first, last + 1));
    }
    let at = match behind {
        true => woven.map.woven_offset(start.checked_sub(1)?)? + 1,
        false => woven.map.woven_offset(start)?,
    };
    Some(Span::new(at, at))
}

/// Leaves out what the errors of a round are about; tells whether there is less now. Files are named as rustc names them.
pub fn roll_back(
    rejected: &mut Rejected,
    texts: &BTreeMap<String, AddedText>,
    errors: &[RustcDiagnostic],
    name: impl Fn(&str) -> Option<String>,
) -> bool {
    let before = rejected.len();
    let mut unsure = Vec::new();
    for error in errors {
        let spots = error.places_in(texts, &name);
        let guilty: BTreeSet<u32> = spots
            .iter()
            .flat_map(|(file, span)| {
                let pieces = texts[file].pieces.iter();
                pieces
                    .filter(|(piece, _)| piece.contains(*span))
                    .map(|(_, id)| *id)
            })
            .collect();
        if guilty.is_empty() {
            unsure.push((error, spots));
        }
        for id in guilty {
            rejected.entry(id).or_insert_with(|| error.headline());
        }
    }
    // Errors without a sure cause are often consequences of the others.
    if rejected.len() > before {
        return true;
    }
    for (error, spots) in &unsure {
        for (file, span) in spots {
            let extents = texts[file].extents.iter();
            let around = extents.filter(|(extent, _)| extent.contains(*span));
            if let Some((_, id)) = around.min_by_key(|(extent, _)| extent.end - extent.start) {
                rejected.entry(*id).or_insert_with(|| error.headline());
            }
        }
    }
    if rejected.len() > before {
        return true;
    }
    for (error, spots) in &unsure {
        let files: BTreeSet<&String> = match spots.is_empty() {
            true => texts.keys().collect(),
            false => spots.iter().map(|(file, _)| file).collect(),
        };
        for (_, id) in files.iter().flat_map(|file| &texts[*file].pieces) {
            rejected.entry(*id).or_insert_with(|| error.headline());
        }
    }
    if rejected.len() == before && !errors.is_empty() {
        for (_, id) in texts.values().flat_map(|text| &text.pieces) {
            rejected.entry(*id).or_insert_with(|| errors[0].headline());
        }
    }
    rejected.len() > before
}

#[cfg(test)]
mod tests {
    use atropos_mutants::mutant::FileMutants;

    use super::*;
    use crate::diagnostics::DiagnosticSpan;
    use crate::forms::FileForms;
    use crate::weave::{WeaveOptions, weave_file};

    const SOURCE: &str = "fn t() { a(b(1)); c(); }";
    const FILE: &str = "a.rs";

    fn span_of(part: &str) -> Span {
        let start = SOURCE.find(part).unwrap();
        Span::new(start, start + part.len())
    }

    fn captured(id: u32, part: &str) -> Addition {
        let span = span_of(part);
        Addition {
            id,
            span,
            part_of: None,
            pieces: around(span, format!("<{id}"), format!("{id}>")),
        }
    }

    fn after(id: u32, part: &str) -> Addition {
        let span = span_of(part);
        let piece = AddedPiece {
            place: Span::new(span.end, span.end),
            order: PieceOrder::AfterStatement(id),
            text: format!(" s{id};"),
        };
        Addition {
            id,
            span,
            part_of: None,
            pieces: vec![piece],
        }
    }

    fn added(additions: &[Addition], rejected: &Rejected) -> AddedText {
        let none = FileMutants::default();
        let options = WeaveOptions::default();
        let woven = weave_file(SOURCE, &none, &FileForms::default(), &options);
        add(&woven, additions, rejected)
    }

    #[test]
    fn pieces_nest_as_their_expressions_do() {
        let additions = [
            captured(1, "b(1)"),
            captured(2, "a(b(1))"),
            after(3, "a(b(1));"),
            captured(4, "c()"),
        ];
        let all = added(&additions, &Rejected::new());
        assert_eq!(all.text, "fn t() { <2a(<1b(1)1>)2>; s3; <4c()4>; }");
        let some = added(&additions, &Rejected::from([(2, String::new())]));
        assert_eq!(some.text, "fn t() { a(<1b(1)1>); s3; <4c()4>; }");
    }

    #[test]
    fn what_is_part_of_a_rejected_addition_goes_with_it() {
        let part = Addition {
            part_of: Some(2),
            ..captured(1, "b(1)")
        };
        let additions = [part, captured(2, "a(b(1))")];
        let text = |rejected| added(&additions, &Rejected::from([(rejected, String::new())])).text;
        assert_eq!(text(1), "fn t() { <2a(b(1))2>; c(); }");
        assert_eq!(text(2), SOURCE);
    }

    #[test]
    fn a_text_can_be_replaced_once() {
        let replacing = |id| {
            let place = span_of("c()");
            let piece = AddedPiece {
                place,
                order: PieceOrder::BeforeStatement(0),
                text: format!("d{id}"),
            };
            Addition {
                id,
                span: place,
                part_of: None,
                pieces: vec![piece],
            }
        };
        let all = added(&[replacing(1), replacing(2)], &Rejected::new());
        assert_eq!(all.text, "fn t() { a(b(1)); d1; }");
        assert_eq!(all.without_place, [2]);
    }

    fn rejected_by(start: usize, end: usize) -> Vec<u32> {
        let additions = [
            captured(1, "b(1)"),
            captured(2, "a(b(1))"),
            captured(4, "c()"),
        ];
        let text = added(&additions, &Rejected::new());
        assert_eq!(text.text, "fn t() { <2a(<1b(1)1>)2>; <4c()4>; }");
        let texts = BTreeMap::from([(FILE.to_owned(), text)]);
        let span = DiagnosticSpan {
            file_name: FILE.to_owned(),
            byte_start: start,
            byte_end: end,
            is_primary: true,
            ..DiagnosticSpan::default()
        };
        let error = RustcDiagnostic {
            spans: vec![span],
            ..RustcDiagnostic::default()
        };
        let mut rejected = Rejected::new();
        let name = |name: &str| Some(name.to_owned());
        assert!(roll_back(&mut rejected, &texts, &[error], name));
        rejected.into_keys().collect()
    }

    #[test]
    fn an_error_takes_out_the_smallest_addition_that_it_lies_in() {
        assert_eq!(rejected_by(9, 10), [2], "in a piece");
        assert_eq!(rejected_by(15, 16), [1], "in what the piece is about");
        assert_eq!(rejected_by(11, 12), [2]);
        assert_eq!(rejected_by(0, 2), [1, 2, 4], "beside all of them");
    }
}
