//! Which mutants of its shape a chart has.

use super::element::{element_text, replaced};
use super::{ActionPlace, Arrow, ChartMutant, Edit, Owner};
use crate::charts::chart::{
    Chart, ChartAction, ChartSpan, ChartText, ChartTransition, Depth, Machine, StateId, StateKind,
    Trigger,
};
use crate::mutation::ModelOperator;

/// A target, a trigger, an observation or a start is replaced by so many others at most.
const ALTERNATIVES: usize = 2;

/// All mutants of the chart's shape, in the order of its text. `source` is that text.
pub fn find(chart: &Chart, source: &str) -> Vec<ChartMutant> {
    let mut found = Vec::new();
    for (number, machine) in chart.machines.iter().enumerate() {
        let mut finder = Finder {
            source,
            machine,
            number,
            found: &mut found,
        };
        for id in machine.ids() {
            finder.state(id);
        }
    }
    found.sort_by_key(|mutant| (mutant.span.start, mutant.machine));
    found
}

/// The arrows of a state: transitions that differ in nothing but their event are one element.
pub fn arrows(machine: &Machine, source: StateId) -> Vec<Arrow> {
    let all = &machine.state(source).transitions;
    let mut arrows: Vec<Arrow> = Vec::new();
    for (at, transition) in all.iter().enumerate() {
        let same = |arrow: &&mut Arrow| {
            let first: &ChartTransition = &all[arrow.transitions[0]];
            let events = |t: &ChartTransition| matches!(t.trigger, Trigger::Event(_));
            first.span == transition.span
                && events(first)
                && events(transition)
                && first.guard == transition.guard
                && first.targets == transition.targets
                && first.actions == transition.actions
        };
        match arrows.iter_mut().find(same) {
            Some(arrow) => arrow.transitions.push(at),
            None => arrows.push(Arrow {
                source,
                transitions: vec![at],
            }),
        }
    }
    arrows
}

struct Finder<'a> {
    source: &'a str,
    machine: &'a Machine,
    number: usize,
    found: &'a mut Vec<ChartMutant>,
}

impl Finder<'_> {
    fn add(&mut self, edit: Edit, operator: ModelOperator, span: &ChartSpan, replacement: String) {
        self.found.push(ChartMutant {
            machine: self.number,
            edit,
            operator,
            span: span.clone(),
            replacement,
        });
    }

    fn state(&mut self, id: StateId) {
        let machine = self.machine;
        for arrow in arrows(machine, id) {
            self.arrow(&arrow);
        }
        let state = machine.state(id);
        self.actions(&Owner::Entry(id), &state.entry, ModelOperator::RemoveEntry);
        self.actions(&Owner::Exit(id), &state.exit, ModelOperator::RemoveExit);
        if let Some(start) = &state.initial {
            let removed = ModelOperator::RemoveAction;
            self.actions(&Owner::Initial(id), &start.actions, removed);
        }
        match state.kind {
            StateKind::Compound => self.start(id),
            StateKind::History(depth) => self.history(id, depth),
            _ => {}
        }
    }

    fn arrow(&mut self, arrow: &Arrow) {
        let transition = &self.machine.state(arrow.source).transitions[arrow.transitions[0]];
        let span = element_text(self.source, &transition.span);
        let text = &self.source[span.clone()];
        self.add(
            Edit::Disable(arrow.clone()),
            ModelOperator::DisableTransition,
            &span,
            "(never taken)".into(),
        );
        if let [target] = transition.targets[..] {
            let old = &self.machine.state(target).name.text;
            for other in self.other_targets(target) {
                let new = &self.machine.state(other).name.text;
                let into = format!("(leads to {new} instead of {old})");
                let edit = Edit::Target(arrow.clone(), other);
                let text = last_word_replaced(text, old, new).unwrap_or(into);
                self.add(edit, ModelOperator::ReplaceTarget, &span, text);
            }
        }
        if let Some(guard) = &transition.guard {
            let text = replaced(self.source, &span, &guard.span, "true")
                .unwrap_or_else(|| "(taken without its guard)".into());
            let edit = Edit::DropGuard(arrow.clone());
            self.add(edit, ModelOperator::RemoveGuard, &span, text);
        }
        match &transition.trigger {
            Trigger::Event(event) if arrow.transitions.len() == 1 => {
                for other in self.other_events(event, arrow.source) {
                    let text = replaced(self.source, &span, &event.span, &other.text);
                    let text = text.unwrap_or_else(|| {
                        format!("(at {} instead of {})", other.text, event.text)
                    });
                    let edit = Edit::Trigger(arrow.clone(), other);
                    self.add(edit, ModelOperator::ReplaceTrigger, &span, text);
                }
            }
            Trigger::After(time, written) => self.time(arrow, *time, &span, written),
            _ => {}
        }
        let owner = Owner::Arrow(arrow.clone());
        let actions = transition.actions.clone();
        self.actions(&owner, &actions, ModelOperator::RemoveAction);
    }

    /// The first of a state's transitions with a time stands for all of them: they share a timer.
    fn time(&mut self, arrow: &Arrow, time: u32, span: &ChartSpan, written: &ChartSpan) {
        let transitions = &self.machine.state(arrow.source).transitions;
        let first = transitions
            .iter()
            .position(|t| matches!(t.trigger, Trigger::After(other, _) if other == time));
        if first != Some(arrow.transitions[0]) {
            return;
        }
        for other in other_times(time) {
            let edit = Edit::Time {
                state: arrow.source,
                time,
                other,
            };
            let number =
                self.source[written.clone()].replacen(&time.to_string(), &other.to_string(), 1);
            let text = match number == self.source[written.clone()] {
                true => None,
                false => replaced(self.source, span, written, &number),
            };
            let text = text.unwrap_or_else(|| format!("(after {other} instead of {time})"));
            self.add(edit, ModelOperator::ReplaceTime, span, text);
        }
    }

    /// Other states to lead to: siblings; for a history the state whose past it is.
    fn other_targets(&self, target: StateId) -> Vec<StateId> {
        let machine = self.machine;
        let Some(parent) = machine.state(target).parent else {
            return Vec::new();
        };
        match (&machine.state(target).kind, &machine.state(parent).kind) {
            (StateKind::History(_), _) if parent != StateId::ROOT => vec![parent],
            (StateKind::History(_), _) => Vec::new(),
            (_, StateKind::Compound) => self.after(parent, target),
            // The regions of a parallel state are all entered anyway.
            _ => Vec::new(),
        }
    }

    /// Children of `parent` other than `child`: those that come after it first.
    fn after(&self, parent: StateId, child: StateId) -> Vec<StateId> {
        let children: Vec<StateId> = self.machine.active_children(parent).collect();
        let at = children.iter().position(|other| *other == child);
        let (before, after) = children.split_at(at.map_or(0, |at| at + 1));
        let others = after.iter().chain(before).copied();
        others
            .filter(|other| *other != child)
            .take(ALTERNATIVES)
            .collect()
    }

    /// Other events that the machine waits for, with the same parameters, brought in the same way. One that the state
    /// itself waits for comes last.
    fn other_events(&self, event: &ChartText, source: StateId) -> Vec<ChartText> {
        let machine = self.machine;
        let waits = |id: StateId, name: &str| {
            let mut events = machine.state(id).transitions.iter();
            events.any(|t| matches!(&t.trigger, Trigger::Event(e) if e.text == name))
        };
        let mut others: Vec<ChartText> = Vec::new();
        for (_, transition) in machine.transitions() {
            if let Trigger::Event(other) = &transition.trigger
                && other.text != event.text
                && others.iter().all(|known| known.text != other.text)
                && parameters(machine, &other.text) == parameters(machine, &event.text)
                && is_brought(machine, &other.text) == is_brought(machine, &event.text)
            {
                others.push(other.clone());
            }
        }
        others.sort_by_key(|other| waits(source, &other.text));
        others.truncate(ALTERNATIVES);
        others
    }

    fn actions(&mut self, owner: &Owner, actions: &[ChartAction], removed: ModelOperator) {
        self.list(owner, &[], actions, removed);
    }

    fn list(
        &mut self,
        owner: &Owner,
        branches: &[(usize, usize)],
        actions: &[ChartAction],
        removed: ModelOperator,
    ) {
        for (at, action) in actions.iter().enumerate() {
            let place = ActionPlace {
                owner: owner.clone(),
                branches: branches.to_vec(),
                at,
            };
            if let ChartAction::If(inner) = action {
                for (branch, (_, actions)) in inner.iter().enumerate() {
                    let mut branches = branches.to_vec();
                    branches.push((at, branch));
                    self.list(owner, &branches, actions, removed);
                }
                continue;
            }
            let Some(written) = action.span() else {
                continue;
            };
            let span = element_text(self.source, &written);
            let left_out = "(left out)".to_owned();
            self.add(Edit::Remove(place.clone()), removed, &span, left_out);
            self.changed(place, action, &span);
        }
    }

    fn changed(&mut self, place: ActionPlace, action: &ChartAction, span: &ChartSpan) {
        match action {
            ChartAction::Observe { name, .. } => {
                for other in self.other_observations(name) {
                    let text = replaced(self.source, span, &name.span, &other.text)
                        .unwrap_or_else(|| format!("({})", other.text));
                    let edit = Edit::Observe(place.clone(), other);
                    self.add(edit, ModelOperator::ReplaceObservation, span, text);
                }
            }
            ChartAction::Delay { time, .. } => {
                for other in other_times(*time) {
                    let text = format!("(after {other} instead of {time})");
                    let edit = Edit::Delay(place.clone(), other);
                    self.add(edit, ModelOperator::ReplaceTime, span, text);
                }
            }
            _ => {}
        }
    }

    fn other_observations(&self, name: &ChartText) -> Vec<ChartText> {
        let machine = self.machine;
        let mut others: Vec<ChartText> = Vec::new();
        for action in machine.actions() {
            if let ChartAction::Observe { name: other, .. } = action
                && other.text != name.text
                && others.iter().all(|known| known.text != other.text)
                && outputs(machine, &other.text) == outputs(machine, &name.text)
            {
                others.push(other.clone());
            }
        }
        others.truncate(ALTERNATIVES);
        others
    }

    fn start(&mut self, id: StateId) {
        let start = self.machine.start(id);
        let [target] = start.targets[..] else { return };
        if self.machine.state(target).parent != Some(id) {
            return;
        }
        let span = element_text(self.source, &start.span);
        let old = &self.machine.state(target).name.text;
        for other in self.other_targets(target) {
            let new = &self.machine.state(other).name.text;
            let text = &self.source[span.clone()];
            let text = match self.machine.state(id).initial {
                Some(_) => last_word_replaced(text, old, new),
                None => None,
            };
            let text = text.unwrap_or_else(|| format!("(starts in {new} instead of {old})"));
            let edit = Edit::Initial(id, other);
            self.add(edit, ModelOperator::ReplaceStart, &span, text);
        }
    }

    /// Only where there is something further down to remember.
    fn history(&mut self, id: StateId, depth: Depth) {
        let machine = self.machine;
        let Some(parent) = machine.state(id).parent else {
            return;
        };
        let below = |child: StateId| {
            matches!(
                machine.state(child).kind,
                StateKind::Compound | StateKind::Parallel
            )
        };
        let compound = machine.state(parent).kind == StateKind::Compound;
        if !compound || !machine.active_children(parent).any(below) {
            return;
        }
        let span = element_text(self.source, &machine.state(id).name.span);
        let text = match depth {
            Depth::Shallow => "(remembers all the way down)",
            Depth::Deep => "(remembers one level)",
        };
        let edit = Edit::HistoryDepth(id);
        self.add(edit, ModelOperator::ReplaceHistory, &span, text.into());
    }
}

fn other_times(time: u32) -> Vec<u32> {
    let later = time.checked_add(1);
    let sooner = time.checked_sub(1).filter(|sooner| *sooner > 0);
    later.into_iter().chain(sooner).collect()
}

/// The types of an event's parameters.
fn parameters<'m>(machine: &'m Machine, event: &str) -> Vec<(&'m str, &'m str)> {
    declared(&machine.inputs, event)
}

fn outputs<'m>(machine: &'m Machine, name: &str) -> Vec<&'m str> {
    let all = declared(&machine.outputs, name);
    all.into_iter().map(|(_, kind)| kind).collect()
}

fn declared<'m>(
    signatures: &'m [crate::charts::chart::Signature],
    wanted: &str,
) -> Vec<(&'m str, &'m str)> {
    let ours = signatures.iter().filter(|s| s.name.text == wanted);
    ours.flat_map(|signature| &signature.parameters)
        .map(|(name, kind)| (name.text.as_str(), kind.text.as_str()))
        .collect()
}

/// Whether the machine brings the event to itself.
fn is_brought(machine: &Machine, event: &str) -> bool {
    machine.actions().into_iter().any(|action| match action {
        ChartAction::Raise(raised) | ChartAction::SendSelf(raised) => raised.text == event,
        ChartAction::Delay { event: delayed, .. } => delayed.text == event,
        _ => false,
    })
}

/// The text with the last occurrence of a whole word replaced.
fn last_word_replaced(text: &str, old: &str, new: &str) -> Option<String> {
    let part = |c: char| c.is_alphanumeric() || c == '_';
    // The label of an arrow comes after its target.
    let body = match text.find(" : ") {
        Some(at) if !text.starts_with('<') => &text[..at],
        _ => text,
    };
    let whole = |at: &usize| {
        let before = body[..*at].chars().next_back();
        let after = body[at + old.len()..].chars().next();
        !before.is_some_and(part) && !after.is_some_and(part)
    };
    let places = body.match_indices(old).map(|(at, _)| at);
    let at = places.filter(whole).last()?;
    Some(format!("{}{new}{}", &text[..at], &text[at + old.len()..]))
}
