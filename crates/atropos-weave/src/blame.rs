//! From one error to what is to blame for it.
//!
//! Only woven text can be at fault: the program compiled before. The rules, first match wins:
//! 1. the code of a mutant that the error points at (primary spans before secondary ones; the other
//!    way round where the primary span is only where the damage shows: a use after a move; not where a variable gets the
//!    value that it lacks elsewhere),
//! 2. a range that is woven as another iterator, if the error speaks of such a type; literals in a constant that no longer
//!    is one, if it does not live for long enough; for the borrow checker's errors, arms of a `match` whose patterns it points at: deleting one is a guard,
//! 3. a deletion that the error points at because it has no value; else deletions that explain the error though it does not point at them (see `flow`),
//! 4. a point whose own text (not what it took over from the source) the error points at,
//! 5. a point or a step counter that it points at at all, in the same order,
//! 6. the same for the notes below the error,
//! 7. else only the place is known.
//!
//! Where a span lies in a macro's expansion, the calls that led there count as well.

use std::collections::BTreeMap;

use atropos_mutants::mutant::{MutantId, Span};

use crate::diagnostics::{DiagnosticSpan, RustcDiagnostic};
use crate::flow::{self, ErrorLabel};
use crate::forms::Form;
use crate::rollback::DROPPED_TOO_EARLY;
use crate::source_map::TextOwner;
use crate::weave::FileWeave;

/// What an error is due to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Blame {
    /// Code of these mutants, by file.
    Variants(Vec<(String, MutantId)>),
    /// These points, by file.
    Points(Vec<(String, usize)>),
    Step(String, usize),
    /// Something around this part of a file's source.
    Place(String, Span),
    /// Nothing that was woven.
    Unknown,
}

/// A span in a woven file.
#[derive(Clone, Debug)]
struct WovenSpan {
    file: String,
    woven: Span,
    owner: Option<TextOwner>,
    /// It begins with text that the weave has added.
    is_new: bool,
    /// It only shows where the variable comes from that the error is about, or the loop that it is in.
    is_surrounding: bool,
    /// What happens there matters in the next round of a loop.
    is_round_before: bool,
    /// It is a condition of the weave's own, without which a variable has no value.
    is_condition: bool,
    /// The variable whose value is missing gets one there.
    gives_value: bool,
}

/// Finds out what errors are due to.
pub(crate) struct BlameFinder<'a> {
    pub woven: &'a BTreeMap<String, FileWeave>,
    /// From the name of a file as rustc writes it to the name of a woven one.
    pub name: &'a dyn Fn(&str) -> Option<String>,
}

/// Codes whose primary span is where a value is missed, not where it went; or an assignment, not
/// what can't be assigned to.
const DAMAGE_SHOWS_LATER: [&str; 4] = ["E0067", "E0070", "E0381", "E0382"];

/// What rustc calls the iterator that a range is woven as.
const CHAINS: [&str; 2] = ["iter::Chain<std::ops::Range<", "Chain<Range<"];

impl BlameFinder<'_> {
    pub fn blame(&self, error: &RustcDiagnostic) -> Blame {
        let (mut first, mut second): (Vec<_>, Vec<_>) =
            error.spans.iter().partition(|span| span.is_primary);
        let shows_later = DAMAGE_SHOWS_LATER.contains(&error.code());
        if shows_later {
            std::mem::swap(&mut first, &mut second);
        }
        let notes: Vec<&DiagnosticSpan> = error
            .children
            .iter()
            .flat_map(|child| &child.spans)
            .collect();
        let [first, second, notes] = [first, second, notes].map(|spans| self.spots(&spans));
        if error.code() == "E0004"
            && let Some(arms) = self.arms_of_matches(&first)
        {
            return arms;
        }
        variants(&at_fault(&first))
            .or_else(|| if shows_later { None } else { variants(&second) })
            .or_else(|| self.ranges(error, [&first, &second]))
            .or_else(|| self.constants(error, &first))
            .or_else(|| self.guards(error, &first, &second))
            .or_else(|| self.deletions(error, &first, &second))
            .or_else(|| variants(&second))
            .or_else(|| variants(&first))
            .or_else(|| owners(&own_text(&first)))
            .or_else(|| owners(&own_text(&second)))
            .or_else(|| owners(&first))
            .or_else(|| owners(&second))
            .or_else(|| variants(&notes))
            .or_else(|| owners(&notes))
            .or_else(|| self.place(&first))
            .or_else(|| self.place(&second))
            .or_else(|| self.place(&notes))
            .unwrap_or(Blame::Unknown)
    }

    fn spots(&self, spans: &[&DiagnosticSpan]) -> Vec<WovenSpan> {
        spans.iter().filter_map(|span| self.spot(span)).collect()
    }

    /// The innermost call on the way to a span that belongs to something; else the outermost one
    /// in a woven file.
    fn spot(&self, span: &DiagnosticSpan) -> Option<WovenSpan> {
        let label = span.label.as_deref().unwrap_or_default();
        let has_label = |start: &str| label.starts_with(start);
        let mut found = None;
        let mut next = Some(span);
        while let Some(span) = next {
            if let Some(file) = (self.name)(&span.file_name)
                && let Some(weave) = self.woven.get(&file)
            {
                let woven = Span::new(span.byte_start, span.byte_end);
                let owner = weave.map.owner(woven);
                let source = weave.map.source_span(woven);
                found = Some(WovenSpan {
                    file,
                    woven,
                    owner,
                    is_new: weave.map.is_new(woven.start),
                    is_surrounding: has_label("move occurs because")
                        || has_label("binding declared")
                        || has_label("inside of this loop"),
                    is_round_before: label.contains("previous iteration"),
                    is_condition: has_label("if this `if` condition is `false`")
                        && source.start == source.end,
                    gives_value: has_label("binding initialized here"),
                });
                if owner.is_some() {
                    break;
                }
            }
            next = span.expansion.as_ref().map(|expansion| &expansion.span);
        }
        found
    }

    /// The arms of the matches whose scrutinee rustc calls not covered.
    fn arms_of_matches(&self, spots: &[WovenSpan]) -> Option<Blame> {
        let mut arms = Vec::new();
        for spot in spots {
            let map = &self.woven[&spot.file].map;
            let source = map.source_span(spot.woven);
            for point in map.points() {
                let touches = |scrutinee: Span| {
                    scrutinee.start <= source.end && source.start <= scrutinee.end
                };
                if point.arm.is_some_and(|arm| touches(arm.scrutinee)) {
                    arms.push((spot.file.clone(), point.point));
                }
            }
        }
        (!arms.is_empty()).then_some(Blame::Points(arms))
    }

    /// Arms with a guard that they did not have: what their patterns borrow is borrowed in the arms behind them, too.
    fn guards(
        &self,
        error: &RustcDiagnostic,
        first: &[WovenSpan],
        second: &[WovenSpan],
    ) -> Option<Blame> {
        if !flow::is_about_flow(error) {
            return None;
        }
        let mut guarded = Vec::new();
        for spot in first.iter().chain(second) {
            if spot.is_surrounding {
                continue;
            }
            let map = &self.woven[&spot.file].map;
            let source = map.source_span(spot.woven);
            let arms = map.points().iter().filter(|point| {
                let arm = point.arm.as_ref();
                arm.is_some_and(|arm| arm.pattern.contains(source))
            });
            guarded.extend(arms.map(|point| (spot.file.clone(), point.point)));
        }
        (!guarded.is_empty()).then_some(Blame::Points(guarded))
    }

    /// Ranges that are woven as another iterator, which is not all that a range is: those near what the error points
    /// at, else all of the function.
    fn ranges(&self, error: &RustcDiagnostic, spots: [&[WovenSpan]; 2]) -> Option<Blame> {
        if !CHAINS.iter().any(|chain| error.mentions(chain)) {
            return None;
        }
        let spot = spots.into_iter().flatten().next()?;
        let map = &self.woven[&spot.file].map;
        let inside = |scope: Span| -> Vec<(String, usize)> {
            map.points()
                .iter()
                .filter(|point| point.is_range && scope.contains(point.span))
                .map(|point| (spot.file.clone(), point.point))
                .collect()
        };
        let source = map.source_span(spot.woven);
        let near = map.innermost_scope(source, |scope| {
            Some(inside(scope)).filter(|it| !it.is_empty())
        });
        near.map(Blame::Points)
    }

    /// Literals in a constant that would live for as long as the program if they were not chosen when it runs.
    fn constants(&self, error: &RustcDiagnostic, spots: &[WovenSpan]) -> Option<Blame> {
        if !DROPPED_TOO_EARLY.contains(&error.code()) {
            return None;
        }
        let mut literals = Vec::new();
        for spot in spots {
            let map = &self.woven[&spot.file].map;
            let source = map.source_span(spot.woven);
            let inside = map.points().iter().filter(|point| {
                source.contains(point.span) && point.plainer.contains(&Form::Constant)
            });
            literals.extend(inside.map(|point| (spot.file.clone(), point.point)));
        }
        (!literals.is_empty()).then_some(Blame::Points(literals))
    }

    /// Deletions that explain the error.
    fn deletions(
        &self,
        error: &RustcDiagnostic,
        first: &[WovenSpan],
        second: &[WovenSpan],
    ) -> Option<Blame> {
        let file = &first.first().or(second.first())?.file;
        let map = &self.woven[file].map;
        if flow::is_about_a_missing_value(error)
            && let Some(spot) = first.iter().find(|spot| map.is_all_of_a_point(spot.woven))
            && let Some(point) = spot.owner.and_then(TextOwner::point)
        {
            return Some(Blame::Points(vec![(file.clone(), point)]));
        }
        let labelled: Vec<ErrorLabel> = first
            .iter()
            .chain(second)
            .filter(|spot| spot.file == *file && !spot.is_surrounding)
            .map(|spot| ErrorLabel {
                span: map.source_span(spot.woven),
                is_round_before: spot.is_round_before,
            })
            .collect();
        let mut points = flow::suspects(map, error, &labelled);
        if points.is_empty() {
            // Deleting the statement under such a condition is what leaves the variable without value.
            let conditions = second.iter().chain(first).filter(|spot| spot.is_condition);
            points.extend(conditions.filter_map(|spot| spot.owner?.point()));
        }
        let points = points.into_iter().map(|point| (file.clone(), point));
        let points: Vec<(String, usize)> = points.collect();
        (!points.is_empty()).then_some(Blame::Points(points))
    }

    fn place(&self, spots: &[WovenSpan]) -> Option<Blame> {
        let spot = spots.first()?;
        let source = self.woven[&spot.file].map.source_span(spot.woven);
        Some(Blame::Place(spot.file.clone(), source))
    }
}

/// Who gives a variable its value is hardly the one who leaves it without.
fn at_fault(spots: &[WovenSpan]) -> Vec<WovenSpan> {
    let at_fault = spots.iter().filter(|spot| !spot.gives_value);
    at_fault.cloned().collect()
}

fn own_text(spots: &[WovenSpan]) -> Vec<WovenSpan> {
    spots.iter().filter(|spot| spot.is_new).cloned().collect()
}

fn variants(spots: &[WovenSpan]) -> Option<Blame> {
    let variants: Vec<(String, MutantId)> = spots
        .iter()
        .filter_map(|spot| match spot.owner {
            Some(TextOwner::Variant { mutant, .. }) => Some((spot.file.clone(), mutant)),
            _ => None,
        })
        .collect();
    (!variants.is_empty()).then_some(Blame::Variants(variants))
}

fn owners(spots: &[WovenSpan]) -> Option<Blame> {
    let points: Vec<(String, usize)> = spots
        .iter()
        .filter_map(|spot| Some((spot.file.clone(), spot.owner?.point()?)))
        .collect();
    if !points.is_empty() {
        return Some(Blame::Points(points));
    }
    spots.iter().find_map(|spot| match spot.owner {
        Some(TextOwner::Step { step }) => Some(Blame::Step(spot.file.clone(), step)),
        _ => None,
    })
}
