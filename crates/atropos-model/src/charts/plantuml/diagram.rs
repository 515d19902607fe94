//! One diagram: explicit states and regions first, then arrows and behaviours, which may name further states.

use super::directive::directive;
use super::label::{TransitionLabel, label, outside_brackets};
use super::line::{Line, LineEnd, Pseudostate, trimmed};
use super::time;
use crate::charts::MOST_STATES;
use crate::charts::chart::{
    Chart, ChartSpan, ChartStart, ChartState, ChartText, ChartTransition, Depth, Machine, StateId,
    StateKind, TransitionReach, Trigger,
};
use crate::charts::problem::Collector;
use crate::charts::scxml::blank;

/// Reads the lines of one diagram into a machine of the chart.
pub fn machine(name: ChartText, lines: &[Line], chart: &mut Chart, collector: &mut Collector) {
    let machine = Machine {
        name: name.clone(),
        states: vec![blank(name, None, StateKind::Compound)],
        data: Vec::new(),
        references: Vec::new(),
        inputs: Vec::new(),
        outputs: Vec::new(),
        queue: crate::charts::DEFAULT_QUEUE,
    };
    let mut diagram = Diagram {
        machine,
        holders: vec![StateId::ROOT; lines.len()],
        starts: Vec::new(),
        collector,
    };
    diagram.declare(lines);
    diagram.connect(lines, chart);
    diagram.settle_kinds();
    chart.machines.push(diagram.machine);
}

struct Diagram<'a> {
    machine: Machine,
    /// Per line the state or region that it stands in.
    holders: Vec<StateId>,
    /// States that stand for `[*]`, and what starts there.
    starts: Vec<(String, StateId)>,
    collector: &'a mut Collector,
}

/// A block that is open: the state, and where states inside it go now.
struct Frame {
    state: StateId,
    holder: StateId,
    regions: usize,
    split: bool,
}

impl Diagram<'_> {
    /// First pass: states with a line of their own, and regions.
    fn declare(&mut self, lines: &[Line]) {
        let mut frames = vec![self.open(StateId::ROOT, separated(lines))];
        for (at, line) in lines.iter().enumerate() {
            let last = frames.len() - 1;
            match line {
                Line::Open(name) => {
                    let state = self.declared(name, frames[last].holder);
                    let frame = self.open(state, separated(&lines[at + 1..]));
                    frames.push(frame);
                }
                Line::Declare(name) => {
                    self.declared(name, frames[last].holder);
                }
                Line::Pseudostate(name, Pseudostate::Start) => {
                    self.starts.push((name.text.clone(), frames[last].holder));
                }
                Line::Pseudostate(name, Pseudostate::Kind(kind)) => {
                    let id = self.declared(name, frames[last].holder);
                    self.machine.states[id.0].kind = kind.clone();
                }
                Line::Close(span) => {
                    if frames.len() > 1 {
                        frames.pop();
                    } else {
                        self.collector.advise(
                            span.clone(),
                            "this `}` closes nothing",
                            "take it out, or open a state before: `state Name {`",
                        );
                    }
                }
                Line::Separator(_) if frames[last].split => {
                    let state = frames[last].state;
                    let region = self.region(state, frames[last].regions + 1);
                    frames[last].holder = region;
                    frames[last].regions += 1;
                }
                _ => {}
            }
            self.holders[at] = frames.last().map_or(StateId::ROOT, |frame| frame.holder);
        }
        if let [_, unclosed, ..] = frames.as_slice() {
            let name = self.machine.state(unclosed.state).name.clone();
            self.collector.advise(
                name.span,
                format!("the state `{}` is not closed", name.text),
                "close it with `}`",
            );
        }
    }

    /// Starts a block; one with separators becomes a parallel state with its first region.
    fn open(&mut self, state: StateId, split: bool) -> Frame {
        let mut holder = state;
        let mut parallel = state;
        if split {
            if state == StateId::ROOT {
                let name = self.machine.name.clone();
                let name = ChartText::new(self.free("Regions"), name.span);
                parallel = self.add(name, state, StateKind::Parallel);
            }
            self.machine.states[parallel.0].kind = StateKind::Parallel;
            holder = self.region(parallel, 1);
        }
        Frame {
            state: parallel,
            holder,
            regions: 1,
            split,
        }
    }

    fn region(&mut self, parallel: StateId, number: usize) -> StateId {
        let parent = self.machine.state(parallel).name.clone();
        let name = self.free(&format!("{}_{number}", parent.text));
        self.add(
            ChartText::new(name, parent.span),
            parallel,
            StateKind::Compound,
        )
    }

    fn add(&mut self, name: ChartText, parent: StateId, kind: StateKind) -> StateId {
        let id = StateId(self.machine.states.len());
        self.machine.states.push(blank(name, Some(parent), kind));
        self.machine.states[parent.0].children.push(id);
        id
    }

    fn declared(&mut self, name: &ChartText, holder: StateId) -> StateId {
        match self.machine.find(&name.text) {
            Some(id) => id,
            None => self.add(name.clone(), holder, StateKind::Atomic),
        }
    }

    /// A name that no state has.
    fn free(&self, wanted: &str) -> String {
        let mut name = wanted.to_owned();
        while self.machine.find(&name).is_some() {
            name.push('_');
        }
        name
    }

    /// Second pass: arrows, behaviours, declarations.
    fn connect(&mut self, lines: &[Line], chart: &mut Chart) {
        // States that only arrows and behaviours name exist before any arrow is drawn.
        for (at, line) in lines.iter().enumerate() {
            let holder = self.holders[at];
            if self.machine.states.len() > MOST_STATES {
                self.collector.advise(
                    self.machine.name.span.clone(),
                    format!("this diagram has more than {MOST_STATES} states"),
                    "diagrams are read up to that size; a variable may stand for many alike states",
                );
                return;
            }
            match line {
                Line::Arrow { from, to, .. } => {
                    for end in [from, to] {
                        if let LineEnd::State(name) | LineEnd::History { of: Some(name), .. } = end
                            && self.start_of(name).is_none()
                        {
                            self.declared(name, holder);
                        }
                    }
                }
                Line::Behaviour { state, .. } => {
                    self.declared(state, holder);
                }
                _ => {}
            }
        }
        for (at, line) in lines.iter().enumerate() {
            let holder = self.holders[at];
            match line {
                Line::Arrow {
                    from,
                    to,
                    label,
                    span,
                } => self.arrow(holder, from, to, label.as_ref(), span),
                Line::Behaviour { state, text } => self.behaviour(state, text),
                Line::Directive(text) => {
                    directive(text, chart, &mut self.machine, self.collector);
                }
                _ => {}
            }
        }
    }

    fn arrow(
        &mut self,
        holder: StateId,
        from: &LineEnd,
        to: &LineEnd,
        text: Option<&ChartText>,
        span: &ChartSpan,
    ) {
        let label = match text {
            Some(text) => label(text, self.collector),
            None => TransitionLabel::default(),
        };
        let target = match to {
            LineEnd::State(name) => self.declared(name, holder),
            LineEnd::Point(span) => self.end_of(holder, span),
            LineEnd::History { of, deep, span } => self.history(holder, of.as_ref(), *deep, span),
        };
        match from {
            LineEnd::State(name) if self.start_of(name).is_some() => {
                let of = self.start_of(name).unwrap_or(holder);
                self.start(of, target, label, span);
            }
            LineEnd::State(name) => {
                let source = self.declared(name, holder);
                if matches!(self.machine.state(source).kind, StateKind::History(_)) {
                    self.start(source, target, label, span);
                    return;
                }
                for trigger in self.triggers(label.trigger.as_ref(), source) {
                    self.machine.states[source.0]
                        .transitions
                        .push(ChartTransition {
                            span: span.clone(),
                            trigger,
                            guard: label.guard.clone(),
                            actions: label.actions.clone(),
                            targets: vec![target],
                            reach: TransitionReach::External,
                        });
                }
            }
            LineEnd::Point(_) => self.start(holder, target, label, span),
            LineEnd::History { of, deep, span } => {
                let history = self.history(holder, of.as_ref(), *deep, span);
                self.start(history, target, label, span);
            }
        }
    }

    /// `[*] --> A`, or where a history goes without a past.
    fn start(&mut self, of: StateId, target: StateId, label: TransitionLabel, span: &ChartSpan) {
        // An event's name at a start only tells why the chart, or the state, began.
        let waits = label.trigger.filter(|text| is_time(&text.text));
        let unwanted = waits.or(label.guard);
        if let Some(text) = unwanted {
            self.collector.advise(
                text.span,
                "a start waits for nothing",
                "leave the time and the guard out",
            );
        }
        let state: &mut ChartState = &mut self.machine.states[of.0];
        if state.initial.is_some() {
            let name = state.name.text.clone();
            self.collector.advise(
                span.clone(),
                format!("`{name}` starts twice"),
                "keep one of the two starts",
            );
            return;
        }
        state.initial = Some(ChartStart {
            span: span.clone(),
            targets: vec![target],
            actions: label.actions,
        });
    }

    /// The final state of a block.
    fn end_of(&mut self, holder: StateId, span: &ChartSpan) -> StateId {
        let known = self
            .machine
            .active_children(holder)
            .find(|&child| self.machine.state(child).kind == StateKind::Final);
        known.unwrap_or_else(|| {
            let name = self.free(&format!("{}_end", self.machine.state(holder).name.text));
            self.add(ChartText::new(name, span.clone()), holder, StateKind::Final)
        })
    }

    fn history(
        &mut self,
        holder: StateId,
        of: Option<&ChartText>,
        deep: bool,
        span: &ChartSpan,
    ) -> StateId {
        let parent = match of {
            Some(name) => self.declared(name, holder),
            None => holder,
        };
        let depth = if deep { Depth::Deep } else { Depth::Shallow };
        let known = self.machine.state(parent).children.iter().copied();
        let known = known
            .into_iter()
            .find(|&child| self.machine.state(child).kind == StateKind::History(depth));
        known.unwrap_or_else(|| {
            let kind = if deep { "deep_history" } else { "history" };
            let name = self.free(&format!("{}_{kind}", self.machine.state(parent).name.text));
            self.add(
                ChartText::new(name, span.clone()),
                parent,
                StateKind::History(depth),
            )
        })
    }

    /// `X : entry / …`, `X : exit / …`, `X : event [guard] / …`.
    fn behaviour(&mut self, state: &ChartText, text: &ChartText) {
        let Some(id) = self.machine.find(&state.text) else {
            return;
        };
        let first = text.text.split([' ', ':', '/']).next().unwrap_or("");
        let is_own = matches!(first, "entry" | "exit" | "do");
        if !is_own && is_slash_in_words(&text.text) {
            if !text.text.contains("://") {
                self.collector.advise(
                    text.span.clone(),
                    format!("`{}` may be a description, or an event and an action", text.text),
                    "write `X : event / action` with blanks at the slash; make a description a comment (`' …`)",
                );
            }
            return;
        }
        let label = label(text, self.collector);
        if !label.acts && !is_own {
            // A description.
            return;
        }
        if !label.acts {
            self.collector.advise(
                text.span.clone(),
                format!("`{}` is not read: it does nothing", text.text),
                "write `X : entry / action`, or make a description a comment (`' …`)",
            );
            return;
        }
        let word = label.trigger.as_ref().map_or("", |text| text.text.as_str());
        match (word, &label.guard) {
            ("entry", None) => self.machine.states[id.0].entry.extend(label.actions),
            ("exit", None) => self.machine.states[id.0].exit.extend(label.actions),
            ("do", _) => self.collector.advise(
                text.span.clone(),
                "activities (`do /`) are not read",
                "use `entry /` and an `after` transition",
            ),
            _ => {
                for trigger in self.triggers(label.trigger.as_ref(), id) {
                    self.machine.states[id.0].transitions.push(ChartTransition {
                        span: text.span.clone(),
                        trigger,
                        guard: label.guard.clone(),
                        actions: label.actions.clone(),
                        targets: Vec::new(),
                        reach: TransitionReach::External,
                    });
                }
            }
        }
    }

    /// What starts at a state that stands for `[*]`.
    fn start_of(&self, name: &ChartText) -> Option<StateId> {
        let mut starts = self.starts.iter();
        starts
            .find(|(start, _)| *start == name.text)
            .map(|(_, of)| *of)
    }

    /// Several events between commas are several arrows.
    fn triggers(&mut self, text: Option<&ChartText>, source: StateId) -> Vec<Trigger> {
        let Some(text) = text else {
            let composite = self.machine.active_children(source).next().is_some();
            return vec![match composite {
                true => Trigger::Done(source),
                false => Trigger::Eventless,
            }];
        };
        let pieces = crate::charts::scxml::split_outside_brackets(&text.text);
        let pieces = pieces
            .into_iter()
            .map(|(at, piece)| trimmed(piece, text.span.start + at));
        pieces.filter_map(|piece| self.trigger(&piece)).collect()
    }

    fn trigger(&mut self, text: &ChartText) -> Option<Trigger> {
        if is_time(&text.text) {
            let rest = &text.text["after".len()..];
            let inner = rest.trim().trim_start_matches('(').trim_end_matches(')');
            let written = ChartText::new(inner.trim(), text.span.clone());
            return time(&written, self.collector)
                .map(|seconds| Trigger::After(seconds, text.span.clone()));
        }
        // Parameters are declared with the input; naming them here again only documents the arrow.
        let name = text.text.split('(').next().unwrap_or("").trim_end();
        if name.is_empty() || name.contains(['<', '>', '=']) {
            self.collector.advise(
                text.span.clone(),
                format!("`{}` is no trigger that is read", text.text),
                "write an event, several events between commas, or `after 20`; a condition stands in brackets: `[x > 1]`",
            );
            return None;
        }
        let span = text.span.start..text.span.start + name.len();
        self.parameters_match(text, name);
        Some(Trigger::Event(ChartText::new(name, span)))
    }

    /// Names in brackets behind an event must be those of its declaration.
    fn parameters_match(&mut self, text: &ChartText, name: &str) {
        let Some((_, inner)) = text.text.split_once('(') else {
            return;
        };
        let written: Vec<&str> = inner
            .trim_end_matches(')')
            .split(',')
            .map(str::trim)
            .filter(|name| !name.is_empty())
            .collect();
        let declared = self
            .machine
            .inputs
            .iter()
            .find(|input| input.name.text == name);
        let declared: Vec<&str> = declared.map_or(Vec::new(), |input| {
            input
                .parameters
                .iter()
                .map(|(name, _)| name.text.as_str())
                .collect()
        });
        if written != declared {
            self.collector.advise(
                text.span.clone(),
                format!(
                    "`{name}` is declared with the parameters ({})",
                    declared.join(", ")
                ),
                format!("declare it above its first arrow: `'! input {name}(x: int[0..9])`"),
            );
        }
    }

    /// States with states inside are compound, the rest has none.
    fn settle_kinds(&mut self) {
        for id in self.machine.ids() {
            if self.machine.state(id).kind == StateKind::Atomic
                && self.machine.active_children(id).next().is_some()
            {
                self.machine.states[id.0].kind = StateKind::Compound;
            }
            let region = self
                .machine
                .state(id)
                .parent
                .is_some_and(|parent| self.machine.state(parent).kind == StateKind::Parallel);
            if region && self.machine.active_children(id).next().is_none() {
                let name = self.machine.state(id).name.clone();
                self.collector.advise(
                    name.span,
                    format!("the region `{}` is empty", name.text),
                    "put states into it, or remove a `--`",
                );
            }
        }
    }
}

/// `after 20`, `after(20)`.
fn is_time(text: &str) -> bool {
    let rest = text.strip_prefix("after");
    rest.is_some_and(|rest| rest.starts_with([' ', '(']))
}

/// `read/write` and addresses have no blank at their slash, as an event and an action do.
fn is_slash_in_words(text: &str) -> bool {
    let slash = outside_brackets(text, '/');
    slash.is_some_and(|at| {
        let before = text[..at].ends_with(char::is_whitespace);
        !before && !text[at + 1..].starts_with(char::is_whitespace)
    })
}

/// Whether the block that these lines start in has separators of its own.
fn separated(lines: &[Line]) -> bool {
    let mut depth = 0;
    for line in lines {
        match line {
            Line::Open(_) => depth += 1,
            Line::Close(_) if depth == 0 => return false,
            Line::Close(_) => depth -= 1,
            Line::Separator(_) if depth == 0 => return true,
            _ => {}
        }
    }
    false
}
