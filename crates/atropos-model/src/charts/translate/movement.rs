//! Leaving and entering states: from the inside out, through the transition's own actions, from the outside in.
//!
//! The regions of a parallel state are left and entered as wholes: in SCXML in document order (left in the reverse), in UML in any order
//! where the order can be noticed.

use super::code::Code;
use super::layout::done_event;
use super::writer::{Move, Writer, all_of, any_of};
use crate::charts::chart::{Depth, Notation, StateId, StateKind, Transition, Trigger};

impl Writer<'_> {
    /// What a transition does once it is taken.
    pub fn take(&mut self, source: StateId, transition: &Transition) -> Code {
        Code::sequence(self.phases(source, transition))
    }

    /// The same in its three parts: what is left, the transition's own actions, what is entered.
    pub fn phases(&mut self, source: StateId, transition: &Transition) -> [Code; 3] {
        let Some(domain) = self.machine.domain(source, transition) else {
            return [
                Code::skip(),
                self.actions(&transition.actions),
                Code::skip(),
            ];
        };
        let leave = if domain == source {
            self.leave_inside(domain)
        } else {
            let child = self.child_towards(domain, source);
            self.leave(child)
        };
        let actions = self.actions(&transition.actions);
        let enter = self.enter_inside(domain, &transition.targets);
        [leave, actions, enter]
    }

    /// What is done in the regions of a parallel state, in the order that it has.
    fn regions_in_order(&mut self, parallel: StateId, parts: Vec<Code>) -> Code {
        match self.moves_in_any_order(parallel) {
            true => self.any_order(parts),
            false => Code::sequence(parts),
        }
    }

    /// UML leaves the order of regions open; SCXML has document order unless the chart says otherwise.
    pub fn moves_in_any_order(&self, parallel: StateId) -> bool {
        self.chart.notation == Notation::PlantUml || self.machine.state(parallel).any_order
    }

    /// The child of `outer` that holds `inner`.
    fn child_towards(&self, outer: StateId, inner: StateId) -> StateId {
        self.machine
            .line(inner)
            .find(|&id| self.machine.state(id).parent == Some(outer))
            .unwrap_or(inner)
    }

    /// Leaves a state and all that is active in it. Its parent's variable keeps its value: what comes next sets it.
    pub fn leave(&mut self, id: StateId) -> Code {
        self.shared(Move::Exit, id, |writer| {
            let inside = match writer.machine.state(id).kind {
                StateKind::Compound => {
                    let inside = writer.leave_inside(id);
                    let region = writer.layout.regions[&id].clone();
                    let reset = Code::quiet(format!(
                        "{} := {}.{}",
                        region.variable, region.kind, region.inactive
                    ));
                    Code::sequence([inside, reset])
                }
                StateKind::Parallel => {
                    let regions: Vec<StateId> = writer.machine.active_children(id).collect();
                    let last_first = regions.iter().rev();
                    let parts = last_first.map(|&region| writer.leave(region)).collect();
                    writer.regions_in_order(id, parts)
                }
                _ => Code::skip(),
            };
            let exit = writer.actions(&writer.machine.state(id).exit);
            let stop = writer.stop_timers(id);
            Code::sequence([inside, exit, stop])
        })
    }

    /// Leaves the active child of a compound state and remembers it where a history wants that.
    fn leave_inside(&mut self, id: StateId) -> Code {
        let children: Vec<StateId> = self.machine.active_children(id).collect();
        let mut cases = Vec::new();
        for &child in &children {
            let code = self.leave(child);
            if !code.is_skip() {
                cases.push(Code::when(self.layout.is(self.machine, id, child), code));
            }
        }
        let some_need_nothing = cases.len() < children.len();
        let inside = match (cases.is_empty(), some_need_nothing) {
            (true, _) => Code::skip(),
            (false, true) => Code::ranked(vec![Code::choice(cases), Code::quiet("skip")]),
            (false, false) => Code::choice(cases),
        };
        let region = &self.layout.regions[&id];
        let remember = match &region.last {
            Some(last) => Code::quiet(format!("{last} := {}", region.variable)),
            None => Code::skip(),
        };
        Code::sequence([inside, remember])
    }

    /// Enters `targets` (or, without any, where the state starts) inside the compound state `id`, which is active already.
    pub fn enter_inside(&mut self, id: StateId, targets: &[StateId]) -> Code {
        if let Some(&history) = targets.iter().find(|&&target| {
            self.machine.state(target).parent == Some(id) && self.is_history(target)
        }) {
            return self.enter_history(id, history);
        }
        let inner: Vec<StateId> = targets
            .iter()
            .copied()
            .filter(|&target| target != id && self.machine.within(target, id))
            .collect();
        if let Some(&first) = inner.first() {
            let child = self.child_towards(id, first);
            return self.enter(child, &inner);
        }
        let start = self.machine.start(id);
        if start.targets.is_empty() {
            return Code::skip();
        }
        let actions = self.actions(&start.actions);
        let enter = self.enter_inside(id, &start.targets);
        Code::sequence([actions, enter])
    }

    fn is_history(&self, id: StateId) -> bool {
        matches!(self.machine.state(id).kind, StateKind::History(_))
    }

    /// Enters a state: sets its parent's variable, does its entry actions, starts its timers, goes on inside.
    fn enter(&mut self, id: StateId, targets: &[StateId]) -> Code {
        let inner: Vec<StateId> = targets
            .iter()
            .copied()
            .filter(|&target| target != id && self.machine.within(target, id))
            .collect();
        if inner.is_empty() {
            return self.shared(Move::Enter, id, |writer| {
                let own = writer.enter_alone(id);
                let inside = writer.go_inside(id, &[]);
                Code::sequence([own, inside])
            });
        }
        let own = self.enter_alone(id);
        let inside = self.go_inside(id, &inner);
        Code::sequence([own, inside])
    }

    fn enter_alone(&mut self, id: StateId) -> Code {
        let set = match self.machine.state(id).parent {
            Some(parent) if self.machine.state(parent).kind == StateKind::Compound => {
                let region = &self.layout.regions[&parent];
                Code::quiet(format!(
                    "{} := {}.{}",
                    region.variable,
                    region.kind,
                    self.name(id)
                ))
            }
            _ => Code::skip(),
        };
        let entry = self.actions(&self.machine.state(id).entry);
        let timers = self.start_timers(id);
        Code::sequence([set, entry, timers])
    }

    fn go_inside(&mut self, id: StateId, targets: &[StateId]) -> Code {
        match self.machine.state(id).kind {
            StateKind::Compound => self.enter_inside(id, targets),
            StateKind::Parallel => self.enter_regions(id, targets),
            StateKind::Final => self.complete(id),
            _ => Code::skip(),
        }
    }

    fn enter_regions(&mut self, id: StateId, targets: &[StateId]) -> Code {
        let deep = targets.iter().any(|&target| {
            self.machine.state(target).parent == Some(id)
                && self.machine.state(target).kind == StateKind::History(Depth::Deep)
        });
        let regions: Vec<StateId> = self.machine.active_children(id).collect();
        let mut parts = Vec::new();
        for region in regions {
            parts.push(if deep {
                self.resume(region)
            } else {
                self.enter(region, targets)
            });
        }
        self.regions_in_order(id, parts)
    }

    /// Enters the child of `id` that was active last, or where the history says if there was none.
    fn enter_history(&mut self, id: StateId, history: StateId) -> Code {
        let deep = self.machine.state(history).kind == StateKind::History(Depth::Deep);
        let fallback = match self.machine.state(history).initial.clone() {
            Some(start) => {
                let actions = self.actions(&start.actions);
                let enter = self.enter_inside(id, &start.targets);
                Code::sequence([actions, enter])
            }
            None => self.enter_inside(id, &[]),
        };
        self.enter_last(id, deep, fallback)
    }

    fn enter_last(&mut self, id: StateId, deep: bool, fallback: Code) -> Code {
        let region = self.layout.regions[&id].clone();
        let Some(last) = region.last else {
            return fallback;
        };
        let mut cases = Vec::new();
        let mut past = vec![format!("{last} = {}.{}", region.kind, region.inactive)];
        let children: Vec<StateId> = self.machine.active_children(id).collect();
        for child in children {
            let was = format!("{last} = {}.{}", region.kind, self.name(child));
            // UML starts anew when the past had come to its end; SCXML goes back to the end.
            let ended = self.machine.state(child).kind == StateKind::Final;
            if ended && self.chart.notation == Notation::PlantUml {
                past.push(was);
                continue;
            }
            let enter = if deep {
                self.resume(child)
            } else {
                self.enter(child, &[])
            };
            cases.push(Code::when(was, enter));
        }
        cases.push(Code::when(any_of(&past), fallback));
        Code::choice(cases)
    }

    /// Enters a state as it was left, all the way down.
    fn resume(&mut self, id: StateId) -> Code {
        self.shared(Move::Resume, id, |writer| {
            let own = writer.enter_alone(id);
            let inside = match writer.machine.state(id).kind {
                StateKind::Compound => {
                    let fallback = writer.enter_inside(id, &[]);
                    writer.enter_last(id, true, fallback)
                }
                StateKind::Parallel => {
                    let regions: Vec<StateId> = writer.machine.active_children(id).collect();
                    let parts = regions
                        .iter()
                        .map(|&region| writer.resume(region))
                        .collect();
                    writer.regions_in_order(id, parts)
                }
                _ => writer.go_inside(id, &[]),
            };
            Code::sequence([own, inside])
        })
    }

    /// Tells those who wait for it that the parent of a final state has come to its end.
    fn complete(&mut self, end: StateId) -> Code {
        let Some(parent) = self.machine.state(end).parent else {
            return Code::skip();
        };
        let own = if self.awaited(parent) {
            self.raise(&done_event(self.machine, parent))
        } else {
            Code::skip()
        };
        let whole = match self.machine.state(parent).parent {
            Some(all)
                if self.machine.state(all).kind == StateKind::Parallel && self.awaited(all) =>
            {
                let raise = self.raise(&done_event(self.machine, all));
                match self.all_ended(all) {
                    Some(condition) => {
                        Code::ranked(vec![Code::when(condition, raise), Code::quiet("skip")])
                    }
                    None => Code::skip(),
                }
            }
            _ => Code::skip(),
        };
        Code::sequence([own, whole])
    }

    fn awaited(&self, state: StateId) -> bool {
        self.machine
            .transitions()
            .any(|(_, transition)| transition.trigger == Trigger::Done(state))
    }

    /// Every region has come to its end; `None` if some region never does.
    fn all_ended(&self, parallel: StateId) -> Option<String> {
        let mut conditions = Vec::new();
        for region in self.machine.active_children(parallel) {
            let ends: Vec<String> = self
                .machine
                .active_children(region)
                .filter(|&child| self.machine.state(child).kind == StateKind::Final)
                .map(|child| self.layout.is(self.machine, region, child))
                .collect();
            if ends.is_empty() {
                return None;
            }
            conditions.push(any_of(&ends));
        }
        Some(all_of(&conditions))
    }
}
