//! Which part of a woven text stands for which point, mutant or step counter.

use atropos_mutants::mutant::{MutantId, Span};
use serde::{Deserialize, Serialize};

use crate::context::SyntaxScope;
use crate::flow::Flow;
use crate::forms::Form;

/// What a part of a woven text belongs to. Points are numbered as in `FileMutants::points`, steps
/// as in `FileMutants::steps`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum TextOwner {
    /// A point as a whole, its operands included.
    Frame { point: usize },
    /// The code of one mutant.
    Variant { point: usize, mutant: MutantId },
    /// A step counter.
    Step { step: usize },
}

impl TextOwner {
    pub fn point(self) -> Option<usize> {
        match self {
            TextOwner::Frame { point } | TextOwner::Variant { point, .. } => Some(point),
            TextOwner::Step { .. } => None,
        }
    }
}

/// A part of a woven text with its owner.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Area {
    pub woven: Span,
    pub owner: TextOwner,
}

/// A part of the source that stands in the woven text as it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Verbatim {
    pub source: usize,
    pub woven: usize,
    pub length: usize,
}

/// A point that is in a woven text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WovenPoint {
    /// Its place in `FileMutants::points`.
    pub point: usize,
    /// In the source.
    pub span: Span,
    pub form: Form,
    /// The forms that are left, richest first.
    pub plainer: Vec<Form>,
    /// Those of its mutants that are in the text.
    pub mutants: Vec<MutantId>,
    pub arm: Option<WovenArm>,
    /// It is a range that is woven as another iterator.
    pub(crate) is_range: bool,
    /// What its mutants do to the flow of the function.
    pub(crate) flow: Option<Flow>,
}

/// Where an arm of a `match` that is a point stands in the source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WovenArm {
    /// Of its `match`.
    pub scrutinee: Span,
    pub pattern: Span,
}

/// The map of one woven file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct WeaveMap {
    pub(crate) areas: Vec<Area>,
    pub(crate) verbatim: Vec<Verbatim>,
    pub(crate) points: Vec<WovenPoint>,
    pub(crate) scopes: Vec<SyntaxScope>,
    /// The `const fn`s that are plain functions in the text: place in `FileMutants::const_functions`, and name.
    pub(crate) no_longer_const: Vec<(usize, String)>,
    /// The step counters in the text: number and place in the source.
    pub(crate) steps: Vec<(usize, usize)>,
}

impl WeaveMap {
    /// What a part of the woven text belongs to: the smallest area around it.
    pub fn owner(&self, woven: Span) -> Option<TextOwner> {
        self.areas
            .iter()
            .filter(|area| area.woven.contains(woven))
            .min_by_key(|area| area.woven.end - area.woven.start)
            .map(|area| area.owner)
    }

    /// Whether a part of the woven text is what stands for a point, neither more nor less.
    pub(crate) fn is_all_of_a_point(&self, woven: Span) -> bool {
        let is_frame = |area: &Area| matches!(area.owner, TextOwner::Frame { .. });
        let mut frames = self.areas.iter().filter(|area| is_frame(area));
        frames.any(|area| area.woven == woven)
    }

    /// The points that are in the text.
    pub fn points(&self) -> &[WovenPoint] {
        &self.points
    }

    pub(crate) fn point(&self, point: usize) -> Option<&WovenPoint> {
        self.points.iter().find(|woven| woven.point == point)
    }

    /// The part of the source that a part of the woven text came from: exact for text that was
    /// taken over, else the nearest such text before it.
    pub(crate) fn source_span(&self, woven: Span) -> Span {
        let start = self.source_offset(woven.start);
        Span::new(start, self.source_offset(woven.end).max(start))
    }

    fn source_offset(&self, woven: usize) -> usize {
        self.verbatim
            .iter()
            .filter(|part| part.woven <= woven)
            .max_by_key(|part| part.woven)
            .map_or(0, |part| {
                part.source + (woven - part.woven).min(part.length)
            })
    }

    /// Where the character of the source at an offset stands in the woven text, if it was taken over.
    pub(crate) fn woven_offset(&self, source: usize) -> Option<usize> {
        self.verbatim
            .iter()
            .find(|part| part.source <= source && source < part.source + part.length)
            .map(|part| part.woven + (source - part.source))
    }

    /// Whether the woven text at an offset was not taken over from the source.
    pub(crate) fn is_new(&self, woven: usize) -> bool {
        !self
            .verbatim
            .iter()
            .any(|part| part.woven <= woven && woven < part.woven + part.length)
    }

    /// The smallest function around a part of the source.
    pub(crate) fn function_around(&self, source: Span) -> Option<Span> {
        self.scopes
            .iter()
            .filter(|scope| scope.is_function && scope.span.contains(source))
            .map(|scope| scope.span)
            .min_by_key(|span| span.end - span.start)
    }

    /// The smallest statement (or function, or `impl`) around a part of the source for which `found` gives
    /// something.
    pub(crate) fn innermost_scope<T>(
        &self,
        source: Span,
        found: impl Fn(Span) -> Option<T>,
    ) -> Option<T> {
        let mut scopes: Vec<&SyntaxScope> = self
            .scopes
            .iter()
            .filter(|scope| scope.span.contains(source))
            .collect();
        scopes.sort_by_key(|scope| scope.span.end - scope.span.start);
        scopes.into_iter().find_map(|scope| found(scope.span))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_smallest_area_owns_a_span() {
        let area = |start, end, owner| Area {
            woven: Span::new(start, end),
            owner,
        };
        let arm = TextOwner::Variant {
            point: 0,
            mutant: MutantId(5),
        };
        let map = WeaveMap {
            areas: vec![
                area(10, 90, TextOwner::Frame { point: 0 }),
                area(50, 60, arm),
                area(12, 20, TextOwner::Frame { point: 1 }),
            ],
            ..WeaveMap::default()
        };
        assert_eq!(map.owner(Span::new(52, 55)), Some(arm));
        assert_eq!(
            map.owner(Span::new(52, 65)),
            Some(TextOwner::Frame { point: 0 })
        );
        assert_eq!(
            map.owner(Span::new(13, 14)),
            Some(TextOwner::Frame { point: 1 })
        );
        assert_eq!(map.owner(Span::new(5, 14)), None);
    }

    #[test]
    fn woven_text_is_traced_to_its_source() {
        let part = |source, woven, length| Verbatim {
            source,
            woven,
            length,
        };
        let map = WeaveMap {
            verbatim: vec![part(0, 0, 10), part(10, 40, 5)],
            ..WeaveMap::default()
        };
        assert_eq!(map.source_span(Span::new(3, 42)), Span::new(3, 12));
        assert_eq!(map.source_span(Span::new(20, 30)), Span::new(10, 10));
    }
}
