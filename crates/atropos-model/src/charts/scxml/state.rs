//! One `<scxml>`: its states are declared first, so that the second pass can resolve every target.

use super::action::{actions, time};
use super::element::{ElementOwner, XmlElement};
use super::{ecmascript, event_data, events, network};
use crate::charts::chart::{
    Chart, ChartStart, ChartState, ChartText, ChartTransition, Data, Depth, Machine, StateId,
    StateKind, TransitionReach, Trigger,
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
pub fn machine(
    element: XmlElement,
    chart: &mut Chart,
    collector: &mut Collector,
) -> Option<Machine> {
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
        .unwrap_or_else(|| ChartText::new("Machine", element.head()));
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
            (ElementOwner::W3c, "state" | "parallel" | "final") => {
                declare(child, StateId::ROOT, &mut machine, &mut elements, collector);
            }
            (ElementOwner::W3c, "datamodel") => data(child, &mut machine, collector),
            (ElementOwner::Foreign, _) => {}
            (ElementOwner::Own, "types" | "instances") => network::shared(child, chart, collector),
            (ElementOwner::Own, _) if network::member(child, &mut machine, collector) => {}
            _ => child.reject("scxml", IN_SCXML, collector),
        }
    }
    name_the_nameless(&mut machine);
    for (id, element) in elements {
        fill(id, element, &mut machine, collector);
    }
    event_data::resolve(&mut machine);
    if script {
        ecmascript::rewrite(&mut machine, collector);
    }
    events::sends_to_self(&mut machine);
    events::resolve(&mut machine);
    Some(machine)
}

fn queue(element: XmlElement, collector: &mut Collector) -> u32 {
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
pub fn blank(name: ChartText, parent: Option<StateId>, kind: StateKind) -> ChartState {
    ChartState {
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
    element: XmlElement<'a>,
    parent: StateId,
    machine: &mut Machine,
    elements: &mut Vec<(StateId, XmlElement<'a>)>,
    collector: &mut Collector,
) {
    let inner = |child: &XmlElement| {
        child.owner() == ElementOwner::W3c && matches!(child.name(), "state" | "parallel" | "final")
    };
    let kind = match element.name() {
        "parallel" => StateKind::Parallel,
        "final" => StateKind::Final,
        "history" => StateKind::History(depth(element, collector)),
        _ if element.children().any(|child| inner(&child)) => StateKind::Compound,
        _ => StateKind::Atomic,
    };
    // A state without a name gets one when all names are known.
    let name = element
        .attribute("id")
        .unwrap_or_else(|| ChartText::new("", element.head()));
    let id = StateId(machine.states.len());
    machine.states.push(blank(name, Some(parent), kind));
    machine.states[parent.0].children.push(id);
    elements.push((id, element));
    for child in element.children() {
        if child.owner() == ElementOwner::W3c
            && child.name() == "datamodel"
            && element.name() != "final"
        {
            data(child, machine, collector);
        }
        let is_state =
            inner(&child) || (child.owner() == ElementOwner::W3c && child.name() == "history");
        if is_state && matches!(element.name(), "state" | "parallel") {
            declare(child, id, machine, elements, collector);
        }
    }
}

/// W3C leaves `id` out where nothing leads to a state.
fn name_the_nameless(machine: &mut Machine) {
    let mut number = 1;
    for id in machine.ids().skip(1) {
        while machine.state(id).name.text.is_empty() {
            let name = format!("unnamed_{number}");
            number += 1;
            if machine.find(&name).is_none() {
                machine.states[id.0].name.text = name;
            }
        }
    }
}

fn depth(element: XmlElement, collector: &mut Collector) -> Depth {
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

fn data(element: XmlElement, machine: &mut Machine, collector: &mut Collector) {
    element.check_attributes(&[], &[], collector);
    element.check_no_text(collector);
    for child in element.children() {
        if child.owner() != ElementOwner::W3c || child.name() != "data" {
            child.reject("datamodel", &["data"], collector);
            continue;
        }
        child.check_attributes(&["id", "expr"], &["type"], collector);
        let written = child.attribute("expr").or_else(|| child.text());
        let guessed = || {
            let value = written.as_ref()?;
            let list = ecmascript::guessed_list(&value.text);
            let kind = ecmascript::guessed_type(&value.text)
                .map(str::to_owned)
                .or(list)?;
            Some(ChartText::new(kind, value.span.clone()))
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
fn fill(id: StateId, element: XmlElement, machine: &mut Machine, collector: &mut Collector) {
    let root = id == StateId::ROOT;
    if let Some(text) = element.attribute("initial") {
        let targets = targets(&text, machine, collector);
        machine.states[id.0].initial = Some(ChartStart {
            span: text.span.clone(),
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
        "final" => (&["id"], &["onentry", "onexit", "donedata"]),
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
        if child.owner() == ElementOwner::Foreign {
            continue;
        }
        if child.owner() != ElementOwner::W3c || !children.contains(&child.name()) {
            child.reject(element.name(), children, collector);
            continue;
        }
        match (element.name(), child.name()) {
            (_, "onentry") => {
                child.check_attributes(&[], &[], collector);
                let entry = actions(child, machine, collector);
                machine.states[id.0].entry.extend(entry);
            }
            (_, "onexit") => {
                child.check_attributes(&[], &[], collector);
                let exit = actions(child, machine, collector);
                machine.states[id.0].exit.extend(exit);
            }
            // Read with the declarations.
            (_, "datamodel") => {}
            (_, "initial") => start_element(id, child, machine, collector),
            // After the entry actions, wherever it stands.
            (_, "donedata") => {}
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
    for child in element.named("donedata") {
        event_data::donedata(id, child, machine, collector);
    }
}

/// Whether the regions of a parallel state are said to move in any order.
fn any_order(element: XmlElement, collector: &mut Collector) -> bool {
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
fn start_element(
    id: StateId,
    element: XmlElement,
    machine: &mut Machine,
    collector: &mut Collector,
) {
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

fn start_transition(
    element: XmlElement,
    machine: &mut Machine,
    collector: &mut Collector,
) -> ChartStart {
    element.check_attributes(&["target"], &[], collector);
    let targets = match element.required("target", collector) {
        Some(text) => targets(&text, machine, collector),
        None => Vec::new(),
    };
    ChartStart {
        span: element.head(),
        targets,
        actions: actions(element, machine, collector),
    }
}

/// One transition per event that the element names.
fn transition(
    element: XmlElement,
    machine: &mut Machine,
    collector: &mut Collector,
) -> Vec<ChartTransition> {
    element.check_attributes(&["event", "cond", "target", "type"], &["after"], collector);
    let targets = match element.attribute("target") {
        Some(text) => targets(&text, machine, collector),
        None => Vec::new(),
    };
    let reach = match element.attribute("type") {
        None => TransitionReach::External,
        Some(text) => match text.text.as_str() {
            "external" => TransitionReach::External,
            "internal" => TransitionReach::Local,
            other => {
                collector.advise(
                    text.span,
                    format!("a transition is not `{other}`"),
                    "write `internal` or `external`",
                );
                TransitionReach::External
            }
        },
    };
    let one = ChartTransition {
        span: element.head(),
        trigger: Trigger::Eventless,
        guard: element.attribute("cond"),
        actions: actions(element, machine, collector),
        targets,
        reach,
    };
    triggers(element, machine, collector)
        .into_iter()
        .map(|trigger| ChartTransition {
            trigger,
            ..one.clone()
        })
        .collect()
}

fn triggers(element: XmlElement, machine: &Machine, collector: &mut Collector) -> Vec<Trigger> {
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

fn trigger(event: ChartText, machine: &Machine, collector: &mut Collector) -> Option<Trigger> {
    if let Some(name) = event.text.strip_prefix("done.state.") {
        let start = event.span.start + "done.state.".len();
        let name = ChartText::new(name, start..event.span.end);
        return target(&name, machine, collector).map(Trigger::Done);
    }
    Some(Trigger::Event(event))
}

/// The words of an attribute, each with its place.
fn pieces(text: &ChartText) -> Vec<ChartText> {
    text.text
        .split_whitespace()
        .map(|word| {
            let at = word.as_ptr() as usize - text.text.as_ptr() as usize;
            let start = text.span.start + at;
            ChartText::new(word, start..start + word.len())
        })
        .collect()
}

fn targets(text: &ChartText, machine: &Machine, collector: &mut Collector) -> Vec<StateId> {
    pieces(text)
        .iter()
        .filter_map(|name| target(name, machine, collector))
        .collect()
}

fn target(name: &ChartText, machine: &Machine, collector: &mut Collector) -> Option<StateId> {
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
