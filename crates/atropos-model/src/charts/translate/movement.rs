//! Leaving and entering states: from the inside out, through the transition's own actions, from the outside in.
//!
//! The regions of a parallel state are left and entered as wholes: in SCXML in document order (left in the reverse), in UML in any order
//! where the order can be noticed.

use super::code::CodeText;
use super::layout::done_event;
use super::writer::{ClassWriter, RememberedMove, all_of, any_of, unless_mutated};
use crate::charts::chart::{ChartTransition, Depth, Notation, StateId, StateKind, Trigger};

impl ClassWriter<'_> {
    /// What a transition does once it is taken.
    pub fn take(&mut self, source: StateId, transition: &ChartTransition) -> CodeText {
        CodeText::sequence(self.phases(source, transition))
    }

    /// The same in its three parts: what is left, the transition's own actions, what is entered.
    pub fn phases(&mut self, source: StateId, transition: &ChartTransition) -> [CodeText; 3] {
        let Some(domain) = self.machine.domain(source, transition) else {
            return [
                CodeText::skip(),
                self.actions(&transition.actions),
                CodeText::skip(),
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
    fn regions_in_order(&mut self, parallel: StateId, parts: Vec<CodeText>) -> CodeText {
        match self.moves_in_any_order(parallel) {
            true => self.any_order(parts),
            false => CodeText::sequence(parts),
        }
    }

    /// UML leaves the order of regions open; SCXML has document order unless the chart says otherwise.
    pub fn moves_in_any_order(&self, parallel: StateId) -> bool {
        self.chart.notation == Notation::Uml || self.machine.state(parallel).any_order
    }

    /// The child of `outer` that holds `inner`.
    fn child_towards(&self, outer: StateId, inner: StateId) -> StateId {
        self.machine
            .line(inner)
            .find(|&id| self.machine.state(id).parent == Some(outer))
            .unwrap_or(inner)
    }

    /// Leaves a state and all that is active in it. Its parent's variable keeps its value: what comes next sets it.
    pub fn leave(&mut self, id: StateId) -> CodeText {
        self.shared(RememberedMove::Exit, id, |writer| {
            let inside = match writer.machine.state(id).kind {
                StateKind::Compound => {
                    let inside = writer.leave_inside(id);
                    let region = writer.layout.regions[&id].clone();
                    let reset = CodeText::quiet(format!(
                        "{} := {}.{}",
                        region.variable, region.kind, region.inactive
                    ));
                    CodeText::sequence([inside, reset])
                }
                StateKind::Parallel => {
                    let regions: Vec<StateId> = writer.machine.active_children(id).collect();
                    let last_first = regions.iter().rev();
                    let parts = last_first.map(|&region| writer.leave(region)).collect();
                    writer.regions_in_order(id, parts)
                }
                _ => CodeText::skip(),
            };
            let exit = writer.actions(&writer.machine.state(id).exit);
            let stop = writer.stop_timers(id);
            CodeText::sequence([inside, exit, stop])
        })
    }

    /// Leaves the active child of a compound state and remembers it where a history wants that.
    fn leave_inside(&mut self, id: StateId) -> CodeText {
        let children: Vec<StateId> = self.machine.active_children(id).collect();
        let mut cases = Vec::new();
        for &child in &children {
            let code = self.leave(child);
            if !code.is_skip() {
                cases.push(CodeText::when(
                    self.layout.is(self.machine, id, child),
                    code,
                ));
            }
        }
        let some_need_nothing = cases.len() < children.len();
        let inside = match (cases.is_empty(), some_need_nothing) {
            (true, _) => CodeText::skip(),
            (false, true) => {
                CodeText::ranked(vec![CodeText::choice(cases), CodeText::quiet("skip")])
            }
            (false, false) => CodeText::choice(cases),
        };
        let region = &self.layout.regions[&id];
        let remember = match &region.last {
            Some(last) => CodeText::quiet(format!("{last} := {}", region.variable)),
            None => CodeText::skip(),
        };
        CodeText::sequence([inside, remember])
    }

    /// Enters `targets` (or, without any, where the state starts) inside the compound state `id`, which is active already.
    pub fn enter_inside(&mut self, id: StateId, targets: &[StateId]) -> CodeText {
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
            return CodeText::skip();
        }
        let others = self.variants.starts.get(&id).cloned().unwrap_or_default();
        let others = others.into_iter().map(|(number, other)| {
            let actions = self.actions(&start.actions);
            let enter = self.enter_inside(id, &[other]);
            (number, CodeText::sequence([actions, enter]))
        });
        let others = others.collect();
        let actions = self.actions(&start.actions);
        let enter = self.enter_inside(id, &start.targets);
        unless_mutated(CodeText::sequence([actions, enter]), others)
    }

    fn is_history(&self, id: StateId) -> bool {
        matches!(self.machine.state(id).kind, StateKind::History(_))
    }

    /// Enters a state: sets its parent's variable, does its entry actions, starts its timers, goes on inside.
    fn enter(&mut self, id: StateId, targets: &[StateId]) -> CodeText {
        let inner: Vec<StateId> = targets
            .iter()
            .copied()
            .filter(|&target| target != id && self.machine.within(target, id))
            .collect();
        if inner.is_empty() {
            return self.shared(RememberedMove::Enter, id, |writer| {
                let own = writer.enter_alone(id);
                let inside = writer.go_inside(id, &[]);
                CodeText::sequence([own, inside])
            });
        }
        let own = self.enter_alone(id);
        let inside = self.go_inside(id, &inner);
        CodeText::sequence([own, inside])
    }

    fn enter_alone(&mut self, id: StateId) -> CodeText {
        let set = match self.machine.state(id).parent {
            Some(parent) if self.machine.state(parent).kind == StateKind::Compound => {
                let region = &self.layout.regions[&parent];
                CodeText::quiet(format!(
                    "{} := {}.{}",
                    region.variable,
                    region.kind,
                    self.name(id)
                ))
            }
            _ => CodeText::skip(),
        };
        let entry = self.actions(&self.machine.state(id).entry);
        let timers = self.start_timers(id);
        CodeText::sequence([set, entry, timers])
    }

    fn go_inside(&mut self, id: StateId, targets: &[StateId]) -> CodeText {
        match self.machine.state(id).kind {
            StateKind::Compound => self.enter_inside(id, targets),
            StateKind::Parallel => self.enter_regions(id, targets),
            StateKind::Final => self.complete(id),
            _ => CodeText::skip(),
        }
    }

    fn enter_regions(&mut self, id: StateId, targets: &[StateId]) -> CodeText {
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
    fn enter_history(&mut self, id: StateId, history: StateId) -> CodeText {
        let deep = self.machine.state(history).kind == StateKind::History(Depth::Deep);
        let fallback = match self.machine.state(history).initial.clone() {
            Some(start) => {
                let actions = self.actions(&start.actions);
                let enter = self.enter_inside(id, &start.targets);
                CodeText::sequence([actions, enter])
            }
            None => self.enter_inside(id, &[]),
        };
        let mutated = self.variants.histories.get(&history);
        let mutated = mutated.map(|number| (*number, self.enter_last(id, !deep, fallback.clone())));
        let original = self.enter_last(id, deep, fallback);
        unless_mutated(original, mutated.into_iter().collect())
    }

    fn enter_last(&mut self, id: StateId, deep: bool, fallback: CodeText) -> CodeText {
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
            if ended && self.chart.notation == Notation::Uml {
                past.push(was);
                continue;
            }
            let enter = if deep {
                self.resume(child)
            } else {
                self.enter(child, &[])
            };
            cases.push(CodeText::when(was, enter));
        }
        cases.push(CodeText::when(any_of(&past), fallback));
        CodeText::choice(cases)
    }

    /// Enters a state as it was left, all the way down.
    fn resume(&mut self, id: StateId) -> CodeText {
        self.shared(RememberedMove::Resume, id, |writer| {
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
            CodeText::sequence([own, inside])
        })
    }

    /// Tells those who wait for it that the parent of a final state has come to its end.
    fn complete(&mut self, end: StateId) -> CodeText {
        let Some(parent) = self.machine.state(end).parent else {
            return CodeText::skip();
        };
        let own = if self.awaited(parent) {
            self.raise(&done_event(self.machine, parent))
        } else {
            CodeText::skip()
        };
        let whole = match self.machine.state(parent).parent {
            Some(all)
                if self.machine.state(all).kind == StateKind::Parallel && self.awaited(all) =>
            {
                let raise = self.raise(&done_event(self.machine, all));
                match self.all_ended(all) {
                    Some(condition) => CodeText::ranked(vec![
                        CodeText::when(condition, raise),
                        CodeText::quiet("skip"),
                    ]),
                    None => CodeText::skip(),
                }
            }
            _ => CodeText::skip(),
        };
        CodeText::sequence([own, whole])
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
