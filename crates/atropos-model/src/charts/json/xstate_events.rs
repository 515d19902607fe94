//! Event descriptors as XState reads them, which is not as SCXML does: `a` stands for the event `a` alone, `a.*` for `a` and all that
//! begin with `a.`, `*` for every event. A state's descriptors with stars count only where it does not name the event itself, the
//! longest first.

use crate::charts::chart::{ChartText, ChartTransition, Machine, Trigger};

/// Replaces descriptors by the events that they stand for.
pub fn resolve(machine: &mut Machine) {
    let known = known(machine);
    for state in &mut machine.states {
        let all = std::mem::take(&mut state.transitions);
        let (mut wild, kept): (Vec<_>, Vec<_>) = all.into_iter().partition(is_wild);
        wild.sort_by_key(|transition| {
            std::cmp::Reverse(descriptor(transition).map_or(0, str::len))
        });
        let named: Vec<String> = kept
            .iter()
            .filter_map(descriptor)
            .map(str::to_owned)
            .collect();
        state.transitions = kept;
        for event in known.iter().filter(|event| !named.contains(event)) {
            let fitting = wild
                .iter()
                .filter(|one| descriptor(one).is_some_and(|d| fits(d, event)));
            state
                .transitions
                .extend(fitting.map(|one| renamed(one, event)));
        }
    }
}

fn descriptor(transition: &ChartTransition) -> Option<&str> {
    match &transition.trigger {
        Trigger::Event(event) => Some(&event.text),
        _ => None,
    }
}

fn is_wild(transition: &ChartTransition) -> bool {
    descriptor(transition).is_some_and(|text| text == "*" || text.ends_with(".*"))
}

/// Every event that is named somewhere, in document order.
fn known(machine: &Machine) -> Vec<String> {
    let mut known: Vec<String> = Vec::new();
    for (_, transition) in machine.transitions() {
        let Some(text) = descriptor(transition).filter(|text| *text != "*") else {
            continue;
        };
        let name = text.strip_suffix(".*").unwrap_or(text);
        if known.iter().all(|known| known != name) {
            known.push(name.to_owned());
        }
    }
    known
}

fn fits(descriptor: &str, event: &str) -> bool {
    let Some(prefix) = descriptor.strip_suffix(".*") else {
        return descriptor == "*" || descriptor == event;
    };
    let rest = event.strip_prefix(prefix);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

fn renamed(transition: &ChartTransition, event: &str) -> ChartTransition {
    let mut renamed = transition.clone();
    if let Trigger::Event(text) = &mut renamed.trigger {
        *text = ChartText::new(event, text.span.clone());
    }
    renamed
}
