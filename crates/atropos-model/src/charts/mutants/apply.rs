//! One mutant alone: the edit made in the chart itself. The slow and obvious way, which tests compare the woven chart with.

use super::weave::{inside, lists};
use super::{ActionPlace, Arrow, ChartMutant, Edit};
use crate::charts::chart::{
    Chart, ChartAction, ChartStart, ChartText, ChartTransition, Depth, StateKind, Trigger,
};

/// The chart as the mutant has it.
pub fn apply(chart: &Chart, mutant: &ChartMutant) -> Chart {
    let mut edited = chart.clone();
    let machine = &mut edited.machines[mutant.machine];
    let mut each = |arrow: &Arrow, change: &dyn Fn(&mut ChartTransition)| {
        for at in &arrow.transitions {
            change(&mut machine.states[arrow.source.0].transitions[*at]);
        }
    };
    match &mutant.edit {
        Edit::Disable(arrow) => each(arrow, &|transition| {
            transition.guard = Some(ChartText::new("false", 0..0));
        }),
        Edit::Target(arrow, target) => each(arrow, &|transition| {
            transition.targets = vec![*target];
        }),
        Edit::Trigger(arrow, event) => each(arrow, &|transition| {
            transition.trigger = Trigger::Event(event.clone());
        }),
        Edit::DropGuard(arrow) => each(arrow, &|transition| transition.guard = None),
        Edit::Time { state, time, other } => {
            for transition in &mut machine.states[state.0].transitions {
                if let Trigger::After(after, _) = &mut transition.trigger
                    && after == time
                {
                    *after = *other;
                }
            }
        }
        Edit::Remove(place) => change_action(machine, place, &|list, at| {
            // Left out, but an event that is raised nowhere else does not become an input by that.
            let never = Some(ChartText::new("false", 0..0));
            list[at] = ChartAction::If(vec![(never, vec![list[at].clone()])]);
        }),
        Edit::Observe(place, other) => change_action(machine, place, &|list, at| {
            if let ChartAction::Observe { name, .. } = &mut list[at] {
                *name = other.clone();
            }
        }),
        Edit::Delay(place, other) => change_action(machine, place, &|list, at| {
            if let ChartAction::Delay { time, .. } = &mut list[at] {
                *time = *other;
            }
        }),
        Edit::Initial(state, other) => {
            let start = machine.start(*state);
            machine.states[state.0].initial = Some(ChartStart {
                targets: vec![*other],
                ..start
            });
        }
        Edit::HistoryDepth(state) => {
            let kind = &mut machine.states[state.0].kind;
            *kind = match kind {
                StateKind::History(Depth::Shallow) => StateKind::History(Depth::Deep),
                _ => StateKind::History(Depth::Shallow),
            };
        }
    }
    edited
}

fn change_action(
    machine: &mut crate::charts::chart::Machine,
    place: &ActionPlace,
    change: &dyn Fn(&mut Vec<ChartAction>, usize),
) {
    for list in lists(machine, &place.owner) {
        if let Some(list) = inside(list, &place.branches) {
            change(list, place.at);
        }
    }
}
