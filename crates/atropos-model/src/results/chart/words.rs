//! What is written in a drawing: the labels of arrows and the lines in states.

use crate::charts::chart::{ChartAction, ChartState, ChartTransition, Machine, Trigger};

/// Letters in a line of a label.
const LINE: usize = 28;

/// An arrow's label: what sets it off, its guard, what it does.
pub fn arrow_label(machine: &Machine, transitions: &[&ChartTransition]) -> Vec<String> {
    let Some(first) = transitions.first() else {
        return Vec::new();
    };
    let triggers: Vec<String> = transitions
        .iter()
        .map(|t| trigger(machine, &t.trigger))
        .collect();
    let mut text = triggers.join(", ");
    if let Some(guard) = &first.guard {
        text.push_str(&format!(" [{}]", guard.text.trim()));
    }
    let actions = actions_text(&first.actions);
    if !actions.is_empty() {
        text.push_str(&format!(" / {actions}"));
    }
    wrapped(text.trim())
}

fn trigger(machine: &Machine, trigger: &Trigger) -> String {
    match trigger {
        Trigger::Eventless => String::new(),
        Trigger::Event(event) => event.text.clone(),
        Trigger::After(time, _) => format!("after {time}"),
        Trigger::Done(state) => format!("{} done", machine.state(*state).name.text),
    }
}

pub fn actions_text(actions: &[ChartAction]) -> String {
    let texts: Vec<String> = actions.iter().map(action_text).collect();
    texts.join("; ")
}

fn action_text(action: &ChartAction) -> String {
    match action {
        ChartAction::Observe { name, arguments } if arguments.is_empty() => name.text.clone(),
        ChartAction::Observe { name, arguments } => {
            let arguments: Vec<&str> = arguments.iter().map(|text| text.text.as_str()).collect();
            format!("{}({})", name.text, arguments.join(", "))
        }
        ChartAction::Raise(event) => format!("raise {}", event.text),
        ChartAction::SendSelf(event) => format!("send {}", event.text),
        ChartAction::Send { event, to } => format!("{}.{}", to.text, event.text),
        ChartAction::Delay { event, time, .. } => format!("{} after {time}", event.text),
        ChartAction::Cancel(id) => format!("cancel {}", id.text),
        ChartAction::Assign { place, value } => format!("{} := {}", place.text, value.text),
        ChartAction::Statement(text) => text.text.clone(),
        ChartAction::If(branches) => {
            let branches: Vec<String> = branches
                .iter()
                .map(|(condition, actions)| {
                    let condition = condition.as_ref().map_or("else", |text| text.text.trim());
                    format!("[{condition}] {}", actions_text(actions))
                })
                .collect();
            branches.join(" ")
        }
    }
}

/// The lines of a state's box, its name first.
pub fn state_lines(state: &ChartState) -> Vec<String> {
    let mut lines = vec![state.name.text.clone()];
    for (what, actions) in [("entry", &state.entry), ("exit", &state.exit)] {
        if !actions.is_empty() {
            lines.extend(wrapped(&format!("{what} / {}", actions_text(actions))));
        }
    }
    lines
}

pub fn wrapped(text: &str) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= LINE => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}
