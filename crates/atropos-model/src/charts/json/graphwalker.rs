//! GraphWalker: edges are what the tester does, so their names are inputs; vertices are what is verified, so entering one shows
//! its name. Guards and actions are in a part of JavaScript.

use super::Reader;
use super::value::Json;
use crate::charts::chart::{
    ChartAction, ChartStart, ChartText, ChartTransition, Data, Machine, StateId, StateKind,
    TransitionReach, Trigger,
};
use crate::charts::scxml::{blank, ecmascript};
use std::collections::HashMap;

pub fn machine(json: &Json, reader: &mut Reader) -> Option<Machine> {
    let models = json.get("models").map(Json::items).unwrap_or_default();
    let [model] = models.as_slice() else {
        reader.advise(
            "models",
            format!("there are {} models; one is read", models.len()),
            "generate tests for each model by itself; shared states are not followed",
        );
        return None;
    };
    let name = model.get("name").and_then(Json::text).unwrap_or("Model");
    let name = reader.name(name);
    let mut machine = Machine {
        name: name.clone(),
        states: vec![blank(name, None, StateKind::Compound)],
        data: Vec::new(),
        references: Vec::new(),
        inputs: Vec::new(),
        outputs: Vec::new(),
        queue: crate::charts::DEFAULT_QUEUE,
    };
    let vertices = vertices(model, &mut machine, reader);
    data(model, &mut machine, reader);
    let mut start = model.get("startElementId").and_then(Json::text);
    for edge in model.get("edges").map(Json::items).unwrap_or_default() {
        let text = |name: &str| edge.get(name).and_then(Json::text);
        let id = text("id").unwrap_or("");
        let target = text("targetVertexId");
        let Some(to) = target.and_then(|target| vertices.get(target)) else {
            let message = format!("the edge `{id}` leads to no vertex");
            reader.advise(id, message, "`targetVertexId` is the id of a vertex");
            continue;
        };
        let Some(source) = text("sourceVertexId") else {
            start = target;
            continue;
        };
        let Some(from) = vertices.get(source) else {
            let message = format!("there is no vertex `{source}`");
            reader.advise(source, message, "`sourceVertexId` is the id of a vertex");
            continue;
        };
        if start == Some(id) {
            start = target;
        }
        let trigger = match text("name").filter(|name| !name.is_empty()) {
            None => Trigger::Eventless,
            Some(name) => Trigger::Event(reader.name(name)),
        };
        let guard = text("guard").filter(|guard| !guard.trim().is_empty());
        let actions = edge.get("actions").map(Json::items).unwrap_or_default();
        let actions = actions.iter().filter_map(|action| action.text());
        let transition = ChartTransition {
            span: reader.span(id),
            trigger,
            guard: guard.map(|guard| reader.text(guard.trim().trim_end_matches(';'))),
            actions: actions.flat_map(|text| assignments(text, reader)).collect(),
            targets: vec![*to],
            reach: TransitionReach::External,
        };
        machine.states[from.0].transitions.push(transition);
    }
    machine.states[0].initial =
        start
            .and_then(|start| vertices.get(start))
            .map(|start| ChartStart {
                span: machine.state(*start).name.span.clone(),
                targets: vec![*start],
                actions: Vec::new(),
            });
    ecmascript::rewrite(&mut machine, &mut reader.collector);
    Some(machine)
}

fn vertices(model: &Json, machine: &mut Machine, reader: &mut Reader) -> HashMap<String, StateId> {
    let mut vertices = HashMap::new();
    for vertex in model.get("vertices").map(Json::items).unwrap_or_default() {
        let id = vertex.get("id").and_then(Json::text).unwrap_or("");
        if machine.states.len() > crate::charts::MOST_STATES {
            reader.too_large(id);
            break;
        }
        let name = vertex.get("name").and_then(Json::text).unwrap_or(id);
        let mut state_name = reader.name(name);
        while machine.find(&state_name.text).is_some() {
            state_name.text.push('_');
        }
        let number = StateId(machine.states.len());
        let mut state = blank(state_name, Some(StateId::ROOT), StateKind::Atomic);
        state.entry.push(ChartAction::Observe {
            name: ChartText::new(format!("at_{}", reader.name(name).text), reader.span(name)),
            arguments: Vec::new(),
        });
        machine.states.push(state);
        machine.states[0].children.push(number);
        vertices.insert(id.to_string(), number);
    }
    vertices
}

/// The model's own actions give variables their first values.
fn data(model: &Json, machine: &mut Machine, reader: &mut Reader) {
    for action in model.get("actions").map(Json::items).unwrap_or_default() {
        for assignment in action
            .text()
            .map(|a| assignments(a, reader))
            .into_iter()
            .flatten()
        {
            let ChartAction::Assign { place, value } = assignment else {
                continue;
            };
            match ecmascript::guessed_type(&value.text) {
                Some(kind) => machine.data.push(Data {
                    kind: ChartText::new(kind, value.span.clone()),
                    name: place,
                    value: Some(value),
                }),
                None => reader.collector.advise(
                    value.span,
                    format!("`{}` is no first value that is read", value.text),
                    "variables start with a whole number, `true` or `false`",
                ),
            }
        }
    }
}

/// `x = 1; y++; z += 2;`
fn assignments(text: &str, reader: &mut Reader) -> Vec<ChartAction> {
    let mut found = Vec::new();
    for piece in text
        .split(';')
        .map(str::trim)
        .filter(|piece| !piece.is_empty())
    {
        let span = reader.span(text);
        let parts = ecmascript::assignment(piece);
        let is_name = |name: &str| crate::charts::names::is_name(name);
        match parts {
            Some((name, value)) if is_name(&name) => found.push(ChartAction::Assign {
                place: ChartText::new(name, span.clone()),
                value: ChartText::new(value, span),
            }),
            _ => reader.collector.advise(
                span,
                format!("`{piece}` is no action that is read"),
                "write `x = value;`, `x++;`, `x--;`, `x += value;` or `x -= value;`",
            ),
        }
    }
    found
}
