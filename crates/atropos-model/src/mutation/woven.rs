//! Models that were translated from charts: their mutants lie in the chart alone, and are shown there.
//!
//! The translation of a chart holds a switch for each mutant of the chart's shape. Besides, the user's own expressions have
//! the mutants that those of any model have. One that was translated to several places is one expression still: its mutants
//! act in all of them. What the translation adds has none.

use crate::language::SourceSpan;
use crate::mutation::ModelOperator;
use std::ops::Range;

/// What is known of a text that was translated from a chart.
#[derive(Clone, Debug, Default)]
pub struct Woven {
    /// The chart's text.
    pub shown: String,
    /// Mutants of the chart's shape, by the numbers of their switches.
    pub mutants: Vec<ShapeMutant>,
    /// The switches: where a `false` stands, and its number.
    pub gates: Vec<(Range<usize>, usize)>,
    /// What the user wrote: places in the translated text, and in the chart's.
    pub origins: Vec<(Range<usize>, Range<usize>)>,
    /// What within those is not the user's.
    pub ours: Vec<Range<usize>>,
}

#[derive(Clone, Debug)]
pub struct ShapeMutant {
    pub operator: ModelOperator,
    /// In the chart's text.
    pub span: Range<usize>,
    pub replacement: String,
}

/// A place in the user's text, the same for all its translations: the piece that it lies in, and from where to where there.
pub type OriginPlace = (Range<usize>, Range<usize>);

impl Woven {
    /// The number of the switch that stands at a place.
    pub fn gate(&self, span: SourceSpan) -> Option<usize> {
        let found = self.gates.iter().find(|(place, _)| *place == span.range());
        found.map(|(_, number)| *number)
    }

    /// The user's text that a place was translated from; `None` if it is not the user's.
    pub fn place(&self, span: SourceSpan) -> Option<(OriginPlace, Range<usize>)> {
        let wanted = span.range();
        let holds = |place: &Range<usize>| place.start <= wanted.start && wanted.end <= place.end;
        if self.ours.iter().any(holds) {
            return None;
        }
        let around = self
            .origins
            .iter()
            .filter(|(translated, _)| holds(translated));
        let (translated, chart) = around.min_by_key(|(translated, _)| translated.len())?;
        let within = wanted.start - translated.start..wanted.end - translated.start;
        Some(((chart.clone(), within), translated.clone()))
    }

    /// How a mutant of the user's text is shown: its place in the chart, what stands there, and what stands there instead.
    pub fn show(
        &self,
        (chart, within): &OriginPlace,
        piece: &str,
        replacement: &str,
    ) -> (SourceSpan, String, String) {
        let written = self.shown.get(chart.clone()).unwrap_or("");
        let span = |range: Range<usize>| SourceSpan {
            start: range.start as u32,
            end: range.end as u32,
        };
        // Escapes, and names for conditions, are spelled out in the translation: then the whole piece is shown.
        if written == piece {
            let place = chart.start + within.start..chart.start + within.end;
            return (
                span(place),
                piece[within.clone()].to_owned(),
                replacement.to_owned(),
            );
        }
        let whole = format!(
            "{}{replacement}{}",
            &piece[..within.start],
            &piece[within.end..]
        );
        (span(chart.clone()), written.to_owned(), whole)
    }
}
