//! Which variables, types, timers and events a machine needs, and what they are called.

use super::scope::ChartScope;
use crate::charts::chart::{ChartAction, Depth, Machine, StateId, StateKind, Trigger};
use crate::charts::mutants::Variants;
use std::collections::{BTreeMap, BTreeSet};

/// The value of a region's variable while the region is not active.
const INACTIVE: &str = "Inactive";

/// A region's variable.
#[derive(Clone, Debug)]
pub struct ChartRegion {
    /// The variable's name.
    pub variable: String,
    /// Its enumeration type.
    pub kind: String,
    /// The value that stands for "not active".
    pub inactive: String,
    /// The variable that remembers the last active child, where a history asks for it.
    pub last: Option<String>,
}

/// What starts a timer and what it brings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TimerUse {
    /// `after`-transitions of a state with that time.
    After(StateId, u32),
    /// A delayed event: its id, the event, and the longest time it is given.
    Delayed {
        id: String,
        event: String,
        time: u32,
    },
}

/// A place in the list of timers.
#[derive(Clone, Debug)]
pub struct Timer {
    /// The constant that names the place.
    pub constant: String,
    /// Its use.
    pub usage: TimerUse,
}

impl Timer {
    /// The longest time it runs.
    pub fn longest(&self) -> u32 {
        match &self.usage {
            TimerUse::After(_, time) | TimerUse::Delayed { time, .. } => *time,
        }
    }
}

/// A machine's variables and names.
#[derive(Clone, Debug)]
pub struct ChartLayout {
    /// Per compound state.
    pub regions: BTreeMap<StateId, ChartRegion>,
    /// In the order of the list of timers.
    pub timers: Vec<Timer>,
    /// Events that can be waiting in a queue, by name.
    pub queued: BTreeSet<String>,
    /// Events that the tester gives.
    pub inputs: Vec<String>,
    /// Events that the machine raises for itself.
    pub raises: bool,
    /// Events come from other objects.
    pub receives: bool,
    /// The machine sends events to itself as if from outside.
    pub sends_self: bool,
}

/// The name of the event that tells that a state has come to its end.
pub fn done_event(machine: &Machine, state: StateId) -> String {
    format!("done_{}", machine.state(state).name.text)
}

impl ChartLayout {
    /// Lays out `machine`; `received` are the events that other objects send to it. Types and constants get their names from `global`,
    /// variables from `class`.
    pub fn of(
        machine: &Machine,
        variants: &Variants,
        received: &BTreeSet<String>,
        global: &mut ChartScope,
        class: &mut ChartScope,
    ) -> ChartLayout {
        let regions = regions(machine, variants, global, class);
        let timers = timers(machine, global);
        let mut queued = received.clone();
        let mut raised = BTreeSet::new();
        let mut sends_self = false;
        for action in machine.actions() {
            match action {
                ChartAction::Raise(event) => {
                    raised.insert(event.text.clone());
                }
                ChartAction::SendSelf(event) => {
                    queued.insert(event.text.clone());
                    sends_self = true;
                }
                _ => {}
            }
        }
        for (_, transition) in machine.transitions() {
            if let Trigger::Done(state) = transition.trigger {
                raised.insert(done_event(machine, state));
            }
        }
        queued.extend(raised.iter().cloned());
        ChartLayout {
            inputs: inputs(machine, &queued, &timers),
            regions,
            timers,
            raises: !raised.is_empty(),
            receives: !received.is_empty(),
            sends_self,
            queued,
        }
    }

    /// Events wait that came from outside.
    pub fn has_inbox(&self) -> bool {
        self.receives || self.sends_self
    }

    /// `variable = type.Value`: whether `child` of the compound state `parent` is active.
    pub fn is(&self, machine: &Machine, parent: StateId, child: StateId) -> String {
        let region = &self.regions[&parent];
        let name = &machine.state(child).name.text;
        format!("{} = {}.{name}", region.variable, region.kind)
    }

    /// Whether `state` is active, as an expression; `None` where it always is.
    pub fn active(&self, machine: &Machine, state: StateId) -> Option<String> {
        let line: Vec<StateId> = machine.line(state).collect();
        line.windows(2)
            .find(|pair| machine.state(pair[1]).kind == StateKind::Compound)
            .map(|pair| self.is(machine, pair[1], pair[0]))
    }

    /// The place of the timer for `after`-transitions of a state.
    pub fn after_timer(&self, state: StateId, time: u32) -> Option<&Timer> {
        self.timers
            .iter()
            .find(|timer| timer.usage == TimerUse::After(state, time))
    }

    /// The place of the timer for delayed events of that id.
    pub fn delay_timer(&self, wanted: &str) -> Option<&Timer> {
        self.timers
            .iter()
            .find(|timer| matches!(&timer.usage, TimerUse::Delayed { id, .. } if id == wanted))
    }
}

fn regions(
    machine: &Machine,
    variants: &Variants,
    global: &mut ChartScope,
    class: &mut ChartScope,
) -> BTreeMap<StateId, ChartRegion> {
    let class_name = &machine.name.text;
    machine
        .ids()
        .filter(|&id| machine.state(id).kind == StateKind::Compound)
        .map(|id| {
            let name = &machine.state(id).name.text;
            let (variable, kind) = if id == StateId::ROOT {
                ("state".to_owned(), format!("t_{class_name}"))
            } else {
                (format!("state_{name}"), format!("t_{class_name}_{name}"))
            };
            let mut inactive = INACTIVE.to_owned();
            while machine.find(&inactive).is_some() {
                inactive.push('_');
            }
            let last =
                remembers(machine, variants, id).then(|| class.fresh(&format!("last_{name}")));
            let region = ChartRegion {
                variable: class.fresh(&variable),
                kind: global.fresh(&kind),
                inactive,
                last,
            };
            (id, region)
        })
        .collect()
}

/// A history of its own, or a deep one further up, wants to know the last active child of `id`.
fn remembers(machine: &Machine, variants: &Variants, id: StateId) -> bool {
    machine.line(id).any(|ancestor| {
        machine
            .state(ancestor)
            .children
            .iter()
            .any(|&child| match machine.state(child).kind {
                StateKind::History(Depth::Deep) => true,
                // A mutant of it is deep.
                StateKind::History(Depth::Shallow) if variants.histories.contains_key(&child) => {
                    true
                }
                StateKind::History(Depth::Shallow) => ancestor == id,
                _ => false,
            })
    })
}

fn timers(machine: &Machine, scope: &mut ChartScope) -> Vec<Timer> {
    let mut timers: Vec<Timer> = Vec::new();
    for (state, transition) in machine.transitions() {
        if let Trigger::After(time, _) = transition.trigger {
            let usage = TimerUse::After(state, time);
            if timers.iter().all(|timer| timer.usage != usage) {
                let name = &machine.state(state).name.text;
                let constant = scope.fresh(&format!("{name}_after_{time}"));
                timers.push(Timer { constant, usage });
            }
        }
    }
    for action in machine.actions() {
        let ChartAction::Delay { event, id, time } = action else {
            continue;
        };
        let known = timers.iter_mut().find_map(|timer| match &mut timer.usage {
            TimerUse::Delayed {
                id: other, time, ..
            } if *other == id.text => Some(time),
            _ => None,
        });
        match known {
            Some(longest) => *longest = (*longest).max(*time),
            None => timers.push(Timer {
                constant: scope.fresh(&format!("delay_{}", id.text)),
                usage: TimerUse::Delayed {
                    id: id.text.clone(),
                    event: event.text.clone(),
                    time: *time,
                },
            }),
        }
    }
    timers
}

/// Declared inputs, and every trigger that nothing within the model brings.
fn inputs(machine: &Machine, queued: &BTreeSet<String>, timers: &[Timer]) -> Vec<String> {
    let mut inputs: Vec<String> = Vec::new();
    for (_, transition) in machine.transitions() {
        let Trigger::Event(event) = &transition.trigger else {
            continue;
        };
        let declared = machine
            .inputs
            .iter()
            .any(|input| input.name.text == event.text);
        let delayed = timers.iter().any(
            |timer| matches!(&timer.usage, TimerUse::Delayed { event: e, .. } if *e == event.text),
        );
        let brought = queued.contains(&event.text) || delayed;
        if (declared || !brought) && !inputs.contains(&event.text) {
            inputs.push(event.text.clone());
        }
    }
    inputs
}
