//! One `<scxml>`: its states are declared first, so that the second pass can resolve every target.

use super::action::{actions, time};
use super::element::{Element, Owner};
use super::{ecmascript, events, network};
use crate::charts::chart::{
    Chart, Data, Depth, Machine, Reach, Start, State, StateId, StateKind, Text, Transition, Trigger,
};
use crate::charts::names;
use crate::charts::problem::Collector;

const IN_SCXML: &[&str] = &[
    "state",
    "parallel",
    "final",
    "datamodel",
    "at:types",
    "at:input",
    "at:output",
    "at:ref",
    "at:instances",
];
const IN_STATE: &[&str] = &[
    "onentry",
    "onexit",
    "transition",
    "initial",
    "state",
    "parallel",
    "final",
    "history",
    "datamodel",
];

/// Reads one machine; types and instances go to the chart.
pub fn machine(element: Element, chart: &mut Chart, collector: &mut Collector) -> Option<Machine> {
    element.check_attributes(
        &["name", "initial", "version", "datamodel"],
        &["queue"],
        collector,
    );
    element.check_no_text(collector);
    if let Some(model) = element.attribute("datamodel")
        && !matches!(model.text.as_str(), "ooas" | "null" | "ecmascript")
    {
        collector.advise(
            model.span,
            format!("the data model `{}` is not read", model.text),
            "read are `ooas` (also without it), `null`, and a part of `ecmascript`",
        );
    }
    let script = element.attribute("datamodel");
    let script = script.is_some_and(|model| model.text == "ecmascript");
    let name = element
        .attribute("name")
        .unwrap_or_else(|| Text::new("Machine", element.head()));
    let mut machine = Machine {
        name: name.clone(),
        states: vec![blank(name, None, StateKind::Compound)],
        data: Vec::new(),
        references: Vec::new(),
        inputs: Vec::new(),
        outputs: Vec::new(),
        queue: queue(element, collector),
    };
    let mut elements = vec![(StateId::ROOT, element)];
    for child in element.children() {
        match (child.owner(), child.name()) {
            (Owner::W3c, "state" | "parallel" | "final") => {
                declare(child, StateId::ROOT, &mut machine, &mut elements, collector);
            }
            (Owner::W3c, "datamodel") => data(child, &mut machine, collector),
            (Owner::Foreign, _) => {}
            (Owner::Own, "types" | "instances") => network::shared(child, chart, collector),
            (Owner::Own, _) if network::member(child, &mut machine, collector) => {}
            _ => child.reject("scxml", IN_SCXML, collector),
        }
    }
    for (id, element) in elements {
        fill(id, element, &mut machine, collector);
    }
    if script {
        ecmascript::rewrite(&mut machine, collector);
    }
    events::resolve(&mut machine);
    Some(machine)
}

fn queue(element: Element, collector: &mut Collector) -> u32 {
    let Some(text) = element.own_attribute("queue") else {
        return super::super::DEFAULT_QUEUE;
    };
    match text.text.parse() {
        Ok(length) if length > 0 => length,
        _ => {
            collector.advise(
                text.span,
                "a queue has room for a number of events from 1 on",
                "write for example `at:queue=\"4\"`",
            );
            1
        }
    }
}

/// A state with nothing in it yet.
pub fn blank(name: Text, parent: Option<StateId>, kind: StateKind) -> State {
    State {
        name,
        parent,
        kind,
        children: Vec::new(),
        any_order: false,
        initial: None,
        entry: Vec::new(),
        exit: Vec::new(),
        transitions: Vec::new(),
    }
}

fn declare<'a>(
    element: Element<'a>,
    parent: StateId,
    machine: &mut Machine,
    elements: &mut Vec<(StateId, Element<'a>)>,
    collector: &mut Collector,
) {
    let inner = |child: &Element| {
        child.owner() == Owner::W3c && matches!(child.name(), "state" | "parallel" | "final")
    };
    let kind = match element.name() {
        "parallel" => StateKind::Parallel,
        "final" => StateKind::Final,
        "history" => StateKind::History(depth(element, collector)),
        _ if element.children().any(|child| inner(&child)) => StateKind::Compound,
        _ => StateKind::Atomic,
    };
    let name = element
        .required("id", collector)
        .unwrap_or_else(|| Text::new("", element.head()));
    let id = StateId(machine.states.len());
    machine.states.push(blank(name, Some(parent), kind));
    machine.states[parent.0].children.push(id);
    elements.push((id, element));
    for child in element.children() {
        let is_state = inner(&child) || (child.owner() == Owner::W3c && child.name() == "history");
        if is_state && matches!(element.name(), "state" | "parallel") {
            declare(child, id, machine, elements, collector);
        }
    }
}

fn depth(element: Element, collector: &mut Collector) -> Depth {
    match element.attribute("type") {
        None => Depth::Shallow,
        Some(text) => match text.text.as_str() {
            "shallow" => Depth::Shallow,
            "deep" => Depth::Deep,
            other => {
                collector.advise(
                    text.span,
                    format!("a history is not `{other}`"),
                    "write `shallow` or `deep`",
                );
                Depth::Shallow
            }
        },
    }
}

fn data(element: Element, machine: &mut Machine, collector: &mut Collector) {
    element.check_attributes(&[], &[], collector);
    element.check_no_text(collector);
    for child in element.children() {
        if child.owner() != Owner::W3c || child.name() != "data" {
            child.reject("datamodel", &["data"], collector);
            continue;
        }
        child.check_attributes(&["id", "expr"], &["type"], collector);
        let written = child.attribute("expr").or_else(|| child.text());
        let guessed = || {
            let value = written.as_ref()?;
            let kind = ecmascript::guessed_type(&value.text)?;
            Some(Text::new(kind, value.span.clone()))
        };
        let kind = child.own_attribute("type").or_else(guessed);
        if kind.is_none() {
            collector.advise(
                child.head(),
                "a variable needs an OOAS type, unless its first value is a whole number or a truth value",
                "write for example `at:type=\"int[0..9]\"`",
            );
        }
        let value = child
            .attribute("expr")
            .or_else(|| child.text().filter(|text| !text.text.trim().is_empty()));
        if value.is_none() {
            collector.advise(
                child.head(),
                "a variable needs a first value",
                "write for example `expr=\"0\"`",
            );
        }
        let name = child.required("id", collector);
        if let (Some(name), Some(kind)) = (name, kind) {
            machine.data.push(Data { name, kind, value });
        }
    }
}

/// Second pass: what is inside a declared state.
fn fill(id: StateId, element: Element, machine: &mut Machine, collector: &mut Collector) {
    let root = id == StateId::ROOT;
    if let Some(text) = element.attribute("initial") {
        let targets = targets(&text, machine, collector);
        machine.states[id.0].initial = Some(Start {
            targets,
            actions: Vec::new(),
        });
    }
    if root {
        return;
    }
    let (attributes, children): (&[&str], &[&'static str]) = match element.name() {
        "state" => (&["id", "initial"], IN_STATE),
        "parallel" => (
            &["id"],
            &[
                "onentry",
                "onexit",
                "transition",
                "state",
                "parallel",
                "history",
                "datamodel",
            ],
        ),
        "final" => (&["id"], &["onentry", "onexit"]),
        _ => (&["id", "type"], &["transition"]),
    };
    let own: &[&str] = match element.name() {
        "parallel" => &["order"],
        _ => &[],
    };
    element.check_attributes(attributes, own, collector);
    element.check_no_text(collector);
    machine.states[id.0].any_order = any_order(element, collector);
    for child in element.children() {
        if child.owner() == Owner::Foreign {
            continue;
        }
        if child.owner() != Owner::W3c || !children.contains(&child.name()) {
            child.reject(element.name(), children, collector);
            continue;
        }
        match (element.name(), child.name()) {
            (_, "onentry") => {
                child.check_attributes(&[], &[], collector);
                let entry = actions(child, collector);
                machine.states[id.0].entry.extend(entry);
            }
            (_, "onexit") => {
                child.check_attributes(&[], &[], collector);
                let exit = actions(child, collector);
                machine.states[id.0].exit.extend(exit);
            }
            (_, "datamodel") => data(child, machine, collector),
            (_, "initial") => start_element(id, child, machine, collector),
            ("history", "transition") => {
                let start = start_transition(child, machine, collector);
                machine.states[id.0].initial = Some(start);
            }
            (_, "transition") => {
                let transitions = transition(child, machine, collector);
                machine.states[id.0].transitions.extend(transitions);
            }
            _ => {}
        }
    }
}

/// Whether the regions of a parallel state are said to move in any order.
fn any_order(element: Element, collector: &mut Collector) -> bool {
    match element.own_attribute("order") {
        None => false,
        Some(text) => {
            if !matches!(text.text.as_str(), "any" | "document") {
                collector.advise(
                    text.span,
                    format!("regions don't move in the order `{}`", text.text),
                    "write `any`, or `document` (as without it)",
                );
            }
            text.text == "any"
        }
    }
}

/// `<initial>` with its one transition.
fn start_element(id: StateId, element: Element, machine: &mut Machine, collector: &mut Collector) {
    element.check_attributes(&[], &[], collector);
    element.check_no_text(collector);
    let mut transitions = element.named("transition");
    match (transitions.next(), transitions.next()) {
        (Some(one), None) => {
            let start = start_transition(one, machine, collector);
            machine.states[id.0].initial = Some(start);
        }
        _ => collector.advise(
            element.head(),
            "`<initial>` holds exactly one transition",
            "write `<initial><transition target=\"…\"/></initial>`",
        ),
    }
    for child in element.children() {
        if child.name() != "transition" {
            child.reject("initial", &["transition"], collector);
        }
    }
}

fn start_transition(element: Element, machine: &Machine, collector: &mut Collector) -> Start {
    element.check_attributes(&["target"], &[], collector);
    let targets = match element.required("target", collector) {
        Some(text) => targets(&text, machine, collector),
        None => Vec::new(),
    };
    Start {
        targets,
        actions: actions(element, collector),
    }
}

/// One transition per event that the element names.
fn transition(element: Element, machine: &Machine, collector: &mut Collector) -> Vec<Transition> {
    element.check_attributes(&["event", "cond", "target", "type"], &["after"], collector);
    let targets = match element.attribute("target") {
        Some(text) => targets(&text, machine, collector),
        None => Vec::new(),
    };
    let reach = match element.attribute("type") {
        None => Reach::External,
        Some(text) => match text.text.as_str() {
            "external" => Reach::External,
            "internal" => Reach::Local,
            other => {
                collector.advise(
                    text.span,
                    format!("a transition is not `{other}`"),
                    "write `internal` or `external`",
                );
                Reach::External
            }
        },
    };
    let one = Transition {
        span: element.head(),
        trigger: Trigger::Eventless,
        guard: element.attribute("cond"),
        actions: actions(element, collector),
        targets,
        reach,
    };
    triggers(element, machine, collector)
        .into_iter()
        .map(|trigger| Transition {
            trigger,
            ..one.clone()
        })
        .collect()
}

fn triggers(element: Element, machine: &Machine, collector: &mut Collector) -> Vec<Trigger> {
    let after = element.own_attribute("after");
    match (element.attribute("event"), after) {
        (None, None) => vec![Trigger::Eventless],
        (None, Some(text)) => time(&text, collector)
            .map(|seconds| Trigger::After(seconds, text.span))
            .into_iter()
            .collect(),
        (Some(event), None) => pieces(&event)
            .into_iter()
            .filter_map(|event| trigger(event, machine, collector))
            .collect(),
        (Some(_), Some(after)) => {
            collector.advise(
                after.span,
                "a transition waits for an event or for time, not for both",
                "write two transitions",
            );
            Vec::new()
        }
    }
}

fn trigger(event: Text, machine: &Machine, collector: &mut Collector) -> Option<Trigger> {
    if let Some(name) = event.text.strip_prefix("done.state.") {
        let start = event.span.start + "done.state.".len();
        let name = Text::new(name, start..event.span.end);
        return target(&name, machine, collector).map(Trigger::Done);
    }
    Some(Trigger::Event(event))
}

/// The words of an attribute, each with its place.
fn pieces(text: &Text) -> Vec<Text> {
    text.text
        .split_whitespace()
        .map(|word| {
            let at = word.as_ptr() as usize - text.text.as_ptr() as usize;
            let start = text.span.start + at;
            Text::new(word, start..start + word.len())
        })
        .collect()
}

fn targets(text: &Text, machine: &Machine, collector: &mut Collector) -> Vec<StateId> {
    pieces(text)
        .iter()
        .filter_map(|name| target(name, machine, collector))
        .collect()
}

fn target(name: &Text, machine: &Machine, collector: &mut Collector) -> Option<StateId> {
    let found = machine.find(&name.text);
    if found.is_none() {
        let known = machine.states.iter().skip(1).map(|s| s.name.text.as_str());
        collector.advise(
            name.span.clone(),
            format!("there is no state `{}`", name.text),
            names::meant(&name.text, known, "no states are declared"),
        );
    }
    found
}
