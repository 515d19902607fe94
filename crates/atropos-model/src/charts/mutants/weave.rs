//! All mutants of a chart's shape in one chart. A mutant's switch is written as a condition; transitions with another
//! target or trigger are copies beside the original. What conditions can't say, because it stands in no transition and no
//! action, the translation is told ([`Variants`]).

use super::{ActionPlace, Arrow, ChartMutant, Edit, Gate, Owner};
use crate::charts::chart::{
    Chart, ChartAction, ChartText, ChartTransition, Machine, StateId, Trigger,
};
use crate::charts::translate::{gate, mark};
use std::collections::BTreeMap;

/// What the translation of a machine does under mutants.
#[derive(Clone, Debug, Default)]
pub struct Variants {
    /// Other starts of compound states.
    pub starts: BTreeMap<StateId, Vec<(Gate, StateId)>>,
    /// Other times of a state's `after`-transitions.
    pub times: BTreeMap<(StateId, u32), Vec<(Gate, u32)>>,
    /// Histories whose depth changes.
    pub histories: BTreeMap<StateId, Gate>,
}

/// The chart with all mutants, and per machine what else they change. The number of a mutant's switch is its place in the
/// list.
pub fn weave(chart: &Chart, mutants: &[ChartMutant]) -> (Chart, Vec<Variants>) {
    let mut woven = chart.clone();
    let mut variants = vec![Variants::default(); chart.machines.len()];
    for (number, machine) in woven.machines.iter_mut().enumerate() {
        let ours = mutants.iter().enumerate();
        let ours: Vec<(Gate, &Edit)> = ours
            .filter(|(_, mutant)| mutant.machine == number)
            .map(|(gate, mutant)| (gate, &mutant.edit))
            .collect();
        variants[number] = of_machine(&ours);
        actions(machine, &ours);
        transitions(machine, &ours);
    }
    (woven, variants)
}

fn of_machine(mutants: &[(Gate, &Edit)]) -> Variants {
    let mut variants = Variants::default();
    for (gate, edit) in mutants {
        match edit {
            Edit::Initial(state, start) => {
                variants
                    .starts
                    .entry(*state)
                    .or_default()
                    .push((*gate, *start));
            }
            Edit::Time { state, time, other } => {
                let times = variants.times.entry((*state, *time)).or_default();
                times.push((*gate, *other));
            }
            Edit::HistoryDepth(state) => {
                variants.histories.insert(*state, *gate);
            }
            _ => {}
        }
    }
    variants
}

/// What replaces an action: by gate, nothing or another action.
type Replacements = Vec<(Gate, Option<ChartAction>)>;

fn actions(machine: &mut Machine, mutants: &[(Gate, &Edit)]) {
    let mut places: Vec<(&ActionPlace, Replacements)> = Vec::new();
    for (gate, edit) in mutants {
        let (Edit::Remove(place) | Edit::Observe(place, _) | Edit::Delay(place, _)) = edit else {
            continue;
        };
        let other = match (edit, original(machine, place)) {
            (Edit::Observe(_, name), Some(ChartAction::Observe { arguments, .. })) => {
                Some(ChartAction::Observe {
                    // Its text stands elsewhere, too, and must not be taken for that.
                    name: ChartText::new(name.text.clone(), 0..0),
                    arguments,
                })
            }
            (Edit::Delay(_, time), Some(ChartAction::Delay { event, id, .. })) => {
                Some(ChartAction::Delay {
                    event,
                    id,
                    time: *time,
                })
            }
            _ => None,
        };
        match places.iter_mut().find(|(known, _)| *known == place) {
            Some((_, found)) => found.push((*gate, other)),
            None => places.push((place, vec![(*gate, other)])),
        }
    }
    for (place, replacements) in places {
        for list in lists(machine, &place.owner) {
            if let Some(action) = inside(list, &place.branches).and_then(|l| l.get_mut(place.at)) {
                let branches = replacements.iter().map(|(gate, other)| {
                    let condition = ChartText::new(switch(*gate), 0..0);
                    (Some(condition), other.iter().cloned().collect())
                });
                let original = (None, vec![action.clone()]);
                *action = ChartAction::If(branches.chain([original]).collect());
            }
        }
    }
}

fn original(machine: &mut Machine, place: &ActionPlace) -> Option<ChartAction> {
    let list = lists(machine, &place.owner).into_iter().next()?;
    inside(list, &place.branches)?.get(place.at).cloned()
}

/// The lists of actions that an owner stands for; an arrow's transitions have one each.
pub(super) fn lists<'m>(machine: &'m mut Machine, owner: &Owner) -> Vec<&'m mut Vec<ChartAction>> {
    match owner {
        Owner::Entry(state) => vec![&mut machine.states[state.0].entry],
        Owner::Exit(state) => vec![&mut machine.states[state.0].exit],
        Owner::Initial(state) => {
            let start = machine.states[state.0].initial.as_mut();
            start.map(|start| &mut start.actions).into_iter().collect()
        }
        Owner::Arrow(arrow) => {
            let all = machine.states[arrow.source.0].transitions.iter_mut();
            let ours = all
                .enumerate()
                .filter(|(at, _)| arrow.transitions.contains(at));
            ours.map(|(_, transition)| &mut transition.actions)
                .collect()
        }
    }
}

/// The list at the end of a way through branches. A list that was woven is found under its last branch.
pub(super) fn inside<'m>(
    list: &'m mut Vec<ChartAction>,
    branches: &[(usize, usize)],
) -> Option<&'m mut Vec<ChartAction>> {
    let Some(((at, branch), rest)) = branches.split_first() else {
        return Some(list);
    };
    match list.get_mut(*at)? {
        ChartAction::If(inner) => inside(&mut inner.get_mut(*branch)?.1, rest),
        _ => None,
    }
}

fn transitions(machine: &mut Machine, mutants: &[(Gate, &Edit)]) {
    for state in 0..machine.states.len() {
        let originals = std::mem::take(&mut machine.states[state].transitions);
        let mut woven = Vec::with_capacity(originals.len());
        for (at, transition) in originals.into_iter().enumerate() {
            let ours =
                |arrow: &Arrow| arrow.source == StateId(state) && arrow.transitions.contains(&at);
            woven.extend(with_copies(transition, mutants, &ours));
        }
        machine.states[state].transitions = woven;
    }
}

/// A transition and its copies; which of them can be taken depends on the mutant that acts.
fn with_copies(
    transition: ChartTransition,
    mutants: &[(Gate, &Edit)],
    ours: &dyn Fn(&Arrow) -> bool,
) -> Vec<ChartTransition> {
    let (mut off, mut dropped, mut copies) = (Vec::new(), Vec::new(), Vec::new());
    for (gate, edit) in mutants {
        match edit {
            Edit::Disable(arrow) if ours(arrow) => off.push(*gate),
            Edit::DropGuard(arrow) if ours(arrow) => dropped.push(*gate),
            Edit::Target(arrow, target) if ours(arrow) => {
                off.push(*gate);
                copies.push(ChartTransition {
                    targets: vec![*target],
                    guard: Some(both(transition.guard.as_ref(), &switch(*gate))),
                    ..transition.clone()
                });
            }
            Edit::Trigger(arrow, event) if ours(arrow) => {
                off.push(*gate);
                copies.push(ChartTransition {
                    trigger: Trigger::Event(event.clone()),
                    guard: Some(both(transition.guard.as_ref(), &switch(*gate))),
                    ..transition.clone()
                });
            }
            _ => {}
        }
    }
    let mut original = transition;
    if let Some(guard) = &original.guard
        && !dropped.is_empty()
    {
        // Only where the guard does not hold does it matter that it is dropped.
        let text = format!("({} or {})", mark(guard), any(&dropped));
        original.guard = Some(ChartText::new(text, 0..0));
    }
    if !off.is_empty() {
        let on = format!("not ({})", any(&off));
        original.guard = Some(both(original.guard.as_ref(), &on));
    }
    std::iter::once(original).chain(copies).collect()
}

/// The guard, then the switch: a mutant is reached only where the guard holds.
fn both(guard: Option<&ChartText>, switch: &str) -> ChartText {
    let text = match guard {
        Some(guard) => format!("({}) and {switch}", mark(guard)),
        None => switch.to_owned(),
    };
    ChartText::new(text, 0..0)
}

fn switch(number: Gate) -> String {
    gate(number)
}

fn any(gates: &[Gate]) -> String {
    let gates: Vec<String> = gates.iter().map(|number| gate(*number)).collect();
    gates.join(" or ")
}
