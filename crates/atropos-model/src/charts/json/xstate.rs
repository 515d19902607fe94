//! XState's machine configurations (version 5), without the functions: guards and actions are named, and what the names mean
//! in OOAS stands in a table beside the states: `"atropos": {"guards": {"isFull": "n = 9"}, "actions": {"count": "n := n + 1"},
//! "types": {"n": "int[0..9]"}, "delays": {"pause": 500}}`. An action that the table does not have is shown as an output.

use super::Reader;
use super::value::Json;
use super::xstate_events;
use crate::charts::chart::{
    ChartAction, ChartSpan, ChartStart, ChartText, ChartTransition, Data, Depth, Machine, StateId,
    StateKind, TransitionReach, Trigger,
};
use crate::charts::scxml::{blank, ecmascript};

const NONE: &Json<'static> = &Json::Null;

pub fn machine(json: &Json, reader: &mut Reader) -> Option<Machine> {
    let name = json.get("id").and_then(Json::text).unwrap_or("Machine");
    let name = reader.name(name);
    let kind = kind(json, reader);
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
    xstate_events::resolve(&mut machine);
    Some(machine)
}

/// Per state its configuration, and the keys that lead there.
type Known<'j> = Vec<(StateId, &'j Json<'j>, Vec<String>)>;

/// Where a transition is written: what its configuration begins with.
fn first_text<'j>(config: &'j Json) -> Option<&'j str> {
    let first_name = || config.entries().first().map(|(name, _)| name.as_ref());
    config.text().or_else(first_name)
}

fn kind(config: &Json, reader: &mut Reader) -> StateKind {
    let has_states = config
        .get("states")
        .is_some_and(|s| !s.entries().is_empty());
    let written = config.get("type").map(|kind| kind.text().unwrap_or("?"));
    match written {
        Some("parallel") => StateKind::Parallel,
        Some("final") => StateKind::Final,
        Some("history") => match config.get("history").map(|depth| depth.text()) {
            Some(Some("deep")) => StateKind::History(Depth::Deep),
            None | Some(Some("shallow")) => StateKind::History(Depth::Shallow),
            Some(_) => {
                reader.advise(
                    "history",
                    "a history is shallow or deep",
                    "write `\"history\": \"shallow\"` or `\"deep\"`",
                );
                StateKind::History(Depth::Shallow)
            }
        },
        None | Some("atomic" | "compound") if has_states => StateKind::Compound,
        None | Some("atomic" | "compound") => StateKind::Atomic,
        Some(other) => {
            let message = format!("`{other}` is no type of a state");
            let advice =
                "there are `atomic`, `compound`, `parallel`, `final` and `history`, in quotes";
            reader.advise(if other == "?" { "type" } else { other }, message, advice);
            StateKind::Atomic
        }
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
        let kind = kind(inner, reader);
        machine.states.push(blank(name, Some(parent), kind));
        machine.states[parent.0].children.push(id);
        known.push((id, inner, path.clone()));
        declare(inner, id, &path, machine, known, reader);
    }
}

fn context(json: &Json, table: &Json, machine: &mut Machine, reader: &mut Reader) {
    for (name, value) in json.get("context").unwrap_or(NONE).entries() {
        let Some(written) = literal(value) else {
            reader.advise(
                name,
                format!("the first value of `{name}` is not read"),
                "read are numbers, truth values, names, and lists of these",
            );
            continue;
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

/// A value of a variable or a parameter, as OOAS writes it.
fn literal(value: &Json) -> Option<String> {
    Some(match value {
        Json::Bool(value) => value.to_string(),
        Json::Number(value) => value.to_string(),
        Json::Text(value) => value.to_string(),
        Json::List(items) => {
            let items: Option<Vec<String>> = items.iter().map(literal).collect();
            format!("[{}]", items?.join(", "))
        }
        _ => return None,
    })
}

const IN_STATE: &[&str] = &[
    "id", "initial", "type", "history", "target", "states", "on", "always", "after", "onDone",
    "entry", "exit", "order", "key",
];
/// What only concerns people and tools. What a final state hands out is only seen by functions.
const REMARKS: &[&str] = &[
    "description",
    "meta",
    "tags",
    "version",
    "output",
    "data",
    "$schema",
];
const IN_ROOT: &[&str] = &[
    "context",
    "atropos",
    "predictableActionArguments",
    "preserveActionOrder",
    "strict",
];
const IN_TRANSITION: &[&str] = &["target", "guard", "cond", "actions", "reenter", "internal"];

struct Filling<'f> {
    id: StateId,
    path: &'f [String],
    table: &'f Json<'f>,
    known: &'f Known<'f>,
}

impl Filling<'_> {
    fn fill(&self, config: &Json, machine: &mut Machine, reader: &mut Reader) {
        let is_root = self.path.is_empty();
        for (key, _) in config.entries() {
            let here =
                IN_STATE.contains(&key.as_ref()) || is_root && IN_ROOT.contains(&key.as_ref());
            if !here && !REMARKS.contains(&key.as_ref()) {
                let message = format!("`{key}` is not read in a state");
                reader.advise(key, message, "model what it does with events and states");
            }
        }
        for key in ["states", "on", "after"] {
            if let Some(value) = config.get(key)
                && !matches!(value, Json::Object(_))
            {
                let message = format!("`{key}` is an object: names and what they stand for");
                reader.advise(key, message, "write `{\"name\": …}`");
            }
        }
        let entry = self.actions(config.get("entry").unwrap_or(NONE), reader);
        let exit = self.actions(config.get("exit").unwrap_or(NONE), reader);
        machine.states[self.id.0].entry = entry;
        machine.states[self.id.0].exit = exit;
        machine.states[self.id.0].initial = self.start(config, machine, reader);
        let mut transitions = Vec::new();
        for (event, list) in config.get("on").unwrap_or(NONE).entries() {
            if event.is_empty() {
                let advice = "write `always` for a transition without an event";
                reader.advise("on", "an event has no name", advice);
            }
            let trigger = Trigger::Event(reader.text(event));
            transitions.extend(self.transitions(&trigger, list, reader));
        }
        for (delay, list) in config.get("after").unwrap_or(NONE).entries() {
            if let Some(ms) = self.delay(delay, reader) {
                let trigger = Trigger::After(ms, reader.span(delay));
                transitions.extend(self.transitions(&trigger, list, reader));
            }
        }
        if let Some(always) = config.get("always") {
            transitions.extend(self.transitions(&Trigger::Eventless, always, reader));
        }
        if let Some(done) = config.get("onDone") {
            transitions.extend(self.transitions(&Trigger::Done(self.id), done, reader));
        }
        machine.states[self.id.0].transitions = transitions;
    }

    /// Where a state starts, or a history without a past leads.
    fn start(&self, config: &Json, machine: &Machine, reader: &mut Reader) -> Option<ChartStart> {
        let is_history = matches!(machine.state(self.id).kind, StateKind::History(_));
        let (key, inside) = match is_history {
            true => ("target", ""),
            false => ("initial", "."),
        };
        let start = config.get(key)?;
        let (written, actions) = match start {
            Json::Object(_) if !is_history => {
                self.known_keys(start, &["target", "actions"], "a start", reader);
                (start.get("target"), start.get("actions"))
            }
            _ => (Some(start), None),
        };
        let written = written.and_then(texts);
        let Some(written) = written.filter(|targets| !targets.is_empty()) else {
            let message = format!("where `{key}` leads is not read");
            let advice = "write the state's name, or `{\"target\": \"name\"}`";
            reader.advise(key, message, advice);
            return None;
        };
        let targets = written.iter().filter_map(|target| {
            let is_path = target.starts_with(['.', '#']);
            let prefix = if is_path { "" } else { inside };
            let place = reader.span(target);
            self.target_at(&format!("{prefix}{target}"), place, reader)
        });
        let targets = targets.collect();
        Some(ChartStart {
            span: reader.span(written[0]),
            targets,
            actions: self.actions(actions.unwrap_or(NONE), reader),
        })
    }

    /// Milliseconds, or the name of a delay in the table.
    fn delay(&self, written: &str, reader: &mut Reader) -> Option<u32> {
        let named = self.table.get("delays").and_then(|all| all.get(written));
        let ms = match named.and_then(literal) {
            Some(value) => value.parse::<u32>(),
            None => written.parse::<u32>(),
        };
        if let Ok(ms) = ms
            && ms > 0
        {
            return Some(ms);
        }
        reader.advise(
            written,
            format!("`{written}` is no time of the model"),
            "delays are whole milliseconds, or named: `\"atropos\": {\"delays\": {\"name\": 500}}`",
        );
        None
    }

    fn known_keys(&self, object: &Json, known: &[&str], what: &str, reader: &mut Reader) {
        for (key, _) in object.entries() {
            if !known.contains(&key.as_ref()) && !REMARKS.contains(&key.as_ref()) {
                let message = format!("`{key}` is not read in {what}");
                let advice = format!("read are: {}", known.join(", "));
                reader.advise(key, message, &advice);
            }
        }
    }

    fn transitions(
        &self,
        trigger: &Trigger,
        list: &Json,
        reader: &mut Reader,
    ) -> Vec<ChartTransition> {
        let items = match list {
            Json::List(items) => items.iter().collect(),
            one => vec![one],
        };
        let found = items
            .into_iter()
            .filter_map(|one| self.transition(trigger, one, reader));
        found.collect()
    }

    fn transition(
        &self,
        trigger: &Trigger,
        one: &Json,
        reader: &mut Reader,
    ) -> Option<ChartTransition> {
        let written = match one {
            Json::Text(_) => Some(one),
            Json::Object(_) => {
                self.known_keys(one, IN_TRANSITION, "a transition", reader);
                one.get("target")
            }
            _ => {
                let message = "this is no transition that is read";
                let at = self.path.last().map_or("states", String::as_str);
                reader.advise(
                    at,
                    message,
                    "write a target, `{\"target\": …}`, or a list of these",
                );
                return None;
            }
        };
        let written = match written.map(texts) {
            None => Vec::new(),
            Some(Some(targets)) if !targets.is_empty() => targets,
            Some(_) => {
                let advice = "write a state's name, or a list of names; leave it out to stay";
                reader.advise("target", "this target is not read", advice);
                return None;
            }
        };
        let flag = |name: &str, value: bool| one.get(name) == Some(&Json::Bool(value));
        let targets: Vec<StateId> = written
            .iter()
            .filter_map(|target| self.target_at(target, reader.span(target), reader))
            .collect();
        if targets.len() < written.len() {
            return None;
        }
        let guard = one.get("guard").or_else(|| one.get("cond"));
        Some(ChartTransition {
            span: reader.span(first_text(one).unwrap_or("")),
            trigger: trigger.clone(),
            guard: guard.and_then(|guard| self.guard(guard, reader)),
            actions: self.actions(one.get("actions").unwrap_or(NONE), reader),
            targets,
            reach: match flag("reenter", true) || flag("internal", false) {
                true => TransitionReach::External,
                false => TransitionReach::Local,
            },
        })
    }

    /// The name of a guard or an action, and what it is given.
    fn call<'j>(
        &self,
        one: &'j Json,
        what: &str,
        reader: &mut Reader,
    ) -> Option<(&'j str, &'j Json<'j>)> {
        let params = one.get("params").unwrap_or(NONE);
        match one.text().or_else(|| one.get("type")?.text()) {
            Some(name) => {
                if one.text().is_none() {
                    self.known_keys(one, &["type", "params"], what, reader);
                }
                Some((name, params))
            }
            None => {
                let at = first_text(one)
                    .unwrap_or(what.trim_start_matches("an ").trim_start_matches("a "));
                let message = format!("{what} has no name");
                let advice = "write its name, or `{\"type\": \"name\"}`; what the name means is said under `atropos`";
                reader.advise(at, message, advice);
                None
            }
        }
    }

    /// What the table says of a name, with the values of its parameters in place of `params.NAME`.
    fn meaning(
        &self,
        table: &str,
        name: &str,
        params: &Json,
        reader: &mut Reader,
    ) -> Option<ChartText> {
        let meaning = self.table.get(table)?.get(name)?.text()?;
        let place = reader.span(meaning);
        let mut text = meaning.to_owned();
        for (key, value) in params.entries() {
            let wanted = format!("params.{key}");
            let value = literal(value);
            if value.is_none() || !has_word(&text, &wanted) {
                reader.advise(
                    key,
                    format!("what `{name}` does with its parameter `{key}` is not known"),
                    "say it in OOAS with `params.NAME`: `\"add\": \"n := n + params.step\"`",
                );
                return None;
            }
            text = replace_word(&text, &wanted, &value.unwrap_or_default());
        }
        Some(ChartText::new(text, place))
    }

    fn guard(&self, one: &Json, reader: &mut Reader) -> Option<ChartText> {
        let (name, params) = self.call(one, "a guard", reader)?;
        let known = self
            .table
            .get("guards")
            .is_some_and(|all| all.get(name).is_some());
        let meaning = self.meaning("guards", name, params, reader);
        if !known {
            reader.advise(
                name,
                format!("what the guard `{name}` means is not known"),
                "say it in OOAS: `\"atropos\": {\"guards\": {\"name\": \"n > 0\"}}`",
            );
        }
        meaning
    }

    fn actions(&self, list: &Json, reader: &mut Reader) -> Vec<ChartAction> {
        let mut found = Vec::new();
        for one in list.items() {
            let Some((name, params)) = self.call(one, "an action", reader) else {
                continue;
            };
            let known = self
                .table
                .get("actions")
                .is_some_and(|all| all.get(name).is_some());
            if known {
                let meaning = self.meaning("actions", name, params, reader);
                found.extend(meaning.map(ChartAction::Statement));
                continue;
            }
            if let Some((key, _)) = params.entries().first() {
                reader.advise(
                    key,
                    format!("what `{name}` does with its parameter `{key}` is not known"),
                    "say it in OOAS with `params.NAME`: `\"add\": \"n := n + params.step\"`",
                );
            }
            found.push(ChartAction::Observe {
                name: reader.text(name),
                arguments: Vec::new(),
            });
        }
        found
    }

    /// `sibling`, `sibling.child`, `.child`, `#id.child`.
    fn target_at(&self, written: &str, place: ChartSpan, reader: &mut Reader) -> Option<StateId> {
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
            reader.collector.advise(
                place,
                format!("there is no state `{written}` here"),
                "name a sibling, a child as `.child`, or any state as `#id.child`",
            );
        }
        found.map(|(id, ..)| *id)
    }
}

/// A text, or a list of texts.
fn texts<'j>(one: &'j Json) -> Option<Vec<&'j str>> {
    match one {
        Json::Text(text) => Some(vec![text]),
        Json::List(items) => items.iter().map(Json::text).collect(),
        _ => None,
    }
}

/// Where a word stands that is no part of a longer one.
fn word_at(text: &str, word: &str) -> Option<usize> {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(word).map(|(at, _)| at).find(|&at| {
        let before = text[..at].chars().next_back();
        let behind = text[at + word.len()..].chars().next();
        !before.is_some_and(is_part) && !behind.is_some_and(is_part)
    })
}

fn has_word(text: &str, word: &str) -> bool {
    word_at(text, word).is_some()
}

fn replace_word(text: &str, word: &str, by: &str) -> String {
    let mut text = text.to_owned();
    while let Some(at) = word_at(&text, word) {
        text.replace_range(at..at + word.len(), by);
    }
    text
}
