//! XState's machine configurations (version 5), without the functions: guards and actions are named, and what the names mean
//! in OOAS stands in a table beside the states: `"atropos": {"guards": {"isFull": "n = 9"}, "actions": {"count": "n := n + 1"},
//! "types": {"n": "int[0..9]"}}`. An action that the table does not have is shown as an output.

use super::Reader;
use super::value::Json;
use crate::charts::chart::{
    ChartAction, ChartStart, ChartText, ChartTransition, Data, Depth, Machine, StateId, StateKind,
    TransitionReach, Trigger,
};
use crate::charts::scxml::{blank, ecmascript, events};

const NONE: &Json<'static> = &Json::Null;

pub fn machine(json: &Json, reader: &mut Reader) -> Option<Machine> {
    let name = json.get("id").and_then(Json::text).unwrap_or("Machine");
    let name = reader.name(name);
    let kind = kind(json);
    let mut machine = Machine {
        name: name.clone(),
        states: vec![blank(name, None, StateKind::Compound)],
        data: Vec::new(),
        references: Vec::new(),
        inputs: Vec::new(),
        outputs: Vec::new(),
        queue: crate::charts::DEFAULT_QUEUE,
    };
    let table = json.get("atropos").unwrap_or(NONE);
    context(json, table, &mut machine, reader);
    // The root of a chart is never parallel, so that one is put inside.
    let mut root = StateId::ROOT;
    if kind == StateKind::Parallel {
        root = StateId(1);
        let inner = blank(reader.text("Regions"), Some(StateId::ROOT), kind);
        machine.states.push(inner);
        machine.states[0].children.push(root);
    }
    let mut known = vec![(root, json, Vec::new())];
    declare(json, root, &[], &mut machine, &mut known, reader);
    for (id, config, path) in &known {
        let filling = Filling {
            id: *id,
            path,
            table,
            known: &known,
        };
        filling.fill(config, &mut machine, reader);
    }
    events::resolve(&mut machine);
    Some(machine)
}

/// Per state its configuration, and the keys that lead there.
type Known<'j> = Vec<(StateId, &'j Json<'j>, Vec<String>)>;

/// Where a transition is written: what its configuration begins with.
fn first_text<'j>(config: &'j Json) -> Option<&'j str> {
    let first_name = || config.entries().first().map(|(name, _)| name.as_ref());
    config.text().or_else(first_name)
}

fn kind(config: &Json) -> StateKind {
    let has_states = config
        .get("states")
        .is_some_and(|s| !s.entries().is_empty());
    match config.get("type").and_then(Json::text) {
        Some("parallel") => StateKind::Parallel,
        Some("final") => StateKind::Final,
        Some("history") => match config.get("history").and_then(Json::text) {
            Some("deep") => StateKind::History(Depth::Deep),
            _ => StateKind::History(Depth::Shallow),
        },
        _ if has_states => StateKind::Compound,
        _ => StateKind::Atomic,
    }
}

fn declare<'j>(
    config: &'j Json,
    parent: StateId,
    path: &[String],
    machine: &mut Machine,
    known: &mut Known<'j>,
    reader: &mut Reader,
) {
    for (key, inner) in config.get("states").unwrap_or(NONE).entries() {
        if machine.states.len() > crate::charts::MOST_STATES {
            reader.too_large(key);
            return;
        }
        let mut path = path.to_vec();
        path.push(key.to_string());
        let mut name = reader.name(key);
        if machine.find(&name.text).is_some() {
            name.text = crate::charts::names::identifier(&path.join("_"));
        }
        while machine.find(&name.text).is_some() {
            name.text.push('_');
        }
        let id = StateId(machine.states.len());
        machine.states.push(blank(name, Some(parent), kind(inner)));
        machine.states[parent.0].children.push(id);
        known.push((id, inner, path.clone()));
        declare(inner, id, &path, machine, known, reader);
    }
}

fn context(json: &Json, table: &Json, machine: &mut Machine, reader: &mut Reader) {
    for (name, value) in json.get("context").unwrap_or(NONE).entries() {
        let written = match value {
            Json::Bool(value) => value.to_string(),
            Json::Number(value) => value.to_string(),
            Json::Text(value) => value.to_string(),
            _ => String::new(),
        };
        let declared = table.get("types").and_then(|types| types.get(name)?.text());
        match declared.or_else(|| ecmascript::guessed_type(&written)) {
            Some(kind) => machine.data.push(Data {
                name: reader.text(name),
                kind: reader.text(kind),
                value: Some(ChartText::new(written, reader.span(name))),
            }),
            None => reader.advise(
                name,
                format!("the type of `{name}` is not known"),
                "say it in OOAS: `\"atropos\": {\"types\": {\"name\": \"int[0..9]\"}}`",
            ),
        }
    }
}

struct Filling<'f> {
    id: StateId,
    path: &'f [String],
    table: &'f Json<'f>,
    known: &'f Known<'f>,
}

impl Filling<'_> {
    fn fill(&self, config: &Json, machine: &mut Machine, reader: &mut Reader) {
        let entry = self.actions(config.get("entry").unwrap_or(NONE), reader);
        let exit = self.actions(config.get("exit").unwrap_or(NONE), reader);
        machine.states[self.id.0].entry = entry;
        machine.states[self.id.0].exit = exit;
        let start = config
            .get("initial")
            .or_else(|| match machine.state(self.id).kind {
                StateKind::History(_) => config.get("target"),
                _ => None,
            });
        if let Some(target) = start.and_then(Json::text) {
            let inside = matches!(machine.state(self.id).kind, StateKind::Compound);
            let written = match inside {
                true => format!(".{target}"),
                false => target.to_string(),
            };
            let targets = self.target(&written, reader).into_iter().collect();
            let actions = Vec::new();
            machine.states[self.id.0].initial = Some(ChartStart {
                span: reader.span(target),
                targets,
                actions,
            });
        }
        let mut transitions = Vec::new();
        for (event, list) in config.get("on").unwrap_or(NONE).entries() {
            let trigger = Trigger::Event(reader.text(event));
            transitions.extend(self.transitions(&trigger, list, reader));
        }
        for (delay, list) in config.get("after").unwrap_or(NONE).entries() {
            match delay.parse::<u32>() {
                Ok(ms) if ms > 0 && ms % 1000 == 0 => {
                    let trigger = Trigger::After(ms / 1000, reader.span(delay));
                    transitions.extend(self.transitions(&trigger, list, reader));
                }
                _ => reader.advise(
                    delay,
                    format!("`{delay}` is no time of the model"),
                    "delays are milliseconds, in whole seconds: `1000`",
                ),
            }
        }
        let always = config.get("always").unwrap_or(NONE);
        transitions.extend(self.transitions(&Trigger::Eventless, always, reader));
        let done = config.get("onDone").unwrap_or(NONE);
        transitions.extend(self.transitions(&Trigger::Done(self.id), done, reader));
        machine.states[self.id.0].transitions = transitions;
        for unread in ["invoke", "activities"] {
            if config.get(unread).is_some() {
                let message = format!("`{unread}` is not read");
                reader.advise(unread, message, "model what it does with events and states");
            }
        }
    }

    fn transitions(
        &self,
        trigger: &Trigger,
        list: &Json,
        reader: &mut Reader,
    ) -> Vec<ChartTransition> {
        let mut found = Vec::new();
        for one in list.items() {
            let written = one
                .text()
                .or_else(|| one.get("target").and_then(Json::text));
            let reenter = one.get("reenter") == Some(&Json::Bool(true));
            let targets = written.and_then(|target| self.target(target, reader));
            if written.is_some() && targets.is_none() {
                continue;
            }
            let guard = one.get("guard").or_else(|| one.get("cond"));
            let guard = match guard.map(|guard| (guard.text(), guard.get("type"))) {
                None => None,
                Some((Some(name), _)) => self.guard(name, reader),
                Some((None, kind)) => kind
                    .and_then(Json::text)
                    .and_then(|n| self.guard(n, reader)),
            };
            found.push(ChartTransition {
                span: reader.span(first_text(one).unwrap_or("")),
                trigger: trigger.clone(),
                guard,
                actions: self.actions(one.get("actions").unwrap_or(NONE), reader),
                targets: targets.into_iter().collect(),
                reach: match reenter {
                    true => TransitionReach::External,
                    false => TransitionReach::Local,
                },
            });
        }
        found
    }

    fn guard(&self, name: &str, reader: &mut Reader) -> Option<ChartText> {
        let meaning = self
            .table
            .get("guards")
            .and_then(|guards| guards.get(name)?.text());
        if meaning.is_none() {
            reader.advise(
                name,
                format!("what the guard `{name}` means is not known"),
                "say it in OOAS: `\"atropos\": {\"guards\": {\"name\": \"n > 0\"}}`",
            );
        }
        meaning.map(|meaning| reader.text(meaning))
    }

    fn actions(&self, list: &Json, reader: &mut Reader) -> Vec<ChartAction> {
        let mut found = Vec::new();
        for one in list.items() {
            let name = one.text().or_else(|| one.get("type").and_then(Json::text));
            let Some(name) = name else { continue };
            let meaning = self
                .table
                .get("actions")
                .and_then(|all| all.get(name)?.text());
            found.push(match meaning {
                Some(meaning) => ChartAction::Statement(reader.text(meaning)),
                None => ChartAction::Observe {
                    name: reader.name(name),
                    arguments: Vec::new(),
                },
            });
        }
        found
    }

    /// `sibling`, `sibling.child`, `.child`, `#id.child`.
    fn target(&self, written: &str, reader: &mut Reader) -> Option<StateId> {
        let parts = |text: &str| -> Vec<String> {
            let parts = text.split('.').filter(|part| !part.is_empty());
            parts.map(str::to_string).collect()
        };
        let mut path = match written.strip_prefix('#') {
            Some(rest) => {
                let (id, rest) = rest.split_once('.').unwrap_or((rest, ""));
                let named = |config: &Json| config.get("id").and_then(Json::text) == Some(id);
                let found = self.known.iter().find(|(_, config, _)| named(config));
                let mut path = found.map_or_else(|| vec![id.to_string()], |(_, _, p)| p.clone());
                path.extend(parts(rest));
                path
            }
            None if written.starts_with('.') => self.path.to_vec(),
            None => self.path[..self.path.len().saturating_sub(1)].to_vec(),
        };
        if !written.starts_with('#') {
            path.extend(parts(written));
        }
        let found = self.known.iter().find(|(_, _, known)| *known == path);
        if found.is_none() {
            reader.advise(
                written,
                format!("there is no state `{written}` here"),
                "name a sibling, a child as `.child`, or any state as `#id.child`",
            );
        }
        found.map(|(id, ..)| *id)
    }
}
