//! A chart as SVG: states in states, arrows with their labels. Each state and each arrow is a group with a name, so that a
//! page can colour it and tell what is known of it.

use super::layout::{DrawnEdge, DrawnPoint, PlacedBoxes, Size, place};
use super::words::{actions_text, arrow_label, state_lines, wrapped};
use crate::charts::chart::{Depth, Machine, StateId, StateKind};
use crate::charts::mutants::{ElementId, arrows};
use maud::{Markup, html};
use std::collections::BTreeMap;

const LETTER: f64 = 6.7;
const LINE: f64 = 15.0;
const COUNT: f64 = 10.0;
const PADDING: f64 = 14.0;
/// A start, an end, a history.
const DOT: f64 = 14.0;
const ROUND: f64 = 24.0;
/// How far from a corner an arrow may end.
const CORNER: f64 = 8.0;

/// What a page knows of an element.
#[derive(Clone, Debug, Default)]
pub struct Note {
    /// How it is coloured.
    pub class: &'static str,
    /// Killed mutants, and all.
    pub killed: usize,
    pub total: usize,
    /// What is shown when somebody points at it.
    pub title: String,
}

/// The name of an element in the drawing.
pub fn key(element: ElementId) -> String {
    match element {
        ElementId::State(machine, state) => format!("s{machine}-{}", state.0),
        ElementId::Arrow(machine, source, first) => format!("a{machine}-{}-{first}", source.0),
    }
}

#[derive(Clone, Copy, Debug, Default)]
struct Rect {
    at: DrawnPoint,
    size: Size,
}

impl Rect {
    fn right(&self) -> f64 {
        self.at.x + self.size.width
    }

    fn bottom(&self) -> f64 {
        self.at.y + self.size.height
    }
}

/// One line of the drawing, from a state or from a start to a state.
struct Line {
    /// `None`: a start.
    from: Option<StateId>,
    to: StateId,
    /// The state whose inside the line runs in.
    inside: StateId,
    element: Option<ElementId>,
    label: Vec<String>,
    /// Nothing is left or entered.
    stays: bool,
}

struct Drawer<'m> {
    machine: &'m Machine,
    lines: Vec<Line>,
    /// Absolute places, once everything has its size.
    states: BTreeMap<StateId, Rect>,
    dots: BTreeMap<StateId, Rect>,
    ways: Vec<(Vec<DrawnPoint>, DrawnPoint)>,
}

/// The inside of a state: how large it is, and where its parts are.
struct Block {
    size: Size,
    parts: Vec<(Part, DrawnPoint, Option<Block>)>,
    ways: Vec<(usize, Vec<DrawnPoint>, DrawnPoint)>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    State(StateId),
    /// Where the block starts.
    Dot,
    /// Where a line from or to the block's own border runs.
    Port,
}

/// The drawing of a machine, the first of which has the number 0.
pub fn draw(machine: &Machine, number: usize, notes: &BTreeMap<ElementId, Note>) -> Markup {
    let mut drawer = Drawer {
        machine,
        lines: lines(machine, number),
        states: BTreeMap::new(),
        dots: BTreeMap::new(),
        ways: Vec::new(),
    };
    drawer.ways = vec![Default::default(); drawer.lines.len()];
    let block = drawer.block(StateId::ROOT);
    let margin = DrawnPoint {
        x: PADDING,
        y: PADDING,
    };
    drawer.put(StateId::ROOT, &block, margin);
    let (width, height) = (
        block.size.width + 2.0 * PADDING,
        block.size.height + 2.0 * PADDING,
    );
    html! {
        svg.chart xmlns="http://www.w3.org/2000/svg" viewBox=(format!("0 0 {width:.0} {height:.0}"))
            width=(format!("{width:.0}")) height=(format!("{height:.0}")) role="img"
            aria-label=(format!("The state machine {}", machine.name.text)) {
            defs {
                marker id=(format!("tip{number}")) viewBox="0 0 10 10" refX="9" refY="5" markerWidth="9" markerHeight="9" markerUnits="userSpaceOnUse"
                    orient="auto-start-reverse" { path d="M0 0L10 5L0 10z" {} }
            }
            @for id in machine.ids().skip(1) { (drawer.state(id, number, notes)) }
            @for rect in drawer.dots.values() {
                circle.dot cx=(coordinate(rect.at.x + DOT / 2.0)) cy=(coordinate(rect.at.y + DOT / 2.0)) r=(DOT / 2.0) {}
            }
            @for at in 0..drawer.lines.len() { (drawer.line(at, number, notes)) }
        }
    }
}

fn coordinate(value: f64) -> String {
    format!("{value:.1}")
}

fn lines(machine: &Machine, number: usize) -> Vec<Line> {
    let mut lines = Vec::new();
    for id in machine.ids() {
        let state = machine.state(id);
        let history = matches!(state.kind, StateKind::History(_));
        if state.kind == StateKind::Compound || history && state.initial.is_some() {
            let start = machine.start(id);
            let label = wrapped(&actions_text(&start.actions));
            for target in start.targets {
                let from = history.then_some(id);
                let inside = inside(machine, from.unwrap_or(target), target);
                let inside = if history { inside } else { id };
                let label = label.clone();
                lines.push(Line {
                    from,
                    to: target,
                    inside,
                    element: None,
                    label,
                    stays: false,
                });
            }
        }
        for arrow in arrows(machine, id) {
            let first = arrow.transitions[0];
            let ours: Vec<_> = arrow
                .transitions
                .iter()
                .map(|at| &state.transitions[*at])
                .collect();
            let element = Some(ElementId::Arrow(number, id, first));
            let targets = &state.transitions[first].targets;
            let stays = targets.is_empty();
            let targets = if stays { vec![id] } else { targets.clone() };
            for (at, to) in targets.into_iter().enumerate() {
                let label = if at == 0 {
                    arrow_label(machine, &ours)
                } else {
                    Vec::new()
                };
                let inside = inside(machine, id, to);
                lines.push(Line {
                    from: Some(id),
                    to,
                    inside,
                    element,
                    label,
                    stays,
                });
            }
        }
    }
    lines
}

/// The innermost state that holds both; one of the two itself if it holds the other.
fn inside(machine: &Machine, one: StateId, other: StateId) -> StateId {
    if one == other {
        return machine.state(one).parent.unwrap_or(StateId::ROOT);
    }
    let holds = |id: &StateId| machine.within(other, *id);
    machine.line(one).find(holds).unwrap_or(StateId::ROOT)
}

/// A label, with room for the count of mutants under it.
fn label_size(line: &Line) -> Size {
    let text = text_size(&line.label);
    match line.element.is_some() && text.height > 0.0 {
        true => Size {
            height: text.height + COUNT,
            ..text
        },
        false => text,
    }
}

fn text_size(lines: &[String]) -> Size {
    let letters = lines
        .iter()
        .map(|line| line.chars().count())
        .max()
        .unwrap_or(0);
    match letters {
        0 => Size::default(),
        letters => Size {
            width: letters as f64 * LETTER + 6.0,
            height: lines.len() as f64 * LINE,
        },
    }
}

impl Drawer<'_> {
    /// The head of a state's box: its name and what it does.
    fn head(&self, id: StateId) -> Size {
        match self.machine.state(id).kind {
            _ if id == StateId::ROOT => Size::default(),
            StateKind::Final | StateKind::History(_) => Size {
                width: ROUND,
                height: ROUND,
            },
            _ => {
                let text = text_size(&state_lines(self.machine.state(id)));
                // Room for the count of mutants.
                Size {
                    width: text.width + 2.0 * PADDING + 34.0,
                    height: text.height + PADDING,
                }
            }
        }
    }

    fn block(&self, id: StateId) -> Block {
        let head = self.head(id);
        let state = self.machine.state(id);
        match state.kind {
            StateKind::Compound if !state.children.is_empty() => self.compound(id, head),
            StateKind::Parallel => self.parallel(id, head),
            _ => Block {
                size: head,
                parts: Vec::new(),
                ways: Vec::new(),
            },
        }
    }

    fn parallel(&self, id: StateId, head: Size) -> Block {
        let mut parts = Vec::new();
        let (mut x, mut height) = (PADDING, 0.0_f64);
        for child in &self.machine.state(id).children {
            let block = self.block(*child);
            let at = DrawnPoint { x, y: head.height };
            x += block.size.width + PADDING;
            height = height.max(block.size.height);
            parts.push((Part::State(*child), at, Some(block)));
        }
        let size = Size {
            width: x.max(head.width),
            height: head.height + height + PADDING,
        };
        Block {
            size,
            parts,
            ways: Vec::new(),
        }
    }

    fn compound(&self, id: StateId, head: Size) -> Block {
        let mut parts: Vec<(Part, Option<Block>)> = Vec::new();
        for child in &self.machine.state(id).children {
            parts.push((Part::State(*child), Some(self.block(*child))));
        }
        parts.push((Part::Dot, None));
        let dot = parts.len() - 1;
        let mut edges = Vec::new();
        let mut numbers = Vec::new();
        for (number, line) in self.lines.iter().enumerate() {
            if line.inside != id {
                continue;
            }
            let mut end = |of: Option<StateId>| match of {
                None => dot,
                Some(of) if of == id => {
                    parts.push((Part::Port, None));
                    parts.len() - 1
                }
                Some(of) => {
                    let holds = |part: &(Part, Option<Block>)| match part.0 {
                        Part::State(child) => self.machine.within(of, child),
                        _ => false,
                    };
                    parts.iter().position(holds).unwrap_or(dot)
                }
            };
            let (from, to) = (end(line.from), end(Some(line.to)));
            edges.push(DrawnEdge {
                from,
                to,
                label: label_size(line),
            });
            numbers.push(number);
        }
        let sizes: Vec<Size> = parts
            .iter()
            .map(|(part, block)| part_size(*part, block.as_ref()))
            .collect();
        let placed = place(&sizes, &edges, Some(dot));
        self.framed(head, parts, placed, &numbers)
    }

    fn framed(
        &self,
        head: Size,
        parts: Vec<(Part, Option<Block>)>,
        placed: PlacedBoxes,
        numbers: &[usize],
    ) -> Block {
        let inner = DrawnPoint {
            x: PADDING,
            y: head.height + PADDING / 2.0,
        };
        let shift = |point: &DrawnPoint| DrawnPoint {
            x: point.x + inner.x,
            y: point.y + inner.y,
        };
        let parts = parts.into_iter().zip(&placed.boxes);
        let ways = numbers.iter().zip(placed.ways.iter().zip(&placed.labels));
        Block {
            size: Size {
                width: (placed.size.width + 2.0 * PADDING).max(head.width),
                height: inner.y + placed.size.height + PADDING,
            },
            parts: parts
                .map(|((part, block), at)| (part, shift(at), block))
                .collect(),
            ways: ways
                .map(|(number, (way, label))| {
                    (*number, way.iter().map(shift).collect(), shift(label))
                })
                .collect(),
        }
    }

    /// Gives everything in a block its absolute place.
    fn put(&mut self, id: StateId, block: &Block, corner: DrawnPoint) {
        self.states.insert(
            id,
            Rect {
                at: corner,
                size: block.size,
            },
        );
        let absolute = |point: DrawnPoint| DrawnPoint {
            x: point.x + corner.x,
            y: point.y + corner.y,
        };
        for (part, at, inner) in &block.parts {
            let at = absolute(*at);
            match (part, inner) {
                (Part::State(child), Some(inner)) => self.put(*child, inner, at),
                (Part::Dot, _) => {
                    let size = Size {
                        width: DOT,
                        height: DOT,
                    };
                    self.dots.insert(id, Rect { at, size });
                }
                _ => {}
            }
        }
        for (number, way, label) in &block.ways {
            let way = way.iter().map(|point| absolute(*point)).collect();
            self.ways[*number] = (way, absolute(*label));
        }
    }

    fn state(&self, id: StateId, number: usize, notes: &BTreeMap<ElementId, Note>) -> Markup {
        let rect = self.states.get(&id).copied().unwrap_or_default();
        let state = self.machine.state(id);
        let element = ElementId::State(number, id);
        let note = notes.get(&element);
        let (x, y) = (coordinate(rect.at.x), coordinate(rect.at.y));
        let middle = (
            coordinate(rect.at.x + ROUND / 2.0),
            coordinate(rect.at.y + ROUND / 2.0),
        );
        let lines = state_lines(state);
        html! {
            g class=(format!("el state {}", note.map_or("none", |note| note.class))) data-e=(key(element)) tabindex="0" {
                @if let Some(note) = note { title { (note.title) } }
                @match state.kind {
                    StateKind::Final => {
                        circle cx=(middle.0) cy=(middle.1) r=(ROUND / 2.0) {}
                        circle.dot cx=(middle.0) cy=(middle.1) r=(ROUND / 2.0 - 5.0) {}
                    }
                    StateKind::History(depth) => {
                        circle cx=(middle.0) cy=(middle.1) r=(ROUND / 2.0) {}
                        text x=(middle.0) y=(coordinate(rect.at.y + ROUND / 2.0 + 4.0)) text-anchor="middle" {
                            @if depth == Depth::Deep { "H*" } @else { "H" }
                        }
                    }
                    _ => {
                        rect x=(x) y=(y) width=(coordinate(rect.size.width)) height=(coordinate(rect.size.height)) rx="8"
                            class=(if self.is_region(id) { "region" } else { "" }) {}
                        @for (at, line) in lines.iter().enumerate() {
                            text class=(if at == 0 { "name" } else { "" }) x=(coordinate(rect.at.x + PADDING))
                                y=(coordinate(rect.at.y + 18.0 + at as f64 * LINE)) { (line) }
                        }
                        (count(note, rect.right() - 6.0, rect.at.y + 14.0, "end"))
                    }
                }
            }
        }
    }

    fn is_region(&self, id: StateId) -> bool {
        let parent = self.machine.state(id).parent;
        parent.is_some_and(|parent| self.machine.state(parent).kind == StateKind::Parallel)
    }

    fn line(&self, at: usize, number: usize, notes: &BTreeMap<ElementId, Note>) -> Markup {
        let line = &self.lines[at];
        let note = line.element.and_then(|element| notes.get(&element));
        let (path, middle) = self.path(at);
        let class = note.map_or("none", |note| note.class);
        let top = middle.y - label_size(line).height / 2.0 + 11.0;
        html! {
            g class=(format!("el arrow {class}{}", if line.stays { " stays" } else { "" }))
                data-e=[line.element.map(key)] tabindex=[line.element.map(|_| "0")] {
                @if let Some(note) = note { title { (note.title) } }
                path d=(path) marker-end=(format!("url(#tip{number})")) {}
                @for (row, text) in line.label.iter().enumerate() {
                    text x=(coordinate(middle.x)) y=(coordinate(top + row as f64 * LINE)) text-anchor="middle" { (text) }
                }
                @if !line.label.is_empty() {
                    (count(note, middle.x, top + line.label.len() as f64 * LINE - 3.0, "middle"))
                }
            }
        }
    }

    /// The path of a line, and the middle of its label.
    fn path(&self, at: usize) -> (String, DrawnPoint) {
        let line = &self.lines[at];
        let (way, label) = &self.ways[at];
        let target = self.states.get(&line.to).copied().unwrap_or_default();
        let source = match line.from {
            Some(from) => self.states.get(&from).copied().unwrap_or_default(),
            None => self.dots.get(&line.inside).copied().unwrap_or_default(),
        };
        if line.from == Some(line.to) {
            return (around(&source, label.y), *label);
        }
        let own_border = |of: Option<StateId>, rect: &Rect, near: Option<&DrawnPoint>| match near {
            Some(near) if of == Some(line.inside) => Some(DrawnPoint {
                x: rect.at.x,
                y: near.y,
            }),
            _ => None,
        };
        let centre = |rect: &Rect| DrawnPoint {
            x: rect.at.x + rect.size.width / 2.0,
            y: rect.at.y + rect.size.height / 2.0,
        };
        let after = way.first().copied().unwrap_or_else(|| centre(&target));
        let before = way.last().copied().unwrap_or_else(|| centre(&source));
        let start =
            own_border(line.from, &source, way.first()).unwrap_or_else(|| attach(&source, after));
        let end = own_border(Some(line.to), &target, way.last())
            .unwrap_or_else(|| attach(&target, before));
        let label = match way.is_empty() {
            true => DrawnPoint {
                x: f64::midpoint(start.x, end.x),
                y: f64::midpoint(start.y, end.y),
            },
            false => *label,
        };
        (curve(start, way, end), label)
    }
}

fn part_size(part: Part, block: Option<&Block>) -> Size {
    match (part, block) {
        (Part::State(_), Some(block)) => block.size,
        (Part::Dot, _) => Size {
            width: DOT,
            height: DOT,
        },
        _ => Size {
            width: 2.0,
            height: 2.0,
        },
    }
}

/// How many of an element's mutants are killed.
fn count(note: Option<&Note>, x: f64, y: f64, anchor: &str) -> Markup {
    html! {
        @if let Some(note) = note {
            @if note.total > 0 {
                text.count x=(coordinate(x)) y=(coordinate(y)) text-anchor=(anchor) { (note.killed) "/" (note.total) }
            }
        }
    }
}

/// A line from a box to itself, with its label at some height beside it.
fn around(rect: &Rect, height: f64) -> String {
    let x = rect.right();
    let lowest = (rect.bottom() - CORNER).max(rect.at.y + CORNER);
    let y = height.clamp(rect.at.y + CORNER, lowest);
    let (out, above, below) = (x + 24.0, height - 10.0, height + 10.0);
    format!(
        "M{x:.1} {:.1}C{out:.1} {above:.1} {out:.1} {below:.1} {x:.1} {:.1}",
        y - 4.0,
        y + 4.0
    )
}

/// Where a line that goes on to a point leaves a box.
fn attach(rect: &Rect, to: DrawnPoint) -> DrawnPoint {
    let (left, right) = (rect.at.x, rect.right());
    let within = |value: f64, from: f64, to: f64| match to - from > 2.0 * CORNER {
        true => value.clamp(from + CORNER, to - CORNER),
        false => f64::midpoint(from, to),
    };
    let x = within(to.x, left, right);
    let y = within(to.y, rect.at.y, rect.bottom());
    match () {
        () if to.y >= rect.bottom() => DrawnPoint {
            x,
            y: rect.bottom(),
        },
        () if to.y <= rect.at.y => DrawnPoint { x, y: rect.at.y },
        () if to.x >= right => DrawnPoint { x: right, y },
        () => DrawnPoint { x: left, y },
    }
}

fn curve(start: DrawnPoint, way: &[DrawnPoint], end: DrawnPoint) -> String {
    let mut text = format!("M{:.1} {:.1}", start.x, start.y);
    let mut from = start;
    for to in way.iter().chain([&end]) {
        let middle = f64::midpoint(from.y, to.y);
        text.push_str(&match (from.y - to.y).abs() > 4.0 {
            true => format!(
                "C{:.1} {middle:.1} {:.1} {middle:.1} {:.1} {:.1}",
                from.x, to.x, to.x, to.y
            ),
            false => format!("L{:.1} {:.1}", to.x, to.y),
        });
        from = *to;
    }
    text
}
