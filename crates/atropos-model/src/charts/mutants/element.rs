//! The elements of a chart as they are written and drawn, and their places in its text.

use super::find::arrows;
use super::{Arrow, Edit, Owner};
use crate::charts::chart::{Chart, ChartAction, ChartSpan, ChartText, StateId};

/// What a mutant sits on, by the machine's place in the chart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ElementId {
    State(usize, StateId),
    /// The source, and the first of the transitions that are one arrow.
    Arrow(usize, StateId, usize),
}

/// From places in the chart's text to elements.
pub struct ElementMap {
    places: Vec<(ChartSpan, ElementId)>,
}

impl ElementMap {
    pub fn new(chart: &Chart, source: &str) -> ElementMap {
        let mut places = Vec::new();
        for (number, machine) in chart.machines.iter().enumerate() {
            for id in machine.ids() {
                let state = machine.state(id);
                let element = ElementId::State(number, id);
                let mut add = |span: &ChartSpan, element| places.push((span.clone(), element));
                add(&state.name.span, element);
                let starts = state.initial.iter().flat_map(|start| &start.actions);
                for action in state.entry.iter().chain(&state.exit).chain(starts) {
                    action.texts(&mut |text| add(&text.span, element));
                }
                for arrow in arrows(machine, id) {
                    let first = arrow.transitions[0];
                    let transition = &state.transitions[first];
                    let element = ElementId::Arrow(number, id, first);
                    add(&element_text(source, &transition.span), element);
                    transition
                        .guard
                        .iter()
                        .for_each(|guard| add(&guard.span, element));
                    for action in &transition.actions {
                        action.texts(&mut |text| add(&text.span, element));
                    }
                }
            }
        }
        ElementMap { places }
    }

    /// The element that holds a place most narrowly.
    pub fn at(&self, span: &ChartSpan) -> Option<ElementId> {
        let holds = |place: &&(ChartSpan, ElementId)| {
            place.0.start <= span.start && span.end <= place.0.end && !place.0.is_empty()
        };
        let narrowest = self
            .places
            .iter()
            .filter(holds)
            .min_by_key(|(place, _)| place.len());
        narrowest.map(|(_, element)| *element)
    }
}

impl Edit {
    /// What is edited.
    pub fn element(&self, machine: usize) -> ElementId {
        let arrow = |arrow: &Arrow| ElementId::Arrow(machine, arrow.source, arrow.transitions[0]);
        match self {
            Edit::Disable(of)
            | Edit::Target(of, _)
            | Edit::Trigger(of, _)
            | Edit::DropGuard(of) => arrow(of),
            Edit::Time { state, .. } => ElementId::State(machine, *state),
            Edit::Remove(place) | Edit::Observe(place, _) | Edit::Delay(place, _) => {
                match &place.owner {
                    Owner::Entry(state) | Owner::Exit(state) | Owner::Initial(state) => {
                        ElementId::State(machine, *state)
                    }
                    Owner::Arrow(of) => arrow(of),
                }
            }
            Edit::Initial(state, _) | Edit::HistoryDepth(state) => {
                ElementId::State(machine, *state)
            }
        }
    }
}

impl ChartAction {
    /// Where it is written, as far as that is one place.
    pub fn span(&self) -> Option<ChartSpan> {
        let mut whole: Option<ChartSpan> = None;
        self.texts(&mut |text| {
            let span = text.span.clone();
            whole = Some(match whole.take() {
                None => span,
                Some(known) => known.start.min(span.start)..known.end.max(span.end),
            });
        });
        whole
    }

    /// The user's texts in it.
    pub fn texts(&self, visit: &mut dyn FnMut(&ChartText)) {
        match self {
            ChartAction::Observe { name, arguments } => {
                visit(name);
                arguments.iter().for_each(visit);
            }
            ChartAction::Raise(text)
            | ChartAction::SendSelf(text)
            | ChartAction::Cancel(text)
            | ChartAction::Statement(text) => visit(text),
            ChartAction::Send { event, to } => {
                visit(event);
                visit(to);
            }
            ChartAction::Delay { event, id, .. } => {
                visit(event);
                visit(id);
            }
            ChartAction::Assign { place, value } => {
                visit(place);
                visit(value);
            }
            ChartAction::If(branches) => {
                for (condition, actions) in branches {
                    condition.iter().for_each(&mut *visit);
                    actions.iter().for_each(|action| action.texts(visit));
                }
            }
        }
    }
}

/// Lines longer than this are not shown as a whole.
const LONGEST: usize = 200;

/// The whole of the element that a place belongs to, where the front end gives only its head or a name in it: in XML the
/// tag, in JSON the line; of an arrow that is drawn in text the line.
pub fn element_text(source: &str, span: &ChartSpan) -> ChartSpan {
    let span = span.start.min(source.len())..span.end.clamp(span.start, source.len());
    let start = source.trim_start_matches('\u{feff}').trim_start();
    let whole = match start.chars().next() {
        Some('<') => tag(source, &span),
        Some('{') => line(source, &span),
        _ if is_arrow(&source[span.clone()]) => line(source, &span),
        _ => None,
    };
    whole.unwrap_or(span)
}

/// What PlantUML and Mermaid draw between two states.
fn is_arrow(text: &str) -> bool {
    text.contains("->") || text.contains("<-")
}

fn tag(source: &str, span: &ChartSpan) -> Option<ChartSpan> {
    let start = match source[span.start..].starts_with('<') {
        true => span.start,
        false => source[..span.start].rfind(['<', '>'])?,
    };
    if !source[start..].starts_with('<') {
        return None;
    }
    let mut quote = None;
    for (at, c) in source[start..].char_indices() {
        match (quote, c) {
            (Some(open), c) if c == open => quote = None,
            (None, '"' | '\'') => quote = Some(c),
            (None, '>') => {
                let end = start + at + 1;
                return (end >= span.end).then_some(start..end);
            }
            _ => {}
        }
    }
    None
}

fn line(source: &str, span: &ChartSpan) -> Option<ChartSpan> {
    let start = source[..span.start].rfind('\n').map_or(0, |at| at + 1);
    let end = source[span.end..]
        .find('\n')
        .map_or(source.len(), |at| span.end + at);
    let text = &source[start..end];
    let from = start + text.len() - text.trim_start().len();
    let to = from + text.trim().trim_end_matches(',').len();
    (from <= span.start && span.end <= to && to - from <= LONGEST).then_some(from..to)
}

/// The element's text with a part of it replaced; `None` if the part does not lie in it.
pub fn replaced(source: &str, element: &ChartSpan, part: &ChartSpan, new: &str) -> Option<String> {
    let inside = element.start <= part.start && part.end <= element.end && !part.is_empty();
    inside.then(|| {
        let (before, after) = (
            &source[element.start..part.start],
            &source[part.end..element.end],
        );
        format!("{before}{new}{after}")
    })
}
