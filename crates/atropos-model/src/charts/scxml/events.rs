//! Event descriptors: `a.b` stands for the event `a.b` and for all that begin with `a.b.`, `a.*` for the same, `*` for every
//! event. Which events there are is known from the machine: those that are raised or sent, declared, or named whole.
//!
//! Names of OOAS have no dots, so that `a.b` is shown as `a_b`.

use crate::charts::chart::{Action, Machine, Text, Transition, Trigger};
use std::collections::BTreeSet;

/// Replaces descriptors by the events that they stand for, and dots in names by `_`.
pub fn resolve(machine: &mut Machine) {
    let known = known(machine);
    for state in &mut machine.states {
        let transitions = std::mem::take(&mut state.transitions);
        state.transitions = transitions
            .into_iter()
            .flat_map(|transition| expand(transition, &known))
            .collect();
        rename(&mut state.entry);
        rename(&mut state.exit);
        if let Some(start) = &mut state.initial {
            rename(&mut start.actions);
        }
        for transition in &mut state.transitions {
            rename(&mut transition.actions);
        }
    }
    for signature in machine.inputs.iter_mut().chain(&mut machine.outputs) {
        undot(&mut signature.name);
    }
}

/// The part of a descriptor that events begin with; empty for `*`.
fn prefix(descriptor: &str) -> &str {
    let descriptor = descriptor.strip_suffix('*').unwrap_or(descriptor);
    descriptor.strip_suffix('.').unwrap_or(descriptor)
}

fn known(machine: &Machine) -> BTreeSet<String> {
    let mut known: BTreeSet<String> = machine
        .transitions()
        .filter_map(|(_, transition)| match &transition.trigger {
            Trigger::Event(event) => Some(prefix(&event.text).to_string()),
            _ => None,
        })
        .filter(|name| !name.is_empty())
        .collect();
    known.extend(machine.inputs.iter().map(|input| input.name.text.clone()));
    for action in machine.actions() {
        match action {
            Action::Raise(event) | Action::Delay { event, .. } => {
                known.insert(event.text.clone());
            }
            _ => {}
        }
    }
    known
}

fn expand(transition: Transition, known: &BTreeSet<String>) -> Vec<Transition> {
    let Trigger::Event(descriptor) = &transition.trigger else {
        return vec![transition];
    };
    let prefix = prefix(&descriptor.text);
    let fits = |event: &&String| {
        let rest = event.strip_prefix(prefix);
        prefix.is_empty() || rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    };
    known
        .iter()
        .filter(fits)
        .map(|event| Transition {
            trigger: Trigger::Event(Text::new(event.replace('.', "_"), descriptor.span.clone())),
            ..transition.clone()
        })
        .collect()
}

fn rename(actions: &mut [Action]) {
    for action in actions {
        match action {
            Action::Raise(event) | Action::Send { event, .. } => undot(event),
            Action::Delay { event, id, .. } => {
                undot(event);
                undot(id);
            }
            Action::Cancel(id) => undot(id),
            Action::Observe { name, .. } => undot(name),
            Action::If(branches) => branches.iter_mut().for_each(|(_, inner)| rename(inner)),
            Action::Assign { .. } | Action::Statement(_) => {}
        }
    }
}

fn undot(text: &mut Text) {
    text.text = text.text.replace('.', "_");
}
