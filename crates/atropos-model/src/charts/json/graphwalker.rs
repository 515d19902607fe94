//! GraphWalker: edges are what the tester does, so their names are inputs; vertices are what is verified, so entering one shows
//! its name. Guards and actions are in a part of JavaScript.
//!
//! Several models are one machine: vertices that share a state are left by each other's edges too. The first model that says
//! where it starts is the one that starts.

use super::Reader;
use super::value::Json;
use crate::charts::chart::{
    ChartAction, ChartStart, ChartText, ChartTransition, Data, Machine, StateId, StateKind,
    TransitionReach, Trigger,
};
use crate::charts::scxml::{blank, ecmascript};
use std::collections::BTreeMap;

pub fn machine(json: &Json, reader: &mut Reader) -> Option<Machine> {
    let models = json.get("models").map(Json::items).unwrap_or_default();
    let Some(first) = models.first() else {
        reader.advise("models", "there is no model", "list one under `models`");
        return None;
    };
    let name = first.get("name").and_then(Json::text).unwrap_or("Model");
    let name = reader.name(name);
    let mut graph = Graph {
        machine: Machine {
            name: name.clone(),
            states: vec![blank(name, None, StateKind::Compound)],
            data: Vec::new(),
            references: Vec::new(),
            inputs: Vec::new(),
            outputs: Vec::new(),
            queue: crate::charts::DEFAULT_QUEUE,
        },
        shared: BTreeMap::new(),
    };
    let mut started = false;
    for model in models {
        let vertices = graph.vertices(model, reader);
        graph.data(model, reader);
        let edges = graph.edges(model, &vertices, reader);
        started |= graph.start(model, &vertices, edges, started, reader);
    }
    if !started {
        let advice = "say it: `\"startElementId\"` is the id of a vertex or an edge";
        reader.advise("models", "no model says where it starts", advice);
    }
    graph.share();
    graph.check_unnamed(reader);
    let mut machine = graph.machine;
    ecmascript::rewrite(&mut machine, &mut reader.collector);
    Some(machine)
}

/// A model's vertices by their ids.
type Vertices = BTreeMap<String, StateId>;

/// An edge: its id, where it leaves from, and what it does.
struct Edge {
    id: String,
    from: Option<StateId>,
    transition: ChartTransition,
}

struct Graph {
    machine: Machine,
    /// Per shared state the vertices that stand for it.
    shared: BTreeMap<String, Vec<StateId>>,
}

/// The list of that name; anything else is a problem.
fn list<'j>(of: &'j Json, name: &str, reader: &mut Reader) -> Vec<&'j Json<'j>> {
    match of.get(name) {
        None | Some(Json::Null) => Vec::new(),
        Some(Json::List(items)) => items.iter().collect(),
        Some(_) => {
            reader.advise(
                name,
                format!("`{name}` is no list"),
                "write it in `[` and `]`",
            );
            Vec::new()
        }
    }
}

/// The text of that name; nothing where there is none.
fn text<'j>(of: &'j Json, name: &str, reader: &mut Reader) -> Option<&'j str> {
    match of.get(name)? {
        Json::Null => None,
        Json::Text(text) if text.trim().is_empty() => None,
        Json::Text(text) => Some(text),
        _ => {
            reader.advise(name, format!("`{name}` is no text"), "write it in quotes");
            None
        }
    }
}

impl Graph {
    fn vertices(&mut self, model: &Json, reader: &mut Reader) -> Vertices {
        let mut vertices = Vertices::new();
        for vertex in list(model, "vertices", reader) {
            let id = text(vertex, "id", reader).unwrap_or("");
            if self.machine.states.len() > crate::charts::MOST_STATES {
                reader.too_large(id);
                break;
            }
            let name = text(vertex, "name", reader).unwrap_or(id);
            let mut state_name = reader.name(name);
            while self.machine.find(&state_name.text).is_some() {
                state_name.text.push('_');
            }
            let number = StateId(self.machine.states.len());
            let mut state = blank(state_name, Some(StateId::ROOT), StateKind::Atomic);
            state.entry = actions(vertex, reader);
            state.entry.push(ChartAction::Observe {
                name: ChartText::new(format!("at_{name}"), reader.span(name)),
                arguments: Vec::new(),
            });
            self.machine.states.push(state);
            self.machine.states[0].children.push(number);
            if let Some(shared) = text(vertex, "sharedState", reader) {
                self.shared
                    .entry(shared.to_owned())
                    .or_default()
                    .push(number);
            }
            if vertices.insert(id.to_string(), number).is_some() {
                let advice = "give each vertex of a model an id of its own";
                reader.advise(id, format!("there are two vertices `{id}`"), advice);
            }
        }
        vertices
    }

    /// The model's own actions give variables their first values.
    fn data(&mut self, model: &Json, reader: &mut Reader) {
        for assignment in actions(model, reader) {
            let ChartAction::Assign { place, value } = assignment else {
                continue;
            };
            let known = self
                .machine
                .data
                .iter()
                .any(|data| data.name.text == place.text);
            match ecmascript::guessed_type(&value.text) {
                _ if known => reader.collector.advise(
                    place.span.clone(),
                    format!("the variable `{}` gets two first values", place.text),
                    "each model has variables of its own: give them different names",
                ),
                Some(kind) => self.machine.data.push(Data {
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

    /// Edges between vertices are transitions; all are given back, those without a source among them.
    fn edges(&mut self, model: &Json, vertices: &Vertices, reader: &mut Reader) -> Vec<Edge> {
        let mut found = Vec::new();
        for edge in list(model, "edges", reader) {
            let id = text(edge, "id", reader).unwrap_or("");
            let target = text(edge, "targetVertexId", reader);
            let Some(to) = target.and_then(|target| vertices.get(target)) else {
                let message = format!("the edge `{id}` leads to no vertex");
                reader.advise(id, message, "`targetVertexId` is the id of a vertex");
                continue;
            };
            let source = text(edge, "sourceVertexId", reader);
            let from = source.and_then(|source| vertices.get(source)).copied();
            if let (Some(source), None) = (source, from) {
                let message = format!("there is no vertex `{source}`");
                reader.advise(source, message, "`sourceVertexId` is the id of a vertex");
                continue;
            }
            let guard = text(edge, "guard", reader);
            let transition = ChartTransition {
                span: reader.span(id),
                trigger: match text(edge, "name", reader) {
                    None => Trigger::Eventless,
                    Some(name) => Trigger::Event(reader.text(name)),
                },
                guard: guard.map(|guard| reader.text(guard.trim().trim_end_matches(';'))),
                actions: actions(edge, reader),
                targets: vec![*to],
                reach: TransitionReach::External,
            };
            if let Some(from) = from {
                self.machine.states[from.0]
                    .transitions
                    .push(transition.clone());
            }
            let id = id.to_owned();
            found.push(Edge {
                id,
                from,
                transition,
            });
        }
        found
    }

    /// Starts the machine in this model if it says where, and nothing started before. Whether it does.
    fn start(
        &mut self,
        model: &Json,
        vertices: &Vertices,
        edges: Vec<Edge>,
        started: bool,
        reader: &mut Reader,
    ) -> bool {
        let wanted = text(model, "startElementId", reader);
        let vertex = wanted.and_then(|id| vertices.get(id)).copied();
        let first: Vec<&Edge> = match wanted {
            Some(id) => edges.iter().filter(|edge| edge.id == id).collect(),
            None => edges.iter().filter(|edge| edge.from.is_none()).collect(),
        };
        if let (Some(id), None, true) = (wanted, vertex, first.is_empty()) {
            let advice = "`startElementId` is the id of a vertex or an edge";
            reader.advise(id, format!("there is no element `{id}`"), advice);
        }
        let is_first = |edge: &&Edge| first.iter().any(|first| first.id == edge.id);
        let never = edges
            .iter()
            .filter(|edge| edge.from.is_none() && !is_first(edge));
        for edge in never.filter(|_| wanted.is_some()) {
            let message = format!(
                "the edge `{}` leaves no vertex and is not the start",
                edge.id
            );
            reader.advise(
                &edge.id,
                message,
                "give it a `sourceVertexId`, or take it out",
            );
        }
        if started {
            return false;
        }
        if let Some(vertex) = vertex {
            let span = self.machine.state(vertex).name.span.clone();
            self.machine.states[0].initial = Some(ChartStart {
                span,
                targets: vec![vertex],
                actions: Vec::new(),
            });
            return true;
        }
        if first.is_empty() {
            return false;
        }
        let mut name = ChartText::new("Start", reader.span("startElementId"));
        while self.machine.find(&name.text).is_some() {
            name.text.push('_');
        }
        let id = StateId(self.machine.states.len());
        let mut before = blank(name.clone(), Some(StateId::ROOT), StateKind::Atomic);
        before.transitions = first.iter().map(|edge| edge.transition.clone()).collect();
        self.machine.states.push(before);
        self.machine.states[0].children.push(id);
        self.machine.states[0].initial = Some(ChartStart {
            span: name.span,
            targets: vec![id],
            actions: Vec::new(),
        });
        true
    }

    /// Vertices that share a state are left by each other's edges.
    fn share(&mut self) {
        for vertices in self.shared.values() {
            let own = |id: &StateId| self.machine.states[id.0].transitions.clone();
            let edges: Vec<Vec<ChartTransition>> = vertices.iter().map(own).collect();
            for (at, id) in vertices.iter().enumerate() {
                let others = edges.iter().enumerate().filter(|(other, _)| *other != at);
                let others = others.flat_map(|(_, edges)| edges.iter().cloned());
                self.machine.states[id.0].transitions.extend(others);
            }
        }
    }

    /// An edge without a name is taken at once, so that the tester could never take the others.
    fn check_unnamed(&self, reader: &mut Reader) {
        for state in &self.machine.states {
            let unnamed = |t: &&ChartTransition| t.trigger == Trigger::Eventless;
            let Some(edge) = state.transitions.iter().find(unnamed) else {
                continue;
            };
            if state
                .transitions
                .iter()
                .any(|t| t.trigger != Trigger::Eventless)
            {
                reader.collector.advise(
                    edge.span.clone(),
                    format!(
                        "this edge has no name, but others that leave `{}` have one",
                        state.name.text
                    ),
                    "give it a name, which is what the tester does",
                );
            }
        }
    }
}

/// The assignments of a model, a vertex or an edge.
fn actions(of: &Json, reader: &mut Reader) -> Vec<ChartAction> {
    let mut found = Vec::new();
    for action in list(of, "actions", reader) {
        match action.text() {
            Some(text) => found.extend(assignments(text, reader)),
            None => {
                let advice = "write a list of texts: `[\"x = 1;\"]`";
                reader.advise("actions", "an action is no text", advice);
            }
        }
    }
    found
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
