//! Event descriptors: `a.b` stands for the event `a.b` and for all that begin with `a.b.`, `a.*` for the same, `*` for every
//! event. Which events there are is known from the machine: those that are raised or sent, declared, or named whole.
//!
//! Names of OOAS have no dots, so that `a.b` is shown as `a_b` (see `names`).

use crate::charts::chart::{ChartAction, ChartText, ChartTransition, Machine, Trigger};
use std::collections::BTreeSet;

/// Replaces descriptors by the events that they stand for.
pub fn resolve(machine: &mut Machine) {
    let known = known(machine);
    for state in &mut machine.states {
        let transitions = std::mem::take(&mut state.transitions);
        state.transitions = transitions
            .into_iter()
            .flat_map(|transition| expand(transition, &known))
            .collect();
    }
}

/// The part of a descriptor that events begin with; empty for `*`.
fn prefix(descriptor: &str) -> &str {
    let descriptor = descriptor.strip_suffix('*').unwrap_or(descriptor);
    descriptor.strip_suffix('.').unwrap_or(descriptor)
}

/// A `<send>` without a target goes to the machine itself where a transition names its event. Any other, also one that only `*`
/// stands for, is shown to the tester.
pub fn sends_to_self(machine: &mut Machine) {
    let awaited: Vec<String> = machine
        .transitions()
        .filter_map(|(_, transition)| match &transition.trigger {
            Trigger::Event(event) => Some(prefix(&event.text).to_owned()),
            _ => None,
        })
        .filter(|prefix| !prefix.is_empty())
        .collect();
    let shown: Vec<String> = machine
        .outputs
        .iter()
        .map(|o| o.name.text.clone())
        .collect();
    machine.each_action(&mut |action| {
        if let ChartAction::Observe { name, arguments } = action
            && arguments.is_empty()
            && !shown.contains(&name.text)
            && awaited.iter().any(|prefix| begins(&name.text, prefix))
        {
            *action = ChartAction::SendSelf(name.clone());
        }
    });
}

/// Whether an event has a descriptor's tokens at its start.
fn begins(event: &str, prefix: &str) -> bool {
    let rest = event.strip_prefix(prefix);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
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
            ChartAction::Raise(event)
            | ChartAction::SendSelf(event)
            | ChartAction::Delay { event, .. } => {
                known.insert(event.text.clone());
            }
            _ => {}
        }
    }
    known
}

fn expand(transition: ChartTransition, known: &BTreeSet<String>) -> Vec<ChartTransition> {
    let Trigger::Event(descriptor) = &transition.trigger else {
        return vec![transition];
    };
    let prefix = prefix(&descriptor.text);
    let fits = |event: &&String| prefix.is_empty() || begins(event, prefix);
    known
        .iter()
        .filter(fits)
        .map(|event| ChartTransition {
            trigger: Trigger::Event(ChartText::new(event, descriptor.span.clone())),
            ..transition.clone()
        })
        .collect()
}
