//! A class's state machine: regions, vertices, transitions and what sets these off.

use super::document::Element;
use super::{Reader, behaviour, class};
use crate::charts::chart::{
    ChartAction, ChartStart, ChartText, ChartTransition, Depth, Machine, StateId, StateKind,
    TransitionReach, Trigger,
};
use crate::charts::scxml::{blank, time};
use crate::charts::{MOST_NESTED, MOST_STATES};
use std::collections::HashMap;

/// The machine under way.
struct Builder<'a> {
    machine: Machine,
    vertices: HashMap<&'a str, StateId>,
    /// How often each name was wanted.
    names: HashMap<String, usize>,
    /// Initial pseudostates, with what starts there.
    starts: HashMap<&'a str, StateId>,
    states: Vec<(StateId, Element<'a>)>,
    regions: Vec<Element<'a>>,
}

pub fn machine<'a>(
    class: Element<'a>,
    behaviour: Element<'a>,
    reader: &mut Reader<'a, '_>,
) -> Machine {
    let name = class.name().or_else(|| behaviour.name());
    let name = name.unwrap_or_else(|| ChartText::new("Machine", class.head()));
    let mut builder = Builder {
        machine: Machine {
            name: name.clone(),
            states: vec![blank(name, None, StateKind::Compound)],
            data: Vec::new(),
            references: Vec::new(),
            inputs: Vec::new(),
            outputs: Vec::new(),
            queue: crate::charts::DEFAULT_QUEUE,
        },
        vertices: HashMap::new(),
        names: HashMap::new(),
        starts: HashMap::new(),
        states: Vec::new(),
        regions: Vec::new(),
    };
    class::attributes(class, &mut builder.machine, reader);
    if behaviour != class {
        class::attributes(behaviour, &mut builder.machine, reader);
    }
    if let Some(general) = class.child("generalization") {
        reader.advise(
            general,
            "inheritance is not read",
            "repeat what the class inherits",
        );
    }
    builder.regions(behaviour, StateId::ROOT, 0, reader);
    for (id, element) in std::mem::take(&mut builder.states) {
        builder.fill(id, element, reader);
    }
    for region in std::mem::take(&mut builder.regions) {
        for transition in region.named("transition") {
            builder.transition(transition, reader);
        }
    }
    builder.outputs(reader);
    builder.machine
}

impl<'a> Builder<'a> {
    fn add(
        &mut self,
        name: Option<ChartText>,
        element: Element<'a>,
        parent: StateId,
        kind: StateKind,
    ) -> StateId {
        let outer = self.machine.state(parent).name.text.clone();
        let mut name = name.unwrap_or_else(|| {
            let text = format!("{outer}_{}", self.machine.state(parent).children.len() + 1);
            ChartText::new(text, element.head())
        });
        // Vertices of different regions may have the same name.
        if self.names.contains_key(&name.text) {
            name.text = format!("{outer}_{}", name.text);
        }
        let used = self.names.get(&name.text).copied().unwrap_or(0);
        self.names.insert(name.text.clone(), used + 1);
        if used > 0 {
            name.text = format!("{}_{}", name.text, used + 1);
            self.names.insert(name.text.clone(), 1);
        }
        let id = StateId(self.machine.states.len());
        self.machine.states.push(blank(name, Some(parent), kind));
        self.machine.states[parent.0].children.push(id);
        if let Some(xmi) = element.id() {
            self.vertices.insert(xmi, id);
        }
        id
    }

    /// The regions of a state, or of the whole machine.
    fn regions(
        &mut self,
        owner: Element<'a>,
        id: StateId,
        depth: usize,
        reader: &mut Reader<'a, '_>,
    ) {
        if self.is_too_large(owner, depth, reader) {
            return;
        }
        let regions: Vec<Element> = owner.named("region").collect();
        let mut parallel = id;
        if regions.len() > 1 && id == StateId::ROOT {
            let name = ChartText::new("Regions", owner.head());
            parallel = self.add(Some(name), owner, id, StateKind::Parallel);
        }
        let single = regions.len() == 1;
        self.machine.states[parallel.0].kind = match (regions.len(), parallel == StateId::ROOT) {
            (0, false) => StateKind::Atomic,
            (0 | 1, _) => StateKind::Compound,
            _ => StateKind::Parallel,
        };
        self.points(owner, id, single);
        for region in regions {
            self.regions.push(region);
            let holder = match single {
                true => id,
                false => self.add(region.name(), region, parallel, StateKind::Compound),
            };
            for vertex in region.named("subvertex") {
                self.vertex(vertex, holder, depth, reader);
            }
        }
    }

    /// Complains once.
    fn is_too_large(&self, at: Element<'a>, depth: usize, reader: &mut Reader<'a, '_>) -> bool {
        let is_too_large = depth > MOST_NESTED || self.machine.states.len() > MOST_STATES;
        if is_too_large && reader.collector.is_empty() {
            let message = format!(
                "this machine has more than {MOST_STATES} states, or states nested more than {MOST_NESTED} deep"
            );
            reader.advise(at, message, "machines are read up to that size");
        }
        is_too_large
    }

    /// Entry and exit points on a state's border.
    fn points(&mut self, owner: Element<'a>, id: StateId, single: bool) {
        for point in owner.named("connectionPoint") {
            let is_exit = point
                .attribute("kind")
                .is_some_and(|kind| kind.text == "exitPoint");
            let outside = self.machine.state(id).parent.unwrap_or(StateId::ROOT);
            let (parent, kind) = match (is_exit, single) {
                (true, _) => (outside, StateKind::Junction),
                (false, true) => (id, StateKind::Choice),
                (false, false) => (outside, StateKind::Fork),
            };
            self.add(point.name(), point, parent, kind);
        }
    }

    fn vertex(
        &mut self,
        vertex: Element<'a>,
        holder: StateId,
        depth: usize,
        reader: &mut Reader<'a, '_>,
    ) {
        if self.is_too_large(vertex, depth, reader) {
            return;
        }
        match vertex.kind() {
            "State" => {
                if let Some(other) = vertex.attribute("submachine") {
                    reader.collector.advise(
                        other.span,
                        "submachines are not read",
                        "draw the states of the submachine inside the state",
                    );
                }
                let id = self.add(vertex.name(), vertex, holder, StateKind::Atomic);
                self.states.push((id, vertex));
                self.regions(vertex, id, depth + 1, reader);
            }
            "FinalState" => {
                self.add(vertex.name(), vertex, holder, StateKind::Final);
            }
            "Pseudostate" => self.pseudostate(vertex, holder, reader),
            kind => {
                let message = format!("a vertex of the type `{kind}` is not read");
                reader.advise(vertex, message, "use states, final states and pseudostates");
            }
        }
    }

    fn pseudostate(&mut self, vertex: Element<'a>, holder: StateId, reader: &mut Reader<'a, '_>) {
        let kind = vertex.attribute("kind");
        let kind = match kind.as_ref().map_or("initial", |kind| &kind.text) {
            "initial" => {
                if let Some(id) = vertex.id() {
                    self.starts.insert(id, holder);
                }
                return;
            }
            "shallowHistory" => StateKind::History(Depth::Shallow),
            "deepHistory" => StateKind::History(Depth::Deep),
            "choice" | "entryPoint" => StateKind::Choice,
            "junction" | "exitPoint" => StateKind::Junction,
            "fork" => StateKind::Fork,
            "join" => StateKind::Join,
            other => {
                let message = format!("the pseudostate `{other}` is not read");
                reader.advise(
                    vertex,
                    message,
                    "use a final state, or an output that tells of the end",
                );
                return;
            }
        };
        self.add(vertex.name(), vertex, holder, kind);
    }

    /// What is inside a state besides its regions.
    fn fill(&mut self, id: StateId, state: Element<'a>, reader: &mut Reader<'a, '_>) {
        for (tag, is_entry) in [("entry", true), ("exit", false)] {
            let Some(found) = self.behaviour(state, tag, reader) else {
                continue;
            };
            let actions = behaviour::actions(found, &self.machine, reader);
            let state = &mut self.machine.states[id.0];
            match is_entry {
                true => state.entry.extend(actions),
                false => state.exit.extend(actions),
            }
        }
        for (tag, message, advice) in [
            (
                "doActivity",
                "activities (`doActivity`) are not read",
                "use an entry and a transition after a time",
            ),
            (
                "deferrableTrigger",
                "deferred events are not read",
                "keep in a variable that the event came",
            ),
        ] {
            if let Some(child) = state.child(tag) {
                reader.advise(child, message, advice);
            } else if let Some(place) = state.attribute(tag) {
                reader.collector.advise(place.span, message, advice);
            }
        }
    }

    /// An owned behaviour, or one that is referred to.
    fn behaviour(
        &self,
        element: Element<'a>,
        tag: &'a str,
        reader: &Reader<'a, '_>,
    ) -> Option<Element<'a>> {
        let child = element
            .child(tag)
            .filter(|child| !child.kind().is_empty() || child.name().is_some());
        child.or_else(|| reader.ids.referred(element, tag))
    }

    fn end(
        &self,
        transition: Element<'a>,
        which: &str,
        reader: &mut Reader<'a, '_>,
    ) -> Option<ChartText> {
        let end = transition.reference(which);
        let known = |id: &ChartText| {
            self.vertices.contains_key(id.text.as_str())
                || self.starts.contains_key(id.text.as_str())
        };
        if end.as_ref().is_none_or(|id| !known(id)) && reader.collector.is_empty() {
            let message = format!("the {which} of this transition is no vertex of its machine");
            reader.advise(transition, message, "connect it to a state");
        }
        end.filter(known)
    }

    fn transition(&mut self, transition: Element<'a>, reader: &mut Reader<'a, '_>) {
        let source = self.end(transition, "source", reader);
        let target = self.end(transition, "target", reader);
        let (Some(source), Some(target)) = (source, target) else {
            return;
        };
        let effect = self.behaviour(transition, "effect", reader);
        let actions = match effect {
            Some(effect) => behaviour::actions(effect, &self.machine, reader),
            None => Vec::new(),
        };
        let Some(&target) = self.vertices.get(target.text.as_str()) else {
            reader.advise(
                transition,
                "a transition leads to an initial pseudostate",
                "lead it to the state around it, or use an entry point",
            );
            return;
        };
        let guard = behaviour::guard(transition, reader);
        let start = self.starts.get(source.text.as_str()).copied();
        let source = self.vertices.get(source.text.as_str()).copied();
        let history =
            source.filter(|&id| matches!(self.machine.state(id).kind, StateKind::History(_)));
        if let Some(of) = start.or(history) {
            if transition.child("trigger").is_some() || guard.is_some() {
                reader.advise(
                    transition,
                    "a start waits for nothing",
                    "leave trigger and guard out",
                );
            }
            let targets = vec![target];
            self.machine.states[of.0].initial = Some(ChartStart {
                span: transition.head(),
                targets,
                actions,
            });
            return;
        }
        let Some(source) = source else { return };
        let kind = transition.attribute("kind");
        let (targets, reach) = match kind.as_ref().map_or("external", |kind| &kind.text) {
            "internal" => (Vec::new(), TransitionReach::External),
            "local" => (vec![target], TransitionReach::Local),
            _ => (vec![target], TransitionReach::External),
        };
        for trigger in self.triggers(source, transition, reader) {
            self.machine.states[source.0]
                .transitions
                .push(ChartTransition {
                    span: transition.head(),
                    trigger,
                    guard: guard.clone(),
                    actions: actions.clone(),
                    targets: targets.clone(),
                    reach,
                });
        }
    }

    fn triggers(
        &mut self,
        source: StateId,
        transition: Element<'a>,
        reader: &mut Reader<'a, '_>,
    ) -> Vec<Trigger> {
        let mut found = Vec::new();
        let mut waits = false;
        for trigger in transition.named("trigger") {
            waits = true;
            found.extend(self.trigger(trigger, reader));
        }
        if !waits {
            let composite = self.machine.active_children(source).next().is_some();
            found.push(match composite {
                true => Trigger::Done(source),
                false => Trigger::Eventless,
            });
        }
        found
    }

    fn trigger(&mut self, trigger: Element<'a>, reader: &mut Reader<'a, '_>) -> Option<Trigger> {
        let event = reader.ids.referred(trigger, "event");
        let Some(event) = event else {
            let name = trigger.name();
            if name.is_none() {
                reader.advise(
                    trigger,
                    "this trigger has no event",
                    "give it a `uml:SignalEvent`, `uml:CallEvent` or `uml:TimeEvent`",
                );
            }
            return name.map(Trigger::Event);
        };
        let what = match event.kind() {
            "TimeEvent" => return self.time_event(event, reader),
            "SignalEvent" => reader.ids.referred(event, "signal"),
            "CallEvent" => reader.ids.referred(event, "operation"),
            kind => {
                let message = format!("events of the type `{kind}` are not read");
                let advice = "use signals, calls and times; a change is a transition without trigger and with a guard";
                reader.advise(event, message, advice);
                return None;
            }
        };
        let named = what.unwrap_or(event);
        let Some(name) = named.name().or_else(|| trigger.name()) else {
            reader.advise(
                event,
                "this event has no name",
                "name its signal or operation",
            );
            return None;
        };
        let known = self
            .machine
            .inputs
            .iter()
            .any(|input| input.name.text == name.text);
        if !known && let Some(what) = what {
            self.machine.inputs.extend(class::signature(what, reader));
        }
        Some(Trigger::Event(name))
    }

    fn time_event(&mut self, event: Element<'a>, reader: &mut Reader<'a, '_>) -> Option<Trigger> {
        let relative = event.attribute("isRelative");
        if relative.is_none_or(|relative| relative.text != "true") {
            reader.advise(
                event,
                "times of the clock are not read",
                "let the time count from the entry of the state: `isRelative=\"true\"`",
            );
            return None;
        }
        let when = event.child("when");
        let expression = when.and_then(|when| when.child("expr")).or(when);
        let text = expression.and_then(|e| e.value("value").or_else(|| e.value("body")));
        let Some(text) = text.or_else(|| event.name()) else {
            reader.advise(
                event,
                "this time event has no time",
                "write it as `when`, for example `20s`",
            );
            return None;
        };
        time(&text, reader.collector).map(|seconds| Trigger::After(seconds, text.span))
    }

    /// Outputs with values are declared by signals (or operations) of that name.
    fn outputs(&mut self, reader: &mut Reader<'a, '_>) {
        let mut wanted: Vec<String> = Vec::new();
        for action in self.machine.actions() {
            if let ChartAction::Observe { name, arguments } = action
                && !arguments.is_empty()
                && !wanted.contains(&name.text)
            {
                wanted.push(name.text.clone());
            }
        }
        for name in wanted {
            let element = reader.ids.declaring(&name);
            let signature = element.and_then(|element| class::signature(element, reader));
            self.machine.outputs.extend(signature);
        }
    }
}
