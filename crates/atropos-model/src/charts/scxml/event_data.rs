//! What events carry: `<donedata>` comes with the event that tells of a state's end, parameters with an input. Both are read
//! as `_event.data.NAME`.

use super::ecmascript::guessed_type;
use super::element::{ElementOwner, XmlElement};
use crate::charts::chart::{ChartAction, ChartText, Data, Machine, StateId, Trigger};
use crate::charts::names::identifier;
use crate::charts::problem::Collector;

/// The variable that holds a value until the event is read.
fn variable(state: &str, name: &str) -> String {
    format!("done_{}_{}", identifier(state), identifier(name))
}

/// `<donedata>` in a final state: its values are kept once the final state is entered.
pub fn donedata(
    id: StateId,
    element: XmlElement,
    machine: &mut Machine,
    collector: &mut Collector,
) {
    element.check_attributes(&[], &[], collector);
    element.check_no_text(collector);
    let Some(parent) = machine.state(id).parent else {
        return;
    };
    for child in element.children() {
        if child.owner() != ElementOwner::W3c || child.name() != "param" {
            child.reject("donedata", &["param"], collector);
            continue;
        }
        child.check_attributes(&["name", "expr", "location"], &["type"], collector);
        let value = child
            .attribute("expr")
            .or_else(|| child.attribute("location"));
        let (Some(name), Some(value)) = (child.required("name", collector), value) else {
            continue;
        };
        let written = value.text.trim();
        let same = machine.data.iter().find(|data| data.name.text == written);
        let guessed = guessed_type(written).map(|kind| ChartText::new(kind, value.span.clone()));
        let kind = child.own_attribute("type");
        let kind = kind
            .or_else(|| same.map(|data| data.kind.clone()))
            .or(guessed);
        let Some(kind) = kind else {
            collector.advise(
                child.head(),
                "a value of `<donedata>` needs an OOAS type, unless it is a literal or a variable",
                "write for example `at:type=\"int[0..9]\"`",
            );
            continue;
        };
        let text = variable(&machine.state(parent).name.text, &name.text);
        let place = ChartText::new(text, name.span);
        if machine.data.iter().all(|data| data.name.text != place.text) {
            machine.data.push(Data {
                name: place.clone(),
                kind,
                value: None,
            });
        }
        machine.states[id.0]
            .entry
            .push(ChartAction::Assign { place, value });
    }
}

/// Replaces `_event.data.NAME` where it is known what that is.
pub fn resolve(machine: &mut Machine) {
    let (data, inputs) = (machine.data.clone(), machine.inputs.clone());
    let names: Vec<String> = machine.states.iter().map(|s| s.name.text.clone()).collect();
    for state in &mut machine.states {
        for transition in &mut state.transitions {
            let trigger = transition.trigger.clone();
            let known = |name: &str| match &trigger {
                Trigger::Done(id) => {
                    let wanted = variable(&names[id.0], name);
                    data.iter()
                        .any(|data| data.name.text == wanted)
                        .then_some(wanted)
                }
                Trigger::Event(event) => {
                    let input = inputs.iter().find(|input| input.name.text == event.text)?;
                    let mut parameters = input.parameters.iter();
                    let has = parameters.any(|(parameter, _)| parameter.text == name);
                    has.then(|| name.to_owned())
                }
                _ => None,
            };
            if let Some(guard) = &mut transition.guard {
                replace(guard, &known);
            }
            in_actions(&mut transition.actions, &known);
        }
    }
}

fn in_actions(actions: &mut [ChartAction], known: &dyn Fn(&str) -> Option<String>) {
    for action in actions {
        match action {
            ChartAction::Assign { value, .. } => replace(value, known),
            ChartAction::Statement(text) => replace(text, known),
            ChartAction::Observe { arguments, .. } => {
                arguments.iter_mut().for_each(|text| replace(text, known));
            }
            ChartAction::If(branches) => {
                for (condition, inner) in branches {
                    if let Some(condition) = condition {
                        replace(condition, known);
                    }
                    in_actions(inner, known);
                }
            }
            _ => {}
        }
    }
}

fn replace(text: &mut ChartText, known: &dyn Fn(&str) -> Option<String>) {
    const START: &str = "_event.data.";
    let mut from = 0;
    while let Some(at) = text.text[from..].find(START).map(|at| at + from) {
        let start = at + START.len();
        let word = text.text[start..].find(|c: char| !(c.is_alphanumeric() || c == '_'));
        let end = word.map_or(text.text.len(), |length| start + length);
        from = start;
        if let Some(meaning) = known(&text.text[start..end]) {
            text.text.replace_range(at..end, &meaning);
            from = at + meaning.len();
        }
    }
}
